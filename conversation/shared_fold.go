package conversation

import (
	"slices"
	"time"

	"inlaygraph/bus"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// foldLocked folds a record. Everything that it does follows from the record and from what was folded before, so that
// every instance has the same state at the same place. heed: the reader should look how things stand.
func (s *shared) foldLocked(r *bus.Record) (changes []projection.Change, heed bool) {
	switch r.Kind {
	case bus.Begin, bus.Own:
		s.cut = false
	case bus.Show, bus.Told:
		s.cut = !s.begun
	}
	switch r.Kind {
	case bus.Begin:
		s.owner = r.By
		s.beginLocked(r)
	case bus.Show:
		s.owner = r.By
		s.showLocked(r.ID)
	case bus.Told:
		s.owner = r.By
		if !s.begun {
			return make([]projection.Change, len(r.Inputs)), false
		}
		for _, in := range r.Inputs {
			s.noteLocked(in)
			changes = append(changes, s.live.toldSharedLocked(s.madeReady(in)))
		}
		s.settleLocked()
	case bus.Earlier:
		for _, in := range r.Inputs {
			changes = append(changes, s.earlierLocked(in))
		}
	case bus.Happened:
		for _, e := range r.Effects {
			heed = s.effectLocked(e) || heed
		}
		s.settleLocked()
	case bus.Own:
		s.owner = r.By
	case bus.Yield:
		if s.owner == r.By {
			s.owner = ""
		}
	}
	return changes, heed
}

// beginLocked begins a state anew, not shown yet.
func (s *shared) beginLocked(r *bus.Record) {
	l := s.live
	s.begun, s.newer = true, false
	s.inputs, s.beganAt, s.streamed, s.head = 0, time.Now(), false, nil
	s.bounds = bounds{rows: r.Window, limits: r.Limits}
	l.renewed, l.loading = projection.NewBounded(l.id, r.Limits), nil
	told, room := &loading{}, true
	for _, in := range r.Inputs {
		s.noteLocked(in)
		in = s.madeReady(in)
		l.renewed.Apply(in)
		_, page := in.(*wire.Page)
		if !page && len(told.pages) == 0 {
			told.start = append(told.start, in)
		} else if room {
			room = told.told(in)
		}
	}
	l.boundLocked(l.renewed, func(trim projection.Trim) { l.renewed.Apply(trim) })
	if room && told.first() != nil { // else too much was told to be folded again, or nothing will ever go in front
		l.loading = told
	}
	s.calls = nil
	clear(s.latches)
	for _, e := range r.Effects { // what holds of it was said before, to those who were there
		switch {
		case e.Delivery != nil:
			s.calls = append(s.calls, e.Delivery)
		case e.Latch != nil:
			s.latches[e.Latch.Kind] = e.Latch
		}
	}
}

// showLocked puts the state that was begun last in the place of the one that is shown.
func (s *shared) showLocked(epoch string) {
	l := s.live
	n := l.renewed
	if n == nil || !s.begun {
		return
	}
	for _, d := range s.calls {
		n.Apply(projection.Delivery{ToolDelivery: d.ToolDelivery})
	}
	clear(l.latches)
	for kind := range projection.LatchCancel + 1 {
		latch := s.latches[kind]
		l.latches[kind] = latch != nil
		n.Apply(projection.Latch{Kind: kind, On: latch != nil})
	}
	l.state, l.view, l.renewed, l.loading = n, nil, nil, nil
	s.bounds = bounds{rows: s.bounds.rows, limits: s.bounds.limits}
	if l.shown {
		l.figures.reset(l.why)
	}
	l.shown, l.why = true, ResetMoved
	s.shown = true
	l.past = newPast(epoch)
	l.resetLocked()
	s.settleLocked()
}

// toldSharedLocked folds what upstream told into the state that was begun last.
func (l *Live) toldSharedLocked(in projection.Input) projection.Change {
	if l.renewed != nil {
		return l.renewLocked(in)
	}
	c, _ := l.applyLocked(in)
	return c
}

// earlierLocked folds a page of earlier rows into every state there is. Only the one that was begun last is bounded: the
// other is the same on no two instances of which one has joined in between.
func (s *shared) earlierLocked(in projection.Input) (c projection.Change) {
	l := s.live
	switch {
	case !s.begun:
	case l.renewed == nil:
		c, _ = l.applyLocked(in)
	case s.shown:
		l.renewLocked(in)
		c, _ = l.foldLocked(in)
	default:
		c = l.renewLocked(in)
	}
	return c
}

// noteLocked keeps what a reader has to know that goes on from here.
func (s *shared) noteLocked(in projection.Input) {
	s.inputs++
	switch in := in.(type) {
	case *wire.Head:
		s.head = in
	case *wire.Frame, projection.Skipped:
		s.streamed = true
	}
}

// madeReady gives a plan what this instance has made of it.
func (s *shared) madeReady(in projection.Input) projection.Input {
	if p, ok := in.(projection.Plan); ok {
		return s.hub.plans.of(p.Index).fold
	}
	return in
}

// effectLocked folds an effect of what a viewer asked for.
func (s *shared) effectLocked(e bus.Effect) (heed bool) {
	switch {
	case e.Delivery != nil:
		d := e.Delivery
		if i := slices.IndexFunc(s.calls, func(known *bus.Delivery) bool { return known.ToolCallID == d.ToolCallID }); i < 0 {
			s.calls = append(s.calls, d)
		} else if s.calls[i].Status != projection.ToolCancelled { // which stays, as in the state
			s.calls[i] = d
		}
		s.live.foldLocked(projection.Delivery{ToolDelivery: d.ToolDelivery})
	case e.Latch != nil:
		s.latchLocked(e.Latch)
		return e.Latch.Taken
	}
	return false
}

func (s *shared) latchLocked(latch *bus.Latch) {
	if latch.On {
		s.latches[latch.Kind] = latch
	} else {
		delete(s.latches, latch.Kind)
	}
	s.live.latchLocked(latch.Kind, latch.On)
}

// settleLocked takes the cancel's latch off once the run it is of is over.
func (s *shared) settleLocked() {
	latch := s.latches[projection.LatchCancel]
	if latch == nil || !latch.Taken || !s.shown || s.live.renewed != nil { // what is not shown yet settles it then
		return
	}
	if s.live.viewLocked().snap.Status() == latch.Status {
		return
	}
	s.latchLocked(&bus.Latch{Latch: projection.Latch{Kind: projection.LatchCancel}})
}

// effectsLocked are those that hold.
func (s *shared) effectsLocked() (all []bus.Effect) {
	for _, d := range s.calls {
		all = append(all, bus.Effect{Delivery: d})
	}
	for kind := range projection.LatchCancel + 1 {
		if latch := s.latches[kind]; latch != nil {
			all = append(all, bus.Effect{Latch: latch})
		}
	}
	return all
}

// callLocked is how a call's delivery stands, nil while nobody delivered.
func (s *shared) callLocked(callID string) *bus.Delivery {
	for _, d := range s.calls {
		if d.ToolCallID == callID {
			return d
		}
	}
	return nil
}
