package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// maxTypeName bounds the type that a rejection repeats (wire.Rejection).
const maxTypeName = 64

// stream is one SSE answer being read.
type stream struct {
	op     string
	outer  context.Context // the context the stream was opened with
	ctx    context.Context // ends with outer, Close, silence, or the context of a Next; its cause says which
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	idle   *idleReader
	sse    *sseReader
	decode wire.Decoder
	err    error // what Next answers from now on
}

// opStream is the call whose refusals mean something of their own.
const opStream = "stream"

// Stream implements upstream.Source.
func (c *Client) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	return c.open(ctx, call{op: opStream, auth: auth, path: []string{"conversations", id, "stream"}, after: after})
}

// open does a call whose answer is live frames.
func (c *Client) open(ctx context.Context, k call) (_ upstream.Stream, err error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer func() {
		if err != nil {
			cancel(err)
		}
	}()
	req, err := c.request(inner, k)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity") // a compressor holds frames back
	req.Header.Set("Cache-Control", "no-cache")
	if k.after > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(k.after, 10))
	}
	idle := newIdleReader(c.opts.IdleTimeout, k.op, cancel)
	idle.arm()
	defer idle.disarm()
	resp, err := c.http.Do(req)
	if err != nil {
		if cause := context.Cause(inner); cause != nil {
			return nil, cause
		}
		return nil, failed(ctx, k.op, err)
	}
	if err := streamable(k, resp); err != nil { // a refusal can go silent too
		resp.Body.Close()
		return nil, err
	}
	idle.r = resp.Body
	return &stream{
		op: k.op, outer: ctx, ctx: inner, cancel: cancel, body: resp.Body,
		idle: idle, sse: newSSEReader(idle, c.opts.MaxFrame), decode: c.decoder(),
	}, nil
}

// streamable tells a stream from a refusal.
func streamable(k call, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return refused(k, resp)
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "text/event-stream" {
		return nonsense(k.op, resp.StatusCode, errors.New("the answer is no event stream"))
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nonsense(k.op, resp.StatusCode, errors.New("the event stream is encoded, which was not asked for"))
	}
	return nil
}

// Next implements upstream.Stream.
func (s *stream) Next(ctx context.Context) (upstream.Item, error) {
	if s.err != nil {
		return upstream.Item{}, s.err
	}
	// The usual caller waits under the context it opened the stream with, which costs nothing here.
	if ctx.Done() != nil && ctx.Done() != s.outer.Done() {
		stop := context.AfterFunc(ctx, func() { s.cancel(ctx.Err()) })
		defer stop()
	}
	for {
		ev, err := s.sse.next()
		if err != nil {
			s.err = s.ended(err)
			s.Close()
			return upstream.Item{}, s.err
		}
		if item, ok := s.take(ev); ok {
			return item, nil
		}
	}
}

// ended says why the bytes ended.
func (s *stream) ended(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	if err == io.EOF {
		return io.EOF
	}
	return &upstream.Error{Op: s.op, Kind: upstream.Unavailable, Detail: err}
}

// Close implements upstream.Stream.
func (s *stream) Close() error {
	s.cancel(context.Canceled)
	s.idle.disarm()
	return s.body.Close()
}

// take decodes an event. False: it was cut off in transit, and whoever reattaches gets it again.
func (s *stream) take(ev event) (upstream.Item, bool) {
	if ev.tooBig {
		r := &wire.Rejection{Reason: wire.ReasonTooLarge, Type: clip(ev.name), Offset: ev.id}
		return upstream.Item{Rejection: r, Offset: ev.id}, !ev.cut
	}
	frame, err := s.decode.Frame(ev.data)
	if err != nil {
		var rejection *wire.Rejection
		if !errors.As(err, &rejection) {
			rejection = &wire.Rejection{Reason: wire.ReasonMalformed}
		}
		if ev.cut && rejection.Reason == wire.ReasonMalformed {
			return upstream.Item{}, false
		}
		if rejection.Offset == 0 {
			rejection.Offset = ev.id
		}
		if rejection.Type == "" {
			rejection.Type = clip(ev.name)
		}
		return upstream.Item{Rejection: rejection, Offset: rejection.Offset}, true
	}
	if frame.Offset == 0 {
		frame.Offset = ev.id
	}
	return upstream.Item{Frame: frame, Offset: frame.Offset}, true
}

func clip(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxTypeName)], "")
}

// idleReader ends the stream when a read takes longer than d. Time that the reader's own caller takes does
// not count.
type idleReader struct {
	r     io.Reader
	d     time.Duration
	timer *time.Timer
}

func newIdleReader(d time.Duration, op string, cancel context.CancelCauseFunc) *idleReader {
	timer := time.AfterFunc(d, func() {
		cancel(&upstream.Error{
			Op: op, Kind: upstream.Unavailable,
			Detail: fmt.Errorf("nothing arrived for %v", d),
		})
	})
	timer.Stop()
	return &idleReader{d: d, timer: timer}
}

func (i *idleReader) arm()    { i.timer.Reset(i.d) }
func (i *idleReader) disarm() { i.timer.Stop() }

func (i *idleReader) Read(p []byte) (int, error) {
	i.arm()
	n, err := i.r.Read(p)
	i.disarm()
	return n, err
}
