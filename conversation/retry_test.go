package conversation

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// failedStory is a run that failed, and the one that retries it.
func failedStory(retryable bool) (s story, failed int) {
	c := tale(conv)
	c.starts("r")
	c.says("hello")
	c.ends(wire.Failed, retryable)
	failed = len(c.frames)
	c.starts("r2")
	c.says("again")
	c.pauses(wire.Paused)
	return c.told(), failed
}

func retryAs(t *testing.T, h *Hub, name string) error {
	_, err := h.Retry(t.Context(), user(name, 0), conv)
	return err
}

// Promises 18 and 19: a failed run that can be retried is, once, with the caller's token, and its own stream is followed.
func TestRetry(t *testing.T) {
	s, failed := failedStory(true)
	driving(t, s, failed, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		openAs(t, h, user("bob", 0))
		assert.Equal(t, "retry send", may(v.live))
		p.set(func() { p.latency = time.Second })
		var callers sync.WaitGroup
		callers.Go(func() {
			c, err := h.Retry(t.Context(), user("ann", 0), conv)
			if assert.NoError(t, err) {
				assert.Equal(t, projection.ChatStreaming, c.Snapshot().Status())
				assert.Nil(t, c.Snapshot().Error())
			}
		})
		time.Sleep(500 * time.Millisecond)
		assert.Empty(t, may(v.live), "it is in flight")
		assert.Equal(t, "the run is being retried", conflict(t, retryAs(t, h, "bob")))
		_, err := h.Send(t.Context(), user("bob", 0), to(conv, "x"))
		assert.Equal(t, "the run is being retried", conflict(t, err))
		assert.Equal(t, "there is no run to cancel", conflict(t, cancelAs(t, h, "bob")))
		callers.Wait()
		assert.Equal(t, "cancel", may(v.live))
		p.playTo(len(s.frames))
		time.Sleep(5 * time.Second)
		assert.Equal(t, "cancel send", may(v.live))
		assert.Equal(t, []given{{token: "ann"}}, p.inputs)
		assert.Empty(t, p.with("stream"))
		v.done(0)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
	})
}

// Promise 18: what can't be retried is refused with the reason.
func TestRetryConflicts(t *testing.T) {
	s, failed := failedStory(false)
	for sent, reason := range map[int]string{
		1: "there is no failed run to retry", len(s.frames): "there is no failed run to retry", failed: "the failed run can't be retried",
	} {
		driving(t, s, sent, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
			assert.Equal(t, reason, conflict(t, retryAs(t, h, "ann")))
			assert.Empty(t, p.inputs)
		})
	}
}

// Promises 17, 18 and 19: a retry that fails leaves things as they were.
func TestRetryFails(t *testing.T) {
	s, failed := failedStory(true)
	for name, tc := range map[string]struct {
		code  coded.Code
		setup func(p *fake)
	}{
		"401":  {coded.Unauthenticated, func(p *fake) { p.fail = always("retry", refused("retry", upstream.Unauthenticated)) }},
		"409":  {coded.Conflict, func(p *fake) { p.fail = always("retry", refused("retry", upstream.Conflict)) }},
		"404":  {coded.NotFound, func(p *fake) { p.fail = always("retry", refused("retry", upstream.NotFound)) }},
		"mute": {coded.UpstreamUnavailable, func(p *fake) { p.mute = true }},
	} {
		t.Run(name, func(t *testing.T) {
			driving(t, s, failed, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				p.set(func() { tc.setup(p) })
				assert.Equal(t, tc.code, coded.CodeOf(retryAs(t, h, "ann")))
				assert.Equal(t, "retry send", may(v.live))
				assert.Zero(t, p.open())
				p.set(func() { p.fail, p.mute = nil, false })
				assert.NoError(t, retryAs(t, h, "ann"))
				v.done(0)
			})
		})
	}
}

// Without a driver, and for a conversation that only tells, there is nothing to ask.
func TestNoDriver(t *testing.T) {
	s, failed := failedStory(true)
	ask := func(t *testing.T, h *Hub) {
		for _, err := range []error{cancelAs(t, h, "ann"), retryAs(t, h, "ann"), submit(t, h, "ann", "c1", "x")} {
			assert.Equal(t, errNoDriver, err)
		}
		_, err := h.Send(t.Context(), user("ann", 0), to(conv, "x"))
		assert.Equal(t, errNoDriver, err)
	}
	bubble(t, s, failed, Options{}, func(t *testing.T, h *Hub, p *fake) { ask(t, h) })
	driving(t, s, failed, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		h.Adopt(NewLive(conv))
		ask(t, h)
		_, err := h.LoadEarlier(t.Context(), user("ann", 0), conv, 1)
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
	})
}

// Driving what one may not see, or what is not there, is the same NOT_FOUND.
func TestDrivingWhatOneMayNotSee(t *testing.T) {
	s, failed := failedStory(true)
	for _, kind := range []upstream.Kind{upstream.NotFound, upstream.Forbidden, upstream.Gone} {
		driving(t, s, failed, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
			v := watchAs(t, openAs(t, h, user("ann", 0)))
			p.set(func() { p.may = only(kind, "ann") })
			p.called()
			_, sends := h.Send(t.Context(), user("bob", 0), to(conv, "x"))
			_, loads := h.LoadEarlier(t.Context(), user("bob", 0), conv, 1)
			for _, err := range []error{sends, loads, cancelAs(t, h, "bob"), retryAs(t, h, "bob"), submit(t, h, "bob", "c1", "x")} {
				assert.Equal(t, coded.NotFound, coded.CodeOf(err))
			}
			assert.Equal(t, map[string]int{"head": 5}, p.called())
			assert.Equal(t, "retry send", may(v.live))
			v.done(0)
		})
	}
}
