package conversation

import (
	"context"
	"errors"
	"fmt"
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

// bubble runs a test in a time of its own, with a hub in front of a platform that has sent some frames of a story.
func bubble(t *testing.T, s story, sent int, opts Options, test func(t *testing.T, h *Hub, p *fake)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newFake(s, sent)
		opts.Source = p
		h := NewHub(opts)
		defer h.Close()
		test(t, h, p)
	})
}

func open(t *testing.T, h *Hub) *Live {
	t.Helper()
	l, err := h.Open(t.Context(), nobody, conv)
	require.NoError(t, err)
	return l.Live
}

// want is what whoever read everything from the start knows after n frames.
func want(t *testing.T, s story, n int) facts {
	t.Helper()
	l := NewLive(conv)
	for _, f := range s.frames[:n] {
		l.Apply(f)
	}
	return factsOf(t, l.Conversation(), false)
}

// Promise 8: whoever asks for one conversation at the same time shares one load, and a query of what nobody
// follows reads the head again when it is older than HeadFresh.
func TestOneLoadForAll(t *testing.T) {
	bubble(t, chat(2, 3), 2*framesOf(3), Options{}, func(t *testing.T, h *Hub, p *fake) {
		var askers sync.WaitGroup
		for range 50 {
			askers.Go(func() {
				l, err := h.Open(t.Context(), nobody, conv)
				if assert.NoError(t, err) {
					assert.Equal(t, want(t, p.story, p.at()), factsOf(t, l.Conversation(), false))
				}
			})
		}
		askers.Wait()
		assert.Equal(t, map[string]int{"head": 1, "rows": 1}, p.called())
		time.Sleep(1900 * time.Millisecond)
		open(t, h)
		assert.Empty(t, p.called(), "it is fresh")
		time.Sleep(200 * time.Millisecond)
		for range 3 {
			open(t, h)
		}
		assert.Equal(t, map[string]int{"head": 1}, p.called())
		time.Sleep(time.Minute)
		assert.Empty(t, p.called(), "nothing is read for nobody")
	})
}

// Promise 9: a query of what nobody follows sees what happened meanwhile.
func TestQueryRevalidates(t *testing.T) {
	s := chat(3, 3)
	turn := framesOf(3)
	bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		p.playTo(2 * turn) // a short run
		time.Sleep(3 * time.Second)
		assert.Same(t, l, open(t, h))
		assert.Equal(t, want(t, s, 2*turn), factsOf(t, l.Conversation(), false))
		p.playTo(2*turn + 5) // one is in flight
		time.Sleep(3 * time.Second)
		open(t, h)
		assert.Equal(t, want(t, s, 2*turn+5), factsOf(t, l.Conversation(), false))
	})
}

// A query is answered at once, also where the last follower has just left and it was not yet time to look again.
func TestQueryAfterTheLastOneLeft(t *testing.T) {
	s := chat(1, 3)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		sub := l.Subscribe(timelineSlice, 0)
		time.Sleep(time.Second)
		sub.Close()
		time.Sleep(2 * time.Second)
		p.called()
		began := time.Now()
		open(t, h)
		assert.Zero(t, time.Since(began))
		assert.Equal(t, map[string]int{"head": 1}, p.called())
	})
}

// Promises 8 and 13: the stream is read on for a while after the last one asked, and no longer.
func TestLinger(t *testing.T) {
	s := chat(1, 30)
	bubble(t, s, 5, Options{Linger: time.Minute}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		p.called()
		time.Sleep(59 * time.Second)
		p.play(1)
		synctest.Wait()
		open(t, h)
		assert.Equal(t, want(t, s, 6), factsOf(t, l.Conversation(), false))
		assert.Empty(t, p.called(), "what is followed is current")
		time.Sleep(59 * time.Second)
		assert.Equal(t, 1, h.Stats().Streams)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Zero(t, h.Stats().Streams)
		assert.Zero(t, p.streams)

		p.play(3)
		sub := l.Subscribe(timelineSlice, 0)
		time.Sleep(time.Second)
		assert.Equal(t, want(t, s, 9), factsOf(t, l.Conversation(), false))
		time.Sleep(10 * time.Minute)
		assert.Equal(t, 1, h.Stats().Streams, "somebody is there")
		sub.Close()
		time.Sleep(59 * time.Second)
		assert.Equal(t, 1, h.Stats().Streams)
		time.Sleep(2 * time.Second)
		assert.Zero(t, h.Stats().Streams)
		assert.Equal(t, []int64{2, 6}, p.attached, "it went on where it was")
	})
}

// Promise 11: unknown, forbidden, gone: one answer, and nothing is kept.
func TestNotFound(t *testing.T) {
	messages := map[string]bool{}
	for _, kind := range []upstream.Kind{upstream.NotFound, upstream.Forbidden, upstream.Gone} {
		for _, op := range []string{"head", "rows"} {
			bubble(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, p *fake) {
				p.fail, p.latency = always(op, &upstream.Error{Op: op, Kind: kind}), time.Second
				var askers sync.WaitGroup
				for range 20 {
					askers.Go(func() {
						_, err := h.Open(t.Context(), nobody, conv)
						assert.Equal(t, coded.NotFound, coded.CodeOf(err))
					})
				}
				askers.Wait()
				_, err := h.Open(t.Context(), nobody, conv)
				e, ok := errors.AsType[*coded.Error](err)
				require.True(t, ok)
				messages[e.Message] = true
				assert.Equal(t, 2, p.called()["head"], "one for all of them, and one for the last")
				assert.Zero(t, h.Stats().Conversations)

				p.set(func() { p.fail = nil })
				open(t, h) // it is there now
			})
		}
	}
	assert.Len(t, messages, 1)
	bubble(t, chat(1, 1), 1, Options{}, func(t *testing.T, h *Hub, p *fake) {
		for range 1000 {
			h.Open(t.Context(), nobody, "")
		}
		p.set(func() { p.unknown = true })
		for i := range 1000 {
			_, err := h.Open(t.Context(), nobody, fmt.Sprint(i))
			require.Equal(t, coded.NotFound, coded.CodeOf(err))
		}
		assert.Zero(t, h.Stats().Conversations)
	})
}

// A head that is not this conversation's is no answer.
func TestHeadOfAnother(t *testing.T) {
	bubble(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, _ *fake) {
		_, err := h.Open(t.Context(), nobody, "another")
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		assert.Zero(t, h.Stats().Conversations)
	})
}

// A conversation that somebody adopted is served as it is, and the nameless one answers to every id until it
// has one.
func TestAdopt(t *testing.T) {
	h := NewHub(Options{})
	defer h.Close()
	l := NewLive("")
	h.Adopt(l)
	for _, id := range []string{"", "x", conv} {
		got, err := h.Open(t.Context(), nobody, id)
		require.NoError(t, err)
		assert.Same(t, l, got.Live)
	}
	l.Apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{ConversationID: conv}})
	got, err := h.Open(t.Context(), nobody, conv)
	require.NoError(t, err)
	assert.Same(t, l, got.Live)
	_, err = h.Open(t.Context(), nobody, "x")
	assert.Equal(t, coded.NotFound, coded.CodeOf(err))
}

// An asker that gives up leaves the load to the others.
func TestAskerGivesUp(t *testing.T) {
	bubble(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, p *fake) {
		slow := true
		p.hang = func(op string) bool { return slow }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := h.Open(ctx, nobody, conv)
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = h.Open(ctx, nobody, conv)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 1, p.called()["head"])
	})
}

// Promise 13: closing waits for no upstream, wherever it hangs, ends subscriptions and askers, and leaves
// nothing; and what comes after is refused.
func TestClose(t *testing.T) {
	s := chat(2, 3)
	for _, hanging := range []string{"head", "rows", "stream", "nothing"} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprint(hanging, running), func(t *testing.T) {
				sent := framesOf(3)
				if running {
					sent += 4
				}
				bubble(t, s, sent, Options{}, func(t *testing.T, h *Hub, p *fake) {
					p.hang = func(op string) bool { return op == hanging }
					began := time.Now()
					var asker sync.WaitGroup
					asker.Go(func() {
						l, err := h.Open(t.Context(), nobody, conv)
						if err != nil {
							assert.Equal(t, errClosing, err)
							return
						}
						sub := l.Subscribe(timelineSlice, 0)
						defer sub.Close()
						for err == nil {
							_, err = sub.Next(t.Context())
						}
						assert.Equal(t, errClosing, err)
					})
					time.Sleep(5 * time.Second)
					h.Close()
					asker.Wait()
					h.Close()
					assert.Equal(t, 5*time.Second, time.Since(began))
					_, err := h.Open(t.Context(), nobody, conv)
					assert.Equal(t, errClosing, err)
					assert.Zero(t, p.streams)
				})
			})
		}
	}
	h := NewHub(Options{})
	l := NewLive(conv)
	h.Adopt(l)
	sub := l.Subscribe([]projection.Slice{{Kind: projection.SliceRun}}, 0)
	defer sub.Close()
	h.Close()
	_, err := sub.Next(t.Context())
	require.NoError(t, err)
	_, err = sub.Next(t.Context())
	assert.Equal(t, errClosing, err)
}
