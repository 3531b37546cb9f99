package conversation

import (
	"math"

	"inlaygraph/projection"
)

// trimmedAtOnce is how many rows go at once from a full window, at most: each time costs something beside them, and
// row changes must still be able to tell of them one by one. Of a window that is full of bytes a part goes.
const (
	trimmedAtOnce = 256
	trimmedPart   = 64
)

// bounds are what a window holds at most, and from where on it is worth to drop its oldest rows again.
type bounds struct {
	rows   int // 0: no bound
	limits projection.Limits

	// Guarded by Live.mu.
	fullRows  int   // 0: rows
	fullBytes int64 // 0: limits.WindowBytes
}

// trim says what has to go, if anything.
func (b *bounds) trim(held projection.Held) (t projection.Trim, worth bool) {
	bytes := b.limits.WindowBytes
	t.Keep = math.MaxInt
	if b.rows > 0 && held.Rows > max(b.rows, b.fullRows) {
		t.Keep, worth = b.rows-min(b.rows/10, trimmedAtOnce), true
	}
	if bytes > 0 && held.WindowBytes > max(bytes, b.fullBytes) {
		t.KeepBytes, worth = bytes-bytes/trimmedPart, true
	}
	return t, worth
}

// trimmed notes what is left. Where rows can't go, because something is still expected of them, the next time is when
// the window has grown by a fair part.
func (b *bounds) trimmed(left projection.Held) {
	b.fullRows, b.fullBytes = 0, 0
	if left.Rows > b.rows {
		b.fullRows = left.Rows + max(min(b.rows/10, trimmedAtOnce), left.Rows/10)
	}
	if bytes := b.limits.WindowBytes; left.WindowBytes > bytes {
		b.fullBytes = left.WindowBytes + max(bytes/trimmedPart, left.WindowBytes/10)
	}
}

// full tells whether the window takes no more rows.
func (b *bounds) full(held projection.Held) bool {
	return b.rows > 0 && held.Rows >= b.rows || b.limits.WindowBytes > 0 && held.WindowBytes >= b.limits.WindowBytes
}

// boundLocked drops the oldest rows of a window that has more than it may hold, by trim.
func (l *Live) boundLocked(state *projection.State, trim func(projection.Trim)) {
	bounds := &l.bounds
	if l.shared != nil {
		bounds = &l.shared.bounds
	}
	if t, worth := bounds.trim(state.Held()); worth {
		trim(t)
		bounds.trimmed(state.Held())
	}
}

// rows is how many rows the window holds.
func (l *Live) rows() int { return l.held().Rows }

// held is what the window holds.
func (l *Live) held() projection.Held {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.toldLocked().Held()
}
