package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// socket is a graphql-transport-ws connection. What goes wrong on it stands in failed.
type socket struct {
	conn   *websocket.Conn
	url    string // of the server
	bearer string // what connection_init said of the session, as a header; "" for nothing
	lossy  bool   // upstream loses frames
	unheld bool   // what it receives is not validated at the end of the test

	mu      sync.Mutex // of writing and of what follows
	streams map[string]*stream
	last    int // id given
	failed  error

	closed chan struct{} // closed once the reading goroutine is done
}

// dialRaw opens a WebSocket and says nothing.
func dialRaw(t *testing.T, s *server, protocols ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: protocols, HandshakeTimeout: patience}
	conn, res, err := dialer.DialContext(t.Context(), strings.Replace(s.url, "http", "ws", 1), nil)
	if conn != nil {
		t.Cleanup(func() { conn.Close() })
	}
	return conn, res, err
}

// dial opens a connection that is acknowledged. It is closed at the end of the test.
func dial(t *testing.T, s *server) *socket {
	t.Helper()
	return dialWith(t, s, nil)
}

// dialWith is dial with a payload of connection_init, nil for none.
func dialWith(t *testing.T, s *server, payload map[string]any) *socket {
	t.Helper()
	conn, _, err := dialRaw(t, s, "graphql-transport-ws")
	require.NoError(t, err)
	c := &socket{conn: conn, url: s.url, bearer: bearerOf(payload), lossy: s.lossy, unheld: s.unheld, streams: map[string]*stream{}, closed: make(chan struct{})}
	tally.connections.Add(1)
	init := map[string]any{"type": "connection_init"}
	if payload != nil {
		init["payload"] = payload
	}
	require.NoError(t, conn.WriteJSON(init))
	var ack struct{ Type string }
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	require.NoError(t, conn.ReadJSON(&ack))
	require.Equal(t, "connection_ack", ack.Type)
	require.NoError(t, conn.SetReadDeadline(time.Time{}))
	go c.read()
	t.Cleanup(c.close)
	return c
}

// bearerOf is the Authorization header that says the same as a payload of connection_init.
func bearerOf(payload map[string]any) string {
	if text, ok := payload["Authorization"].(string); ok {
		return text
	}
	if text, ok := payload["token"].(string); ok {
		return "Bearer " + text
	}
	return ""
}

// close drops the connection.
func (c *socket) close() {
	c.conn.Close()
	<-c.closed
}

func (c *socket) read() {
	defer close(c.closed)
	for {
		var m struct {
			ID, Type string
			Payload  json.RawMessage
		}
		err := c.conn.ReadJSON(&m)
		c.mu.Lock()
		if err != nil {
			c.failed = err
			for _, s := range c.streams {
				s.change(func() { s.ended = true })
			}
			c.mu.Unlock()
			return
		}
		s := c.streams[m.ID]
		if s == nil || m.Type != "next" { // its last message, or one that belongs to none
			delete(c.streams, m.ID)
		}
		c.mu.Unlock()
		switch {
		case s == nil:
		case m.Type == "next":
			s.add(m.Payload)
		default:
			s.change(func() {
				s.ended, s.complete = true, m.Type == "complete"
				if m.Type == "error" {
					s.refused = m.Payload
				}
			})
		}
	}
}

// closeCode waits until the peer has closed the connection, and answers the code it gave.
func (c *socket) closeCode(t *testing.T) int {
	t.Helper()
	select {
	case <-c.closed:
	case <-time.After(patience):
		t.Fatal("the connection was not closed")
	}
	var closing *websocket.CloseError
	if !errors.As(c.failed, &closing) {
		t.Fatalf("the connection ended without a close frame: %v", c.failed)
	}
	return closing.Code
}

// subscribe starts an operation without variables.
func (c *socket) subscribe(t *testing.T, text string) *stream {
	t.Helper()
	return c.run(t, request{Query: text})
}

// run starts an operation. What it receives is validated at the end of the test.
func (c *socket) run(t *testing.T, r request) *stream {
	t.Helper()
	s := newStream()
	if !c.unheld {
		hold(t, s, c.url, c.bearer, r.Query, c.lossy)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	require.NoError(t, c.failed)
	c.last++
	id := fmt.Sprint(c.last)
	c.streams[id] = s
	require.NoError(t, c.conn.WriteJSON(map[string]any{"id": id, "type": "subscribe", "payload": r}))
	return s
}
