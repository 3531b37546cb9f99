package conversation

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// scarce is memory of which every conversation takes a tenth of the limit.
type scarce struct {
	hub       atomic.Pointer[Hub]
	other     atomic.Int64
	collected atomic.Int64
}

const tenth = leastBytes + 4<<10

func (m *scarce) read() Memory {
	used := m.other.Load()
	if h := m.hub.Load(); h != nil {
		used += int64(h.Stats().Conversations) * tenth
	}
	return Memory{Used: used, Limit: 10 * tenth}
}

func newScarce(t *testing.T) *scarce {
	p := newFake(chat(1, 1), framesOf(1))
	m := &scarce{}
	h := NewHub(Options{Source: many{p}, Memory: m.read, Collect: func() { m.collected.Add(1) }})
	t.Cleanup(h.Close)
	m.hub.Store(h)
	return m
}

// look lets the hub look at the memory.
func look() {
	time.Sleep(1100 * time.Millisecond)
	synctest.Wait()
}

// Promise 25: near the limit the conversations that nobody follows leave, the longest unasked first, and no more than it
// takes; those that are followed stay, and nobody else is let in until there is room.
func TestMemoryPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newScarce(t)
		h := m.hub.Load()
		for i := range 8 {
			_, err := h.Open(t.Context(), user("ann", 0), fmt.Sprint("c", i))
			require.NoError(t, err)
			time.Sleep(time.Millisecond)
		}
		look()
		assert.Equal(t, 8, h.Stats().Conversations, "no more than four fifths")
		assert.Zero(t, m.collected.Load())

		v, err := h.Open(t.Context(), user("ann", 0), "c0")
		require.NoError(t, err)
		sub := v.Subscribe(timelineSlice, 0)
		_, err = h.Open(t.Context(), user("ann", 0), "c8")
		require.NoError(t, err)
		look()
		stats := h.Stats()
		assert.EqualValues(t, 1, m.collected.Load())
		assert.Positive(t, stats.EvictedForMemory)
		assert.False(t, stats.Short)
		assert.Equal(t, 6, stats.Conversations, "it is enough")
		h.mu.Lock()
		assert.NotNil(t, h.live[key{"t", "c0"}], "it is followed")
		assert.Nil(t, h.live[key{"t", "c1"}], "it was asked for the longest ago")
		h.mu.Unlock()

		m.other.Store(9 * tenth) // what eviction can't help with
		look()
		stats = h.Stats()
		assert.True(t, stats.Short)
		assert.Equal(t, 1, stats.Conversations)
		_, err = h.Open(t.Context(), user("bob", 0), "new")
		assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
		_, err = h.Open(t.Context(), user("bob", 0), "c0") // it is there
		assert.NoError(t, err)
		_, err = sub.Next(t.Context())
		assert.NoError(t, err)
		look()
		assert.EqualValues(t, 2, m.collected.Load(), "nothing is left to go")

		m.other.Store(0)
		look()
		_, err = h.Open(t.Context(), user("bob", 0), "new")
		assert.NoError(t, err)
		sub.Close()
	})
}

// Promise 25: without a limit nobody looks at the memory.
func TestNoMemoryLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		p := newFake(chat(1, 1), framesOf(1))
		h := NewHub(Options{Source: many{p}, Memory: func() Memory { looks++; return Memory{Used: math.MaxInt64} }})
		defer h.Close()
		time.Sleep(time.Minute)
		_, err := h.Open(t.Context(), nobody, "a")
		require.NoError(t, err)
		assert.Equal(t, 1, looks)
	})
}

// Promise 26: a user who opens more conversations than one may have lets go of the own, never of another's; when all are
// followed there is no more.
func TestOneUsersShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFake(chat(1, 1), framesOf(1))
		h := NewHub(Options{Source: many{p}, Driver: newWorld(p), MaxLive: 20, MaxLivePerUser: 5})
		defer h.Close()
		bob, err := h.Open(t.Context(), user("bob", 0), "bob's")
		require.NoError(t, err)
		var subs []*Subscription
		for i := range 100 {
			v, err := h.Open(t.Context(), user("ann", 0), fmt.Sprint(i))
			require.NoError(t, err)
			assert.LessOrEqual(t, h.Stats().Conversations, 6)
			if i >= 95 {
				subs = append(subs, v.Subscribe(timelineSlice, 0))
			}
			time.Sleep(time.Millisecond)
		}
		_, err = h.Open(t.Context(), user("ann", 0), "one more")
		assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
		_, err = h.Send(t.Context(), user("ann", 0), to("", "x"))
		assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
		again, err := h.Open(t.Context(), user("bob", 0), "bob's")
		require.NoError(t, err)
		assert.Same(t, bob.Live, again.Live)
		_, err = h.Open(t.Context(), user("ann", 0), "bob's") // it is there, whoever opened it
		assert.NoError(t, err)
		for _, sub := range subs {
			sub.Close()
		}
		_, err = h.Open(t.Context(), user("ann", 0), "one more")
		assert.NoError(t, err)
		time.Sleep(time.Hour)
		h.mu.Lock()
		defer h.mu.Unlock()
		assert.Empty(t, h.live)
		assert.Empty(t, h.opened)
	})
}

// ReadMemory reads the limit, and counts what is held but not what was let go.
func TestReadMemory(t *testing.T) {
	was := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(was)
	assert.Zero(t, ReadMemory().Limit)
	debug.SetMemoryLimit(1 << 40)
	assert.EqualValues(t, 1<<40, ReadMemory().Limit)
	runtime.GC()
	before := ReadMemory().Used
	held := make([]byte, 64<<20)
	runtime.GC()
	during := ReadMemory().Used
	runtime.KeepAlive(held)
	runtime.GC()
	after := ReadMemory().Used
	assert.Positive(t, before)
	assert.Greater(t, during, before+32<<20)
	assert.Less(t, after, during-32<<20)
}
