package transport

import (
	"context"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"time"
)

// outgoing is one thing to write: a control frame, a message of the connection, or one of an operation.
type outgoing struct {
	frame []byte // a whole control frame
	text  []byte // a whole message

	op      *wsOperation
	kind    string // next, error or complete
	payload []byte // shared, of next and error
	last    bool   // the operation ends with this message
}

func (m *outgoing) size() int { return len(m.frame) + len(m.text) + len(m.payload) }

// send queues m and waits for room to do so (promise 8). Its error is ctx's.
func (c *socket) send(ctx context.Context, m outgoing) error {
	if err := c.room.Acquire(ctx, c.claim(&m)); err != nil {
		return err
	}
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	c.queue = append(c.queue, m)
	c.call()
	return nil
}

// claim is what a message takes of the queue's room: by its bytes, one larger than the whole taking the whole, but no
// less than its part of as many messages as there is room for.
func (c *socket) claim(m *outgoing) int64 {
	whole := c.h.opts.QueueBytes
	return int64(min(max(m.size(), whole/c.h.opts.QueueMessages), whole))
}

// writerState is whether there is a goroutine that writes. There is never more than one (promise 7).
type writerState int

const (
	unattached writerState = iota // there is no connection to write to yet
	idle
	writing
	ended // nothing is written any more
)

// call starts the writer, unless it is there. The outbox is locked.
func (c *socket) call() {
	if c.writer == idle {
		c.writer = writing
		go c.write()
	}
}

// allowWriting begins to write, now that there is a connection.
func (c *socket) allowWriting() {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	c.writer = idle
	c.pingTimer = time.AfterFunc(c.h.opts.PingInterval, c.pingLater)
	c.call() // it may be closing already
}

// endWriting returns once nothing is written any more.
func (c *socket) endWriting() {
	c.outbox.mu.Lock()
	var exited chan struct{}
	if c.writer == writing {
		exited = make(chan struct{})
		c.exited = exited
	}
	c.writer = ended
	c.outbox.mu.Unlock()
	if exited != nil {
		<-exited
	}
}

// pingLater has a ping written, and the next one in its time.
func (c *socket) pingLater() {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	if c.writer == ended {
		return
	}
	c.ping = true
	c.pingTimer.Reset(c.h.opts.PingInterval)
	c.call()
}

// maxBatch is how many messages go out in one system call.
const maxBatch = 16

// write writes what waits until nothing does, in a goroutine of its own. A connection that is closing writes its close
// frame and nothing else, whatever waits.
func (c *socket) write() {
	defer func() {
		if value := recover(); value != nil {
			c.h.opts.Logger.Error("panic in a connection", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			c.kill()
			c.stop()
		}
	}()
	w := batches.Get().(*batch)
	for c.fill(w, true) {
		for n := 1; n < maxBatch && w.size() < writeChunk && c.fill(w, false); n++ {
		}
		c.underWay.Store(int64(w.size()))
		err := c.flush(w)
		c.underWay.Store(0)
		c.room.Release(w.claimed)
		w.reset()
		if err != nil {
			// The peer took nothing for as long as it was given, or is gone. A half written frame leaves nothing to say.
			c.kill()
			c.stop()
			break
		}
	}
	batches.Put(w)
}

// fill adds the next thing that waits to the batch. With nothing in the batch, and nothing waiting, the writer is no longer
// there when it returns false.
func (c *socket) fill(w *batch, first bool) bool {
	if first && c.isClosing() {
		if _, err := c.conn.Write(c.final); err != nil {
			c.kill()
		}
		c.stop()
		return false
	}
	m, t, ok := c.take(w, first)
	if !ok {
		return false
	}
	t.caughtUp()
	c.add(w, m)
	return true
}

// take takes what waits: from the queue and from the outbox by turns.
func (c *socket) take(w *batch, first bool) (m outgoing, t taken, ok bool) {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	if c.ping {
		c.ping = false
		return outgoing{frame: pingFrame}, t, true
	}
	if c.turn = !c.turn; c.turn && len(c.queue) > 0 {
		return c.dequeue(w), t, true
	}
	if t, ok = c.outbox.takeLocked(); ok {
		m = outgoing{op: t.member.op, kind: "next", payload: t.payload}
		if t.end {
			m.kind, m.last = "complete", true
		}
		return m, t, true
	}
	if len(c.queue) > 0 {
		return c.dequeue(w), t, true
	}
	if first {
		c.stopLocked(idle)
	}
	return m, t, false
}

var pingFrame = []byte{finalBit | opPing, 0}

// dequeue takes the first of the queue, whose room it keeps until the batch is written.
func (c *socket) dequeue(w *batch) outgoing {
	m := c.queue[0]
	c.queue[0] = outgoing{}
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil
	}
	w.claimed += c.claim(&m)
	return m
}

// stop ends writing for good.
func (c *socket) stop() {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	c.stopLocked(ended)
}

// stopLocked says that the writer is not there any more.
func (c *socket) stopLocked(state writerState) {
	if c.writer == writing {
		c.writer = state
	}
	if c.exited != nil {
		close(c.exited)
		c.exited = nil
	}
}

const (
	idPrefix      = `{"id":`
	nextMiddle    = `,"type":"next","payload":`
	errorMiddle   = `,"type":"error","payload":`
	completeEnd   = `,"type":"complete"}`
	messageSuffix = `}`
)

// add appends m to the batch, unless its operation was completed by the client.
func (c *socket) add(w *batch, m outgoing) {
	if m.op == nil {
		if m.frame != nil {
			w.add(m.frame)
			return
		}
		w.flat = appendTextHeader(w.flat, len(m.text))
		w.add(m.text)
		return
	}
	if m.op.silent.Load() {
		return
	}
	if m.last {
		// Before the client can read it, because it may then use the id again.
		c.forget(m.op)
	}
	middle := completeEnd
	switch m.kind {
	case "next":
		middle = nextMiddle
		c.h.engine.stats.toSockets.Add(1)
	case "error":
		middle = errorMiddle
	}
	size := len(idPrefix) + len(m.op.idJSON) + len(middle)
	if m.payload != nil {
		size += len(m.payload) + len(messageSuffix)
	}
	w.flat = appendTextHeader(w.flat, size)
	w.flat = append(w.flat, idPrefix...)
	w.flat = append(w.flat, m.op.idJSON...)
	w.flat = append(w.flat, middle...)
	if m.payload != nil {
		w.add(m.payload)
		w.flat = append(w.flat, messageSuffix...)
	}
}

// batch is what goes out in one system call. It belongs to a writer only while that writes, so that an idle connection
// has none, and no payload is kept alive by one.
type batch struct {
	flat    []byte      // what is written, but for long payloads
	from    int         // in flat: what is not in bufs yet
	bufs    net.Buffers // what is written, in order
	claimed int64       // of the queue's room
}

var batches = sync.Pool{New: func() any { return &batch{} }}

// longPayload is from which length on a payload is handed to the system where it is: below, copying it costs less than
// another buffer does.
const longPayload = 4 << 10

// maxFlat is how much memory a batch keeps.
const maxFlat = 2 * writeChunk

func (w *batch) add(buf []byte) {
	if len(buf) < longPayload {
		w.flat = append(w.flat, buf...)
		return
	}
	w.cut()
	w.bufs = append(w.bufs, buf)
}

// cut ends a buffer. Should flat grow after that, the buffer is still where it was.
func (w *batch) cut() {
	if w.from < len(w.flat) {
		w.bufs = append(w.bufs, w.flat[w.from:])
		w.from = len(w.flat)
	}
}

// size is how many bytes are in the batch.
func (w *batch) size() (n int) {
	for _, buf := range w.bufs {
		n += len(buf)
	}
	return n + len(w.flat) - w.from
}

func (w *batch) reset() {
	clear(w.bufs[:cap(w.bufs)])
	w.flat, w.from, w.bufs, w.claimed = w.flat[:0], 0, w.bufs[:0], 0
	if cap(w.flat) > maxFlat {
		w.flat = nil
	}
}

// maxAtOnce is how much is written under one deadline: a peer on a slow line that takes a long message piece by piece
// is not a stalled one.
const maxAtOnce = 256 << 10

// flush writes the batch. The deadline is for progress, and never later than the session allows.
func (c *socket) flush(w *batch) error {
	w.cut()
	switch {
	case len(w.bufs) == 0 || !c.allowWrite():
		return nil
	case w.size() > maxAtOnce:
		return c.writeSlowly(w)
	case len(w.bufs) == 1:
		_, err := c.conn.Write(w.bufs[0])
		return err
	}
	bufs := w.bufs // WriteTo eats the slice that it is called on
	_, err := bufs.WriteTo(c.conn)
	return err
}

func (c *socket) writeSlowly(w *batch) error {
	for _, buf := range w.bufs {
		for len(buf) > 0 {
			n := min(len(buf), maxAtOnce)
			c.allowWrite()
			if _, err := c.conn.Write(buf[:n]); err != nil {
				return err
			}
			buf = buf[n:]
		}
	}
	return nil
}

// allowWrite sets the deadline of a write that begins now, and reports whether one may begin: a connection that is
// closing has its last deadline already.
func (c *socket) allowWrite() bool {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if c.isClosing() {
		return false
	}
	_ = c.conn.SetWriteDeadline(c.h.writeDeadline(c.until))
	return true
}
