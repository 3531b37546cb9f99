package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"inlaygraph/upstream"
)

// Events is one answer of server-sent events being read. It is not safe for concurrent use, except that Close may be
// called from anywhere, more than once.
type Events struct {
	op     string
	outer  context.Context // the context the stream was opened with
	ctx    context.Context // ends with outer, Close, silence, or the context of a Next; its cause says which
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	idle   *idleReader
	sse    *Reader
	err    error // what Next answers from now on

	// Delimited tells whether the protocol marks the end of the answer, so that io.EOF is upstream's own end and no cut.
	Delimited bool
}

// Open does a call whose answer is a stream of events. The stream lives at most as long as ctx.
func (c *Client) Open(ctx context.Context, k Call) (_ *Events, err error) {
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
	req.Header.Set("Accept-Encoding", "identity") // a compressor holds events back
	req.Header.Set("Cache-Control", "no-cache")
	if k.LastEventID != "" {
		req.Header.Set("Last-Event-ID", k.LastEventID)
	}
	idle := newIdleReader(c.opts.IdleTimeout, k.Op, cancel)
	idle.arm()
	defer idle.disarm()
	resp, err := c.do(req, k.Op)
	if err != nil {
		if cause := context.Cause(inner); cause != nil {
			return nil, cause
		}
		return nil, failed(ctx, k.Op, err)
	}
	if err := c.streamable(k, resp); err != nil { // a refusal can go silent too
		resp.Body.Close()
		return nil, err
	}
	idle.r = resp.Body
	return &Events{
		op: k.Op, outer: ctx, ctx: inner, cancel: cancel, body: resp.Body,
		idle: idle, sse: NewReader(idle, c.opts.MaxEvent),
		Delimited: resp.ProtoMajor > 1 || resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0,
	}, nil
}

// streamable tells a stream from a refusal.
func (c *Client) streamable(k Call, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return c.refused(k, resp)
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "text/event-stream" {
		return Nonsense(k.Op, resp.StatusCode, errors.New("the answer is no event stream"))
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return Nonsense(k.Op, resp.StatusCode, errors.New("the event stream is encoded, which was not asked for"))
	}
	return nil
}

// Next waits for the next event, whose bytes are valid until the next call. It answers io.EOF when upstream ended the
// stream, ctx's error when ctx was done first (the stream is then over), else an *upstream.Error. After an error it
// answers the same error again.
func (s *Events) Next(ctx context.Context) (Event, error) {
	if s.err != nil {
		return Event{}, s.err
	}
	// The usual caller waits under the context it opened the stream with, which costs nothing here.
	if ctx.Done() != nil && ctx.Done() != s.outer.Done() {
		stop := context.AfterFunc(ctx, func() { s.cancel(ctx.Err()) })
		defer stop()
	}
	ev, err := s.sse.Next()
	if err != nil {
		s.err = s.ended(err)
		s.Close()
		return Event{}, s.err
	}
	return ev, nil
}

// ended says why the bytes ended.
func (s *Events) ended(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	if err == io.EOF {
		return io.EOF
	}
	return &upstream.Error{Op: s.op, Kind: upstream.Unavailable, Detail: unquoted(err)}
}

// Close ends the attachment.
func (s *Events) Close() error {
	s.cancel(context.Canceled)
	s.idle.disarm()
	return s.body.Close()
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
