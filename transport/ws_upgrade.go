package transport

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"inlaygraph/coded"
)

const subprotocol = "graphql-transport-ws"

// writeBuffers is for gorilla's connections, which never write a message: they only want to have a buffer to hope for.
var writeBuffers sync.Pool

// serveSocket upgrades r and leaves the connection to goroutines of its own.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	// net/http ends the request's context when this returns; its values stay.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	served := false
	defer func() {
		if !served {
			cancel()
		}
	}()
	if h.opts.Upgrade != nil {
		var err error
		if ctx, err = h.opts.Upgrade(ctx, r); err != nil {
			h.refuse(w, r, mediaJSON, err)
			return
		}
	}
	c := newSocket(h, ctx, cancel)
	if err := h.connections.add(c); err != nil {
		h.refuseConnection(w, err)
		return
	}
	hijacker := &hijacker{ResponseWriter: w}
	upgrader := websocket.Upgrader{
		HandshakeTimeout: h.opts.WriteTimeout,
		ReadBufferSize:   1 << 10,
		WriteBufferPool:  &writeBuffers,
		Subprotocols:     []string{subprotocol},
		CheckOrigin:      func(*http.Request) bool { return true }, // ServeHTTP has
		Error: func(w http.ResponseWriter, _ *http.Request, status int, reason error) {
			w.Header().Set("Sec-Websocket-Version", "13")
			h.writeError(w, mediaJSON, status, errorList(coded.BadUserInput, "%s", reason.Error())[0])
		},
	}
	ws, err := upgrader.Upgrade(hijacker, r, nil)
	if err != nil {
		h.connections.remove(c)
		return
	}
	served = true
	c.attach(ws, hijacker.conn, r)
	go c.serve()
}

// hijacker gives gorilla a connection whose writes can be taken from it.
type hijacker struct {
	http.ResponseWriter
	conn *divertedConn
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if accepted, ok := conn.(*acceptedConn); ok { // its deadlines are looked after here, and several buffers go out in one call
		conn = accepted.Conn
	}
	h.conn = &divertedConn{Conn: conn}
	return h.conn, rw, nil
}

// divertedConn is the connection as gorilla sees it. gorilla's reader answers pings, closes and protocol errors by
// itself, with deadlines of its own; once divert is set these frames go there instead, so that one goroutine writes.
type divertedConn struct {
	net.Conn
	divert func(frame []byte) error
}

func (c *divertedConn) Write(p []byte) (int, error) {
	if c.divert == nil {
		return c.Conn.Write(p)
	}
	if err := c.divert(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// SetWriteDeadline leaves the deadline to whoever writes.
func (c *divertedConn) SetWriteDeadline(t time.Time) error {
	if c.divert == nil {
		return c.Conn.SetWriteDeadline(t)
	}
	return nil
}
