package conversation

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// cancelledStory is a run with a pending call that goes on until it is cancelled: awaiting is where it waits for the
// client, if it does.
func cancelledStory(awaits bool) (s story, before int) {
	c := tale(conv)
	c.starts("r")
	c.says("hello")
	c.calls("c1", true)
	c.calls("c2", true)
	if awaits {
		c.pauses(wire.AwaitingClientTool)
	}
	before = len(c.frames)
	c.ends(wire.Cancelled, false)
	return c.told(), before
}

func cancelAs(t *testing.T, h *Hub, name string) error {
	_, err := h.Cancel(t.Context(), user(name, 0), conv)
	return err
}

// Promise 22: a cancel that upstream took marks every call that waits for good, and is in flight until the run has
// ended, which its stream tells.
func TestCancelStreaming(t *testing.T) {
	s, before := cancelledStory(false)
	driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		assert.Equal(t, "cancel", may(v.live))
		p.called()
		c, err := h.Cancel(t.Context(), user("bob", 0), conv)
		require.NoError(t, err)
		assert.Equal(t, projection.ChatStreaming, c.Snapshot().Status())
		assert.Equal(t, "c1 cancelled, c2 cancelled", states(v.live))
		assert.Empty(t, pending(v.live))
		assert.Empty(t, may(v.live))
		assert.Equal(t, "the run is being cancelled already", conflict(t, cancelAs(t, h, "ann")))
		time.Sleep(20 * time.Second)
		assert.Equal(t, map[string]int{"cancel": 1, "head": 1}, p.called(), "his admission; the stream will tell")
		p.playTo(len(s.frames))
		synctest.Wait()
		assert.Equal(t, "send", may(v.live))
		assert.Equal(t, "c1 cancelled, c2 cancelled", states(v.live))
		assert.Equal(t, "the call was cancelled", conflict(t, submit(t, h, "ann", "c1", "x")))
		assert.Equal(t, "there is no run to cancel", conflict(t, cancelAs(t, h, "ann")))
		assert.Empty(t, p.inputs)
		v.done(0)
	})
}

// Promise 22: without a stream the head is read at once, and then with backoff, until it says that the run has ended.
func TestCancelWaiting(t *testing.T) {
	s, before := cancelledStory(true)
	driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		time.Sleep(time.Second)
		p.called()
		require.NoError(t, cancelAs(t, h, "ann"))
		time.Sleep(time.Millisecond)
		assert.Equal(t, map[string]int{"cancel": 1, "head": 1}, p.called(), "at once")
		time.Sleep(2 * time.Second)
		assert.Greater(t, p.called()["head"], 2)
		assert.Empty(t, may(v.live))
		time.Sleep(20 * time.Second)
		assert.Less(t, p.called()["head"], 8)
		p.playTo(len(s.frames))
		time.Sleep(10 * time.Second)
		assert.Equal(t, projection.ChatCancelled, v.live.Conversation().Snapshot().Status())
		assert.Equal(t, "send", may(v.live))
		assert.Equal(t, "c1 cancelled, c2 cancelled", states(v.live), "a window loaded again has no say in it")
		p.called()
		time.Sleep(10 * time.Second)
		assert.LessOrEqual(t, p.called()["head"], 1)
		v.leave()
	})
}

// Promise 22: where the log is read in the stream's place, the end is seen no later for a cancel.
func TestCancelWhilePolling(t *testing.T) {
	s, before := cancelledStory(false)
	driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.noReattach = true
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		require.NoError(t, cancelAs(t, h, "ann"))
		time.Sleep(30 * time.Second)
		p.playTo(len(s.frames))
		time.Sleep(1100 * time.Millisecond)
		assert.Equal(t, projection.ChatCancelled, v.live.Conversation().Snapshot().Status())
		assert.Equal(t, "send", may(v.live))
		v.leave()
	})
}

// Promise 22: a cancel that upstream took and did not heed is no longer in flight after a minute, whether the run is
// followed or not, and whether anybody is there or not; nothing cancelled comes back.
func TestCancelUnheeded(t *testing.T) {
	for _, awaits := range []bool{true, false} {
		for _, watched := range []bool{true, false} {
			s, before := cancelledStory(awaits)
			driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				v := openAs(t, h, user("ann", 0))
				if watched {
					defer watchAs(t, v).leave()
				}
				require.NoError(t, cancelAs(t, h, "ann"))
				time.Sleep(59 * time.Second)
				assert.Empty(t, may(v.Live))
				time.Sleep(2 * time.Second)
				assert.Equal(t, "cancel", may(v.Live))
				assert.Empty(t, pending(v.Live))
				require.NoError(t, cancelAs(t, h, "ann"), "it can be tried again")
				time.Sleep(30 * time.Second)
				p.playTo(len(s.frames))
				time.Sleep(30 * time.Second)
				v = openAs(t, h, user("ann", 0))
				assert.Equal(t, "send", may(v.Live))
				time.Sleep(2 * time.Minute)
				assert.Equal(t, "send", may(v.Live))
			})
		}
	}
}

// Promise 22: a cancel is of the run that was there: once that has stopped, or another has begun, it is not in flight
// any more. A second one has a minute of its own.
func TestCancelIsOfOneRun(t *testing.T) {
	s := chat(3, 30)
	turn := framesOf(30)
	driving(t, s, 5, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		require.NoError(t, cancelAs(t, h, "ann"))
		time.Sleep(40 * time.Second)
		assert.Empty(t, may(v.live))
		p.playTo(turn)
		synctest.Wait()
		assert.Equal(t, "cancel send", may(v.live), "it stopped by itself")
		require.NoError(t, cancelAs(t, h, "ann"))
		assert.Equal(t, "send", may(v.live), "a paused conversation can be cancelled too")
		time.Sleep(40 * time.Second)
		assert.Equal(t, "send", may(v.live))
		goOn(t, h, "ann")
		assert.Equal(t, "cancel", may(v.live), "another run")
		require.NoError(t, cancelAs(t, h, "ann"))
		time.Sleep(59 * time.Second)
		assert.Empty(t, may(v.live))
		time.Sleep(2 * time.Second)
		assert.Equal(t, "cancel", may(v.live))
		v.done(0)
	})
	driving(t, s, turn-1, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.latency = time.Second })
		time.AfterFunc(500*time.Millisecond, func() { p.playTo(turn) })
		require.NoError(t, cancelAs(t, h, "ann"))
		assert.Equal(t, "cancel send", may(v.live), "it stopped while upstream was asked")
		v.done(0)
	})
}

// Promises 17 and 18: a cancel that upstream refuses, or does not answer, is the caller's alone: nothing is cancelled and
// the latch is off. Of several at once one is asked.
func TestCancelFails(t *testing.T) {
	s, before := cancelledStory(true)
	for name, tc := range map[string]struct {
		code  coded.Code
		setup func(p *fake)
		after time.Duration
	}{
		"401":   {coded.Unauthenticated, func(p *fake) { p.fail = always("cancel", refused("cancel", upstream.Unauthenticated)) }, 0},
		"403":   {coded.NotFound, func(p *fake) { p.fail = always("cancel", refused("cancel", upstream.Forbidden)) }, 0},
		"409":   {coded.Conflict, func(p *fake) { p.fail = always("cancel", refused("cancel", upstream.Conflict)) }, 0},
		"503":   {coded.UpstreamUnavailable, func(p *fake) { p.fail = always("cancel", refused("cancel", upstream.Unavailable)) }, 0},
		"hangs": {coded.UpstreamUnavailable, func(p *fake) { p.hang = func(op string) bool { return op == "cancel" } }, 10 * time.Second},
		"panic": {coded.Internal, func(p *fake) {
			p.hang = func(op string) bool {
				if op == "cancel" {
					p.mu.Unlock()
					panic("cancel")
				}
				return false
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				p.set(func() { tc.setup(p) })
				began := time.Now()
				assert.Equal(t, tc.code, coded.CodeOf(cancelAs(t, h, "ann")))
				assert.Equal(t, tc.after, time.Since(began))
				assert.Equal(t, "cancel", may(v.live))
				assert.Empty(t, states(v.live))
				assert.Equal(t, []string{"c1", "c2"}, pending(v.live))
				p.set(func() { p.fail, p.hang, p.latency = nil, nil, time.Second })
				p.called()
				var callers sync.WaitGroup
				for range 5 {
					callers.Go(func() { _ = cancelAs(t, h, "ann") })
				}
				callers.Wait()
				assert.Equal(t, 1, p.called()["cancel"])
				v.leave()
			})
		})
	}
}

// A caller that leaves in mid-cancel leaves it to go on, and a delivery that is under way does not bring a cancelled
// call back.
func TestCancelWhileDelivering(t *testing.T) {
	s := waits("c1", "c2")
	driving(t, s, untilWaiting(2), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.latency = 2 * time.Second })
		var callers sync.WaitGroup
		callers.Go(func() { assert.NoError(t, submit(t, h, "ann", "c1", "out of c1")) })
		synctest.Wait()
		callers.Go(func() { assert.Equal(t, "the call was cancelled", conflict(t, submit(t, h, "ann", "c2", "out of c2"))) })
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		p.set(func() { p.latency = time.Second })
		_, err := h.Cancel(ctx, user("ann", 0), conv)
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		time.Sleep(time.Second)
		assert.Equal(t, "c1 cancelled, c2 cancelled", states(v.live))
		time.Sleep(time.Second)
		p.playTo(untilWaiting(2) + answering)
		callers.Wait()
		assert.Equal(t, "c1 cancelled, c2 cancelled", states(v.live))
		assert.Len(t, p.inputs, 1)
		v.leave()
	})
}

// Promise 8: a cancel keeps no stream open for nobody.
func TestCancelAndLeave(t *testing.T) {
	s, before := cancelledStory(false)
	driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		require.NoError(t, cancelAs(t, h, "ann"))
		v.done(0)
		assert.Equal(t, 1, p.open())
		time.Sleep(31 * time.Second)
		assert.Zero(t, p.open())
	})
}

// Promise 16: what a cancel has looked at is read with the token of those who follow, if there are any.
func TestCancelIsLookedAtForThoseWhoFollow(t *testing.T) {
	s, before := cancelledStory(true)
	driving(t, s, before, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		bob := user("bob", 0)
		openAs(t, h, bob)
		p.with("head")
		v := watchAs(t, openAs(t, h, user("ann", time.Hour)))
		require.NoError(t, cancelAs(t, h, "bob"))
		time.Sleep(time.Second)
		heads := p.with("head")
		assert.Greater(t, len(heads), 2)
		assert.NotContains(t, heads, "bob")
		v.done(0)
	})
}
