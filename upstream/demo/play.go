package demo

import (
	"context"
	"time"

	"inlaygraph/wire"
)

// interest is how long somebody who read a conversation counts as its audience. It is longer than the
// server's pause between two looks at a head (docs/service.md, "Subscriptions").
const interest = 15 * time.Second

// start plays what a conversation plays by itself. A log without frames lies there to be read.
func (c *conversation) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tape.parts) > 0 {
		c.launch(c.beginByItself(), true)
	}
}

// launch plays a run whose first frame is out, and then whatever follows by itself. Nothing that was to be played
// before comes any more. A run that began by itself waits for its audience. The lock is held.
func (c *conversation) launch(r *run, byItself bool) {
	if c.halt != nil {
		c.halt()
	}
	var ctx context.Context
	ctx, c.halt = context.WithCancel(c.stage.ctx)
	start := c.stage.Clock.Now()
	c.stage.players.Go(func() { c.perform(ctx, r, start, byItself) })
}

// perform is what launch starts.
func (c *conversation) perform(ctx context.Context, r *run, start time.Time, byItself bool) {
	for {
		if byItself {
			waited, err := c.awaitAudience(ctx)
			if err != nil {
				return
			}
			start = start.Add(waited)
		}
		if !c.play(ctx, r, start) {
			return
		}
		at, more := c.dueNext(start.Add(c.stage.scaled(r.length())))
		if !more || c.stage.Clock.SleepUntil(ctx, at) != nil {
			return
		}
		if r = c.goOn(ctx); r == nil {
			return
		}
		start, byItself = at, true
	}
}

// scaled is how long a recorded time takes.
func (s *stage) scaled(recorded time.Duration) time.Duration {
	return time.Duration(float64(recorded) / s.Speed)
}

// play sends a run's frames but for the first, each when it is due. False: ctx ended.
func (c *conversation) play(ctx context.Context, r *run, start time.Time) bool {
	for _, q := range r.cues[min(1, len(r.cues)):] {
		if q.due > 0 && c.stage.Clock.SleepUntil(ctx, start.Add(c.stage.scaled(q.due))) != nil {
			return false
		}
		if !c.sendUnless(ctx, q, r.suffix) {
			return false
		}
	}
	return true
}

// sendUnless sends a frame unless ctx has ended. What ends ctx holds the lock, so that nothing comes after it.
func (c *conversation) sendUnless(ctx context.Context, q cue, suffix string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	c.send(q, suffix)
	return true
}

// dueNext is when the conversation goes on by itself after a run that was to end at end, if it does.
func (c *conversation) dueNext(end time.Time) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.looping || c.loopsAreOver():
		return time.Time{}, false
	case c.next < len(c.tape.parts):
		return end.Add(c.stage.scaled(c.tape.parts[c.next].wait)), true
	}
	return c.endedAt.Add(c.stage.Rest), true
}

// loopsAreOver tells whether nothing is left to play by itself.
func (c *conversation) loopsAreOver() bool {
	over := c.stage.Loops > 0 && c.loop >= c.stage.Loops
	return c.next == len(c.tape.parts) && (over || len(c.tape.parts) == 0)
}

// goOn begins the next run by itself: its first frame is out when it returns. Nil: ctx ended.
func (c *conversation) goOn(ctx context.Context) *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	return c.beginByItself()
}

// beginByItself is goOn without its conditions.
func (c *conversation) beginByItself() *run {
	if c.next == len(c.tape.parts) {
		c.beginLoop()
	}
	r := (*run)(nil)
	if _, resumes := c.sequel(); resumes && len(c.given) > 0 && c.ledger.status == wire.AwaitingClientTool {
		r = c.resumed()
	} else {
		c.given = nil
		r = c.recorded()
	}
	c.send(r.cues[0], r.suffix)
	return r
}

// awaitAudience holds a run that has just begun until a stream attaches, if somebody is interested: a reader
// looks for a new run every few seconds only, by which time a short one would be over. It answers how long
// that took.
func (c *conversation) awaitAudience(ctx context.Context) (time.Duration, error) {
	now, patience := c.stage.Clock.Now(), c.stage.Patience
	attached, attach := context.WithCancel(ctx)
	defer attach()
	c.mu.Lock()
	wanted := patience > 0 && c.inFlight && !c.heard && !c.askedAt.IsZero() && now.Sub(c.askedAt) < interest
	if wanted {
		c.onAttach = &attach
	}
	c.mu.Unlock()
	if !wanted {
		return 0, ctx.Err()
	}
	err := c.stage.Clock.SleepUntil(attached, now.Add(patience))
	c.mu.Lock()
	if c.onAttach == &attach {
		c.onAttach = nil
	}
	c.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return 0, err
	}
	return c.stage.Clock.Now().Sub(now), nil
}
