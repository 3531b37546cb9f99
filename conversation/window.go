package conversation

import "inlaygraph/projection"

// trimmedAtOnce is how many rows go at once from a full window, at most: each time costs something beside them, and
// row changes must still be able to tell of them one by one.
const trimmedAtOnce = 256

// boundLocked drops the oldest rows of a window that has more than it may hold, by trim. Where they can't go, because
// something is still expected of them, the next time is when it has grown by as many again.
func (l *Live) boundLocked(state *projection.State, trim func(projection.Trim)) {
	if l.max == 0 || state.RowCount() <= max(l.max, l.full) {
		return
	}
	some := min(l.max/10, trimmedAtOnce)
	trim(projection.Trim{Keep: l.max - some})
	l.full = 0
	if left := state.RowCount(); left > l.max {
		l.full = left + some
	}
}

// rows is how many rows the window holds.
func (l *Live) rows() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.toldLocked().RowCount()
}
