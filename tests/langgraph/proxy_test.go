//go:build langgraph

package langgraph

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between our server and the LangGraph server, and cuts connections.
type proxy struct {
	url    string
	listen net.Listener
	target string
	done   sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
	away  bool                // nobody gets through
	cutAt func(down int) bool // asked with the bytes that came down a connection that streams
	cuts  int
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	at, err := url.Parse(langGraph)
	require.NoError(t, err)
	p := &proxy{target: at.Host, conns: map[net.Conn]bool{}}
	p.listen, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.url = "http://" + p.listen.Addr().String()
	p.done.Go(p.accept)
	t.Cleanup(func() {
		p.listen.Close()
		p.cut()
		p.done.Wait()
	})
	return p
}

func (p *proxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *proxy) accept() {
	for {
		near, err := p.listen.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.target)
		p.mu.Lock()
		if err != nil || p.away {
			near.Close()
			if far != nil {
				far.Close()
			}
		} else {
			p.conns[near], p.conns[far] = true, true
			p.done.Go(func() { p.pass(far, near, false) })
			p.done.Go(func() { p.pass(near, far, true) })
		}
		p.mu.Unlock()
	}
}

// pass hands on what comes from one side, byte for byte, until one of them is gone.
func (p *proxy) pass(to, from net.Conn, down bool) {
	defer p.drop(to, from)
	piece := make([]byte, 512) // so that a cut is anywhere
	total, streams := 0, false
	for {
		n, err := from.Read(piece)
		if n > 0 {
			if down {
				streams = streams || bytes.Contains(piece[:n], []byte("text/event-stream"))
				total += n
				if streams && p.asked(total) {
					to.Write(piece[:n/2])
					return
				}
			}
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) asked(total int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cutAt == nil || !p.cutAt(total) {
		return false
	}
	p.cuts++
	return true
}

// drop closes connections at once, as when a machine goes away.
func (p *proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset
		}
		conn.Close()
		delete(p.conns, conn)
	}
}

// cut drops all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	conns := make([]net.Conn, 0, len(p.conns))
	for conn := range p.conns {
		conns = append(conns, conn)
	}
	p.mu.Unlock()
	p.drop(conns...)
}
