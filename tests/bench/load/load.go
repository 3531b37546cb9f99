// Package load is many viewers that follow one subscription each by graphql-transport-ws, as cheaply as it goes: a small
// buffer a viewer, and only of messages that are to be looked at more than their ends is kept.
//
// Promises:
//  1. Every message is counted, its length taken from its frame, and its end is shown, in the order of arrival.
//  2. Whatever is not a `next` message ends the viewer with an error, and so does a frame that breaks the protocol.
//  3. A viewer that is told to stall ([ErrStall]) reads nothing more, and stays connected.
package load

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	bufferBytes = 4 << 10
	tailBytes   = 64
	startBytes  = 64 // of a message, to see that it is a next
	// ID is the operation's id in every message.
	ID = "1"
)

// ErrStall is what Options.On returns for a viewer that is to read nothing more.
var ErrStall = errors.New("stall")

// Message is one message as its viewer got it. What it holds is good until the call returns.
type Message struct {
	Viewer int
	Size   int       // of the text
	Tail   []byte    // its last 64 bytes, or all
	Text   []byte    // the whole, where Options.Whole wanted it, else nil
	At     time.Time // once it was read
}

// Options say what viewers do.
type Options struct {
	Addr      string                      // host:port
	Viewers   int                         // how many
	Subscribe func(viewer int) []byte     // the payload of their subscribe message
	Whole     func(viewer, nth int) bool  // which messages are wanted whole; nil: none
	On        func(m Message) error       // called for each message, for one viewer's one after the other
	Narrow    func(viewer int) bool       // whose socket is to hold little that is unread; nil: nobody's
	Failed    func(viewer int, err error) // called once for a viewer that ended before Close
}

// Crowd is the viewers, connected.
type Crowd struct {
	opts Options

	mu     sync.Mutex
	closed bool
	conns  []net.Conn
	read   sync.WaitGroup
}

// Connect connects viewers, some at once, until all have subscribed or one could not. Messages may come before it
// returns.
func Connect(o Options) (*Crowd, error) {
	c := &Crowd{opts: o}
	const atOnce = 16
	var wait sync.WaitGroup
	failed := make(chan error, atOnce)
	for w := range atOnce {
		wait.Go(func() {
			for i := w; i < o.Viewers; i += atOnce {
				if err := c.connect(i); err != nil {
					failed <- fmt.Errorf("viewer %d: %w", i, err)
					return
				}
			}
		})
	}
	wait.Wait()
	select {
	case err := <-failed:
		c.Close()
		return nil, err
	default:
		return c, nil
	}
}

// Close drops every connection.
func (c *Crowd) Close() {
	c.mu.Lock()
	c.closed = true
	for _, conn := range c.conns {
		conn.Close()
	}
	c.mu.Unlock()
	c.read.Wait()
}

// viewer is one connection.
type viewer struct {
	conn net.Conn
	r    *bufio.Reader
	i    int
	tail [tailBytes]byte
}

func (c *Crowd) connect(i int) error {
	conn, err := net.Dial("tcp", c.opts.Addr)
	if err != nil {
		return err
	}
	if c.opts.Narrow != nil && c.opts.Narrow(i) {
		if err := conn.(*net.TCPConn).SetReadBuffer(bufferBytes); err != nil {
			return err
		}
	}
	v := &viewer{conn: conn, r: bufio.NewReaderSize(conn, bufferBytes), i: i}
	if err := v.begin(c.opts.Addr, c.opts.Subscribe(i)); err != nil {
		conn.Close()
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conn)
	if c.closed {
		conn.Close()
		return net.ErrClosed
	}
	c.read.Go(func() {
		err := v.follow(c)
		c.mu.Lock()
		closed := c.closed
		c.mu.Unlock()
		if err != nil && !closed && c.opts.Failed != nil {
			c.opts.Failed(i, err)
		}
	})
	return nil
}

// begin shakes hands, and subscribes once the connection is acknowledged.
func (v *viewer) begin(addr string, payload []byte) error {
	if err := v.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(v.conn, "GET /graphql HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c29tZSBzaXh0ZWVuIGJ5dA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n", addr)
	if err != nil {
		return err
	}
	res, err := http.ReadResponse(v.r, nil)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("the handshake was answered by %s", res.Status)
	}
	if err := v.write(opText, []byte(`{"type":"connection_init"}`)); err != nil {
		return err
	}
	_, n, err := v.header()
	if err != nil {
		return err
	}
	ack := make([]byte, n)
	if _, err := io.ReadFull(v.r, ack); err != nil {
		return err
	}
	if !bytes.Contains(ack, []byte(`"connection_ack"`)) {
		return fmt.Errorf("%q instead of an acknowledgement", ack)
	}
	if err := v.write(opText, fmt.Appendf(nil, `{"id":%q,"type":"subscribe","payload":%s}`, ID, payload)); err != nil {
		return err
	}
	return v.conn.SetDeadline(time.Time{})
}

// follow reads messages until the connection ends.
func (v *viewer) follow(c *Crowd) error {
	for nth := 0; ; {
		op, n, err := v.header()
		if err != nil {
			return err
		}
		switch op {
		case opText:
			m, err := v.message(n, c.opts.Whole != nil && c.opts.Whole(v.i, nth))
			if err != nil {
				return err
			}
			if err := c.opts.On(m); errors.Is(err, ErrStall) {
				return nil
			} else if err != nil {
				return err
			}
			nth++
		case opPing:
			payload := make([]byte, n)
			if _, err := io.ReadFull(v.r, payload); err != nil {
				return err
			}
			if err := v.write(opPong, payload); err != nil {
				return err
			}
		case opClose:
			payload := make([]byte, n)
			_, _ = io.ReadFull(v.r, payload)
			return fmt.Errorf("the server closed the connection: %q", payload)
		default:
			return fmt.Errorf("a frame of kind %d", op)
		}
	}
}

var isNext = []byte(`"next"`)

// message reads a message of n bytes.
func (v *viewer) message(n int, whole bool) (Message, error) {
	m := Message{Viewer: v.i, Size: n}
	start, err := v.r.Peek(min(n, startBytes))
	if err != nil {
		return m, err
	}
	next := bytes.Contains(start, isNext) // some say so at the start, and some at the end
	if whole {
		m.Text = make([]byte, n)
		_, err = io.ReadFull(v.r, m.Text)
		m.Tail = m.Text[max(0, n-tailBytes):]
	} else {
		m.Tail = v.tail[:min(n, tailBytes)]
		if _, err = v.r.Discard(n - len(m.Tail)); err == nil {
			_, err = io.ReadFull(v.r, m.Tail)
		}
	}
	m.At = time.Now()
	if err == nil && !next && !bytes.Contains(m.Tail, isNext) {
		err = fmt.Errorf("not a next message: …%s", m.Tail)
	}
	return m, err
}

// What RFC 6455 calls opcodes.
const (
	opText  = 0x1
	opClose = 0x8
	opPing  = 0x9
	opPong  = 0xA
)

var errFrame = errors.New("a frame that is masked, fragmented or compressed")

// header reads a frame's header: its opcode and length.
func (v *viewer) header() (op byte, n int, err error) {
	var b [8]byte
	if _, err := io.ReadFull(v.r, b[:2]); err != nil {
		return 0, 0, err
	}
	if b[0]&0xF0 != 0x80 || b[1]&0x80 != 0 {
		return 0, 0, errFrame
	}
	op, n = b[0]&0xF, int(b[1])
	switch n {
	case 126:
		_, err = io.ReadFull(v.r, b[:2])
		n = int(binary.BigEndian.Uint16(b[:2]))
	case 127:
		_, err = io.ReadFull(v.r, b[:8])
		n = int(binary.BigEndian.Uint64(b[:8]))
	}
	return op, n, err
}

// write writes a frame, masked by zero.
func (v *viewer) write(op byte, payload []byte) error {
	frame := []byte{0x80 | op}
	switch n := len(payload); {
	case n <= 125:
		frame = append(frame, 0x80|byte(n))
	case n <= 0xFFFF:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	default:
		return fmt.Errorf("%d bytes are more than a viewer sends", n)
	}
	frame = append(append(frame, 0, 0, 0, 0), payload...)
	_, err := v.conn.Write(frame)
	return err
}
