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
	"inlaygraph/session"
)

// Promise 16: what several viewers share is read with the token of those attached, as they come and go, never with that of
// nobody; with none of them left the stream closes, and what they share ends.
func TestSharedIsReadByTheAttached(t *testing.T) {
	s := chat(1, 3)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		attach := func(name string, lasts time.Duration) (*Viewer, func()) {
			v := openAs(t, h, user(name, lasts))
			return v, v.Attach()
		}
		reads := func(name string) {
			t.Helper()
			p.with("head")
			time.Sleep(10 * time.Second)
			assert.Equal(t, []string{name}, p.with("head"))
		}
		v, annLeaves := attach("ann", 10*time.Minute)
		shared := v.Live.Share(timelineSlice, 0)
		var ended error
		var over sync.WaitGroup
		over.Go(func() {
			for ended == nil {
				if ended = shared.Await(t.Context()); ended == nil {
					shared.Take()
				}
			}
		})
		time.Sleep(time.Second)
		reads("ann")
		_, bobLeaves := attach("bob", 20*time.Minute)
		reads("bob")
		bobLeaves()
		bobLeaves()
		reads("ann")
		_, cyLeaves := attach("cy", time.Minute)
		annLeaves()
		reads("cy")
		over.Wait()
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(ended))
		cyLeaves()
		shared.Close()
		n, _ := v.following()
		assert.Zero(t, n)
		assert.Empty(t, v.attached())
	})
}

// Promises 2, 3 and 6: what is shared waits like a subscription, is read in between as it stands, and misses nothing.
func TestSharedWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(conv)
		l.Apply(token("n", "a"))
		const every = time.Second
		s := l.Share(rowsAt("n"), every)
		defer s.Close()
		woken := 0
		ctx, stop := context.WithCancel(t.Context())
		var over sync.WaitGroup
		defer over.Wait()
		defer stop()
		texts := []string{}
		over.Go(func() {
			for s.Await(ctx) == nil {
				woken++
				assert.True(t, s.Moved(), "until it is taken")
				s.Take()
				texts = append(texts, textAt(s.Conversation(), "n"))
			}
		})
		synctest.Wait()
		assert.Equal(t, []string{"a"}, texts, "the value as it stands")
		assert.False(t, s.Moved())
		for range 5 {
			l.Apply(token("n", "b"))
			l.Apply(token("other", "x"))
		}
		synctest.Wait()
		assert.Len(t, texts, 1, "within the interval")
		assert.True(t, s.Moved())
		assert.Equal(t, "abbbbb", textAt(s.Conversation(), "n"), "who joins reads it all the same")
		assert.True(t, s.Moved(), "and that takes nothing")
		time.Sleep(every)
		synctest.Wait()
		assert.Equal(t, []string{"a", "abbbbb"}, texts)
		l.Apply(token("other", "x"))
		time.Sleep(2 * every)
		synctest.Wait()
		assert.Equal(t, 2, woken, "of what it does not read it hears nothing")
		s.Touch()
		s.Touch()
		time.Sleep(every)
		synctest.Wait()
		assert.Equal(t, 3, woken)
		l.Apply(token("n", "c"))
		l.end(coded.New(coded.NotFound, "gone"))
		over.Wait()
		assert.Equal(t, []string{"a", "abbbbb", "abbbbb", "abbbbbc"}, texts, "what was pending comes before the end")
	})
}

// Promise 7: from wherever, the changes since there lead to the slice as it stands, for as many as ask.
func TestSharedChangesSince(t *testing.T) {
	l := NewLive(conv)
	l.Apply(token("n", "a"))
	s := l.ShareChanges(everything, 0)
	defer s.Close()
	var copies []*copied
	for i := range 20 {
		copies = append(copies, &copied{})
		copies[i].take(t, s.Since(""))
		require.Equal(t, 1, copies[i].resets)
		l.Apply(token("n", "b"))
		if i%3 == 0 {
			for _, c := range copies {
				c.take(t, s.Since(c.cursor))
			}
		}
	}
	for _, c := range copies {
		at := c.cursor
		c.take(t, s.Since(c.cursor))
		assert.Equal(t, rowsOf(l, everything), c.rows)
		assert.Equal(t, 1, c.resets)
		if at == copies[0].cursor {
			assert.Empty(t, s.Since(c.cursor).Ops)
		}
	}
	l.Replace(l.state) // every journal begins anew
	again := s.Since(copies[0].cursor)
	copies[0].take(t, again)
	assert.Equal(t, 2, copies[0].resets)
	l.Apply(token("n", "c"))
	copies[0].take(t, s.Since(copies[0].cursor))
	assert.Equal(t, rowsOf(l, everything), copies[0].rows)
	assert.Equal(t, 2, copies[0].resets)
	assert.Equal(t, 1, l.journals[everything.Slice()].followers)
	s.Close()
	s.Close()
	assert.Zero(t, l.journals[everything.Slice()].followers)
	n, _ := l.following()
	assert.Zero(t, n)
}

// Nobody's token is never the one to read with.
func TestTogetherIsOver(t *testing.T) {
	assert.True(t, together.Expired(time.Now()))
	assert.Empty(t, together.Token())
	assert.False(t, outlasts(together, session.New("ann", "t", "ann", time.Now())))
}
