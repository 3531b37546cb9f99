package demo

import (
	"context"
	"time"
)

// interest is how long somebody who read a conversation counts as its audience. It is longer than the
// server's pause between two looks at a head (docs/service.md, "Subscriptions").
const interest = 15 * time.Second

// play plays the tape loop after loop, until ctx ends or the given number of loops (0: no end) is over.
// It calls started once the first frame is out.
func (c *conversation) play(ctx context.Context, o Options, started func()) {
	for loop := 1; o.Loops == 0 || loop <= o.Loops; loop++ {
		start := o.Clock.Now()
		if loop > 1 {
			start = start.Add(o.Rest)
			if o.Clock.SleepUntil(ctx, start) != nil {
				return
			}
		}
		c.beginLoop(o.KeepLoops)
		frames, due := c.tape.loop(loop)
		for i, f := range frames {
			if due[i] > 0 {
				at := start.Add(time.Duration(float64(due[i]) / o.Speed))
				if o.Clock.SleepUntil(ctx, at) != nil {
					return
				}
			}
			begins := c.send(fresh(f, c.tape.mark, loop), o.Clock.Now())
			started()
			if !begins {
				continue
			}
			waited, err := c.awaitAudience(ctx, o)
			if err != nil {
				return
			}
			start = start.Add(waited)
		}
	}
}

// awaitAudience holds a run that has just begun until a stream attaches, if somebody is interested: a reader
// looks for a new run every few seconds only, by which time a short one would be over. It answers how long
// that took.
func (c *conversation) awaitAudience(ctx context.Context, o Options) (time.Duration, error) {
	now := o.Clock.Now()
	attached, attach := context.WithCancel(ctx)
	defer attach()
	c.mu.Lock()
	wanted := o.Patience > 0 && !c.heard && !c.askedAt.IsZero() && now.Sub(c.askedAt) < interest
	if wanted {
		c.onAttach = attach
	}
	c.mu.Unlock()
	if !wanted {
		return 0, nil
	}
	err := o.Clock.SleepUntil(attached, now.Add(o.Patience))
	c.mu.Lock()
	c.onAttach = nil
	c.mu.Unlock()
	if err != nil && ctx.Err() != nil {
		return 0, err
	}
	return o.Clock.Now().Sub(now), nil
}
