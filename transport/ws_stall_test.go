package transport

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stall connects a client that subscribes to an endless flood and never reads on.
func stall(t *testing.T, s *server) net.Conn {
	t.Helper()
	conn := s.dialSlow(t)
	c := s.over(t, conn)
	c.send(`{"type":"connection_init"}`)
	c.expect(`{"type":"connection_ack"}`)
	c.subscribe("flood", `subscription{flood(bytes:50000)}`)
	return conn
}

// over is a client on a connection that is there.
func (s *server) over(t *testing.T, conn net.Conn) *client {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{subprotocol}, NetDial: func(string, string) (net.Conn, error) { return conn, nil }}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), nil)
	require.NoError(t, err)
	return &client{t, ws}
}

// Promise 7: a stalled reader is closed within the write deadline, and others are served as before meanwhile.
func TestStalledReader(t *testing.T) {
	const deadline = 2 * time.Second // far above what a busy machine does to the other client
	s := start(t, Options{WriteTimeout: deadline})
	healthy := s.connect(t)
	healthy.subscribe("1", `subscription{changes(name:"a")}`)
	s.running(t, 1)
	begin := time.Now()
	stall(t, s)
	s.running(t, 2)
	var slowest time.Duration
	n := 0
	for ; s.root.Running.Load() == 2 && time.Since(begin) < patience; n++ {
		sent := time.Now()
		s.root.Feed("a").Messages <- fmt.Sprint(n)
		healthy.expect(fmt.Sprintf(`{"id":"1","type":"next","payload":{"data":{"changes":"%d"}}}`, n))
		slowest = max(slowest, time.Since(sent))
		time.Sleep(time.Millisecond)
	}
	took := time.Since(begin)
	assert.GreaterOrEqual(t, took, deadline)
	assert.Less(t, took, patience)
	assert.Less(t, slowest, deadline, "of %d messages to the other client", n)
	eventually(t, "the stalled connection is gone", func() bool { return s.Connections() == 1 })
}

// Promise 8: what waits for a stalled connection is bounded: the flood's resolver stands still.
func TestBackPressure(t *testing.T) {
	s := start(t, Options{WriteTimeout: time.Minute, CloseTimeout: 100 * time.Millisecond, QueueMessages: 4})
	stall(t, s)
	var c *socket
	eventually(t, "a full queue that stays so", func() bool {
		for open := range s.connections.open {
			c = open.(*socket)
		}
		for range 10 {
			if c.room.TryAcquire(1) {
				c.room.Release(1)
				return false
			}
			time.Sleep(5 * time.Millisecond)
		}
		return true
	})
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	assert.LessOrEqual(t, len(c.queue), 4, "with what is being written")
}

// Promise 8: by bytes, too: of 50 KB messages only two have room in 100 KB, and one larger than the room still goes.
func TestBackPressureBytes(t *testing.T) {
	s := start(t, Options{WriteTimeout: time.Minute, CloseTimeout: 100 * time.Millisecond, QueueMessages: 1000, QueueBytes: 101_000})
	stall(t, s)
	eventually(t, "socket stalled", func() bool {
		for open := range s.connections.open {
			return !open.(*socket).room.TryAcquire(50_000)
		}
		return false
	})
	healthy := s.connect(t)
	healthy.subscribe("1", `{bytes(count:200000)}`)
	assert.Greater(t, len(healthy.receive()), 200_000)
	healthy.expect(`{"id":"1","type":"complete"}`)
}

// The cap on connections answers HTTP 503 before the upgrade, to sockets and to streams.
func TestConnectionCap(t *testing.T) {
	s := start(t, Options{MaxConnections: 2})
	first := s.connect(t)
	s.connect(t)
	_, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	assert.Equal(t, "5", resp.Header.Get("Retry-After"))
	stream := s.post(t, `subscription{count(to:1)}`, "Accept", "text/event-stream")
	assert.Equal(t, http.StatusServiceUnavailable, stream.status)
	assert.Equal(t, `{"errors":[{"message":"too many connections, try again later","extensions":{"code":"RATE_LIMITED"}}]}`, stream.body)
	first.ws.Close()
	eventually(t, "room", func() bool { return s.Connections() == 1 })
	s.connect(t)
}

// A thousand sockets at once, each with a subscription of its own, all gone after their clients.
func TestThousandSockets(t *testing.T) {
	const n = 1000
	s := start(t, Options{})
	clients := make([]*client, n)
	for i := range clients {
		clients[i] = s.connect(t)
		clients[i].subscribe("1", `subscription{count(to:3)}`)
		clients[i].subscribe("2", fmt.Sprintf(`subscription{feed(name:"%d")}`, i))
	}
	for i, c := range clients {
		go func() { s.root.Feed(fmt.Sprint(i)).Messages <- fmt.Sprint("to ", i) }()
		var got []string
		for range 5 {
			got = append(got, c.receive())
		}
		assert.ElementsMatch(t, []string{
			`{"id":"1","type":"next","payload":{"data":{"count":1}}}`,
			`{"id":"1","type":"next","payload":{"data":{"count":2}}}`,
			`{"id":"1","type":"next","payload":{"data":{"count":3}}}`,
			`{"id":"1","type":"complete"}`,
			fmt.Sprintf(`{"id":"2","type":"next","payload":{"data":{"feed":"to %d"}}}`, i),
		}, got)
	}
	assert.Equal(t, n, s.Connections())
	for _, c := range clients {
		c.ws.Close()
	}
	eventually(t, "all gone", func() bool { return s.Connections() == 0 })
	s.running(t, 0)
}

// A message that arrives in pieces, with a ping between them, is one message.
func TestFragments(t *testing.T) {
	s := start(t, Options{})
	c := s.connect(t)
	masked := func(head byte, text string) []byte {
		return append([]byte{head, 0x80 | byte(len(text)), 0, 0, 0, 0}, text...)
	}
	conn := c.ws.NetConn()
	for _, frame := range [][]byte{masked(opText, `{"type":`), masked(finalBit|opPing, ""), masked(0, `"pi`), masked(finalBit, `ng"}`)} {
		_, err := conn.Write(frame)
		require.NoError(t, err)
	}
	c.expect(`{"type":"pong"}`)
}

// A client that never finishes its request line or body does not hold a connection for ever.
func TestSlowBody(t *testing.T) {
	s := start(t, Options{ReadTimeout: 100 * time.Millisecond})
	conn := s.dialSlow(t)
	_, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, http.StatusRequestTimeout, resp.StatusCode)
}
