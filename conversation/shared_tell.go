package conversation

import (
	"context"
	"errors"
	"slices"
	"time"

	"inlaygraph/bus"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// The reading goroutine says what upstream told by these. Where the bus does not take it they note why, and the turn
// ends: the next one finds out how things stand (sharedTurn).

// say appends a record of whoever reads upstream.
func (r *reader) say(compose func() (*bus.Record, error)) ([]projection.Change, bool) {
	s := r.shared
	if s.failed != nil {
		return nil, false
	}
	changes, err := s.append(s.ctx, func() (*bus.Record, error) {
		if s.owner != s.me() {
			return nil, errNotOwner
		}
		return compose()
	})
	if err != nil {
		s.failed = err
		r.interruptReading()
	}
	return changes, err == nil
}

// interruptReading ends the turn that is on.
func (r *reader) interruptReading() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.interrupt != nil {
		r.interrupt()
	}
}

// beginShared begins a state anew from what it was built of.
func (r *reader) beginShared(told []projection.Input) bool {
	s := r.shared
	_, ok := r.say(func() (*bus.Record, error) {
		s.before = s.pos
		return &bus.Record{Kind: bus.Begin, Window: r.hub.opts.MaxWindowRows, Limits: r.hub.opts.Limits, Inputs: told, Effects: s.effectsLocked()}, nil
	})
	return ok
}

// showShared is Live.show. What stood before is cut off the log.
func (r *reader) showShared(force bool) bool {
	s, l := r.shared, r.live
	held, shown := false, false
	_, ok := r.say(func() (*bus.Record, error) {
		held, shown = false, false
		switch n := l.renewed; {
		case n == nil:
			return nil, nil
		case !force && s.shown && n.LastOffset() < l.state.LastOffset():
			held = true
			return nil, nil
		}
		shown = true
		return &bus.Record{Kind: bus.Show}, nil
	})
	if ok && shown && s.before > 0 {
		if err := s.log.Cut(s.ctx, s.before+1); err != nil && s.ctx.Err() == nil {
			r.hub.opts.Logger.Info("a log stays longer than it need be", "conversation", r.id, "error", err)
		}
	}
	return ok && !held
}

// tellShared is tell for several inputs at once.
func (r *reader) tellShared(inputs ...projection.Input) []projection.Change {
	if len(inputs) == 0 || !r.shared.standing().begun {
		return nil // what is begun next is told it anyway
	}
	changes, _ := r.say(func() (*bus.Record, error) {
		if !r.shared.begun {
			return nil, errUnbegun
		}
		return &bus.Record{Kind: bus.Told, Inputs: inputs}, nil
	})
	return changes
}

// Of what a stream has ready, so much is said at once.
const (
	saidAtOnce      = 256
	saidBytesAtOnce = 256 << 10
)

// ready is an item, with those behind it that have arrived, or do so before Options.Gather has passed since the latest
// record: a record costs every instance much the same, however much is in it.
func (a *attachment) ready(ctx context.Context, item upstream.Item, p *pump) []upstream.Item {
	items, size := []upstream.Item{item}, bytesOf(item)
	gathered := time.NewTimer(a.hub.opts.Gather - time.Since(a.said))
	defer gathered.Stop()
	for len(items) < saidAtOnce && size < saidBytesAtOnce {
		var next arrival
		var more bool
		select {
		case next, more = <-p.arrivals: // also when time is up
		default:
			select {
			case next, more = <-p.arrivals:
			case <-gathered.C:
				return items
			case <-ctx.Done():
				return items
			}
		}
		if !more {
			return items
		}
		items = append(items, next.item)
		size += bytesOf(next.item)
	}
	return items
}

// bytesOf is about how long an item is on the bus.
func bytesOf(item upstream.Item) int {
	if item.Frame == nil {
		return 0
	}
	b := &item.Frame.Body
	return len(b.Content) + len(b.Reasoning) + len(b.Delta) + len(b.Value) + len(b.Output) + len(b.Input)
}

// takeShared folds items, as take does one.
func (a *attachment) takeShared(items []upstream.Item) error {
	s := a.shared
	before := slices.IndexFunc(items, func(item upstream.Item) bool { return a.liesBefore(item.Frame) })
	if before >= 0 {
		items = items[:before]
	}
	gap, n := false, 0
	changes, ok := a.say(func() (*bus.Record, error) {
		if !s.begun {
			return nil, errUnbegun
		}
		next, known := a.live.toldLocked().NextOffset()
		var inputs []projection.Input
		inputs, gap = gapless(items, next, known, a.unnumbered)
		if n = len(inputs); n == 0 {
			return nil, nil
		}
		return &bus.Record{Kind: bus.Told, Inputs: inputs}, nil
	})
	if !ok {
		if errors.Is(s.failed, context.Canceled) || errors.Is(s.failed, errNotOwner) {
			return context.Canceled
		}
		return &upstream.Error{Op: "stream", Kind: upstream.Unavailable, Detail: s.failed}
	}
	for i, change := range changes {
		a.taken(items[i], change)
	}
	switch {
	case gap:
		return errGap
	case before >= 0:
		return errBefore
	}
	return nil
}

// putBefore puts a page in front of the state that is being loaded. On a bus it counts once that is folded anew.
func (r *reader) putBefore(page *wire.Page) {
	if r.shared == nil {
		r.count(r.live.tell(page))
		return
	}
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	if l := r.live.loading; l != nil {
		l.told(page)
	}
}

// refold is Live.refold: on a bus the state is begun anew.
func (r *reader) refold() {
	if r.shared == nil {
		r.live.refold()
		return
	}
	r.live.mu.Lock()
	var inputs []projection.Input
	if l := r.live.loading; l != nil {
		inputs = slices.Clone(l.start)
		for _, page := range l.pages {
			inputs = append(inputs, page)
		}
		inputs = append(inputs, l.since...)
	}
	r.live.mu.Unlock()
	if inputs != nil {
		r.beginShared(inputs)
	}
}

// gapless are the inputs of those items that follow on what was told, up to the first that does not.
func gapless(items []upstream.Item, next int64, known bool, unnumbered int64) (inputs []projection.Input, gap bool) {
	for _, item := range items {
		if known && item.Offset > next+unnumbered {
			return inputs, true
		}
		unnumbered++
		if item.Offset > 0 {
			unnumbered, known, next = 0, true, max(next, item.Offset+1)
		}
		if item.Frame != nil {
			inputs = append(inputs, item.Frame)
		} else {
			inputs = append(inputs, projection.Skipped{Offset: item.Offset})
		}
	}
	return inputs, false
}

// widenShared is Live.widen, from whichever instance the page was read.
func (s *shared) widenShared(ctx context.Context, page *wire.Page) (c projection.Change, err error) {
	if err := s.hub.opts.Bus.Ready(); err != nil {
		return c, busAway(err)
	}
	changes, err := s.append(ctx, func() (*bus.Record, error) {
		if !s.begun {
			return nil, errUnbegun
		}
		return &bus.Record{Kind: bus.Earlier, Inputs: []projection.Input{page}}, nil
	})
	if err != nil {
		return c, busAway(err)
	}
	return changes[0], nil
}
