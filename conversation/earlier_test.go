package conversation

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

func loadEarlier(t *testing.T, h *Hub, name string, limit int) *Conversation {
	t.Helper()
	c, err := h.LoadEarlier(t.Context(), user(name, 0), conv, limit)
	require.NoError(t, err)
	return c
}

// befores is where the pages that upstream was asked for ended.
func (p *fake) befores() (all []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.queries {
		all = append(all, q.BeforeSeq)
	}
	p.queries = nil
	return all
}

// Promise 23: earlier rows widen the window for everybody, without a reset, until there are none; then nothing is asked.
func TestLoadEarlier(t *testing.T) {
	s := chat(6, 3)
	bubble(t, s, len(s.frames), Options{WindowRows: 5}, func(t *testing.T, h *Hub, p *fake) {
		ann, bob := watchAs(t, openAs(t, h, user("ann", 0))), watchAs(t, openAs(t, h, user("bob", 0)))
		assert.Len(t, ann.live.Conversation().Timeline(), 2)
		for had := 2; ; had = len(ann.live.Conversation().Timeline()) {
			c := loadEarlier(t, h, "bob", 3)
			assert.Greater(t, len(c.Timeline()), had)
			if !c.Snapshot().HasEarlier() {
				break
			}
		}
		assert.Equal(t, []int64{0, 20, 17, 14, 11, 8, 5, 2}, p.befores())
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, ann.live.Conversation(), false))
		p.called()
		loadEarlier(t, h, "bob", 1000)
		assert.Empty(t, p.called())
		ann.done(0)
		bob.done(0)
	})
}

// Promise 23: two at once load a page each, and none twice.
func TestLoadEarlierTogether(t *testing.T) {
	s := chat(6, 3)
	bubble(t, s, len(s.frames), Options{WindowRows: 4}, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		openAs(t, h, user("bob", 0))
		p.set(func() { p.latency = time.Second })
		var callers sync.WaitGroup
		for i := range 4 {
			callers.Go(func() { loadEarlier(t, h, []string{"ann", "bob"}[i%2], 4) })
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := h.LoadEarlier(ctx, user("ann", 0), conv, 4)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "one that waits may leave")
		callers.Wait()
		assert.Equal(t, []int64{0, 21, 17, 13, 9}, p.befores())
		assert.Len(t, v.live.Conversation().Timeline(), 10)
		v.done(0)
	})
}

// Promise 17: a page that upstream refuses is the caller's alone, and the next one is read.
func TestLoadEarlierFails(t *testing.T) {
	s := chat(6, 3)
	bubble(t, s, len(s.frames), Options{WindowRows: 4}, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.fail = refusals("rows", refused("rows", upstream.RateLimited)) })
		_, err := h.LoadEarlier(t.Context(), user("ann", 0), conv, 4)
		assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
		loadEarlier(t, h, "ann", 4)
		v.done(0)
	})
}

// Promise 23: rows that are loaded while the run goes on, and around a window that is loaded again, stay: it reaches as
// far back, and every copy is the timeline throughout.
func TestLoadEarlierAndReload(t *testing.T) {
	s := chat(12, 6)
	turn := framesOf(6)
	for _, latency := range []time.Duration{10 * time.Millisecond, 150 * time.Millisecond, time.Second} {
		for at := range 10 { // when it is loaded: before, in the middle of and after the reload
			bubble(t, s, 9*turn+4, Options{WindowRows: 5, MinBackoff: time.Millisecond}, func(t *testing.T, h *Hub, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				first := jsonRows(v.live.Conversation().Timeline())[0]
				p.set(func() { p.latency = latency })
				lost(p, int64(9*turn+6))
				p.playTo(9*turn + 8) // a frame is missing: the window is loaded again
				var callers sync.WaitGroup
				for range 3 {
					callers.Go(func() {
						time.Sleep(time.Duration(at) * latency / 2)
						loadEarlier(t, h, "ann", 7)
					})
				}
				for p.at() < len(s.frames) {
					p.play(1)
					time.Sleep(latency / 3)
				}
				callers.Wait()
				time.Sleep(time.Minute)
				rows := jsonRows(v.live.Conversation().Timeline())
				assert.NotEqual(t, first["id"], rows[0]["id"])
				least, _ := v.live.seqs()
				assert.LessOrEqual(t, least, int64(9*4+2-5-21+1), "three pages before the window")
				whole := NewHub(Options{Source: p, WindowRows: len(rows) * 2})
				defer whole.Close()
				assert.Equal(t, factsOf(t, openAs(t, whole, user("ann", 0)).Conversation(), false), factsOf(t, v.live.Conversation(), false))
				v.leave()
				assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
			})
		}
	}
}

// Promise 23 and docs/fold.md, "hasEarlier": loading earlier rows of whatever conversation gives the state of the longer
// window, and evicting and opening it again gives what a new reader sees.
func TestLoadEarlierOfAnything(t *testing.T) {
	for seed := range 25 {
		s := generated(t, seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, s, len(s.frames), Options{WindowRows: 3}, func(t *testing.T, h *Hub, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				for v.live.Conversation().Snapshot().HasEarlier() {
					loadEarlier(t, h, "ann", 1+seed%7)
				}
				assert.Equal(t, reopened(t, p), factsOf(t, v.live.Conversation(), true))
				v.done(0)
				time.Sleep(11 * time.Minute)
				assert.Zero(t, h.Stats().Conversations)
				again := openAs(t, h, user("ann", 0))
				for again.Conversation().Snapshot().HasEarlier() {
					loadEarlier(t, h, "ann", 100)
				}
				assert.Equal(t, factsOf(t, v.live.Conversation(), true), factsOf(t, again.Conversation(), true))
			})
		})
	}
}

// A conversation that was begun here has nothing earlier, and one without an upstream nothing to read.
func TestNothingEarlier(t *testing.T) {
	next := tale("new")
	next.turn(1, 5)
	driving(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, w *world, _ *fake) {
		p := newFake(next.told(), 0)
		w.next = []*fake{p}
		_, err := h.Send(t.Context(), user("ann", 0), to("", "x"))
		require.NoError(t, err)
		p.playTo(framesOf(5))
		synctest.Wait()
		c, err := h.LoadEarlier(t.Context(), user("ann", 0), "new", 10)
		require.NoError(t, err)
		assert.Len(t, c.Timeline(), 2)
		assert.Zero(t, p.called()["rows"])
	})
}
