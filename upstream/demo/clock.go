package demo

import (
	"context"
	"time"
)

// Clock is the time that the demo plays by. Its methods are called by many goroutines at once.
type Clock interface {
	Now() time.Time
	// SleepUntil returns at t, at once when t has passed, or with ctx's error when ctx is done first.
	SleepUntil(ctx context.Context, t time.Time) error
}

// realClock is the wall clock.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) SleepUntil(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
