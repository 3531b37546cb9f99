package transport

import "sync"

// outbox is what waits for one connection's writer, of all groups that it is in: at most one value for each member, and a
// few changes.
type outbox struct {
	writer   caller
	maxBytes int // of the changes that wait for one member, unless it is a single one

	mu          sync.Mutex
	first, last *member // those for whom something waits
}

// caller is whoever writes what waits in an outbox.
type caller interface {
	// call has it come by, some time soon. The outbox is locked.
	call()
}

// bell is a caller that comes when it is rung. Its capacity is 1.
type bell chan struct{}

func (b bell) call() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// maxWaiting is how many changes wait for a member before it has to catch up by its position.
const maxWaiting = 16

// put has m sent a value, in the place of one that waits already: whoever is slow skips to the newest.
func (b *outbox) put(m *member, value *result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.gone || m.ended {
		return
	}
	if m.waiting != nil {
		m.skipped = true
		m.group.engine.stats.coalesced.Add(1)
	}
	m.waiting = value
	b.listLocked(m)
}

// add has m sent a change after those that wait. It reports false when there is no room, and m.full from then on until all
// that waits was taken.
func (b *outbox) add(m *member, change *result) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case m.gone || m.ended:
		return true
	case m.waiting == nil:
		m.waiting = change
	case b.hasRoom(m, change):
		m.more = append(m.more, change)
	default:
		m.full = true
		m.group.engine.stats.coalesced.Add(1)
		return false
	}
	b.listLocked(m)
	return true
}

func (b *outbox) hasRoom(m *member, change *result) bool {
	size := len(m.waiting.payload) + len(change.payload)
	for _, c := range m.more {
		size += len(c.payload)
	}
	return 1+len(m.more) < maxWaiting && size <= b.maxBytes
}

// isFull tells whether m has missed changes, and others still wait for it.
func (b *outbox) isFull(m *member) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return m.full
}

// finish ends m: after what waits comes final, unless it is nil, and the end.
func (b *outbox) finish(m *member, final []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.gone || m.ended {
		return
	}
	m.ended, m.final = true, final
	b.listLocked(m)
}

// drop lets go of what waits for m.
func (b *outbox) drop(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.gone, m.waiting, m.more, m.final, m.sent = true, nil, nil, nil, nil
}

// listLocked has the writer come by for m. It need not be told when it is on its way.
func (b *outbox) listLocked(m *member) {
	if m.listed {
		return
	}
	if b.first == nil {
		b.writer.call()
	}
	b.linkLocked(m)
}

func (b *outbox) linkLocked(m *member) {
	m.listed = true
	if b.first == nil {
		b.first = m
	} else {
		b.last.next = m
	}
	b.last = m
}

// taken is what is to be written for a member: a payload, or the end.
type taken struct {
	member  *member
	payload []byte
	end     bool
	touch   bool // the member can catch up now
}

// caughtUp has the group serve a member that missed changes, now that it has taken the last of those before them.
func (t *taken) caughtUp() {
	if t.touch {
		t.member.group.follower.Touch()
	}
}

// take takes the next thing to be written; ok is false when nothing waits.
func (b *outbox) take() (t taken, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takeLocked()
}

// takeLocked has members take turns.
func (b *outbox) takeLocked() (t taken, ok bool) {
	for b.first != nil {
		m := b.first
		b.first, m.next, m.listed = m.next, nil, false
		t, ok := m.takeLocked()
		if m.waiting != nil || m.ended && !m.gone {
			b.linkLocked(m)
		}
		if ok {
			return t, true
		}
	}
	return taken{}, false
}
