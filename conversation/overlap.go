package conversation

import (
	"context"
	"errors"
	"slices"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// What the stream of a run says first was said before, and may be of rows in front of the window, where it would read as
// news. So the window is read down to where that begins before anything is shown (promise 24).

// errBefore is why a window that is shown is loaded again: only now it is known to be too short.
var errBefore = errors.New("the stream repeats what lies before the window")

// loading is what a state that is not shown yet was told, so that more of the log can be put in front of it.
type loading struct {
	start     []projection.Input // the head, and the plan if it was known
	pages     []*wire.Page       // of the log, the last one first
	pageBytes int64
	since     []projection.Input // what came after them
	bytes     int64              // of since
	repeated  repeated
}

// loadingMost is how many bytes of a stream's repetition are kept to be folded again.
const loadingMost = 64 << 20

// told keeps an input, and tells whether there was room for it.
func (l *loading) told(in projection.Input) bool {
	switch in := in.(type) {
	case *wire.Page:
		l.pages = append(l.pages, in)
		for _, r := range in.Rows {
			l.pageBytes += projection.RowCost + bodyBytes(&r.Body)
		}
		return true
	case *wire.Frame:
		l.bytes += bodyBytes(&in.Body)
		l.repeated.note(in)
	}
	l.since = append(l.since, in)
	return l.bytes <= loadingMost && len(l.since) <= loadingMost/256
}

// isFull tells whether what was read of the log fills a window in bytes: in front of that nothing has room.
func (l *loading) isFull(b *bounds) bool {
	return b.limits.WindowBytes > 0 && l.pageBytes >= b.limits.WindowBytes
}

// first is the row of the log that the window begins with; nil when there is none, or nothing in front of it.
func (l *loading) first() *wire.Row {
	if l == nil {
		return nil
	}
	for _, page := range slices.Backward(l.pages) {
		if !page.HasEarlier {
			return nil
		}
		if len(page.Rows) > 0 {
			return page.Rows[0]
		}
	}
	return nil
}

// rows is how many rows of the log were read.
func (l *loading) rows() (n int) {
	for _, page := range l.pages {
		n += len(page.Rows)
	}
	return n
}

// lacks returns the seq below which rows are missing that the stream repeats; 0 when none are. A platform writes its log as
// it goes along, so that in front of a row from before what is repeated there are no others.
func (l *loading) lacks() (before int64) {
	first := l.first()
	switch {
	case first == nil, !l.repeated.some:
		return 0
	case l.repeated.least != 0 && l.repeated.least < first.Seq:
		return first.Seq
	}
	began := l.repeated.began
	for _, page := range slices.Backward(l.pages) {
		for _, r := range page.Rows {
			switch {
			case l.repeated.tellsOf(r):
				return first.Seq
			case r.Type == wire.RowAssistant, r.Type == wire.RowOutput: // written when it closed, which nothing need have told
			case !began.IsZero() && !r.At.Before(began): // the log is ahead of the stream, or the frames have no names
				return first.Seq
			default:
				return 0
			}
		}
	}
	return first.Seq
}

// show is Live.show for a window that reaches as far back as what the stream repeats. What it could not be read down to
// now, it is the next time.
func (r *reader) show(ctx context.Context, force bool) (shown bool, err error) {
	if err := r.deepen(ctx); err != nil {
		return false, err
	}
	if r.shared != nil {
		return r.showShared(force), nil
	}
	return r.live.show(force), nil
}

// deepen reads the window that is being loaded down to where the stream's repetition begins, or as far as a window may
// reach.
func (r *reader) deepen(ctx context.Context) error {
	if before, _ := r.live.lacks(); before == 0 {
		return nil
	}
	done, err := r.live.page(ctx)
	if err != nil {
		return err
	}
	defer done()
	for {
		before, most := r.live.lacks()
		q := upstream.RowsQuery{BeforeSeq: before, Limit: min(r.hub.opts.WindowRows, most)}
		r.full = before != 0 && q.Limit <= 0
		if before == 0 || r.full {
			break
		}
		page, _, err := r.rows(ctx, q)
		if err != nil {
			return err
		}
		n := len(page.Rows)
		if n == 0 {
			break
		}
		if page.Rows[n-1].Seq >= before {
			return &upstream.Error{Op: "rows", Kind: upstream.Unavailable, Detail: errors.New("before_seq is not heeded")}
		}
		r.putBefore(page)
	}
	r.refold()
	return nil
}

// lacks says below which seq the state that is being loaded lacks rows, 0 for nowhere, and how many of these there is room
// for.
func (l *Live) lacks() (before int64, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loading == nil {
		return 0, 0
	}
	if !l.loading.isFull(&l.bounds) {
		most = l.bounds.rows - l.loading.rows()
	}
	return l.loading.lacks(), most
}

// refold folds anew what the state that is being loaded was told, the log first.
func (l *Live) refold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.loading
	l.renewed, l.loading = projection.NewBounded(l.id, l.bounds.limits), nil
	for _, in := range told.start {
		l.renewed.Apply(in)
	}
	for _, page := range told.pages { // whole, as one that is trimmed in between would have a hole
		l.renewed.Apply(page)
	}
	for _, in := range told.since {
		l.renewLocked(in)
	}
	l.loading = told
}

// mayLack tells whether there are rows in front of the state that is being loaded.
func (l *Live) mayLack() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loading.first() != nil
}

// liesBefore tells whether a frame is of a row that lies in front of a window which is shown.
func (l *Live) liesBefore(f *wire.Frame) bool {
	switch f.Type {
	case wire.UserMessage, wire.MessageEnd, wire.OutputSet, wire.ToolCall, wire.ToolResult:
	default:
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewed == nil && l.state.Unread(f.Seq) && (f.Offset == 0 || f.Offset > l.state.LastOffset())
}
