package conversation

import (
	"context"
	"sync"
	"time"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
)

// together is whom a subscription belongs to that several viewers share: a session that is over, so that upstream is
// never read with it. The viewers attach their own.
var together = session.New("", "", "", time.Unix(1, 0))

// Attach counts the viewer's session among those that upstream is read with (promise 16), and follows nothing. detach
// undoes it; it may be called more than once, and must not be called while a subscription that the viewer shares in is
// open and nobody else is attached.
func (v *Viewer) Attach() (detach func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Live.who[v.who]++
	v.lastUse = time.Now()
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.Live.who[v.who]--; v.Live.who[v.who] == 0 {
			delete(v.Live.who, v.who)
		}
		v.lastUse = time.Now()
	})
}

// Shared is a subscription of several viewers at once. Waiting and reading are apart, so that it can also be read in
// between, for a viewer that joins. Await and Take are for one goroutine.
type Shared struct{ sub *Subscription }

// Share is Subscribe for several viewers, who are attached. What is there is not taken yet.
func (l *Live) Share(slices []projection.Slice, minInterval time.Duration, pins ...*feed.Pin) *Shared {
	return &Shared{l.subscribe(together, slices, minInterval, pins)}
}

// Await returns once one of the slices has moved since Take, and the interval since then is over. Its error is
// Subscription.Next's. Until Take it has nothing more to say.
func (s *Shared) Await(ctx context.Context) error {
	if err := s.sub.wait(ctx); err != nil {
		return err
	}
	defer s.sub.live.mu.Unlock()
	s.sub.dirty = true
	return nil
}

// Moved tells whether one of the slices has moved since Take.
func (s *Shared) Moved() bool {
	s.sub.live.mu.Lock()
	defer s.sub.live.mu.Unlock()
	return s.sub.dirty
}

// Touch is as if one of the slices had moved.
func (s *Shared) Touch() {
	s.sub.live.mu.Lock()
	defer s.sub.live.mu.Unlock()
	if !s.sub.closed {
		s.sub.markDirty()
	}
}

// Take says that everything that moved until now is about to be read.
func (s *Shared) Take() {
	s.sub.live.mu.Lock()
	defer s.sub.live.mu.Unlock()
	s.sub.dirty = false
	s.sub.pace.sent()
}

// Conversation is the conversation as it stands.
func (s *Shared) Conversation() *Conversation { return s.sub.live.Conversation() }

// Close ends the subscription. It may be called more than once, and from anywhere.
func (s *Shared) Close() { s.sub.Close() }

// SharedChanges is Shared for row changes.
type SharedChanges struct {
	Shared
	changes *Changes
}

// ShareChanges is Changes for several viewers, who are attached.
func (l *Live) ShareChanges(rows projection.RowSlice, minInterval time.Duration) *SharedChanges {
	c := l.changes(together, rows, "", minInterval)
	return &SharedChanges{Shared{c.sub}, c}
}

// Since returns what changed since a cursor, as Changes.Next does, and waits for nothing. It is for one goroutine at a
// time.
func (s *SharedChanges) Since(cursor string) *RowChanges {
	s.sub.live.mu.Lock()
	s.changes.after = parseCursor(cursor)
	return s.changes.message()
}

// Close ends the subscription. It may be called more than once, and from anywhere.
func (s *SharedChanges) Close() { s.changes.Close() }
