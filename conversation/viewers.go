package conversation

import (
	"context"
	"maps"
	"slices"
	"time"

	"inlaygraph/coded"
	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
)

// errRefused is what a session hears that upstream does not accept.
var errRefused error = coded.New(coded.Unauthenticated, "upstream does not accept the session")

// pick chooses the session whose token upstream is asked with: of those attached, else of those who wait, the one that
// lasts longest; never one that upstream refused, and of those attached none that is over. One that waits may be: it
// was let in for one answer. Without any of these the one used last still does. Else there is nobody to read for.
func (r *reader) pick() (ok bool) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	attached := r.live.attached()
	var waiting []*session.Session
	if r.asked != nil {
		waiting = r.asked.askers
	}
	r.forgetRefusedLocked(attached, waiting)
	now := time.Now()
	best := r.lastingLocked(attached, now)
	if best == nil {
		best = r.lastingLocked(waiting, time.Time{})
	}
	if best == nil && len(attached)+len(waiting) == 0 && r.who != nil {
		best = r.lastingLocked([]*session.Session{r.who}, now)
	}
	if best != nil {
		r.who = best
	}
	return best != nil
}

// lastingLocked is the one of some that lasts longest, nil when none is good at the time.
func (r *reader) lastingLocked(some []*session.Session, at time.Time) (best *session.Session) {
	for _, who := range some {
		if who.Expired(at) || r.refused[who.Token()] {
			continue
		}
		if best == nil || outlasts(who, best) {
			best = who
		}
	}
	return best
}

func outlasts(a, b *session.Session) bool {
	return !b.ExpiresAt.IsZero() && (a.ExpiresAt.IsZero() || a.ExpiresAt.After(b.ExpiresAt))
}

// forgetRefusedLocked forgets the refusal of tokens that nobody is there with.
func (r *reader) forgetRefusedLocked(present ...[]*session.Session) {
	if len(r.refused) == 0 {
		return
	}
	still := map[string]bool{}
	for _, some := range append(present, []*session.Session{r.who}) {
		for _, who := range some {
			if token := who.Token(); r.refused[token] {
				still[token] = true
			}
		}
	}
	r.refused = still
}

// Who follows is closed when its session ends, by whom it came by, and comes back with a fresh one (docs/service.md, "How
// long a session lasts"). It is not told meanwhile that upstream refused it, for that would be the end of what it follows:
// there are closingTime to close it in, looked at every closingLook. An upstream whose clock is ahead has as long.
const (
	closingTime = time.Second
	closingLook = 20 * time.Millisecond
)

// leaving says how long to wait before looking again whether all who follow have left, as their sessions end about now. It
// is 0 when they do not, and when somebody waits for an answer.
func (r *reader) leaving() time.Duration {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	attached := r.live.attached()
	if len(attached) == 0 || r.asked != nil {
		return 0
	}
	now := time.Now()
	last := now.Add(-closingTime)
	for _, who := range attached {
		if who.ExpiresAt.IsZero() || who.ExpiresAt.After(now.Add(closingTime)) {
			return 0
		}
		if who.ExpiresAt.After(last) {
			last = who.ExpiresAt
		}
	}
	return min(closingLook, last.Add(closingTime).Sub(now))
}

// refuse notes that upstream does not accept the token in use.
func (r *reader) refuse() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.refused[r.who.Token()] = true
	delete(r.admitted, r.who.Subject)
}

// await waits until the conversation is current. It may have become so with the token of another.
func (r *reader) await(ctx context.Context, who *session.Session, wait *round) error {
	if wait == nil {
		return nil
	}
	select {
	case <-wait.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if wait.err != nil {
		return wait.err
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.refused[who.Token()] {
		return errRefused
	}
	return nil
}

// Subscribe is Live.Subscribe for the viewer's session.
func (v *Viewer) Subscribe(slices []projection.Slice, minInterval time.Duration, pins ...*feed.Pin) *Subscription {
	return v.subscribe(v.who, slices, minInterval, pins)
}

// Changes is Live.Changes for the viewer's session.
func (v *Viewer) Changes(rows projection.RowSlice, after string, minInterval time.Duration) *Changes {
	return v.changes(v.who, rows, after, minInterval)
}

// attached are the sessions that follow, each once.
func (l *Live) attached() []*session.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.who))
}

// nobody is whom a subscription belongs to that no session opened.
var nobody = session.Anonymous()
