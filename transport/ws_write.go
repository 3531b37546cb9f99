package transport

import (
	"context"
	"net"
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
	size := c.claim(m.size())
	if err := c.room.Acquire(ctx, size); err != nil {
		return err
	}
	select {
	case c.queue <- m:
		return nil
	case <-ctx.Done():
		c.room.Release(size)
		return ctx.Err()
	}
}

// claim is what a message of n bytes takes of the queue's room: one larger than the whole takes the whole.
func (c *socket) claim(n int) int64 { return int64(min(n, c.h.opts.QueueBytes)) }

// maxBatch is how many queued messages go out in one system call.
const maxBatch = 16

// writer holds what write uses again and again.
type writer struct {
	head []byte // headers and prefixes of a batch
	bufs net.Buffers
	size int
}

// write is the only goroutine that writes to the connection once it is upgraded (promise 7).
func (c *socket) write() {
	ping := time.NewTicker(c.h.opts.PingInterval)
	defer ping.Stop()
	var w writer
	for {
		// A connection that is closing writes nothing else, whatever is queued.
		if c.isClosing() {
			c.writeFinal()
			return
		}
		var err error
		select {
		case <-c.closing:
			c.writeFinal()
			return
		case <-c.gone:
			return
		case <-ping.C:
			w.reset()
			w.add([]byte{finalBit | opPing, 0})
			err = c.flush(&w)
		case m := <-c.queue:
			err = c.writeBatch(&w, m)
		}
		if err != nil {
			// The peer took nothing for as long as it was given, or is gone. A half written frame leaves nothing to say.
			c.kill()
			return
		}
	}
}

func (c *socket) writeFinal() {
	if _, err := c.conn.Write(c.final); err != nil {
		c.kill()
	}
}

// writeBatch writes first and whatever else is queued by now.
func (c *socket) writeBatch(w *writer, first outgoing) error {
	w.reset()
	claimed := c.claim(first.size())
	c.add(w, first)
batch:
	for n := 1; n < maxBatch && w.size < writeChunk; n++ {
		select {
		case m := <-c.queue:
			claimed += c.claim(m.size())
			c.add(w, m)
		default:
			break batch
		}
	}
	err := c.flush(w)
	c.room.Release(claimed)
	return err
}

const (
	idPrefix      = `{"id":`
	nextMiddle    = `,"type":"next","payload":`
	errorMiddle   = `,"type":"error","payload":`
	completeEnd   = `,"type":"complete"}`
	messageSuffix = `}`
)

var suffix = []byte(messageSuffix)

// add appends m to the batch, unless its operation was completed by the client.
func (c *socket) add(w *writer, m outgoing) {
	if m.op == nil {
		if m.frame != nil {
			w.add(m.frame)
			return
		}
		start := len(w.head)
		w.head = appendTextHeader(w.head, len(m.text))
		w.add(w.head[start:])
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
	case "error":
		middle = errorMiddle
	}
	size := len(idPrefix) + len(m.op.idJSON) + len(middle)
	if m.payload != nil {
		size += len(m.payload) + len(messageSuffix)
	}
	start := len(w.head)
	w.head = appendTextHeader(w.head, size)
	w.head = append(w.head, idPrefix...)
	w.head = append(w.head, m.op.idJSON...)
	w.head = append(w.head, middle...)
	w.add(w.head[start:])
	if m.payload != nil {
		w.add(m.payload)
		w.add(suffix)
	}
}

func (w *writer) reset() {
	w.head, w.size = w.head[:0], 0
	clear(w.bufs[:cap(w.bufs)]) // payloads must not be kept alive by an idle connection
	w.bufs = w.bufs[:0]
}

func (w *writer) add(buf []byte) {
	w.bufs = append(w.bufs, buf)
	w.size += len(buf)
}

// maxAtOnce is how much is written under one deadline: a peer on a slow line that takes a long message piece by piece
// is not a stalled one.
const maxAtOnce = 256 << 10

// flush writes the batch. The deadline is for progress, and never later than the session allows.
func (c *socket) flush(w *writer) error {
	if w.size <= maxAtOnce {
		if !c.allowWrite() {
			return nil
		}
		bufs := w.bufs // WriteTo eats the slice that it is called on
		_, err := bufs.WriteTo(c.conn)
		w.release()
		return err
	}
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
	w.release()
	return nil
}

// release lets go of the payloads of a written batch.
func (w *writer) release() {
	clear(w.bufs[:cap(w.bufs)])
	w.bufs = w.bufs[:0]
}

// allowWrite sets the deadline of a write that begins now, and reports whether one may begin: a connection that is
// closing has its last deadline already.
func (c *socket) allowWrite() bool {
	c.deadline.Lock()
	defer c.deadline.Unlock()
	if c.closed {
		return false
	}
	_ = c.conn.SetWriteDeadline(c.h.writeDeadline(c.until))
	return true
}
