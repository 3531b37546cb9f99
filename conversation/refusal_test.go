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

func refused(op string, kind upstream.Kind) *upstream.Error {
	return &upstream.Error{Op: op, Kind: kind}
}

func limited(op string, after time.Duration) *upstream.Error {
	return &upstream.Error{Op: op, Kind: upstream.RateLimited, Status: 429, RetryAfter: after, HasRetryAfter: true}
}

// Promise 11, and the errors table of docs/service.md: what opening a conversation answers when upstream does
// not; nothing is kept of it.
func TestRefusedAtFirst(t *testing.T) {
	codes := map[upstream.Kind]coded.Code{
		upstream.NotFound: coded.NotFound, upstream.Forbidden: coded.NotFound, upstream.Gone: coded.NotFound,
		upstream.Unauthenticated: coded.Unauthenticated, upstream.RateLimited: coded.RateLimited, upstream.Unavailable: coded.UpstreamUnavailable,
	}
	for kind, code := range codes {
		for _, op := range []string{"head", "rows"} {
			t.Run(fmt.Sprint(op, " ", kind), func(t *testing.T) {
				bubble(t, chat(1, 3), 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
					p.fail = refusals(op, refused(op, kind))
					_, err := h.Open(t.Context(), nobody, conv)
					assert.Equal(t, code, coded.CodeOf(err))
					assert.Zero(t, h.Stats().Conversations)
					assert.Equal(t, want(t, p.story, 5), factsOf(t, open(t, h).Conversation(), false))
				})
			})
		}
	}
}

// Promise 10: whatever the stream is refused with, once or a few times, the window is there at once, and in
// the end nothing is missing and nothing is there twice.
func TestStreamRefused(t *testing.T) {
	s := chat(2, 10)
	kinds := []upstream.Kind{
		upstream.Idle, upstream.CannotReattach, upstream.Gone, upstream.Forbidden, upstream.NotFound, upstream.RateLimited, upstream.Unavailable,
	}
	for _, kind := range kinds {
		for _, older := range []bool{false, true} {
			for _, times := range []int{1, 4} {
				t.Run(fmt.Sprint(kind, " ", times, " ", older), func(t *testing.T) {
					bubble(t, s, 8, Options{}, func(t *testing.T, h *Hub, p *fake) {
						p.noLastOffset = older
						var errs []error
						for range times {
							errs = append(errs, refused("stream", kind))
						}
						p.fail = refusals("stream", errs...)
						began := time.Now()
						v := watch(t, open(t, h))
						assert.Less(t, time.Since(began), 500*time.Millisecond)
						assert.Equal(t, "Question 😀 1", jsonRows(v.live.Conversation().Timeline())[0]["content"])
						tell(p, len(s.frames))
						assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
						v.leave()
						assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
						assert.IsNonDecreasing(t, v.sizes)
					})
				})
			}
		}
	}
}

// The same when the stream was there and was cut, and can't be had again at first.
func TestReattachingRefused(t *testing.T) {
	s := chat(2, 10)
	for _, kind := range []upstream.Kind{upstream.Idle, upstream.Gone, upstream.Forbidden, upstream.RateLimited, upstream.Unavailable} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, s, 2, Options{}, func(t *testing.T, h *Hub, p *fake) {
				v := watch(t, open(t, h))
				p.playTo(8)
				synctest.Wait()
				p.set(func() {
					p.fail = refusals("stream", refused("stream", kind), refused("stream", kind), refused("stream", kind))
				})
				cutOnce(p)
				p.play(1)
				time.Sleep(10 * time.Second)
				assert.Equal(t, want(t, s, 9), factsOf(t, v.live.Conversation(), false))
				tell(p, len(s.frames))
				assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
				v.leave()
				assert.IsNonDecreasing(t, v.sizes)
				if kind == upstream.RateLimited || kind == upstream.Unavailable || kind == upstream.Idle {
					assert.Equal(t, 1, v.copy.resets, "it goes on where it was")
				}
			})
		})
	}
}

// cutOnce ends the stream that is open, before its next frame.
func cutOnce(p *fake) {
	p.set(func() {
		n := p.streams
		p.cut = func(int, *wire.Frame) bool {
			n--
			return n >= 0
		}
	})
}

// A refusal with Retry-After is heeded by everybody: nothing is asked before, and who asks is told so.
func TestRetryAfter(t *testing.T) {
	s := chat(1, 10)
	for _, op := range []string{"head", "rows", "stream"} {
		t.Run(op, func(t *testing.T) {
			bubble(t, s, 8, Options{}, func(t *testing.T, h *Hub, p *fake) {
				v := watch(t, open(t, h))
				p.set(func() { p.fail = refusals(op, limited(op, 7*time.Second)) })
				cutOnce(p)
				lost(p, 9)
				p.play(2)
				time.Sleep(2 * time.Second)
				p.called()
				time.Sleep(4900 * time.Millisecond)
				_, err := h.Open(t.Context(), nobody, conv)
				assert.NoError(t, err, "what is followed is as it is")
				assert.Empty(t, p.called(), "left alone")
				time.Sleep(5 * time.Second)
				assert.NotEmpty(t, p.called())
				assert.Equal(t, want(t, s, 10), factsOf(t, v.live.Conversation(), false))
				v.leave()
			})
		})
	}
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		open(t, h)
		p.set(func() { p.fail = refusals("head", limited("head", 30*time.Second)) })
		time.Sleep(3 * time.Second)
		p.called()
		for range 25 {
			_, err := h.Open(t.Context(), nobody, conv)
			assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
			time.Sleep(time.Second)
		}
		assert.Equal(t, map[string]int{"head": 1}, p.called())
		time.Sleep(10 * time.Second)
		open(t, h)
	})
}

// lost loses a frame on its way, once.
func lost(p *fake, offset int64) {
	p.set(func() {
		gone := false
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			if f.Offset == offset && !gone {
				gone = true
				return upstream.Item{}, false
			}
			return item(f), true
		}
	})
}

// What ends a subscription: the conversation is gone, upstream refuses the session, or has been away too long.
func TestWhatEndsSubscriptions(t *testing.T) {
	s := chat(2, 10)
	turn := framesOf(10)
	const soon, never = 15 * time.Second, time.Hour
	away := 5 * time.Minute
	for _, tc := range []struct {
		op    string
		err   *upstream.Error
		code  coded.Code
		after time.Duration // at most so long
		sent  int
	}{
		{"head", refused("head", upstream.NotFound), coded.NotFound, soon, turn},
		{"head", refused("head", upstream.Forbidden), coded.NotFound, soon, turn},
		{"head", refused("head", upstream.Gone), coded.NotFound, soon, turn},
		{"head", refused("head", upstream.Unauthenticated), coded.Unauthenticated, soon, turn},
		{"head", refused("head", upstream.Unavailable), coded.UpstreamUnavailable, away + soon, turn},
		{"head", refused("head", upstream.RateLimited), coded.UpstreamUnavailable, away + soon, turn},
		{"head", refused("head", upstream.Refused), coded.UpstreamUnavailable, away + soon, turn},
		{"head", refused("head", upstream.Unpaid), coded.UpstreamUnavailable, away + soon, turn},
		{"head", limited("head", time.Hour), coded.UpstreamUnavailable, away + soon, turn},
		{"head", limited("head", 4*time.Minute), coded.UpstreamUnavailable, away + soon, turn},
		{"stream", refused("stream", upstream.Unauthenticated), coded.Unauthenticated, soon, turn + 4},
		{"stream", refused("stream", upstream.Unavailable), coded.UpstreamUnavailable, away + soon, turn + 4},
		{"stream", refused("stream", upstream.Refused), coded.UpstreamUnavailable, away + soon, turn + 4},
		{"stream", limited("stream", time.Minute), coded.UpstreamUnavailable, away + soon, turn + 4},
		{"stream", refused("stream", upstream.Idle), "", never, turn + 4},
		{"stream", refused("stream", upstream.Gone), "", never, turn + 4},
		{"stream", refused("stream", upstream.Forbidden), "", never, turn + 4},
	} {
		t.Run(fmt.Sprint(tc.op, " ", tc.err.Kind, " ", tc.err.RetryAfter), func(t *testing.T) {
			bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
				v := watch(t, open(t, h))
				began := time.Now()
				p.set(func() { p.fail = always(tc.op, tc.err) })
				p.playTo(tc.sent)
				if tc.code == "" {
					time.Sleep(never)
					synctest.Wait()
					assert.NoError(t, v.err)
					assert.Less(t, p.called()["stream"], 1000, "asked ever more seldom")
					p.set(func() { p.fail = nil })
					time.Sleep(30 * time.Second)
					assert.Equal(t, want(t, s, tc.sent), factsOf(t, v.live.Conversation(), false))
					v.leave()
					return
				}
				v.over.Wait()
				v.leave()
				assert.Equal(t, tc.code, coded.CodeOf(v.err))
				assert.LessOrEqual(t, time.Since(began), tc.after)
				if tc.after > soon {
					assert.Greater(t, time.Since(began), away)
				}
				assert.Equal(t, Stats{Reloads: h.Stats().Reloads}, h.Stats(), "nothing is left")
				p.set(func() { p.fail = nil })
				assert.NotSame(t, v.live, open(t, h))
				late := v.live.Subscribe(timelineSlice, 0)
				defer late.Close()
				_, err := late.Next(t.Context())
				require.NoError(t, err)
				_, err = late.Next(t.Context())
				assert.Equal(t, v.err, err)
			})
		})
	}
}

// While upstream is away for less than that, subscribers hear nothing, and then what they missed.
func TestAwayForAWhile(t *testing.T) {
	s := chat(2, 10)
	bubble(t, s, 8, Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		for range 3 { // each time it counts anew
			p.set(func() {
				p.fail = func(op string) error { return refused(op, upstream.Unavailable) }
			})
			cutOnce(p)
			p.play(1)
			time.Sleep(4 * time.Minute)
			synctest.Wait()
			assert.NoError(t, v.err)
			assert.Less(t, p.called()["head"], 60)
			p.set(func() { p.fail = nil })
			time.Sleep(20 * time.Second)
			assert.Equal(t, want(t, s, p.at()), factsOf(t, v.live.Conversation(), false))
		}
		v.done(0)
	})
}

// Upstream that says something, if only that there is no run, is not away; and once it is back, the next
// trouble is met as quickly as the first.
func TestBackInBetween(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 8, Options{}, func(t *testing.T, h *Hub, p *fake) {
		away, idle, gone := refused("stream", upstream.Unavailable), refused("stream", upstream.Idle), refused("stream", upstream.Gone)
		v := watch(t, open(t, h))
		for _, err := range []*upstream.Error{away, idle, away, gone, away, idle} {
			p.set(func() { p.fail = always("stream", err) })
			if err == away {
				cutOnce(p)
			}
			p.play(1)
			time.Sleep(4 * time.Minute)
		}
		p.set(func() { p.fail = nil })
		p.playTo(len(s.frames))
		time.Sleep(time.Minute)
		p.set(func() {
			p.fail = refusals("head", refused("head", upstream.Unavailable), refused("head", upstream.Unavailable))
		})
		p.called()
		time.Sleep(10500 * time.Millisecond)
		assert.GreaterOrEqual(t, p.called()["head"], 3)
		time.Sleep(6 * time.Minute)
		p.set(func() { p.fail = refusals("head", refused("head", upstream.Unavailable)) })
		time.Sleep(time.Minute)
		v.leave()
		assert.ErrorIs(t, v.err, context.Canceled)
	})
}

// How long upstream was away for nobody does not count.
func TestAwayForNobody(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		p.set(func() { p.fail = always("head", refused("head", upstream.Unavailable)) })
		time.Sleep(3 * time.Second)
		_, err := h.Open(t.Context(), nobody, conv)
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		time.Sleep(6 * time.Minute)
		v := watch(t, l)
		time.Sleep(4 * time.Minute)
		p.set(func() { p.fail = nil })
		time.Sleep(4 * time.Minute)
		v.done(0)
		assert.ErrorIs(t, v.err, context.Canceled)
	})
}

// A query of what is in memory is told when upstream does not answer, and served again once it does.
func TestQueryWhileAway(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		time.Sleep(3 * time.Second)
		p.set(func() { p.fail = always("head", refused("head", upstream.Unavailable)) })
		for range 3 {
			_, err := h.Open(t.Context(), nobody, conv)
			assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
			time.Sleep(10 * time.Minute / 4)
		}
		p.set(func() { p.fail = nil })
		assert.Same(t, l, open(t, h))
	})
}

// A stream endpoint that hangs holds no query up for long, nor a subscriber's other news.
func TestStreamHangs(t *testing.T) {
	s := chat(1, 10)
	for _, older := range []bool{false, true} {
		bubble(t, s, 8, Options{}, func(t *testing.T, h *Hub, p *fake) {
			p.noLastOffset, p.hang = older, func(op string) bool { return op == "stream" }
			began := time.Now()
			v := watch(t, open(t, h))
			assert.LessOrEqual(t, time.Since(began), 3*time.Second)
			assert.Equal(t, "Question 😀 1", jsonRows(v.live.Conversation().Timeline())[0]["content"])
			v.leave()
		})
	}
}
