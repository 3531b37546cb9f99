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
	"inlaygraph/wire"
)

// Promise 12: who is not asked for is evicted after a while, whoever has subscribers is not, and what comes
// back is the same.
func TestEviction(t *testing.T) {
	s := chat(2, 3)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		sub := l.Subscribe(timelineSlice, 0)
		time.Sleep(time.Hour)
		assert.Equal(t, Stats{Conversations: 1, Subscriptions: 1}, h.Stats())
		before := factsOf(t, l.Conversation(), true)
		sub.Close()
		sub.Close()
		time.Sleep(9 * time.Minute)
		assert.Equal(t, 1, h.Stats().Conversations)
		time.Sleep(2 * time.Minute)
		assert.Zero(t, h.Stats().Conversations)
		again := open(t, h)
		assert.NotSame(t, l, again)
		assert.Equal(t, before, factsOf(t, again.Conversation(), true))
	})
}

// Promise 12: somebody who follows what was evicted since it was opened brings it back; and if another has
// taken its place, it is followed until it leaves.
func TestEvictedBetweenOpenAndSubscribe(t *testing.T) {
	s := chat(2, 3)
	bubble(t, s, framesOf(3)+4, Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		time.Sleep(11 * time.Minute)
		assert.Zero(t, h.Stats().Conversations)
		sub := l.Subscribe(timelineSlice, 0)
		time.Sleep(time.Second)
		assert.Equal(t, Stats{Conversations: 1, Subscriptions: 1, Streams: 1}, h.Stats())
		assert.Same(t, l, open(t, h))
		sub.Close()

		time.Sleep(11 * time.Minute)
		other := open(t, h)
		sub, others := l.Subscribe(timelineSlice, 0), other.Subscribe(timelineSlice, 0)
		p.playTo(len(s.frames))
		time.Sleep(time.Second)
		for _, l := range []*Live{l, other} {
			assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, l.Conversation(), false))
		}
		others.Close()
		time.Sleep(11 * time.Minute)
		h.Close() // while the stray is followed
		_, err := sub.Next(t.Context())
		require.NoError(t, err)
		_, err = sub.Next(t.Context())
		assert.Equal(t, errClosing, err)
		sub.Close()
	})
}

// many is an upstream where every conversation is the same, but for its id.
type many struct{ *fake }

func (m many) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	h, err := m.fake.Head(ctx, auth, id)
	if err == nil {
		h.ConversationID = id
	}
	return h, err
}

// Promise 12: at the cap, the one that was not asked for the longest goes; when all have subscribers, a new
// one is refused.
func TestMaxLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFake(chat(1, 1), framesOf(1))
		h := NewHub(Options{Source: many{p}, MaxLive: 3})
		defer h.Close()
		var subs []*Subscription
		live := map[string]*Live{}
		for _, id := range []string{"a", "b", "c"} {
			l, err := h.Open(t.Context(), nobody, id)
			require.NoError(t, err)
			live[id] = l.Live
			time.Sleep(time.Second)
		}
		subs = append(subs, live["a"].Subscribe(nil, 0), live["c"].Subscribe(nil, 0))
		_, err := h.Open(t.Context(), nobody, "d") // in b's place
		require.NoError(t, err)
		for id, same := range map[string]bool{"a": true, "c": true} {
			l, err := h.Open(t.Context(), nobody, id)
			require.NoError(t, err)
			assert.Equal(t, same, l.Live == live[id])
		}
		d, err := h.Open(t.Context(), nobody, "d")
		require.NoError(t, err)
		subs = append(subs, d.Subscribe(nil, 0))
		_, err = h.Open(t.Context(), nobody, "b")
		assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
		assert.Equal(t, 3, h.Stats().Conversations)
		for _, s := range subs {
			s.Close()
		}
		_, err = h.Open(t.Context(), nobody, "b")
		assert.NoError(t, err)
		assert.Equal(t, 3, h.Stats().Conversations)
	})
}

// Promise 12: the longest unasked goes first, and none that somebody waits for.
func TestMaxLiveKeepsTheRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFake(chat(1, 1), framesOf(1))
		h := NewHub(Options{Source: many{p}, MaxLive: 3})
		defer h.Close()
		live := map[string]*Live{}
		for _, id := range []string{"a", "b", "c", "a", "d"} {
			l, err := h.Open(t.Context(), nobody, id)
			require.NoError(t, err)
			live[id] = l.Live
			time.Sleep(time.Second)
		}
		for _, id := range []string{"a", "c", "d"} {
			l, err := h.Open(t.Context(), nobody, id)
			require.NoError(t, err)
			assert.Same(t, live[id], l.Live)
		}
		time.Sleep(time.Minute)
		p.latency = time.Second
		var askers sync.WaitGroup
		for i, id := range []string{"e", "f", "g", "h"} {
			askers.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				_, err := h.Open(t.Context(), nobody, id)
				if i < 3 {
					assert.NoError(t, err)
				} else {
					assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
				}
			})
		}
		askers.Wait()
	})
}

// Promise 12: a stream that is read on for nobody makes room too.
func TestMaxLiveEndsLingeringStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFake(chat(1, 9), 5)
		h := NewHub(Options{Source: many{p}, MaxLive: 1})
		defer h.Close()
		for _, id := range []string{"a", "b", "c"} {
			_, err := h.Open(t.Context(), nobody, id)
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, Stats{Conversations: 1, Streams: 1}, h.Stats())
			assert.Equal(t, 1, p.streams)
		}
	})
}
