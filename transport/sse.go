package transport

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"inlaygraph/coded"
)

// answer is a source of one payload.
type answer struct{ payload []byte }

func (a *answer) Next(context.Context) ([]byte, bool, error) { return a.payload, true, nil }

// started is the source of an operation that begins with its first Next, so that a resolver that takes its time to
// subscribe does so inside the stream.
type started struct {
	engine *engine
	op     *operation
	source source
}

func (s *started) Next(ctx context.Context) ([]byte, bool, error) {
	if s.source == nil {
		s.source = s.engine.open(ctx, s.op)
	}
	return s.source.Next(ctx)
}

// sseStream is one GraphQL over SSE response in the distinct connections mode.
type sseStream struct {
	h       *Handler
	w       http.ResponseWriter
	control *http.ResponseController
	until   time.Time // when the last byte must be written, zero for never
	drained chan struct{}
	once    sync.Once
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

// stream sends the results of src as events until they end, the client leaves or stalls, the session expires, or the
// server drains. ctx is cancelled for src when it returns.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, ctx context.Context, expiry time.Time, src source, repeats *repeats) {
	s := &sseStream{h: h, w: w, control: http.NewResponseController(w), drained: make(chan struct{})}
	if !expiry.IsZero() {
		s.until = expiry.Add(h.opts.ExpiryGrace)
	}
	if expired(expiry, time.Now()) {
		h.writeError(w, mediaJSON, http.StatusUnauthorized, errorList(coded.Unauthenticated, "the session has expired")[0])
		return
	}
	if h.opts.Stream != nil {
		if err := h.opts.Stream(ctx); err != nil {
			h.refuse(w, r, mediaJSON, err)
			return
		}
	}
	if err := h.connections.add(s); err != nil {
		h.refuseConnection(w, err)
		return
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
		return
	}

	ctx, cancel := context.WithCancel(ctx)
	deliveries := make(chan delivery)
	var pump sync.WaitGroup
	pump.Go(func() { deliver(ctx, src, deliveries) })
	defer pump.Wait()
	defer cancel()
	s.run(r.Context(), expiry, deliveries, repeats)
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

// event writes a `next` event. A payload is one line, as encodeResponse promises.
func (s *sseStream) event(payload []byte) error {
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
