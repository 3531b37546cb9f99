package conversation

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Promise 9: a run that began elsewhere is seen within IdlePoll, and its stream goes on from what was folded;
// one that came and went meanwhile is not missed.
func TestRunsElsewhere(t *testing.T) {
	s := chat(4, 5)
	turn := framesOf(5)
	for _, older := range []string{"", "no last_offset", "neither"} {
		t.Run(older, func(t *testing.T) {
			bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
				p.noLastOffset, p.noUpdatedAt = older != "", older == "neither"
				v := watch(t, open(t, h))
				resets := 0
				time.Sleep(5 * time.Second)
				p.playTo(turn + 4)
				time.Sleep(11 * time.Second)
				assert.Equal(t, want(t, s, turn+4), factsOf(t, v.live.Conversation(), false))
				p.playTo(2 * turn)
				time.Sleep(time.Minute)
				assert.Equal(t, want(t, s, 2*turn), factsOf(t, v.live.Conversation(), false))
				if older != "" {
					resets++ // from the stream's start instead of rows, once
				}
				assert.Equal(t, resets, v.resets())

				p.playTo(3 * turn) // a short run
				time.Sleep(11 * time.Second)
				assert.Equal(t, want(t, s, 3*turn), factsOf(t, v.live.Conversation(), false))
				p.playTo(4*turn - 1) // a longer one that goes on from there
				time.Sleep(11 * time.Second)
				assert.Equal(t, want(t, s, 4*turn-1), factsOf(t, v.live.Conversation(), false))
				if older == "" {
					v.done(1)
				}
				v.leave()
				calls := p.called()
				assert.Less(t, calls["head"], 20)
			})
		})
	}
}

// A platform that keeps the frames of the run in flight alone leaves a gap behind a run that was not seen.
func TestRunsElsewhereWithoutTheirFrames(t *testing.T) {
	s := chat(4, 5)
	turn := framesOf(5)
	bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.noKeep = true
		v := watch(t, open(t, h))
		p.playTo(2*turn + 4)
		time.Sleep(11 * time.Second)
		assert.Equal(t, want(t, s, 2*turn+4), factsOf(t, v.live.Conversation(), false))
		v.done(1)
	})
}

// A status that moved without a frame is seen too.
func TestStatusMovesAlone(t *testing.T) {
	s := chat(2, 5)
	head, status := s.head, wire.Paused
	s.head = func(n int) *wire.Head {
		h := *head(n)
		if h.Status != wire.Running {
			h.Status = status
		}
		return &h
	}
	bubble(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		p.set(func() { status = wire.Cancelled })
		time.Sleep(11 * time.Second)
		assert.Equal(t, projection.ChatCancelled, v.live.Conversation().Snapshot().Status())
		p.set(func() { status = wire.Completed })
		tell(p, len(s.frames)) // whose last frame says that it is paused
		assert.Equal(t, projection.ChatCompleted, v.live.Conversation().Snapshot().Status())
		v.leave()
	})
}

// A stream that only says again what is known, and ends, is asked for ever more seldom.
func TestStreamThatSaysNothingNew(t *testing.T) {
	s := chat(2, 5)
	turn := framesOf(5)
	bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		p.set(func() {
			p.deaf, p.cut = true, func(i int, _ *wire.Frame) bool { return i == turn }
		})
		p.play(1)
		time.Sleep(10 * time.Minute)
		assert.Less(t, p.called()["stream"], 100)
		p.set(func() { p.cut = nil })
		time.Sleep(20 * time.Second)
		tell(p, len(s.frames))
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		v.done(0)
	})
}

// What shows while a long stretch is caught up with is never less than was there, nor an empty beginning.
func TestCatchingUpIsSeenWhole(t *testing.T) {
	s := chat(1, 400)
	bubble(t, s, 300, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			time.Sleep(time.Millisecond / 2)
			return item(f), true
		}
		l := open(t, h)
		assert.Equal(t, want(t, s, 300), factsOf(t, l.Conversation(), false))
		v := watch(t, l)
		p.set(func() { p.cut = func(int, *wire.Frame) bool { return true } })
		p.play(50)
		time.Sleep(time.Second)
		lost := false
		p.set(func() {
			p.cut = nil
			p.alter = func(f *wire.Frame) (upstream.Item, bool) {
				time.Sleep(3 * time.Millisecond) // so that catching up takes over a second
				if f.Offset == 340 && !lost {
					lost = true
					return upstream.Item{}, false
				}
				return item(f), true
			}
		})
		time.Sleep(20 * time.Second)
		synctest.Wait()
		assert.True(t, lost)
		assert.Equal(t, want(t, s, 350), factsOf(t, l.Conversation(), false))
		v.done(1)
	})
}

// A platform that lost what it had said is not waited for: what it says now is shown in the end.
func TestPlatformThatForgot(t *testing.T) {
	s := chat(1, 100)
	bubble(t, s, 50, Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		p.set(func() {
			p.alter = func(f *wire.Frame) (upstream.Item, bool) {
				return item(f), f.Offset != 51
			}
		})
		p.play(2) // the first of them is lost
		synctest.Wait()
		p.set(func() { p.sent, p.alter = 40, nil })
		time.Sleep(2 * time.Second)
		assert.Equal(t, want(t, s, 50), factsOf(t, v.live.Conversation(), false), "it may still come")
		time.Sleep(2 * time.Second)
		assert.Equal(t, want(t, s, 40), factsOf(t, v.live.Conversation(), false))
		v.leave()
		assert.Equal(t, 2, v.copy.resets)
	})
}
