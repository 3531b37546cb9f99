package main

import (
	"context"
	"sync"
	"time"
)

// clock is the demo's time, which can stand still.
type clock struct {
	mu      sync.Mutex
	behind  time.Duration // the wall clock
	stopped time.Time     // when it stopped, by the wall clock; zero: it goes
	goes    chan struct{} // closed while it goes
}

func newClock() *clock {
	c := &clock{goes: make(chan struct{})}
	close(c.goes)
	return c
}

// stop lets time stand still.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped.IsZero() {
		c.stopped, c.goes = time.Now(), make(chan struct{})
	}
}

// start lets it go on.
func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped.IsZero() {
		c.behind += time.Since(c.stopped)
		c.stopped = time.Time{}
		close(c.goes)
	}
}

// Now implements demo.Clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped.IsZero() {
		return c.stopped.Add(-c.behind)
	}
	return time.Now().Add(-c.behind)
}

// SleepUntil implements demo.Clock.
func (c *clock) SleepUntil(ctx context.Context, t time.Time) error {
	for {
		c.mu.Lock()
		goes := c.goes
		c.mu.Unlock()
		select {
		case <-goes:
		case <-ctx.Done():
			return ctx.Err()
		}
		left := t.Sub(c.Now())
		if left <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
