package conversation

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Promise 16: what is read for several is read with the token of the one that lasts longest, as they come and go.
func TestLongestLastingReads(t *testing.T) {
	s := chat(1, 3)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		join := func(name string, lasts time.Duration) *viewer {
			return watchAs(t, openAs(t, h, user(name, lasts)))
		}
		reads := func(name string) {
			t.Helper()
			p.with("head")
			time.Sleep(10 * time.Second)
			assert.Equal(t, []string{name}, p.with("head"))
		}
		ann := join("ann", 10*time.Minute)
		time.Sleep(time.Second)
		reads("ann")
		bob := join("bob", 20*time.Minute)
		reads("bob")
		cy := join("cy", 15*time.Minute)
		reads("bob")
		bob.done(0)
		reads("cy")
		ever := join("dee", 0)
		reads("dee")
		ever.done(0)
		cy.done(0)
		reads("ann")
		ann.done(0)
	})
}

// Promise 16: when the token in use is refused, or its session is over, the reading goes on with the next one, behind the
// last frame folded: without a reset, and with no stream beside another.
func TestNextTokenGoesOn(t *testing.T) {
	s := chat(1, 60)
	for _, end := range []string{"refused", "forbidden", "over"} {
		t.Run(end, func(t *testing.T) {
			bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
				long, short := 10*time.Minute, 5*time.Minute
				ann, bob, cy := user("ann", long), user("bob", short), user("cy", 2*time.Minute)
				var viewers []*viewer
				for _, who := range []*session.Session{ann, bob, cy} {
					viewers = append(viewers, watchAs(t, openAs(t, h, who)))
				}
				for p.at() < 20 {
					p.play(1)
					synctest.Wait()
				}
				assert.Equal(t, []string{"ann"}, p.with("stream"), "hers is the first")
				p.with("head")
				switch end {
				case "over":
					time.Sleep(short)
					viewers[2].done(0) // their sessions are over
					viewers[1].done(0)
					viewers = append(viewers[:1], watchAs(t, openAs(t, h, user("bob", time.Hour))))
					time.Sleep(short)
				case "refused":
					p.set(func() { p.may = only(upstream.Unauthenticated, "bob", "cy") })
				case "forbidden":
					p.set(func() { p.may = only(upstream.Forbidden, "bob", "cy") })
				}
				if end != "over" {
					cutOnce(p)
				}
				for p.at() < 40 {
					p.play(1)
					time.Sleep(100 * time.Millisecond)
				}
				assert.Equal(t, []string{"bob"}, p.with("stream"), "and his the next")
				assert.Len(t, p.attached, 2)
				assert.EqualValues(t, 20, p.attached[1], "behind the last frame folded")
				p.playTo(len(s.frames))
				time.Sleep(time.Second)
				for _, v := range viewers {
					v.done(0)
				}
				assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, viewers[0].live.Conversation(), false))
				assert.Equal(t, 1, p.most)
			})
		})
	}
}

// Promise 16: with no session left the stream closes at once, and whoever follows is told.
func TestNoTokenLeft(t *testing.T) {
	s := chat(1, 20)
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		began, last := time.Now(), user("bob", 2*time.Minute)
		ann, bob := watchAs(t, openAs(t, h, user("ann", time.Minute))), watchAs(t, openAs(t, h, last))
		p.play(2)
		time.Sleep(2*time.Minute - time.Since(began))
		synctest.Wait()
		assert.Zero(t, p.streams, "at once")
		bob.over.Wait()
		assert.Equal(t, 2*time.Minute+closingTime, time.Since(began), "he did not leave by himself")
		ann.over.Wait()
		for _, v := range []*viewer{ann, bob} {
			assert.Equal(t, coded.Unauthenticated, coded.CodeOf(v.err))
			v.done(0)
		}
		assert.Zero(t, p.streams)
		assert.Equal(t, Stats{}, h.Stats())
	})
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		ann, bob := watchAs(t, openAs(t, h, user("ann", 0))), watchAs(t, openAs(t, h, user("bob", time.Hour)))
		p.set(func() { p.may = only(upstream.Unauthenticated) })
		p.called()
		cutOnce(p)
		p.play(1)
		synctest.Wait()
		time.Sleep(time.Second)
		assert.Equal(t, map[string]int{"head": 2}, p.called(), "each was tried once")
		for _, v := range []*viewer{ann, bob} {
			v.over.Wait()
			assert.Equal(t, coded.Unauthenticated, coded.CodeOf(v.err))
			v.done(0)
		}
		assert.Equal(t, Stats{}, h.Stats())
	})
}

// Promise 16: who leaves as its session ends, or a little later, reads no refusal, not even where upstream's clock is ahead, and
// finds the conversation as it was when it comes back: its copy goes on by the cursor.
func TestBackWithAFreshToken(t *testing.T) {
	s := chat(1, 60)
	const lasts, late = 10 * time.Second, 200 * time.Millisecond
	for _, ahead := range []time.Duration{0, late} {
		bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
			began := time.Now()
			v := watchAs(t, openAs(t, h, session.New("ann", "t", "first", began.Add(lasts))))
			p.play(10)
			time.Sleep(lasts - ahead)
			p.set(func() { p.may = only(upstream.Unauthenticated, "second") })
			if ahead > 0 {
				cutOnce(p)
				p.play(1)
			}
			time.Sleep(ahead + late)
			assert.False(t, v.ended.Load())
			v.done(0)
			again := openAs(t, h, session.New("ann", "t", "second", began.Add(time.Hour)))
			v = &viewer{t: t, live: again.Live, sub: again.Subscribe(timelineSlice, 0), changes: again.Changes(everything, v.copy.cursor, 0), copy: v.copy, stop: func() {}}
			time.Sleep(late) // the run is followed again before it goes on, and over
			p.playTo(len(s.frames))
			time.Sleep(time.Second)
			v.copy.next(t, v.changes)
			v.done(0)
			assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		})
	}
}

// Promise 16: a token that upstream refuses is not tried again for each connection that came with it, and is good again
// once upstream takes it.
func TestRefusedTokenIsTriedOnce(t *testing.T) {
	s := chat(1, 20)
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		var viewers []*viewer
		for range 5 {
			viewers = append(viewers, watchAs(t, openAs(t, h, user("ann", 0))))
		}
		viewers = append(viewers, watchAs(t, openAs(t, h, user("bob", time.Hour))))
		p.set(func() { p.may = only(upstream.Unauthenticated, "bob") })
		p.with("head")
		cutOnce(p)
		p.play(1)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"ann", "bob"}, p.with("head"))
		assert.Equal(t, coded.Unauthenticated, refusedAs(t, h, user("ann", 0)).Code, "what was remembered of her is forgotten")
		assert.Equal(t, []string{"ann"}, p.with("head"))

		p.set(func() { p.may = nil })
		openAs(t, h, user("ann", 0))
		cutOnce(p)
		p.play(1)
		time.Sleep(time.Second)
		assert.Equal(t, []string{"ann", "ann"}, p.with("head"), "hers lasts longest again")
		for _, v := range viewers {
			v.done(0)
		}
	})
}

// Promise 16: who waits is read for with its own token where those that follow have none that is good; they are told
// as soon as it is not wanted any more. The token of somebody who left is no good for those who follow.
func TestWhoseTokenIsGood(t *testing.T) {
	s := chat(1, 20)
	turn := len(s.frames)
	bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
		openAs(t, h, user("dee", 0)) // whose session lasts, and who leaves
		v := watchAs(t, openAs(t, h, user("ann", 5*time.Second)))
		p.with("head")
		v.over.Wait()
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(v.err))
		assert.Empty(t, p.with("head"))
		v.done(0)
	})
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		bob := user("bob", 0)
		openAs(t, h, bob)
		v := watchAs(t, openAs(t, h, user("ann", time.Hour)))
		p.set(func() { p.may = only(upstream.Unauthenticated, "bob") })
		cutOnce(p)
		p.latency = time.Second
		p.play(1)
		var asker sync.WaitGroup
		asker.Go(func() {
			time.Sleep(time.Millisecond)
			_, err := h.Open(t.Context(), bob, conv)
			assert.NoError(t, err, "what is followed is as it is")
		})
		v.over.Wait()
		asker.Wait()
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(v.err))
		v.done(0)
	})
}

// Promise 16: who waits beside others is told of the refusal of its own token alone.
func TestRefusedWhileWaiting(t *testing.T) {
	s := chat(1, 5)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		ann, bob := user("ann", 0), user("bob", time.Hour)
		openAs(t, h, ann)
		openAs(t, h, bob)
		time.Sleep(3 * time.Second)
		p.set(func() {
			p.latency = time.Second
			p.may = only(upstream.Unauthenticated, "bob")
		})
		var askers sync.WaitGroup
		askers.Go(func() {
			assert.Equal(t, coded.Unauthenticated, refusedAs(t, h, ann).Code)
		})
		synctest.Wait()
		askers.Go(func() { openAs(t, h, bob) })
		askers.Wait()
	})
}

// With --insecure nothing is sent upstream for anybody.
func TestAnonymousSendsNoToken(t *testing.T) {
	s := chat(2, 5)
	driving(t, s, 5, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, session.Anonymous()))
		p.playTo(framesOf(5))
		time.Sleep(time.Minute)
		id := conv
		_, err := h.Send(t.Context(), session.Anonymous(), SendInput{AgentID: "agent", ConversationID: &id, Content: "x"})
		require.NoError(t, err)
		_, err = h.Cancel(t.Context(), session.Anonymous(), conv)
		require.NoError(t, err)
		v.done(0)
		for _, op := range []string{"head", "rows", "stream", "execute", "cancel"} {
			tokens := p.with(op)
			assert.NotEmpty(t, tokens, op)
			for _, token := range tokens {
				assert.Empty(t, token, op)
			}
		}
	})
}

// Promise 17: what is asked on demand is asked with the caller's own token, and what it fails with is the caller's alone.
func TestOwnTokenOnDemand(t *testing.T) {
	s := chat(4, 3)
	driving(t, s, len(s.frames), Options{WindowRows: 4}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		bob, cy := user("bob", 0), user("refused", 0)
		openAs(t, h, bob)
		openAs(t, h, cy)
		c := v.live.Conversation()
		p.with("rows")
		_, err := c.RowPage(t.Context(), bob, nil, nil, nil)
		require.NoError(t, err)
		_, err = h.LoadEarlier(t.Context(), bob, conv, 2)
		require.NoError(t, err)
		assert.Equal(t, []string{"bob", "bob"}, p.with("rows"))
		list, err := h.List(t.Context(), bob, upstream.ListQuery{Limit: 2, Offset: 3, AgentID: "a", Status: wire.Paused})
		require.NoError(t, err)
		assert.Len(t, list.Items, 1)
		links, err := c.Backlinks(t.Context(), bob, "table", "row")
		require.NoError(t, err)
		assert.Equal(t, "[1]", string(links))
		_, err = h.List(t.Context(), cy, upstream.ListQuery{})
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
		_, err = c.Backlinks(t.Context(), cy, "table", "row")
		assert.Equal(t, coded.NotFound, coded.CodeOf(err))
		assert.Equal(t, []string{
			fmt.Sprint("bob ", upstream.ListQuery{Limit: 2, Offset: 3, AgentID: "a", Status: wire.Paused}), "bob conv table row",
			fmt.Sprint("refused ", upstream.ListQuery{}), "refused conv table row",
		}, w.lists)
		p.set(func() { p.may = only(upstream.Unauthenticated, "ann") })
		_, err = c.RowPage(t.Context(), bob, nil, nil, nil)
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
		_, err = h.LoadEarlier(t.Context(), bob, conv, 2)
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
		p.set(func() { p.may = nil })
		time.Sleep(time.Minute)
		v.done(0)
	})
	h := NewHub(Options{})
	defer h.Close()
	_, err := h.List(t.Context(), nobody, upstream.ListQuery{})
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
	_, err = NewLive(conv).Conversation().Backlinks(t.Context(), nobody, "table", "row")
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
}

// A viewer's own subscriptions belong to its session, and to nobody any more once they are closed.
func TestWhoIsAttached(t *testing.T) {
	l := NewLive(conv)
	ann, bob := user("ann", 0), user("bob", 0)
	a, b := &Viewer{Live: l, who: ann}, &Viewer{Live: l, who: bob}
	assert.Empty(t, l.attached())
	one, two, three := a.Subscribe(timelineSlice, 0), a.Changes(everything, "", 0), b.Subscribe([]projection.Slice{}, 0)
	assert.ElementsMatch(t, []*session.Session{ann, bob}, l.attached())
	one.Close()
	one.Close()
	assert.ElementsMatch(t, []*session.Session{ann, bob}, l.attached())
	two.Close()
	three.Close()
	assert.Empty(t, l.attached())
}

// Promise 3: who is told that its session is refused while a window is loaded again reads nothing older before it.
func TestRefusedWhileReloading(t *testing.T) {
	s := chat(1, 20)
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.playTo(10)
		synctest.Wait()
		p.set(func() { p.fail = always("stream", refused("stream", upstream.Unauthenticated)) })
		lost(p, 11)
		p.play(2)
		v.over.Wait()
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(v.err))
		assert.Equal(t, want(t, s, 10), factsOf(t, v.live.Conversation(), false))
		v.done(0)
	})
}

// Promise 16: whoever was let in after the end of its session, as clocks may differ, gets its one answer, from a run in
// flight too, and upstream is read no longer for it.
func TestOneAnswerAfterTheEnd(t *testing.T) {
	s := chat(2, 5)
	for _, sent := range []int{framesOf(5), framesOf(5) + 4} {
		bubble(t, s, sent, Options{}, func(t *testing.T, h *Hub, p *fake) {
			late := user("ann", -10*time.Second)
			assert.Equal(t, want(t, s, sent), factsOf(t, openAs(t, h, late).Conversation(), false))
			time.Sleep(3 * time.Second)
			p.called()
			time.Sleep(time.Minute)
			assert.Empty(t, p.called())
			assert.Zero(t, h.Stats().Streams)
		})
	}
}
