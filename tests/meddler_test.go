package tests

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

// meddler stands between clients and a server, on WebSockets, and does to their messages what a faulty server might.
type meddler struct {
	http *httptest.Server
	to   string // the server's URL, for a WebSocket
	bug  bug

	mu    sync.Mutex // of bug, and of one that is shared
	conns []*websocket.Conn
	done  sync.WaitGroup
}

// bug is what a meddler does; the zero value does nothing. Its functions are called one at a time.
type bug struct {
	asks    func(m envelope) envelope   // what is made of a client's message
	answers func(m envelope) []envelope // what is made of a server's message
	oneLock bool                        // nobody is written to while anybody is
}

// envelope is a message of graphql-transport-ws.
type envelope struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// meddle starts a meddler in front of a server, and answers what its clients take for the server.
func meddle(t *testing.T, s *server, b bug) *server {
	t.Helper()
	m := &meddler{to: strings.Replace(s.url, "http", "ws", 1), bug: b}
	m.http = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		m.mu.Lock()
		for _, conn := range m.conns {
			conn.Close()
		}
		m.mu.Unlock()
		m.http.Close()
		m.done.Wait()
	})
	return &server{url: m.http.URL + "/graphql", unheld: true}
}

func (m *meddler) serve(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{Subprotocols: []string{"graphql-transport-ws"}}
	near, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	if tcp, ok := near.NetConn().(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(4 << 10) // the less the kernel takes for a client that does not read, the sooner a write stands still
	}
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, HandshakeTimeout: patience}
	far, _, err := dialer.Dial(m.to, nil)
	if err != nil {
		near.Close()
		return
	}
	m.mu.Lock()
	m.conns = append(m.conns, near, far)
	m.mu.Unlock()
	m.done.Go(func() { m.pass(near, far, m.ask, nil) })
	var all *sync.Mutex
	if m.bug.oneLock {
		all = &m.mu
	}
	m.done.Go(func() { m.pass(far, near, m.answer, all) })
}

func (m *meddler) ask(e envelope) []envelope {
	if m.bug.asks == nil {
		return []envelope{e}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return []envelope{m.bug.asks(e)}
}

func (m *meddler) answer(e envelope) []envelope {
	if m.bug.answers == nil {
		return []envelope{e}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bug.answers(e)
}

// pass hands on what comes from one side, until one of them is gone.
func (m *meddler) pass(from, to *websocket.Conn, what func(envelope) []envelope, locked *sync.Mutex) {
	defer from.Close()
	defer to.Close()
	for {
		var e envelope
		if from.ReadJSON(&e) != nil {
			return
		}
		for _, e := range what(e) {
			if locked != nil {
				locked.Lock()
			}
			err := to.WriteJSON(e)
			if locked != nil {
				locked.Unlock()
			}
			if err != nil {
				return
			}
		}
	}
}

// nth calls a function with the number, from 1, of each message of a type.
func nth(kind string, what func(n int, e envelope) []envelope) func(envelope) []envelope {
	n := 0
	return func(e envelope) []envelope {
		if e.Type != kind {
			return []envelope{e}
		}
		n++
		return what(n, e)
	}
}
