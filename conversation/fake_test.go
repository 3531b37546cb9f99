package conversation

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// story is what happens in a conversation, and what a platform holds of it after each frame.
type story struct {
	frames []*wire.Frame
	head   func(n int) *wire.Head  // after n frames
	rows   func(n int) []*wire.Row // after n frames
}

// fake is an upstream in memory that a test drives: it has sent the first sent frames of its story, and
// does what the test sets its members to.
type fake struct {
	mu      sync.Mutex
	story   story
	sent    int
	changed chan struct{}

	latency       time.Duration                                     // of every answer
	unknown       bool                                              // there is no such conversation
	noLastOffset  bool                                              // the head never says last_offset
	noUpdatedAt   bool                                              // nor updated_at
	noReattach    bool                                              // a stream is answered 404
	noBefore      bool                                              // before_seq is not heeded
	noKeep        bool                                              // a stream begins with the run in flight
	deaf          bool                                              // a stream begins with the first frame, whatever it was asked for
	holdOpen      bool                                              // a stream stays open after the run's end
	fail          func(op string) error                             // instead of an answer, when it says so
	hang          func(op string) bool                              // no answer until the caller gives up
	cut           func(i int, f *wire.Frame) bool                   // a stream ends before its i-th frame, at f
	alter         func(f *wire.Frame) (item upstream.Item, ok bool) // what arrives in a frame's place; not ok: nothing
	between       func(f *wire.Frame) []upstream.Item               // what arrives before a frame
	may           func(token string) error                          // instead of an answer to a token, when it says so
	calls         map[string]int
	tokens        []string // "op token" of every call
	attached      []int64  // what streams asked for
	streams, most int      // open now, and at most at once
	queries       []upstream.RowsQuery

	mute   bool    // a run that was asked for says nothing before the test plays
	inputs []given // what runs were asked for with
}

func newFake(s story, sent int) *fake {
	return &fake{story: s, sent: sent, changed: make(chan struct{}), calls: map[string]int{}}
}

// play sends so many frames more.
func (p *fake) play(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = min(p.sent+n, len(p.story.frames))
	p.wake()
}

func (p *fake) playTo(n int) { p.play(n - p.at()) }

func (p *fake) at() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// set changes the platform's ways.
func (p *fake) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.wake()
}

func (p *fake) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// called is how often each endpoint was asked since the last time.
func (p *fake) called() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = map[string]int{}
	return calls
}

// with is the tokens that an endpoint was asked with since the last time, in order.
func (p *fake) with(op string) (tokens []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens = slices.DeleteFunc(p.tokens, func(call string) bool {
		token, is := strings.CutPrefix(call, op+" ")
		if is {
			tokens = append(tokens, token)
		}
		return is
	})
	return tokens
}

// begin counts a call, and answers in the platform's place when the test wants that.
func (p *fake) begin(ctx context.Context, op, token string) error {
	p.mu.Lock()
	p.calls[op]++
	p.tokens = append(p.tokens, op+" "+token)
	hang := p.hang != nil && p.hang(op)
	var err error
	if p.fail != nil {
		err = p.fail(op)
	}
	if p.may != nil && err == nil {
		err = p.may(token)
	}
	if p.unknown && err == nil {
		err = &upstream.Error{Op: op, Kind: upstream.NotFound, Status: 404}
	}
	latency := p.latency
	p.mu.Unlock()
	if latency > 0 { // a timer of no time crashes the race detector's runtime in a bubble, once in a while (Go 1.26)
		select {
		case <-time.After(latency):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

// Head implements upstream.Source.
func (p *fake) Head(ctx context.Context, auth, _ string) (*wire.Head, error) {
	if err := p.begin(ctx, "head", auth); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := *p.story.head(p.sent)
	if h.UpdatedAt.IsZero() {
		h.UpdatedAt = time.Unix(int64(p.sent), 0)
	}
	if p.noUpdatedAt {
		h.UpdatedAt = time.Time{}
	}
	if p.noLastOffset {
		h.LastOffset, h.HasLastOffset = 0, false
	}
	return &h, nil
}

// Rows implements upstream.Source.
func (p *fake) Rows(ctx context.Context, auth, _ string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	if err := p.begin(ctx, "rows", auth); err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queries = append(p.queries, q)
	if p.noBefore {
		q.BeforeSeq = 0
	}
	all := p.story.rows(p.sent)
	rows := slices.DeleteFunc(slices.Clone(all), func(r *wire.Row) bool {
		return r.Seq <= q.AfterSeq || q.BeforeSeq > 0 && r.Seq >= q.BeforeSeq
	})
	if over := len(rows) - q.Limit; over > 0 && q.AfterSeq > 0 {
		rows = rows[:q.Limit]
	} else if over > 0 {
		rows = rows[over:]
	}
	page := &wire.Page{Rows: rows}
	if len(rows) > 0 {
		page.HasEarlier = rows[0].Seq > all[0].Seq
	} else {
		page.HasEarlier = len(all) > 0 && q.AfterSeq > 0
	}
	return page, nil, nil
}

// Stream implements upstream.Source.
func (p *fake) Stream(ctx context.Context, auth, _ string, after int64) (upstream.Stream, error) {
	if err := p.begin(ctx, "stream", auth); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noReattach {
		return nil, &upstream.Error{Op: "stream", Kind: upstream.CannotReattach, Status: 404}
	}
	if p.story.head(p.sent).Status != wire.Running {
		return nil, &upstream.Error{Op: "stream", Kind: upstream.Idle, Status: 204}
	}
	p.attached = append(p.attached, after)
	s := p.openLocked(ctx)
	for !p.deaf && s.next < len(p.story.frames) && p.story.frames[s.next].Offset <= after {
		s.next++
	}
	for p.noKeep && s.next < p.sent && !p.inFlight(s.next) {
		s.next++
	}
	return s, nil
}

// openLocked opens a stream that ends with the run in flight.
func (p *fake) openLocked(ctx context.Context) *fakeStream {
	p.streams++
	p.most = max(p.most, p.streams)
	return &fakeStream{fake: p, ctx: ctx, end: p.sent}
}

// inFlight tells whether the frame at i is one of the run that is on after the frames sent.
func (p *fake) inFlight(i int) bool {
	return !slices.ContainsFunc(p.story.frames[i:p.sent], func(f *wire.Frame) bool { return stops(f) })
}

func stops(f *wire.Frame) bool { return f.Type == wire.RunPause || f.Type == wire.RunEnd }

type fakeStream struct {
	*fake
	ctx    context.Context
	next   int // frame to deliver
	end    int // the first frame that stops the run in flight is at or behind it
	given  int
	extra  []upstream.Item
	told   bool // of what arrives before the next frame
	err    error
	closed sync.Once
}

func (s *fakeStream) Next(ctx context.Context) (upstream.Item, error) {
	for s.err == nil {
		s.mu.Lock()
		next, ok, err := s.deliver()
		changed := s.changed
		s.mu.Unlock()
		if s.err = err; ok || err != nil {
			return next, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			s.err = ctx.Err()
		case <-s.ctx.Done():
			s.err = s.ctx.Err()
		}
	}
	return upstream.Item{}, s.err
}

// deliver takes the next frame that was sent, if any; the lock is held.
func (s *fakeStream) deliver() (next upstream.Item, ok bool, err error) {
	for s.next < s.sent {
		if i := s.next - 1; i >= s.end && stops(s.story.frames[i]) && !s.holdOpen {
			return next, false, io.EOF
		}
		f := s.story.frames[s.next]
		if s.cut != nil && s.cut(s.given, f) {
			return next, false, io.EOF
		}
		if s.between != nil && !s.told {
			s.extra, s.told = slices.Clone(s.between(f)), true
		}
		if len(s.extra) > 0 {
			next, s.extra = s.extra[0], s.extra[1:]
			return next, true, nil
		}
		s.told = false
		s.next++
		s.given++
		if s.alter == nil {
			return item(f), true, nil
		}
		if next, ok := s.alter(f); ok {
			return next, true, nil
		}
	}
	if i := s.next - 1; i >= s.end && stops(s.story.frames[i]) && !s.holdOpen {
		return next, false, io.EOF
	}
	return next, false, nil
}

func (s *fakeStream) Close() error {
	s.closed.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams--
	})
	return nil
}

// item is how a frame arrives.
func item(f *wire.Frame) upstream.Item { return upstream.Item{Frame: f, Offset: f.Offset} }

// refusals fails calls to op with the given errors, one after the other, and then no more.
func refusals(op string, errs ...error) func(string) error {
	return func(asked string) error {
		if asked != op || len(errs) == 0 {
			return nil
		}
		err := errs[0]
		errs = errs[1:]
		return err
	}
}

func always(op string, err error) func(string) error {
	return func(asked string) error {
		if asked != op {
			return nil
		}
		return err
	}
}
