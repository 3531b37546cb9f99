package conversation

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// goOn sends a message in the conversation of the stories.
func goOn(t *testing.T, h *Hub, name string) *Sent {
	t.Helper()
	sent, err := h.Send(t.Context(), user(name, 0), to(conv, "go on"))
	require.NoError(t, err)
	return sent
}

// Promise 19: where frames are missing before a run that was asked for the window is loaded again, with one reset, and
// the sender is answered all the same.
func TestSendBehindAGap(t *testing.T) {
	s := chat(3, 10)
	turn := framesOf(10)
	for _, reattach := range []bool{true, false} {
		driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
			v := watchAs(t, openAs(t, h, user("ann", 0)))
			time.Sleep(time.Second)
			p.playTo(2 * turn) // elsewhere, and not seen yet
			p.noReattach = !reattach
			sent := goOn(t, h, "ann")
			assert.Equal(t, conv, sent.Conversation.ID())
			assert.Equal(t, "cancel", may(v.live))
			assert.Contains(t, fmt.Sprint(jsonRows(sent.Conversation.Timeline())), "w2.9", "what was missed is there")
			for p.at() < len(s.frames) {
				p.play(1)
				synctest.Wait()
			}
			time.Sleep(5 * time.Second)
			assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
			if reattach {
				v.done(1)
				assert.EqualValues(t, 1, h.Stats().Reloads)
			}
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
			assert.Equal(t, 1, p.most)
		})
	}
}

// Promise 19: the stream of a run that was asked for is cut like any other: it goes on behind the last frame folded.
func TestOwnStreamIsCut(t *testing.T) {
	s := chat(2, 10)
	turn := framesOf(10)
	for at := turn + 1; at < len(s.frames); at++ {
		driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
			v := watchAs(t, openAs(t, h, user("ann", 0)))
			goOn(t, h, "ann")
			p.playTo(at)
			synctest.Wait()
			cutOnce(p)
			p.playTo(len(s.frames) - 1)
			time.Sleep(time.Second)
			p.playTo(len(s.frames))
			time.Sleep(time.Minute)
			assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
			if at < len(s.frames)-1 {
				v.done(0)
				assert.Equal(t, []int64{int64(at)}, p.attached)
			} else { // there is no stream any more to go on with
				v.done(1)
			}
			assert.Equal(t, 1, p.most)
		})
	}
}

// Promises 10 and 19: a platform that cannot reattach tells the tokens of what was asked for here; once that stream was
// cut its log is read instead. The next run that is asked for is told live again.
func TestOwnStreamsWithoutReattaching(t *testing.T) {
	s := chat(3, 10)
	turn := framesOf(10)
	driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.noReattach = true
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		goOn(t, h, "ann")
		p.playTo(turn + 6)
		synctest.Wait()
		assert.Equal(t, want(t, s, turn+6), factsOf(t, v.live.Conversation(), false), "token by token")
		cutOnce(p)
		p.play(1)
		time.Sleep(3 * time.Second)
		assert.Len(t, v.live.Conversation().Timeline(), 3, "what reached the log")
		p.playTo(2 * turn)
		time.Sleep(3 * time.Second)
		assert.Equal(t, want(t, s, 2*turn), factsOf(t, v.live.Conversation(), false))
		p.cut = nil
		goOn(t, h, "ann")
		p.playTo(2*turn + 6)
		synctest.Wait()
		assert.Equal(t, want(t, s, 2*turn+6), factsOf(t, v.live.Conversation(), false), "token by token")
		p.playTo(3 * turn)
		time.Sleep(time.Minute)
		assert.Equal(t, want(t, s, 3*turn), factsOf(t, v.live.Conversation(), false))
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	})
}

// A run that began elsewhere on a platform that cannot reattach is read from the log; one that is then asked for here
// is told live.
func TestOwnStreamAfterPolling(t *testing.T) {
	s := chat(3, 10)
	turn := framesOf(10)
	driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.noReattach = true
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.playTo(turn + 8)
		time.Sleep(15 * time.Second)
		p.playTo(2 * turn)
		time.Sleep(3 * time.Second)
		goOn(t, h, "ann")
		p.playTo(2*turn + 6)
		synctest.Wait()
		assert.Equal(t, want(t, s, 2*turn+6), factsOf(t, v.live.Conversation(), false))
		v.leave()
	})
}

// Promise 19: a run that was asked for is read to its end though nobody follows, and nobody ever did.
func TestRunIsReadForNobody(t *testing.T) {
	s := chat(2, 60)
	turn := framesOf(60)
	driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		l := goOn(t, h, "ann").Conversation.ID()
		assert.Equal(t, conv, l)
		live := h.live[key{"t", conv}].live
		for p.at() < len(s.frames) { // for some five minutes
			p.play(1)
			time.Sleep(5 * time.Second)
			assert.Equal(t, want(t, s, p.at()), factsOf(t, live.Conversation(), false))
		}
		assert.Equal(t, map[string]int{"head": 1, "rows": 1, "execute": 1}, p.called())
		assert.Zero(t, p.open())
	})
}

// Promise 19: that lasts until the session is over, or the conversation is evicted.
func TestRunIsReadForNobodyUntil(t *testing.T) {
	s := chat(2, 60)
	turn := framesOf(60)
	driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		_, err := h.Send(t.Context(), user("ann", 2*time.Minute), to(conv, "go on"))
		require.NoError(t, err)
		time.Sleep(2*time.Minute - time.Second)
		assert.Equal(t, 1, p.open())
		time.Sleep(2 * time.Second)
		assert.Zero(t, p.open(), "her session is over")
		assert.Zero(t, p.called()["stream"])
	})
	driving(t, s, turn, Options{EvictAfter: 10 * time.Minute}, func(t *testing.T, h *Hub, w *world, p *fake) {
		goOn(t, h, "ann")
		time.Sleep(9 * time.Minute)
		assert.Equal(t, 1, p.open())
		time.Sleep(2 * time.Minute)
		assert.Zero(t, p.open(), "it was evicted")
		assert.Equal(t, Stats{}, h.Stats())
		p.playTo(len(s.frames))
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, openAs(t, h, user("ann", 0)).Conversation(), false), "and the run went on")
	})
}

// Promise 19: what is asked for is answered at once whatever else is being read and hangs.
func TestSendWhileReadingHangs(t *testing.T) {
	s := chat(2, 10)
	turn := framesOf(10)
	for _, hanging := range []string{"head", "rows"} {
		t.Run(hanging, func(t *testing.T) {
			driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				p.noLastOffset = hanging == "rows" // so that the log says whether it grew
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				p.set(func() { p.hang = func(op string) bool { return op == hanging } })
				if hanging == "rows" {
					p.set(func() { p.story.head = touched(s.head) })
				}
				time.Sleep(15 * time.Second)
				began := time.Now()
				goOn(t, h, "ann")
				assert.Zero(t, time.Since(began))
				p.playTo(len(s.frames) - 1)
				synctest.Wait()
				assert.Equal(t, want(t, s, p.at()), factsOf(t, v.live.Conversation(), false))
				v.done(0)
			})
		})
	}
}

// touched is a head that says another time whenever it is read.
func touched(head func(int) *wire.Head) func(int) *wire.Head {
	at := time.Unix(1, 0)
	return func(n int) *wire.Head {
		h := *head(n)
		at = at.Add(time.Second)
		h.UpdatedAt = at
		return &h
	}
}

// A plan that does not come holds no sender up for long.
func TestSendWhilePlanHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := tale("new")
		next.turn(1, 5)
		w := newWorld()
		w.next = []*fake{newFake(next.told(), 0)}
		plans, err := upstream.NewPlans(slow{}, nil)
		require.NoError(t, err)
		h := NewHub(Options{Source: w, Driver: w, Plans: plans})
		defer h.Close()
		began := time.Now()
		_, err = h.Send(t.Context(), user("ann", 0), to("", "x"))
		require.NoError(t, err)
		assert.Equal(t, planTimeout, time.Since(began))
	})
}

// slow is where a plan never comes.
type slow struct{}

func (slow) Plan(ctx context.Context, _, _ string, _ int) (*wire.Plan, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A conversation that was begun here is there, also beyond the cap.
func TestSendBeyondTheCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := tale("new")
		next.turn(1, 5)
		p := newFake(chat(1, 1), framesOf(1))
		w := newWorld(p)
		w.next = []*fake{newFake(next.told(), 0)}
		h := NewHub(Options{Source: w, Driver: w, MaxLive: 1})
		defer h.Close()
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		sent, err := h.Send(t.Context(), user("ann", 0), to("", "x"))
		require.NoError(t, err)
		assert.Equal(t, "new", sent.Conversation.ID())
		assert.Equal(t, Stats{Conversations: 2, Subscriptions: 2, Streams: 1}, h.Stats())
		v.done(0)
	})
}

// Frames without offsets can't tell what they follow: a window that could not be loaded is not taken for a conversation
// that begins.
func TestSendWithoutOffsets(t *testing.T) {
	s := chat(2, 5)
	turn := framesOf(5)
	driving(t, s, 5, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			bare := *f
			bare.Offset = 0
			return upstream.Item{Frame: &bare}, true
		}
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.play(2)
		synctest.Wait()
		cutOnce(p) // it begins anew, for which it needs the window
		p.set(func() { p.fail = always("rows", refused("rows", upstream.Unavailable)) })
		p.play(1)
		synctest.Wait()
		p.set(func() { p.cut, p.sent = nil, turn })
		time.Sleep(50 * time.Millisecond)
		v.live.Apply(s.frames[turn-1]) // the pause, by whatever way it came
		_, err := h.Send(t.Context(), user("ann", 0), to(conv, "x"))
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		synctest.Wait()
		assert.IsNonDecreasing(t, v.sizes)
		p.set(func() { p.fail = nil })
		p.playTo(len(s.frames))
		time.Sleep(time.Minute)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		v.leave()
	})
}

// Promise 19: a run that is being asked for is not followed by another stream meanwhile, though the head says already
// that it is in flight: neither where upstream can reattach, nor where it can't. When nothing comes of it, it is.
func TestNoStreamBesideTheOwn(t *testing.T) {
	s := chat(3, 10)
	turn := framesOf(10)
	for _, reattach := range []bool{true, false} {
		driving(t, s, turn, Options{IdlePoll: time.Second}, func(t *testing.T, h *Hub, w *world, p *fake) {
			v := watchAs(t, openAs(t, h, user("ann", 0)))
			p.set(func() { p.mute, p.noReattach = true, !reattach })
			p.called()
			time.AfterFunc(500*time.Millisecond, func() {
				p.set(func() { p.story.head = func(n int) *wire.Head { return s.head(max(n, turn+1)) } })
			})
			time.AfterFunc(5*time.Second, func() { p.play(1) })
			goOn(t, h, "ann")
			assert.Empty(t, p.with("stream"))
			p.playTo(turn + 6)
			synctest.Wait()
			assert.Equal(t, want(t, s, turn+6), factsOf(t, v.live.Conversation(), false), "token by token")
			p.playTo(2 * turn)
			time.Sleep(5 * time.Second)
			assert.Empty(t, p.with("stream"))
			v.done(0)
			assert.Equal(t, 1, p.most)
		})
	}
	// It is looked at half a second before and after the limit: at the limit itself the platform may still be mute, and would
	// have the frame said.
	driving(t, s, turn, Options{IdlePoll: 9500 * time.Millisecond}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.alter = func(*wire.Frame) (upstream.Item, bool) { return upstream.Item{}, false } })
		_, err := h.Send(t.Context(), user("ann", 0), to(conv, "x"))
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		p.set(func() { p.alter = nil })
		time.Sleep(11 * time.Second)
		assert.Equal(t, want(t, s, turn+1), factsOf(t, v.live.Conversation(), false), "the run began all the same")
		v.done(0)
	})
}

// A run that comes while the plan is being read is not without it for that.
func TestPlanIsReadAgain(t *testing.T) {
	s := chat(2, 5)
	synctest.Test(t, func(t *testing.T) {
		p := newFake(s, framesOf(5))
		w := newWorld(p)
		books := &shelf{err: refused("plan", upstream.Unavailable)}
		plans, err := upstream.NewPlans(books, nil)
		require.NoError(t, err)
		h := NewHub(Options{Source: w, Driver: w, Plans: plans})
		defer h.Close()
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		books.set(func() { books.err, books.hangs = nil, true })
		time.Sleep(planRetry + time.Second) // now it is being asked for again
		books.set(func() { books.hangs = false })
		assert.NotNil(t, goOn(t, h, "ann").Conversation.Plan())
		v.leave()
	})
}

// A run whose reader is gone before it takes the run over is let go of, and whoever asked for it is told.
func TestRunThatNobodyTakesOver(t *testing.T) {
	s := chat(2, 5)
	driving(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		who := user("ann", 0)
		d, err := h.start(h.ctx, who, func(ctx context.Context) (upstream.Stream, error) {
			return p.Execute(ctx, "ann", "agent", &wire.ExecutionInput{})
		})
		require.NoError(t, err)
		assert.Equal(t, 1, p.open())
		r := newReader(h, key{"t", conv}, nobody)
		r.driven = d
		h.tasks.Go(func() { r.lose(errClosing) })
		<-d.taken
		assert.Equal(t, errClosing, d.err)
		synctest.Wait()
		assert.Zero(t, p.open())
		h.mu.Lock()
		defer h.mu.Unlock()
		over := r.wantLocked(t.Context(), who)
		<-over.done
		assert.Equal(t, errClosing, over.err, "nothing is waited for in vain")
	})
}
