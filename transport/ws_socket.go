package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/semaphore"

	"inlaygraph/coded"
)

// socket is one WebSocket. It has a goroutine that reads, one that writes, and one per running operation; all end
// with it.
type socket struct {
	h      *Handler
	ctx    context.Context // of the connection; init narrows it to the session's
	cancel context.CancelFunc

	ws      *websocket.Conn // reads
	conn    net.Conn        // writes
	request *http.Request   // until connection_init, for Options.Init

	queue chan outgoing
	room  *semaphore.Weighted // bytes that may still be queued

	closing  chan struct{} // closed by close; the writer then sends closeFrame and ends
	gone     chan struct{} // closed when nothing can be read any more
	deadline sync.Mutex    // guards until, closed and the deadlines, so that none is moved out once it is closing
	closed   bool
	final    []byte    // the close frame, set before closing is closed
	until    time.Time // no write after this, zero for never

	initTimer   *time.Timer
	expiryTimer *time.Timer
	initialised bool // connection_init was received; the reader's own
	acked       bool // and acknowledged; the reader's own

	mu         sync.Mutex
	operations map[string]*wsOperation
	running    sync.WaitGroup
}

// newSocket returns the socket of a connection's context, which cancel ends.
func newSocket(h *Handler, ctx context.Context, cancel context.CancelFunc) *socket {
	return &socket{
		h:          h,
		ctx:        ctx,
		cancel:     cancel,
		queue:      make(chan outgoing, h.opts.QueueMessages),
		room:       semaphore.NewWeighted(int64(h.opts.QueueBytes)),
		closing:    make(chan struct{}),
		gone:       make(chan struct{}),
		operations: map[string]*wsOperation{},
	}
}

// attach gives c its connection, before serve.
func (c *socket) attach(ws *websocket.Conn, conn *divertedConn, r *http.Request) {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	c.ws, c.conn = ws, conn.Conn
	if c.h.opts.Init != nil {
		c.request = r
	}
	conn.divert = c.divert
	ws.SetPongHandler(func(string) error { c.alive(); return nil })
	if c.closed { // drained between add and here
		c.limitClosing()
	}
}

// divert takes the control frames that gorilla's reader wants written. The reader's goroutine is the caller.
func (c *socket) divert(frame []byte) error {
	if frame[0]&0xF != opClose {
		return c.send(c.ctx, outgoing{frame: append([]byte(nil), frame...)})
	}
	// The answer to the peer's close, or the report of a frame that breaks the protocol: gorilla writes either whole.
	c.closeWith(append([]byte(nil), frame...))
	return nil
}

func (c *socket) serve() {
	defer c.h.connections.remove(c)
	defer c.running.Wait()
	var writer sync.WaitGroup
	writer.Go(c.write)
	if c.ws.Subprotocol() != subprotocol {
		c.close(closeSubprotocol)
	} else {
		c.initTimer = time.AfterFunc(c.h.opts.InitTimeout, func() { c.close(closeInitTimeout) })
	}
	c.read()
	c.cancel()
	close(c.gone)
	if !c.isClosing() {
		c.conn.Close() // the peer is gone, and whatever is being written has no reader
	}
	writer.Wait()
	c.conn.Close()
	for _, timer := range []*time.Timer{c.initTimer, c.expiryTimer} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// close ends the connection for reason: running operations are cancelled, what is queued is dropped, and the close frame
// is written next. The first reason counts.
func (c *socket) close(reason closeReason) { c.closeWith(reason.frame()) }

func (c *socket) closeWith(frame []byte) {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if c.closed {
		return
	}
	c.closed, c.final = true, frame
	c.limitClosing()
	c.cancel()
	close(c.closing)
}

// limitClosing gives the peer CloseTimeout for what is being written, the close frame, and its answer.
func (c *socket) limitClosing() {
	if c.conn == nil {
		return
	}
	end := time.Now().Add(c.h.opts.CloseTimeout)
	if !c.until.IsZero() && c.until.Before(end) {
		end = c.until
	}
	_ = c.conn.SetDeadline(end)
}

func (c *socket) isClosing() bool {
	select {
	case <-c.closing:
		return true
	default:
		return false
	}
}

func (c *socket) drain() { c.close(closeDrain) }

// kill resets the connection, without a close frame.
func (c *socket) kill() {
	c.cancel()
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if c.conn == nil {
		return
	}
	// Closing a TLS connection would first try to write to the peer, which is what cannot be done.
	conn := c.conn
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = tls.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// alive moves the time by which the peer must be heard of again.
func (c *socket) alive() {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if !c.closed {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.h.opts.PeerTimeout))
	}
}

var (
	errBinary   = errors.New("message is binary")
	errTooLarge = errors.New("message is too large")
)

// read handles the peer's messages until the connection ends. When c is closing they are read on, so that the peer's
// answer is seen and the kernel does not reset the connection over unread bytes, but not heard.
func (c *socket) read() {
	defer func() {
		if value := recover(); value != nil {
			c.h.opts.Logger.ErrorContext(c.ctx, "panic in a connection", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			c.close(closeInternal)
		}
	}()
	for {
		c.alive()
		raw, err := c.next()
		switch {
		case err == errTooLarge:
			c.close(closeTooLarge)
		case err == errBinary:
			c.close(closeMalformed.saying(err.Error()))
		case err != nil:
			return
		case !c.isClosing():
			c.handle(raw)
		}
	}
}

// next reads one message of at most MaxRequestBytes. gorilla's own limit is not used, because it closes by itself.
func (c *socket) next() ([]byte, error) {
	kind, r, err := c.ws.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		return nil, errBinary
	}
	raw, err := io.ReadAll(io.LimitReader(r, c.h.opts.MaxRequestBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > c.h.opts.MaxRequestBytes {
		return nil, errTooLarge
	}
	return raw, nil
}

func (c *socket) handle(raw []byte) {
	m, err := parseMessage(raw, c.h.opts.MaxOperationIDBytes)
	if err != nil {
		c.close(closeMalformed.saying(err.Error()))
		return
	}
	switch m.kind {
	case "connection_init":
		c.init(m)
	case "ping":
		text := `{"type":"pong"}`
		if m.payload != nil {
			text = `{"type":"pong","payload":` + string(m.payload) + `}`
		}
		_ = c.send(c.ctx, outgoing{text: []byte(text)})
	case "subscribe":
		if !c.acked {
			c.close(closeUnauthorized)
			return
		}
		c.subscribe(m)
	case "complete":
		c.complete(m.id)
	}
}

func (c *socket) init(m *message) {
	if c.initialised {
		c.close(closeTooManyInits)
		return
	}
	c.initialised = true
	c.initTimer.Stop()
	if c.h.opts.Init != nil {
		ctx, expiry, err := c.h.opts.Init(c.ctx, c.request, m.payload)
		c.request = nil
		if err != nil {
			c.refuse(err)
			return
		}
		c.ctx = ctx
		if expired(expiry, time.Now()) {
			c.close(closeForbidden.saying(expiredMessage))
			return
		}
		if !expiry.IsZero() {
			c.expireAt(expiry)
		}
	}
	c.acked = true
	_ = c.send(c.ctx, outgoing{text: []byte(`{"type":"connection_ack"}`)})
}

// refuse closes the connection over what Options.Init said.
func (c *socket) refuse(err error) {
	presented := c.h.engine.present.refusal(c.ctx, err)
	switch codeOf(presented) {
	case coded.RateLimited, coded.UpstreamUnavailable:
		c.close(closeTryLater.saying(presented.Message))
	case coded.Internal:
		c.close(closeInternal)
	default:
		c.close(closeForbidden.saying(presented.Message))
	}
}

func (c *socket) expireAt(expiry time.Time) {
	c.deadline.Lock()
	c.until = expiry.Add(c.h.opts.ExpiryGrace)
	c.deadline.Unlock()
	c.expiryTimer = time.AfterFunc(time.Until(expiry), func() { c.close(closeForbidden.saying(expiredMessage)) })
}
