package transport

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// What benchmarks send to is a process of its own, so that the CPU of this one is the server's. It is this program, told
// so by its environment.
const (
	readersAddress = "TRANSPORT_BENCH_ADDRESS"
	readersCount   = "TRANSPORT_BENCH_COUNT"
)

// runReaders connects so many WebSockets, subscribes on each, and says a byte whenever all of them got another message.
func runReaders() {
	count, _ := strconv.Atoi(os.Getenv(readersCount))
	var got atomic.Int64
	for i := range count {
		dialer := websocket.Dialer{Subprotocols: []string{subprotocol}, ReadBufferSize: 16}
		ws, _, err := dialer.Dial("ws://"+os.Getenv(readersAddress), nil)
		if err == nil {
			err = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_init","payload":{"token":"u@acme"}}`))
		}
		if err == nil {
			_, _, err = ws.ReadMessage()
		}
		if err == nil {
			err = ws.WriteMessage(websocket.TextMessage, []byte(fmt.Sprintf(`{"type":"subscribe","id":"%d","payload":{"query":"subscription{topic(name:\"a\")}"}}`, i)))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go func() {
			r := bufio.NewReaderSize(ws.NetConn(), 64<<10)
			for skipFrame(r) == nil {
				if got.Add(1)%int64(count) == 0 {
					os.Stdout.Write([]byte{'.'})
				}
			}
		}()
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the server's process has closed it
	os.Exit(0)
}

// skipFrame reads one text frame.
func skipFrame(r *bufio.Reader) error {
	for {
		head, err := r.Peek(2)
		if err != nil {
			return err
		}
		kind, size, length := head[0]&0xF, int(head[1]), 2
		switch size {
		case 126:
			length = 4
			head, err = r.Peek(4)
			size = int(binary.BigEndian.Uint16(head[2:]))
		case 127:
			length = 10
			head, err = r.Peek(10)
			size = int(binary.BigEndian.Uint64(head[2:]))
		}
		if err == nil {
			_, err = r.Discard(length + size)
		}
		if err != nil || kind == opText {
			return err
		}
	}
}

// readers is the other process.
type readers struct {
	b     *testing.B
	ticks *bufio.Reader
}

func startReaders(b *testing.B, address string, count int) *readers {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readersAddress+"="+address, readersCount+"="+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return &readers{b, bufio.NewReader(out)}
}

// wait returns once all have got another message.
func (r *readers) wait() {
	_, err := r.ticks.ReadByte()
	require.NoError(r.b, err)
}

// cpu is what this process has used so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// broadcast is the least that a server can do: a goroutine for each connection, a deadline for each write, frames made
// beforehand.
type broadcast struct {
	listener net.Listener
	mu       sync.Mutex
	to       []chan []byte
}

func startBroadcast(b *testing.B) *broadcast {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s := &broadcast{listener: l}
	upgrader := websocket.Upgrader{Subprotocols: []string{subprotocol}}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		_, _, _ = ws.ReadMessage()
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_ack"}`))
		_, _, _ = ws.ReadMessage()
		frames := make(chan []byte, 16)
		s.mu.Lock()
		s.to = append(s.to, frames)
		s.mu.Unlock()
		defer ws.Close()
		conn := ws.NetConn()
		for frame := range frames {
			_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if _, err := conn.Write(frame); err != nil {
				return
			}
		}
	})}
	go func() { _ = web.Serve(l) }()
	b.Cleanup(func() {
		s.mu.Lock()
		for _, frames := range s.to {
			close(frames)
		}
		s.mu.Unlock()
		web.Close()
	})
	return s
}

func (s *broadcast) send(payload string) {
	frame := appendTextHeader(nil, len(payload))
	frame = append(frame, payload...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, frames := range s.to {
		frames <- frame
	}
}

// BenchmarkShared is what one delivery costs the server: of a group, and of a bare broadcast of the same bytes in the
// same run, in turns. It reports CPU per delivery, user and system, and their ratio.
func BenchmarkShared(b *testing.B) {
	for _, size := range []int{150, 20_000} {
		for _, count := range []int{100, 1000} {
			b.Run(fmt.Sprintf("bytes=%d/members=%d", size, count), func(b *testing.B) { benchmarkShared(b, size, count) })
		}
	}
}

func benchmarkShared(b *testing.B, size, count int) {
	s := startSharing(b, Options{})
	topic := s.root.Topic("a")
	text := strings.Repeat("x", size-len(topicOf(""))-len(`{"id":"1","type":"next","payload":}`)-1)
	say := func(n int) string { return text[n%2:] + strconv.Itoa(n%10) }
	ours := startReaders(b, s.address(), count)
	ours.wait()
	bare := startBroadcast(b)
	theirs := startReaders(b, bare.listener.Addr().String(), count)
	eventually(b, "everybody is there", func() bool {
		bare.mu.Lock()
		defer bare.mu.Unlock()
		return len(bare.to) == count
	})
	var used [2]time.Duration
	rounds := 0
	b.ResetTimer()
	for b.Loop() {
		for range 10 { // in turns, so that whatever else the machine does meets both
			start := cpu(b)
			topic.Replace(say(rounds))
			ours.wait()
			between := cpu(b)
			bare.send(`{"id":"1","type":"next","payload":` + topicOf(say(rounds)) + `}`)
			theirs.wait()
			used[0] += between - start
			used[1] += cpu(b) - between
			rounds++
		}
	}
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(rounds*count) }
	b.ReportMetric(each(used[0]), "µs/delivery")
	b.ReportMetric(each(used[1]), "µs/bare")
	b.ReportMetric(float64(used[0])/float64(used[1]), "x/bare")
	b.ReportMetric(0, "ns/op")
}
