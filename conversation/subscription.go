package conversation

import (
	"context"
	"errors"
	"time"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
)

// Subscription follows some slices of a conversation. Next is for one goroutine.
type Subscription struct {
	live   *Live
	who    *session.Session
	slices []projection.Slice
	pins   []*feed.Pin
	signal chan struct{} // capacity 1
	pace   pace

	// Guarded by live.mu.
	dirty  bool
	closed bool
}

// errClosed is what Next answers after Close.
var errClosed = errors.New("conversation: the subscription is closed")

// Subscribe follows slices. With minInterval, a change after quiet goes out at once, then at most one value
// per interval goes out, always ending on the newest. pins are those whose feeds are read too; a nil one is
// the feed without a pin.
func (l *Live) Subscribe(slices []projection.Slice, minInterval time.Duration, pins ...*feed.Pin) *Subscription {
	return l.subscribe(nobody, slices, minInterval, pins)
}

func (l *Live) subscribe(who *session.Session, slices []projection.Slice, minInterval time.Duration, pins []*feed.Pin) *Subscription {
	l.mu.Lock()
	for _, pin := range pins {
		slices = append(slices[:len(slices):len(slices)], feedSlice(pin))
		l.pinLocked(pin)
	}
	s := l.subscribeLocked(who, slices, minInterval)
	s.pins = pins
	l.mu.Unlock()
	l.attended()
	return s
}

func (l *Live) subscribeLocked(who *session.Session, slices []projection.Slice, minInterval time.Duration) *Subscription {
	s := &Subscription{live: l, who: who, slices: slices, signal: make(chan struct{}, 1), pace: pace{every: minInterval}}
	l.who[who]++
	for _, slice := range slices {
		if l.subs[slice] == nil {
			l.subs[slice] = map[*Subscription]struct{}{}
		}
		l.subs[slice][s] = struct{}{}
	}
	l.count++
	l.lastUse = time.Now()
	s.markDirty() // the value as it stands is the first
	return s
}

// attended tells the reader that somebody follows.
func (l *Live) attended() {
	if l.attend != nil {
		l.attend()
	}
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
		case <-s.live.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := s.pace.wait(ctx, s.live.ended); err != nil {
			return err
		}
		s.live.mu.Lock()
		switch {
		case s.closed:
			s.live.mu.Unlock()
			return errClosed
		case s.dirty:
			s.dirty = false
			return nil
		case s.live.endedBy != nil: // after what was pending
			err := s.live.endedBy
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
	s.pace.sent()
	return s.live.readLocked(), nil
}

// Close ends the subscription. It may be called more than once, and from anywhere.
func (s *Subscription) Close() {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	s.closeLocked()
}

// closeLocked reports whether the subscription was open.
func (s *Subscription) closeLocked() bool {
	if s.closed {
		return false
	}
	l := s.live
	s.closed = true
	for _, slice := range s.slices {
		delete(l.subs[slice], s)
		if len(l.subs[slice]) == 0 {
			delete(l.subs, slice)
		}
	}
	for _, pin := range s.pins {
		l.unpinLocked(pin)
	}
	if l.who[s.who]--; l.who[s.who] == 0 {
		delete(l.who, s.who)
	}
	l.count--
	l.lastUse = time.Now()
	s.wake()
	return true
}

// pace keeps messages apart.
type pace struct {
	every time.Duration
	last  time.Time
}

// wait returns when the next message may go out, or when nothing is worth waiting for because ended is closed.
func (p *pace) wait(ctx context.Context, ended <-chan struct{}) error {
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
	case <-ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (p *pace) sent() {
	if p.every > 0 {
		p.last = time.Now()
	}
}
