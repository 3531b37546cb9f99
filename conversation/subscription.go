package conversation

import (
	"context"
	"time"

	"inlaygraph/projection"
)

// Subscription follows some slices of a conversation. Next is for one goroutine.
type Subscription struct {
	live   *Live
	slices []projection.Slice
	signal chan struct{} // capacity 1
	dirty  bool          // guarded by live.mu
	closed bool          // guarded by live.mu
	pace   pace
}

// Subscribe follows slices. With minInterval, a change after quiet goes out at once, then at most one value
// per interval goes out, always ending on the newest.
func (l *Live) Subscribe(slices []projection.Slice, minInterval time.Duration) *Subscription {
	s := &Subscription{live: l, slices: slices, signal: make(chan struct{}, 1), pace: pace{every: minInterval}}
	l.mu.Lock()
	for _, slice := range slices {
		if l.subs[slice] == nil {
			l.subs[slice] = map[*Subscription]struct{}{}
		}
		l.subs[slice][s] = struct{}{}
	}
	l.count++
	s.markDirty() // the value as it stands is the first
	l.mu.Unlock()
	l.touch()
	return s
}

// markDirty tells the subscriber that it has something to read; it reports whether it did not know yet.
// live.mu is held.
func (s *Subscription) markDirty() bool {
	if s.dirty {
		return false
	}
	s.dirty = true
	s.wake()
	return true
}

func (s *Subscription) wake() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// wait returns once the subscription is dirty, with live.mu held and the flag taken; or with an error and
// without the lock.
func (s *Subscription) wait(ctx context.Context) error {
	for {
		select {
		case <-s.signal:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := s.pace.wait(ctx); err != nil {
			return err
		}
		s.live.mu.Lock()
		switch {
		case s.dirty:
			s.dirty = false
			s.pace.sent()
			if s.live.ended != nil {
				s.wake() // the end comes after what was pending
			}
			return nil
		case s.live.ended != nil:
			err := s.live.ended
			s.live.mu.Unlock()
			return err
		}
		s.live.mu.Unlock()
	}
}

// Next returns the conversation as it stands: the first time at once, then whenever one of the slices
// moved since. Its error is coded when the conversation can't be followed any longer, else the context's.
func (s *Subscription) Next(ctx context.Context) (*Conversation, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	defer s.live.mu.Unlock()
	return s.live.viewLocked(), nil
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	l := s.live
	l.mu.Lock()
	if s.closed {
		l.mu.Unlock()
		return
	}
	s.closed = true
	for _, slice := range s.slices {
		delete(l.subs[slice], s)
		if len(l.subs[slice]) == 0 {
			delete(l.subs, slice)
		}
	}
	l.count--
	l.lastUse = l.now()
	l.mu.Unlock()
}

// pace keeps messages apart.
type pace struct {
	every time.Duration
	last  time.Time
}

// wait returns when the next message may go out.
func (p *pace) wait(ctx context.Context) error {
	if p.every <= 0 || p.last.IsZero() {
		return nil
	}
	rest := p.every - time.Since(p.last)
	if rest <= 0 {
		return nil
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pace) sent() { p.last = time.Now() }
