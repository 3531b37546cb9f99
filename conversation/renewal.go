package conversation

import (
	"maps"
	"slices"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Replace puts a state that was loaded anew in the old one's place. Every subscriber reads again, and row
// changes start over with a reset. Deliveries and latches, which no upstream knows of, stay.
func (l *Live) Replace(state *projection.State) {
	l.renew(state, nil)
	l.show(true)
}

// renew takes a state that was loaded anew, to be shown once it has caught up, and what it was told, if that
// matters.
func (l *Live) renew(state *projection.State, told *loading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed, l.loading = state, told
	l.boundLocked(state, func(trim projection.Trim) { state.Apply(trim) })
}

// tell is Live.tell, for every instance.
func (r *reader) tell(in projection.Input) (c projection.Change) {
	if r.shared == nil {
		return r.live.tell(in)
	}
	for _, c = range r.tellShared(in) {
	}
	return c
}

// show puts the state that was loaded anew in the old one's place, if it knows as much as was shown already or
// is forced to. It reports whether everything that was told is now shown.
func (l *Live) show(force bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.renewed
	if n == nil {
		return true
	}
	if !force && n.LastOffset() < l.state.LastOffset() {
		return false
	}
	for _, d := range l.viewLocked().snap.ToolStates() {
		n.Apply(projection.Delivery{ToolDelivery: *d})
	}
	for _, kind := range slices.Sorted(maps.Keys(l.latches)) {
		n.Apply(projection.Latch{Kind: kind, On: l.latches[kind]})
	}
	l.state, l.view, l.renewed, l.loading = n, nil, nil, nil
	if l.shown {
		l.figures.reset(l.why)
	}
	l.shown, l.why = true, ResetMoved
	l.resetLocked()
	l.settleCancelLocked()
	return true
}

// because says why the window is loaded anew, for the figures.
func (l *Live) because(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why = reason
}

// toldLocked is the state that takes what upstream says.
func (l *Live) toldLocked() *projection.State {
	if l.renewed != nil {
		return l.renewed
	}
	return l.state
}

// tell folds what upstream said.
func (l *Live) tell(in projection.Input) projection.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tellLocked(in)
}

func (l *Live) tellLocked(in projection.Input) projection.Change {
	if l.renewed != nil {
		return l.renewLocked(in)
	}
	c, _ := l.applyLocked(in)
	return c
}

// renewLocked folds into the state that was loaded anew.
func (l *Live) renewLocked(in projection.Input) projection.Change {
	if l.loading != nil && !l.loading.told(in) {
		l.loading = nil // the window stays as short as it is
	}
	c := l.renewed.Apply(in)
	l.boundLocked(l.renewed, func(trim projection.Trim) { l.renewed.Apply(trim) })
	return c
}

// take folds one item of a stream. gap: frames are missing before it, and it was not taken. A frame that
// came without its offset used one up all the same; unnumbered is how many did since the last that had one.
func (l *Live) take(item upstream.Item, unnumbered int64) (c projection.Change, gap bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if next, known := l.toldLocked().NextOffset(); known && item.Offset > next+unnumbered {
		return c, true
	}
	if item.Frame != nil {
		return l.tellLocked(item.Frame), false
	}
	return l.tellLocked(projection.Skipped{Offset: item.Offset}), false
}

// place is where the stream goes on: behind an offset, and whether the one that follows is known.
func (l *Live) place() (after int64, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.toldLocked()
	_, known = told.NextOffset()
	return told.LastOffset(), known
}

// seqs are the least and the greatest place in the log of what was told, 0 for none.
func (l *Live) seqs() (least, greatest int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.toldLocked().Seqs()
}

// standing is the wire's word for the status that upstream told, 0 while it said nothing.
func (l *Live) standing() wire.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.renewed != nil {
		return statusWords[l.renewed.Snapshot().Status()]
	}
	return statusWords[l.viewLocked().snap.Status()]
}

var statusWords = map[projection.ChatStatus]wire.Status{
	projection.ChatStreaming:          wire.Running,
	projection.ChatAwaitingClientTool: wire.AwaitingClientTool,
	projection.ChatPaused:             wire.Paused,
	projection.ChatCompleted:          wire.Completed,
	projection.ChatFailed:             wire.Failed,
	projection.ChatCancelled:          wire.Cancelled,
}
