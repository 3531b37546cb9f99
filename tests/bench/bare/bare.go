// Package bare is the broadcast that everything is compared with: what it is told goes to every viewer as it is, with
// nothing in between but what a socket costs.
//
// Promises:
//  1. A viewer has one goroutine that writes and one that reads, as a WebSocket must answer pings and closes.
//  2. A message is framed once for all. Every write has a deadline, and is one system call.
//  3. A viewer that subscribes is sent the latest message; each that comes afterwards is sent in order.
package bare

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"inlaygraph/tests/bench/feed"
)

const (
	writeTimeout = 10 * time.Second
	queued       = 256 // messages that wait for one viewer
)

// broadcast is the server.
type broadcast struct {
	mu      sync.Mutex
	latest  []byte // a whole frame
	viewers map[*viewer]struct{}
}

type viewer struct {
	conn   net.Conn
	frames chan []byte
	gone   chan struct{}
}

// Run serves what a teller tells until it closes. It writes where it serves to ready.
func Run(teller string, ready io.Writer) error {
	b := &broadcast{viewers: map[*viewer]struct{}{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: b}
	defer server.Close()
	var serve sync.Once // when there is something to serve
	return feed.Follow(teller, func(payload []byte) error {
		b.tell(payload)
		serve.Do(func() {
			go func() { _ = server.Serve(l) }()
			fmt.Fprintf(ready, "bare serves http://%s/graphql\n", l.Addr())
		})
		return nil
	})
}

// tell sends a payload to everybody.
func (b *broadcast) tell(payload []byte) {
	text := fmt.Appendf(nil, `{"id":"1","type":"next","payload":%s}`, payload)
	frame := append(header(len(text)), text...)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latest = frame
	for v := range b.viewers {
		select {
		case v.frames <- frame:
		case <-v.gone:
		}
	}
}

// header is that of a text frame of n bytes (RFC 6455).
func header(n int) []byte {
	switch {
	case n <= 125:
		return []byte{0x81, byte(n)}
	case n <= 0xFFFF:
		return []byte{0x81, 126, byte(n >> 8), byte(n)}
	}
	return []byte{0x81, 127, 0, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

var upgrader = websocket.Upgrader{Subprotocols: []string{"graphql-transport-ws"}, ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10}

// ServeHTTP serves one viewer.
func (b *broadcast) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	if err := begin(ws); err != nil {
		return
	}
	v := &viewer{conn: ws.NetConn(), frames: make(chan []byte, queued), gone: make(chan struct{})}
	b.mu.Lock()
	if b.latest != nil {
		v.frames <- b.latest
	}
	b.viewers[v] = struct{}{}
	b.mu.Unlock()
	go v.write()
	for err == nil {
		_, _, err = ws.NextReader()
	}
	close(v.gone)
	b.mu.Lock()
	delete(b.viewers, v)
	b.mu.Unlock()
}

// begin acknowledges a connection and waits for its subscription.
func begin(ws *websocket.Conn) error {
	for _, kind := range []string{"connection_init", "subscribe"} {
		_, text, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		var m struct{ Type string }
		if err := json.Unmarshal(text, &m); err != nil {
			return err
		}
		if m.Type != kind {
			return fmt.Errorf("%q instead of %s", m.Type, kind)
		}
		if kind == "connection_init" {
			if err := ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_ack"}`)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *viewer) write() {
	for {
		select {
		case frame := <-v.frames:
			if err := v.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
				return
			}
			if _, err := v.conn.Write(frame); err != nil {
				v.conn.Close()
				return
			}
		case <-v.gone:
			return
		}
	}
}
