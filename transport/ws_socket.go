package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/semaphore"

	"inlaygraph/coded"
)

// socket is one WebSocket. It has a goroutine that reads, one that writes while there is something to write, and one per
// operation that runs for it alone; all end with it.
type socket struct {
	h      *Handler
	ctx    context.Context // of the connection; init narrows it to the session's
	cancel context.CancelFunc

	ws      *websocket.Conn // reads
	conn    net.Conn        // writes
	request *http.Request   // until connection_init, for Options.Init

	room     *semaphore.Weighted // what may still be queued
	outbox   outbox              // what operations have that share their execution; its lock is the queue's
	queue    []outgoing          // everything else
	ping     bool                // is due
	turn     bool                // the queue's, else the outbox's
	writer   writerState
	underWay atomic.Int64  // bytes that are being written
	exited   chan struct{} // closed by the writer when somebody waits for that

	deadline sync.Mutex // guards until, closed and the deadlines, so that none is moved out once it is closing
	closed   atomic.Bool
	final    []byte    // the close frame, set before closed
	until    time.Time // no write after this, zero for never

	initTimer   *time.Timer
	expiryTimer *time.Timer
	pingTimer   *time.Timer
	initialised bool // connection_init was received; the reader's own
	acked       bool // and acknowledged; the reader's own

	mu         sync.Mutex
	operations map[string]*wsOperation
	running    sync.WaitGroup
}

// newSocket returns the socket of a connection's context, which cancel ends.
func newSocket(h *Handler, ctx context.Context, cancel context.CancelFunc) *socket {
	c := &socket{
		h:          h,
		ctx:        ctx,
		cancel:     cancel,
		room:       semaphore.NewWeighted(int64(h.opts.QueueBytes)),
		operations: map[string]*wsOperation{},
	}
	c.outbox = outbox{writer: c, maxBytes: h.opts.QueueBytes}
	return c
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
	if c.isClosing() { // drained between add and here
		c.limitClosing()
	}
}

// divert takes the control frames that gorilla's reader wants written. The reader's goroutine is the caller.
func (c *socket) divert(frame []byte) error {
	if frame[0]&0xF != opClose {
		return c.send(c.ctx, outgoing{frame: append([]byte(nil), frame...)})
	}
	// The answer to the peer's close, or the report of a frame that breaks the protocol: gorilla writes either whole.
	by := ClosedByPeer
	if len(frame) >= 4 && int(frame[2])<<8|int(frame[3]) == closeProtocolError.code {
		by = strconv.Itoa(closeProtocolError.code)
	}
	c.closeWith(append([]byte(nil), frame...), by)
	return nil
}

// serve reads until the connection ends. It is short because it waits most of the time: the less is on its stack then, and
// on that of read, the less memory an idle connection takes. That is also why they have no results or buffers of their own.
func (c *socket) serve() {
	c.begin()
	c.read()
	c.end()
}

func (c *socket) begin() {
	c.allowWriting()
	if c.ws.Subprotocol() != subprotocol {
		c.close(closeSubprotocol)
		return
	}
	c.initTimer = time.AfterFunc(c.h.opts.InitTimeout, func() { c.close(closeInitTimeout) })
}

func (c *socket) end() {
	c.cancel()
	if !c.isClosing() {
		c.conn.Close() // the peer is gone, and whatever is being written has no reader
	}
	c.endWriting()
	c.conn.Close()
	for _, timer := range []*time.Timer{c.initTimer, c.expiryTimer, c.pingTimer} {
		if timer != nil {
			timer.Stop()
		}
	}
	c.running.Wait()
	c.quit()
	c.h.connections.remove(c)
}

// close ends the connection for reason: running operations are cancelled, what is queued is dropped, and the close frame
// is written next. The first reason counts.
func (c *socket) close(reason closeReason) { c.closeWith(reason.frame(), strconv.Itoa(reason.code)) }

func (c *socket) closeWith(frame []byte, counted string) {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if c.isClosing() {
		return
	}
	c.final = frame
	c.h.engine.stats.close(counted)
	c.closed.Store(true)
	c.limitClosing()
	c.cancel()
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	c.call()
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

func (c *socket) isClosing() bool { return c.closed.Load() }

func (c *socket) drain() { c.close(closeDrain) }

// kill resets the connection, without a close frame.
func (c *socket) kill() {
	c.cancel()
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if c.conn == nil {
		return
	}
	resetConnection(c.conn)
}

// alive moves the time by which the peer must be heard of again.
func (c *socket) alive() {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if !c.isClosing() {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.h.opts.PeerTimeout))
	}
}

// read handles the peer's messages until the connection ends. When c is closing they are read on, so that the peer's
// answer is seen and the kernel does not reset the connection over unread bytes, but not heard.
func (c *socket) read() {
	defer c.rescue()
	for more := true; more; {
		c.alive()
		more = c.receive(c.ws.NextReader())
	}
}

func (c *socket) rescue() {
	if value := recover(); value != nil {
		c.h.opts.Logger.ErrorContext(c.ctx, "panic in a connection", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		c.close(closeInternal)
	}
}

// receive takes one message of the peer, and reports false when there can be no other.
func (c *socket) receive(kind int, r io.Reader, err error) (more bool) {
	if err != nil {
		return false
	}
	if kind != websocket.TextMessage {
		c.close(closeMalformed.saying("message is binary"))
		return true
	}
	// gorilla's own limit is not used, because it closes by itself.
	raw, err := io.ReadAll(io.LimitReader(r, c.h.opts.MaxRequestBytes+1))
	switch {
	case err != nil:
		return false
	case int64(len(raw)) > c.h.opts.MaxRequestBytes:
		c.close(closeTooLarge)
	case !c.isClosing():
		c.handle(raw)
	}
	return true
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
	c.initTimer = nil
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
	c.h.engine.stats.refuse(refusedCode(codeOf(presented)))
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
