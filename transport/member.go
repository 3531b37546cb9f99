package transport

import (
	"bytes"
	"sync/atomic"

	"inlaygraph/coded"
)

// result is what a group's execution gave, encoded once for all who get it.
type result struct {
	payload []byte
	tooLong bool // of changes: it is the error in place of those since one position
}

// member is a subscriber of a group. Its messages wait in the outbox of its connection.
type member struct {
	group *group
	box   *outbox
	op    *wsOperation // nil in an event stream
	leave func()       // of its seat

	// Guarded by group.mu.
	index int // in group.members
	left  bool
	out   bool // it was expelled, and is not in group.members any more

	failed atomic.Pointer[coded.Code] // why it was

	// Guarded by group.reading.
	shown    *result // the latest that it was given, nil before the first
	position string  // of changes: where that left it
	missed   bool    // of changes: it was given none of those since

	// Guarded by box.mu.
	next    *member // in the outbox's list
	listed  bool
	gone    bool      // it takes nothing more
	waiting *result   // the newest, of changes the oldest of what it was not sent yet
	more    []*result // of changes: what comes after waiting
	full    bool      // of changes: something had no room
	skipped bool      // something was replaced since sent
	sent    *result   // the latest that was taken from here
	ended   bool      // nothing comes after what waits,
	final   []byte    // but this, unless it is nil
}

func (m *member) takeLocked() (t taken, ok bool) {
	t.member = m
	switch {
	case m.gone:
		return t, false
	case m.waiting != nil:
		next := m.waiting
		m.waiting = nil
		if len(m.more) > 0 {
			m.waiting = m.more[0]
			if m.more = m.more[1:]; len(m.more) == 0 {
				m.more = nil
			}
		}
		if m.waiting == nil {
			t.touch, m.full = m.full, false
		}
		// What came in between was never seen, so that the same may have come again (promise 10).
		again := m.skipped && m.sent != nil && bytes.Equal(m.sent.payload, next.payload)
		if m.skipped = false; !m.group.changes {
			m.sent = next
		}
		t.payload = next.payload
		return t, !again
	case m.final != nil:
		t.payload, m.final = m.final, nil
		return t, true
	case m.ended:
		t.end, m.gone = true, true
		return t, true
	}
	return t, false
}
