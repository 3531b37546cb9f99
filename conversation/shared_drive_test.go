package conversation

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
)

// Promise 31: the same result, given to several instances at the same time, reaches upstream once, and all who gave it are
// answered alike; another result is refused by all.
func TestSharedDeliverOnce(t *testing.T) {
	s := waits("c1", "c2")
	p := newFake(s, untilWaiting(2))
	all, _ := instances(t, newWorld(p), 3, Options{})
	var viewers []*viewer
	for i, at := range all {
		viewers = append(viewers, watchAs(t, openAs(t, at.Hub, user(string(rune('a'+i)), 0))))
	}
	p.set(func() { p.latency = 20 * time.Millisecond })
	var clicks sync.WaitGroup
	for i := range 12 {
		clicks.Go(func() {
			assert.NoError(t, submit(t, all[i%3].Hub, string(rune('a'+i%3)), "c1", "out of c1"))
		})
	}
	clicks.Wait()
	require.Len(t, p.inputs, 1)
	for i, at := range all {
		eventually(t, func() bool { return states(viewers[i].live) == "c1 submitted" })
		assert.Equal(t, "the call was answered with another result", conflict(t, submit(t, at.Hub, "x", "c1", "another")))
		assert.NoError(t, submit(t, at.Hub, "x", "c1", "out of c1"))
	}
	require.Len(t, p.inputs, 1)
	p.playTo(untilWaiting(2) + answering)
	for i := range all {
		reaches(t, viewers[i].live, p)
		assert.Equal(t, []string{"c2"}, pending(viewers[i].live))
	}
	assert.NoError(t, submit(t, all[2].Hub, "c", "c2", "out of c2"))
	p.playTo(len(s.frames))
	finish(t, p, 0, viewers...)
	assert.Len(t, p.inputs, 2)
}

// Promise 31: results of two calls at two instances go one after the other.
func TestSharedDeliverInTurn(t *testing.T) {
	s := waits("c1", "c2")
	p := newFake(s, untilWaiting(2))
	all, _ := instances(t, newWorld(p), 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	p.set(func() { p.latency = 50 * time.Millisecond })
	var clicks sync.WaitGroup
	clicks.Go(func() { assert.NoError(t, submit(t, all[0].Hub, "a", "c1", "out of c1")) })
	eventually(t, func() bool { return states(second.live) == "c1 submitting" })
	clicks.Go(func() { assert.NoError(t, submit(t, all[1].Hub, "b", "c2", "out of c2")) })
	eventually(t, func() bool { return states(first.live) == "c1 submitted, c2 pending" })
	p.set(func() { p.latency = 0 })
	time.Sleep(50 * time.Millisecond)
	assert.Len(t, p.inputs, 1, "the run that took the first goes on")
	p.playTo(untilWaiting(2) + answering)
	clicks.Wait()
	p.playTo(len(s.frames))
	finish(t, p, 0, first, second)
	assert.Equal(t, "c1 submitted, c2 submitted", states(first.live))
}

// Promise 31: what an instance had in flight when it died has failed, and can be submitted elsewhere.
func TestSharedDeliveryDies(t *testing.T) {
	s := waits("c1")
	p := newFake(s, untilWaiting(1))
	all, _ := instances(t, newWorld(p), 2, Options{})
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	ctx, cancel := context.WithCancel(t.Context())
	p.set(func() { p.hang = func(op string) bool { return op == "execute" } })
	var click sync.WaitGroup
	click.Go(func() {
		_, err := all[0].SubmitToolResult(ctx, user("a", 0), conv, "c1", "out of c1")
		assert.Error(t, err)
	})
	eventually(t, func() bool { return states(second.live) == "c1 submitting" })
	assert.Equal(t, "the call was answered with another result", conflict(t, submit(t, all[1].Hub, "b", "c1", "another")))
	all[0].bus.Kill()
	eventually(t, func() bool { return states(second.live) == "c1 failed: the server that delivered it is gone" })
	cancel()
	click.Wait()
	p.set(func() { p.hang = nil })
	require.NoError(t, submit(t, all[1].Hub, "b", "c1", "out of c1"))
	p.playTo(len(s.frames))
	finish(t, p, 0, second)
}

// Promise 31: of several that want a message taken at several instances one wins, and a latch is seen everywhere.
func TestSharedSeize(t *testing.T) {
	s := chat(2, 10)
	p := newFake(s, framesOf(10))
	all, _ := instances(t, newWorld(p), 3, Options{})
	var viewers []*viewer
	for i, at := range all {
		viewers = append(viewers, watchAs(t, openAs(t, at.Hub, user(string(rune('a'+i)), 0))))
	}
	p.set(func() { p.latency = 100 * time.Millisecond })
	var sends sync.WaitGroup
	var mu sync.Mutex
	won, refused := 0, 0
	for i := range 9 {
		sends.Go(func() {
			_, err := all[i%3].Send(t.Context(), user(string(rune('a'+i%3)), 0), to(conv, "go on"))
			mu.Lock()
			defer mu.Unlock()
			if e, ok := errors.AsType[*coded.Error](err); ok && assert.Equal(t, coded.Conflict, e.Code) {
				refused++
			} else if assert.NoError(t, err) {
				won++
			}
		})
	}
	sends.Wait()
	assert.Equal(t, 1, won)
	assert.Equal(t, 8, refused)
	assert.Len(t, p.inputs, 1)
	p.set(func() { p.latency = 0 })
	p.playTo(len(s.frames))
	finish(t, p, 0, viewers...)
	for _, v := range viewers {
		assert.Equal(t, "cancel send", may(v.live))
	}
}

// Promise 31: the same clientRequestId of one user is one message, at whichever instances it is sent.
func TestSharedSendOnce(t *testing.T) {
	s := tale("new")
	s.turn(1, 5)
	p := newFake(s.told(), 0)
	w := newWorld(newFake(chat(1, 1), 1))
	w.next = []*fake{p}
	all, _ := instances(t, w, 3, Options{})
	p.set(func() { p.latency = 50 * time.Millisecond })
	var sends sync.WaitGroup
	for i := range 9 {
		sends.Go(func() {
			sent, err := all[i%3].Send(t.Context(), user("a", 0), to("", "hello").as("r1"))
			if assert.NoError(t, err) {
				assert.Equal(t, "new", sent.Conversation.ID())
			}
		})
	}
	sends.Wait()
	assert.Len(t, p.inputs, 1)
	_, err := all[2].Send(t.Context(), user("a", 0), to("", "another").as("r1"))
	assert.Equal(t, "the clientRequestId is that of another message", conflict(t, err))
	w.next = []*fake{newFake(chat(1, 1), 0)}
	_, err = all[2].Send(t.Context(), user("b", 0), to("", "another").as("r1"))
	assert.NoError(t, err, "of another user")
}

// Promise 31: a cancel at an instance that does not read: every call is cancelled for good, everywhere, and the latch is on
// until the run has ended.
func TestSharedCancel(t *testing.T) {
	s, before := cancelledStory(false)
	p := newFake(s, before)
	all, _ := instances(t, newWorld(p), 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	second := watchAs(t, openAs(t, all[1].Hub, user("b", 0)))
	require.NoError(t, cancelAs(t, all[1].Hub, "b"))
	for _, v := range []*viewer{first, second} {
		eventually(t, func() bool { return states(v.live) == "c1 cancelled, c2 cancelled" && may(v.live) == "" })
	}
	assert.Equal(t, "the run is being cancelled already", conflict(t, cancelAs(t, all[0].Hub, "a")))
	late := watchAs(t, openAs(t, all[0].Hub, user("z", 0)))
	p.playTo(len(s.frames))
	for _, v := range []*viewer{first, second, late} {
		eventually(t, func() bool { return may(v.live) == "send" })
	}
	finish(t, p, 0, first, second, late)
}

// A failure of upstream's is told where it was asked, and the latch is off everywhere.
func TestSharedSendFails(t *testing.T) {
	p := newFake(chat(2, 5), framesOf(5))
	all, _ := instances(t, newWorld(p), 2, Options{})
	first := watchAs(t, openAs(t, all[0].Hub, user("a", 0)))
	p.set(func() { p.fail = always("execute", refused("execute", upstream.Unavailable)) })
	_, err := all[1].Send(t.Context(), user("b", 0), to(conv, "go on").as("r"))
	require.Error(t, err)
	eventually(t, func() bool { return may(first.live) == "cancel send" })
	p.set(func() { p.fail = nil })
	_, err = all[0].Send(t.Context(), user("b", 0), to(conv, "go on").as("r"))
	require.NoError(t, err, "one that failed is forgotten")
	p.playTo(2 * framesOf(5))
	finish(t, p, 0, first)
	assert.Equal(t, projection.ChatPaused, first.live.Conversation().Snapshot().Status())
}
