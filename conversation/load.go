package conversation

import (
	"context"
	"errors"
	"time"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// refresh reads the head, and from the log what can't be had from a stream. It reports whether a run is in
// flight.
func (r *reader) refresh(ctx context.Context) (running bool, err error) {
	head, err := r.readHead(ctx)
	if err != nil {
		return false, err
	}
	r.readPlan(ctx, head.AgentID, head.AgentVersion)
	running, r.fromStart = head.Status == wire.Running, false
	r.polling = r.polling && running // after it the status moved, which brings rows that were refined in place
	_, known := r.live.place()
	switch {
	case r.polling && !r.stale:
		err = r.readLog(ctx, head)
	case r.polling:
		err = r.load(ctx, head)
	case running && !r.stale && known: // the stream goes on from there
	case running && !head.HasLastOffset:
		r.fromStart = true
	case running || r.stale:
		err = r.load(ctx, head)
	default:
		var moved bool
		if moved, err = r.moved(ctx, head); moved {
			err = r.load(ctx, head)
		}
	}
	if err == nil {
		r.head = head
	}
	return running, err
}

// readHead reads the head, unless somebody just did.
func (r *reader) readHead(ctx context.Context) (*wire.Head, error) {
	r.hub.mu.Lock()
	offered := r.offered
	r.offered = nil
	r.hub.mu.Unlock()
	if offered != nil && time.Since(offered.at) < min(time.Second, r.hub.opts.HeadFresh) {
		return offered.head, nil
	}
	return r.hub.opts.Source.Head(ctx, r.who.Token(), r.id)
}

// moved tells whether the head of a conversation without a run speaks of something that was not folded.
func (r *reader) moved(ctx context.Context, head *wire.Head) (bool, error) {
	last, _ := r.live.place()
	changed := r.head == nil || !head.UpdatedAt.Equal(r.head.UpdatedAt)
	switch {
	case head.Status != r.live.standing():
		return true, nil
	case head.HasLastOffset && last > 0:
		return head.LastOffset > last, nil
	case head.HasLastOffset:
		return head.LastOffset > 0 || changed, nil
	case changed, head.UpdatedAt.IsZero(): // perhaps by the run that was followed; the log knows
		return r.logGrew(ctx)
	}
	return false, nil
}

// logGrew tells whether the log has rows behind the last one that is known.
func (r *reader) logGrew(ctx context.Context) (bool, error) {
	_, greatest := r.live.seqs()
	page, rejected, err := r.rows(ctx, upstream.RowsQuery{AfterSeq: max(greatest, r.lastSeq), Limit: 1})
	if err != nil {
		return false, err
	}
	return len(page.Rows) > 0 || rejected > 0, nil
}

// build starts a state from a head, and what it was told.
func (r *reader) build(head *wire.Head) (*projection.State, *loading, error) {
	state, told := projection.NewBounded(r.id, r.hub.opts.Limits), &loading{start: []projection.Input{head}}
	if c := state.Apply(head); c.Outcome == projection.Rejected {
		return nil, nil, &upstream.Error{Op: "head", Kind: upstream.Unavailable, Detail: errors.New(c.Reason)}
	}
	r.told = []projection.Input{head}
	if r.plan != nil && r.plan.isOf(head.AgentID, head.AgentVersion) {
		state.Apply(r.plan.fold)
		r.told = append(r.told, r.plan.fold)
		told.start = append(told.start, r.plan.fold)
	}
	return state, told, nil
}

// load folds head and window into a new state, which is shown once it has caught up.
func (r *reader) load(ctx context.Context, head *wire.Head) error {
	done, err := r.live.page(ctx) // it is to reach as far back as what it replaces
	if err != nil {
		return err
	}
	defer done()
	state, told, err := r.build(head)
	if err != nil {
		return err
	}
	if err := r.loadWindow(ctx, state, told); err != nil {
		return err
	}
	if told.first() == nil {
		told = nil // nothing will ever go in front of it
	}
	r.begin(state, told)
	return nil
}

// begin goes on from a new state, which was told what told says; nil when that does not matter.
func (r *reader) begin(state *projection.State, told *loading) {
	inputs := r.told
	r.told = nil
	if r.shared == nil {
		r.live.renew(state, told)
	} else if !r.beginShared(inputs) {
		return
	}
	r.stale, r.fromStart, r.streamed = false, false, false
	r.showBy = time.Now().Add(catchUpMax + catchUpPatience)
}

// loadWindow folds the tail of the log, at least down to the oldest row that was held before or wanted, or if that is not
// known as many rows as were held; but no more than a window takes.
func (r *reader) loadWindow(ctx context.Context, state *projection.State, told *loading) error {
	held, _ := r.live.seqs()
	if r.reach != 0 && (held == 0 || r.reach < held) {
		held = r.reach
	}
	had := r.live.rows()
	left := r.hub.opts.MaxWindowRows
	q := upstream.RowsQuery{Limit: r.hub.opts.WindowRows}
	r.lastSeq, r.full = 0, false
	for {
		page, _, err := r.rows(ctx, q)
		if err != nil {
			return err
		}
		r.count(state.Apply(page))
		r.told = append(r.told, page)
		told.told(page)
		left -= len(page.Rows)
		r.full = left <= 0 || r.live.bounds.full(state.Held())
		if len(page.Rows) == 0 || r.full {
			return nil
		}
		first, last := page.Rows[0].Seq, page.Rows[len(page.Rows)-1].Seq
		r.lastSeq = max(r.lastSeq, last)
		switch {
		case !page.HasEarlier, held != 0 && first <= held, held == 0 && state.RowCount() >= had:
			return nil
		case q.BeforeSeq != 0 && first >= q.BeforeSeq:
			return &upstream.Error{Op: "rows", Kind: upstream.Unavailable, Detail: errors.New("before_seq is not heeded")}
		}
		q.BeforeSeq, q.Limit = first, min(q.Limit, left)
		if held != 0 {
			q.Limit = int(min(int64(q.Limit), first-held)) // no more than there can be
		}
	}
}

// readLog folds the rows behind the last one that was read, then the head, which was read before them.
func (r *reader) readLog(ctx context.Context, head *wire.Head) error {
	for {
		page, _, err := r.rows(ctx, upstream.RowsQuery{AfterSeq: r.lastSeq, Limit: r.hub.opts.WindowRows})
		if err != nil {
			return err
		}
		if r.lastSeq == 0 { // nothing was there: this is the tail window
			r.count(r.tell(page))
		} else {
			r.tellRows(page.Rows) // the page's word on earlier rows is about its own start
		}
		n := len(page.Rows)
		if n == 0 || page.Rows[n-1].Seq <= r.lastSeq {
			break
		}
		r.lastSeq = page.Rows[n-1].Seq
	}
	r.count(r.tell(head))
	return nil
}

func (r *reader) tellRows(rows []*wire.Row) {
	inputs := make([]projection.Input, len(rows))
	for i, row := range rows {
		inputs[i] = row
	}
	if r.shared != nil {
		for _, change := range r.tellShared(inputs...) {
			r.count(change)
		}
		return
	}
	for _, in := range inputs {
		r.count(r.live.tell(in))
	}
}

// rows reads a page and counts what did not decode.
func (r *reader) rows(ctx context.Context, q upstream.RowsQuery) (page *wire.Page, rejected int, err error) {
	page, rejections, err := r.hub.opts.Source.Rows(ctx, r.who.Token(), r.id, q)
	if err != nil {
		return nil, 0, err
	}
	for _, rejection := range rejections {
		r.reject(rejection)
	}
	return page, len(rejections), nil
}
