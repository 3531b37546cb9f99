package conversation

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Promise 8: the window first, then the stream behind the head's offset; and one of it, however many follow.
func TestWindowThenStream(t *testing.T) {
	s := chat(2, 20)
	bubble(t, s, framesOf(20)+9, Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		assert.Equal(t, want(t, s, p.at()), factsOf(t, l.Conversation(), false), "the first value has what is in flight")
		var viewers []*viewer
		for range 10 {
			viewers = append(viewers, watch(t, open(t, h)))
		}
		for p.at() < len(s.frames) {
			p.play(1)
			synctest.Wait()
			assert.Equal(t, want(t, s, p.at()), factsOf(t, l.Conversation(), false))
		}
		for _, v := range viewers {
			v.done(0)
		}
		assert.Equal(t, map[string]int{"head": 2, "rows": 1, "stream": 1}, p.called(), "the second head says that the run is over")
		assert.Equal(t, []int64{int64(framesOf(20)) + 2}, p.attached, "below the turn that the log has not")
		assert.Equal(t, []upstream.RowsQuery{{Limit: 500}}, p.queries)
	})
}

// A running conversation whose head has no last_offset is folded from the stream's start, also when it was
// loaded from rows before.
func TestFoldFromTheStart(t *testing.T) {
	s := chat(3, 5)
	turn := framesOf(5)
	for _, sent := range []int{turn + 5, turn} {
		bubble(t, s, sent, Options{}, func(t *testing.T, h *Hub, p *fake) {
			p.noLastOffset = true
			l := open(t, h)
			v := watch(t, l)
			p.playTo(turn + 6)
			time.Sleep(11 * time.Second)
			assert.Equal(t, want(t, s, turn+6), factsOf(t, l.Conversation(), false))
			p.playTo(2 * turn)
			time.Sleep(11 * time.Second)
			assert.Equal(t, []int64{0}, p.attached)
			p.playTo(2*turn + 6)
			time.Sleep(11 * time.Second)
			assert.Equal(t, want(t, s, 2*turn+6), factsOf(t, l.Conversation(), false))
			assert.Equal(t, []int64{0, int64(2 * turn)}, p.attached, "now it is known where to go on")
			p.playTo(3 * turn)
			time.Sleep(time.Minute)
			assert.Equal(t, want(t, s, 3*turn), factsOf(t, l.Conversation(), false))
			resets := 0
			if sent == turn {
				resets = 1
			}
			v.done(resets)
		})
	}
}

// tell plays to the n-th frame at a pace at which every run is seen, and waits until all is quiet.
func tell(p *fake, n int) {
	for p.at() < n {
		p.play(1)
		time.Sleep(20 * time.Millisecond)
		if p.story.frames[p.at()-1].Type == wire.RunStart {
			time.Sleep(15 * time.Second)
		}
	}
	time.Sleep(time.Minute)
}

// Promise 10: lost frames mean the window again, with one reset, and nobody is taken back meanwhile.
func TestGap(t *testing.T) {
	s := chat(2, 40)
	for _, lostAt := range []int64{3, 10, 30, int64(framesOf(40)) - 1, int64(framesOf(40)) + 1} {
		t.Run(fmt.Sprint(lostAt), func(t *testing.T) {
			bubble(t, s, 2, Options{}, func(t *testing.T, h *Hub, p *fake) {
				lost := false
				p.alter = func(f *wire.Frame) (upstream.Item, bool) {
					if f.Offset == lostAt && !lost {
						lost = true
						return upstream.Item{}, false
					}
					return item(f), true
				}
				l := open(t, h)
				v := watch(t, l)
				tell(p, len(s.frames))
				assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, l.Conversation(), false))
				v.done(1)
				assert.EqualValues(t, 1, h.Stats().Reloads)
			})
		})
	}
}

// A platform that loses a frame each time is asked ever more seldom.
func TestGapAgainAndAgain(t *testing.T) {
	s := chat(1, 40)
	bubble(t, s, 20, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			return item(f), f.Offset != 12
		}
		v := watch(t, open(t, h))
		time.Sleep(10 * time.Minute)
		assert.Less(t, p.called()["stream"], 100)
		p.set(func() { p.alter = nil })
		time.Sleep(time.Minute)
		assert.Equal(t, want(t, s, 20), factsOf(t, v.live.Conversation(), false))
		v.leave()
	})
}

// Promise 10: cut at every frame boundary, at each once and at all of them, nothing is lost and nothing comes
// twice, and the operations go on without a reset.
func TestCutAtEveryFrame(t *testing.T) {
	stories := map[string]story{"chat": chat(2, 6)}
	for seed := range 12 {
		stories[fmt.Sprint("generated ", seed)] = generated(t, seed)
	}
	for name, s := range stories {
		for _, from := range []int{1, len(s.frames) / 2} {
			if s.head(from).Status != wire.Running {
				continue
			}
			cut := func(t *testing.T, cut func(i int, f *wire.Frame) bool) {
				bubble(t, s, from, Options{MinBackoff: time.Millisecond}, func(t *testing.T, h *Hub, p *fake) {
					beyond := 0 // cuts before the run's last frame: there is no stream to go on with
					p.cut = func(i int, f *wire.Frame) bool {
						now := cut(i, f)
						if now && stops(f) {
							beyond++
						}
						return now
					}
					l := open(t, h)
					v := watch(t, l)
					tell(p, len(s.frames))
					assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, l.Conversation(), false))
					v.leave()
					assert.Equal(t, rowsOf(l, everything), v.copy.rows)
					assert.Equal(t, 1+beyond, v.copy.resets)
				})
			}
			t.Run(fmt.Sprint(name, " from ", from, " at all"), func(t *testing.T) {
				cut(t, func(i int, f *wire.Frame) bool { return i > 0 })
			})
			for at := from; at < len(s.frames); at += 1 + len(s.frames)/40 {
				t.Run(fmt.Sprint(name, " from ", from, " at ", at), func(t *testing.T) {
					once := false
					cut(t, func(_ int, f *wire.Frame) bool {
						now := f.Offset == int64(at)+1 && !once
						once = once || now
						return now
					})
				})
			}
		}
	}
}

// Promise 10: what did not decode uses up its offset, also where the wire does not say which; it is counted,
// and no reason to reload.
func TestRejectedFramesUseUpTheirOffset(t *testing.T) {
	s := chat(1, 10)
	for _, told := range []bool{true, false} {
		bubble(t, s, 2, Options{}, func(t *testing.T, h *Hub, p *fake) {
			bad := map[int64]bool{5: true, 6: true, 9: true}
			p.alter = func(f *wire.Frame) (upstream.Item, bool) {
				if !bad[f.Offset] {
					return item(f), true
				}
				item := upstream.Item{Rejection: &wire.Rejection{Reason: wire.ReasonTooLarge}}
				if told {
					item.Offset = f.Offset
				}
				return item, true
			}
			l := open(t, h)
			v := watch(t, l)
			p.playTo(len(s.frames))
			time.Sleep(time.Minute)
			expected := NewLive(conv)
			for _, f := range s.frames {
				if bad[f.Offset] {
					expected.Apply(projection.Skipped{Offset: f.Offset})
					continue
				}
				expected.Apply(f)
			}
			assert.Equal(t, factsOf(t, expected.Conversation(), false), factsOf(t, l.Conversation(), false))
			v.done(0)
			assert.Equal(t, map[string]int64{"too_large": 3}, h.Stats().Rejected)
			assert.Len(t, p.attached, 1)
		})
	}
}

// A line that no frame stood behind uses up nothing, and frames that repeat are dropped and counted.
func TestNoiseInTheStream(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 2, Options{}, func(t *testing.T, h *Hub, p *fake) {
		var queue []upstream.Item
		p.between = func(f *wire.Frame) []upstream.Item {
			queue = queue[:0]
			if f.Offset%3 == 0 {
				queue = append(queue, upstream.Item{Rejection: &wire.Rejection{Reason: wire.ReasonMalformed}})
			}
			if f.Offset%4 == 0 {
				again := s.frames[f.Offset-2]
				queue = append(queue, item(again))
			}
			return queue
		}
		v := watch(t, open(t, h))
		p.playTo(len(s.frames))
		time.Sleep(time.Minute)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		v.done(0)
		assert.Equal(t, map[string]int64{"malformed_json": 5}, h.Stats().Rejected)
		assert.EqualValues(t, 4, h.Stats().Duplicates)
		assert.Len(t, p.attached, 1)
	})
}

// Frames without offsets can't be told from repeats: whoever was cut off from them begins anew.
func TestFramesWithoutOffsets(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			bare := *f
			bare.Offset = 0
			return upstream.Item{Frame: &bare}, true
		}
		once := false
		p.cut = func(_ int, f *wire.Frame) bool {
			now := f.Offset == 9 && !once
			once = once || now
			return now
		}
		v := watch(t, open(t, h))
		p.playTo(len(s.frames) - 1)
		time.Sleep(time.Minute)
		assert.Equal(t, want(t, s, len(s.frames)-1), factsOf(t, v.live.Conversation(), false))
		v.leave()
		assert.Equal(t, 2, v.copy.resets)
	})
}

// The run's end ends its stream, even if upstream leaves it open.
func TestStreamThatStaysOpen(t *testing.T) {
	s := chat(2, 4)
	bubble(t, s, 4, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.holdOpen = true
		v := watch(t, open(t, h))
		tell(p, len(s.frames))
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		assert.Zero(t, p.streams)
		assert.Equal(t, 1, p.most)
		v.done(0)
	})
}
