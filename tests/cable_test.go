package tests

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// cable is the way between two sides of TCP connections. When it is unplugged nothing goes through any more, and neither
// side hears of it.
type cable struct {
	listener net.Listener
	to       string
	done     sync.WaitGroup

	mu        sync.Mutex
	plugs     []*plug
	unplugged int
}

// plug is one connection that goes through.
type plug struct {
	near, far net.Conn
	out       chan struct{} // closed when it is unplugged
	once      sync.Once
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{listener: listener, to: to}
	c.done.Go(c.accept)
	t.Cleanup(func() {
		listener.Close()
		c.mu.Lock()
		for _, p := range c.plugs {
			p.near.Close()
			p.far.Close()
		}
		c.mu.Unlock()
		c.done.Wait()
	})
	return c
}

func (c *cable) address() string { return c.listener.Addr().String() }

func (c *cable) accept() {
	for {
		near, err := c.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", c.to)
		if err != nil {
			near.Close()
			continue
		}
		p := &plug{near: near, far: far, out: make(chan struct{})}
		c.mu.Lock()
		c.plugs = append(c.plugs, p)
		c.mu.Unlock()
		c.done.Go(func() { p.pass(near, far) })
		c.done.Go(func() { p.pass(far, near) })
	}
}

// pass hands on what comes. What comes once it is unplugged, the end included, nobody hears of.
func (p *plug) pass(from, to net.Conn) {
	piece := make([]byte, 4<<10)
	for {
		n, err := from.Read(piece)
		select {
		case <-p.out:
			_, _ = io.Copy(io.Discard, from) // as much as is sent
			return
		default:
		}
		if n > 0 {
			if _, err := to.Write(piece[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			to.Close()
			return
		}
	}
}

// unplug cuts all connections that there are off, without a word to either side. New ones go through.
func (c *cable) unplug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.plugs {
		p.once.Do(func() { close(p.out) })
	}
	c.unplugged++
	tally.cuts.Add(1)
}
