package transport

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"inlaygraph/coded"
)

// answer is a source of one payload.
type answer struct {
	payload []byte
	code    coded.Code // of its first error
}

func (a *answer) Next(context.Context) ([]byte, bool, error) { return a.payload, true, nil }

// sseStream is one GraphQL over SSE response in the distinct connections mode.
type sseStream struct {
	h        *Handler
	w        http.ResponseWriter
	control  *http.ResponseController
	until    time.Time    // when the last byte must be written, zero for never
	outbox   outbox       // what it gets of an execution that it shares
	rung     bell         // there is something in the outbox
	underWay atomic.Int64 // bytes of a result that is being written
	drained  chan struct{}
	once     sync.Once
}

func (s *sseStream) drain() { s.once.Do(func() { close(s.drained) }) }

func (s *sseStream) kill() {
	s.drain()
	_ = s.control.SetWriteDeadline(time.Now())
}

type delivery struct {
	payload []byte
	last    bool
	err     error
}

// streamAnswer streams the answer to an operation that was refused.
func (h *Handler) streamAnswer(w http.ResponseWriter, r *http.Request, ctx context.Context, expiry time.Time, payload []byte) {
	h.stream(w, r, ctx, expiry, &repeats{}, func(context.Context, *outbox) (source, *member) { return &answer{payload: payload}, nil })
}

// streamOperation streams an operation. It begins inside the stream, as a resolver may take its time to subscribe.
func (h *Handler) streamOperation(w http.ResponseWriter, r *http.Request, ctx context.Context, expiry time.Time, op *operation, o *observation) {
	defer o.end(Left)
	refused := h.stream(w, r, ctx, expiry, h.engine.repeatsOf(op), func(ctx context.Context, box *outbox) (source, *member) {
		if n := h.engine.stats.subscribers[op.field]; n != nil {
			n.Add(1)
			context.AfterFunc(ctx, func() { n.Add(-1) })
		}
		src, m := h.engine.open(ctx, op, box, nil)
		return o.begun(src, m), m
	})
	if refused != "" {
		o.end(refused)
	}
}

// opening begins an operation, see engine.open.
type opening func(context.Context, *outbox) (source, *member)

// stream sends the results of what open begins as events until they end, the client leaves or stalls, the session expires,
// or the server drains. The operation's context is cancelled when it returns. Where there is no stream it answers why not,
// else "".
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, ctx context.Context, expiry time.Time, repeats *repeats, open opening) (refused coded.Code) {
	s := &sseStream{h: h, w: w, control: http.NewResponseController(w), drained: make(chan struct{}), rung: make(bell, 1)}
	s.outbox = outbox{writer: s.rung, maxBytes: h.opts.QueueBytes}
	if !expiry.IsZero() {
		s.until = expiry.Add(h.opts.ExpiryGrace)
	}
	if expired(expiry, time.Now()) {
		h.writeError(w, mediaJSON, http.StatusUnauthorized, errorList(coded.Unauthenticated, "the session has expired")[0])
		return coded.Unauthenticated
	}
	if h.opts.Stream != nil {
		if err := h.opts.Stream(ctx); err != nil {
			h.refuse(w, r, mediaJSON, err)
			return coded.CodeOf(err)
		}
	}
	if err := h.connections.add(s); err != nil {
		h.refuseConnection(w, err)
		return coded.RateLimited
	}
	defer h.connections.remove(s)

	header := w.Header()
	header.Set("Content-Type", mediaSSE+"; charset=utf-8")
	header.Set("Cache-Control", "no-cache, no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would hold the events back
	header.Set("X-Content-Type-Options", "nosniff")
	header.Add("Vary", "Accept")
	w.WriteHeader(http.StatusOK)
	// A first byte tells the client, and whatever stands between, that the stream is open.
	if s.send(":\n\n") != nil {
		return ""
	}

	ctx, cancel := context.WithCancel(ctx)
	deliveries := make(chan delivery)
	var pump sync.WaitGroup
	var joined *member
	pump.Go(func() {
		src, m := open(ctx, &s.outbox)
		if joined = m; m == nil {
			deliver(ctx, src, deliveries)
		}
	})
	defer func() {
		cancel()
		pump.Wait()
		if joined != nil {
			joined.quit()
		}
	}()
	s.run(r.Context(), expiry, deliveries, repeats)
	return ""
}

// deliver hands the results of src over one by one, so that a slow client holds its source back.
func deliver(ctx context.Context, src source, to chan<- delivery) {
	for {
		payload, last, err := src.Next(ctx)
		select {
		case to <- delivery{payload, last, err}:
		case <-ctx.Done():
			return
		}
		if last || err != nil {
			return
		}
	}
}

func (s *sseStream) run(client context.Context, expiry time.Time, deliveries <-chan delivery, repeats *repeats) {
	var expiring <-chan time.Time
	if !expiry.IsZero() {
		timer := time.NewTimer(time.Until(expiry))
		defer timer.Stop()
		expiring = timer.C
	}
	keepAlive := time.NewTicker(s.h.opts.KeepAliveInterval)
	defer keepAlive.Stop()
	for {
		select {
		case <-client.Done():
			return
		case <-s.drained:
			return
		case <-expiring:
			gone := encodeErrors(errorList(coded.Unauthenticated, "the session has expired"))
			_ = s.send("event: next\ndata: ", string(gone), "\n\nevent: complete\ndata:\n\n")
			return
		case <-keepAlive.C:
			if s.send(":\n\n") != nil {
				return
			}
		case <-s.rung:
			if s.shared() {
				return
			}
			keepAlive.Reset(s.h.opts.KeepAliveInterval)
		case d := <-deliveries:
			if d.err != nil && d.err != io.EOF {
				return
			}
			if d.err == nil && !repeats.drop(d.payload) {
				if s.event(d.payload) != nil {
					return
				}
			}
			if d.last || d.err != nil {
				_ = s.send("event: complete\ndata:\n\n")
				return
			}
			keepAlive.Reset(s.h.opts.KeepAliveInterval)
		}
	}
}

// shared writes one thing that waits in the outbox, and tells whether the stream is over with that.
func (s *sseStream) shared() (over bool) {
	t, ok := s.outbox.take()
	switch {
	case !ok:
		return false
	case t.end:
		_ = s.send("event: complete\ndata:\n\n")
		return true
	}
	s.rung.call() // there may be more, which waits for its turn
	t.caughtUp()
	return s.event(t.payload) != nil
}

// event writes a `next` event. A payload is one line, as encodeResponse promises.
func (s *sseStream) event(payload []byte) error {
	s.h.engine.stats.toStreams.Add(1)
	s.underWay.Store(int64(len(payload)))
	defer s.underWay.Store(0)
	_ = s.control.SetWriteDeadline(s.h.writeDeadline(s.until))
	if _, err := io.WriteString(s.w, "event: next\ndata: "); err != nil {
		return err
	}
	if err := s.h.writeSlowly(s.control, s.w, payload, s.until); err != nil {
		return err
	}
	return s.send("\n\n")
}

// send writes parts and flushes what is written.
func (s *sseStream) send(parts ...string) error {
	_ = s.control.SetWriteDeadline(s.h.writeDeadline(s.until))
	for _, part := range parts {
		if _, err := io.WriteString(s.w, part); err != nil {
			return err
		}
	}
	return s.control.Flush()
}
