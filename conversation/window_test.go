package conversation

import (
	"fmt"
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

// rowCount is how many rows the window holds, as a reader sees it.
func rowCount(l *Live) int { return len(l.Conversation().Timeline()) }

// lastOf is the last n of the rows that whoever read everything knows.
func lastOf(t *testing.T, p *fake, n int) []map[string]any {
	t.Helper()
	l := NewLive(p.id())
	for _, f := range p.story.frames[:p.at()] {
		l.Apply(f)
	}
	rows := jsonRows(l.Conversation().Timeline())
	return rows[len(rows)-n:]
}

// Promise 23: a conversation that goes on and on keeps its newest rows, and every copy is the timeline throughout, without
// a reset; of the rest it says that it is there. The oldest go some at a time, however the rows come.
func TestWindowIsBounded(t *testing.T) {
	s := chat(150, 2)
	turn := framesOf(2)
	for name, setup := range map[string]func(p *fake){
		"live": func(*fake) {}, "from the log": func(p *fake) { p.noReattach = true },
	} {
		t.Run(name, func(t *testing.T) {
			driving(t, s, turn, Options{MaxWindowRows: 50, LogPoll: 10 * time.Millisecond}, func(t *testing.T, h *Hub, w *world, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				trims := 0
				for had := rowCount(v.live); p.at() < len(s.frames); {
					setup(p)
					if name == "live" {
						goOn(t, h, "ann")
					} else {
						p.play(turn / 2) // elsewhere
						time.Sleep(11 * time.Second)
					}
					p.playTo((p.at() + turn - 1) / turn * turn)
					time.Sleep(50 * time.Millisecond)
					synctest.Wait()
					now := rowCount(v.live)
					assert.LessOrEqual(t, now, 50)
					if now < had {
						trims++
						assert.Equal(t, 46, now)
						assert.True(t, v.live.Conversation().Snapshot().HasEarlier())
					}
					had = now
				}
				if name == "live" {
					assert.Equal(t, 42, trims, "one for six rows")
				}
				rows := jsonRows(v.live.Conversation().Timeline())
				assert.Equal(t, withoutPlace(lastOf(t, p, len(rows))), withoutPlace(rows))
				v.leave()
				assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
				if name == "live" {
					assert.Equal(t, 1, v.copy.resets)
				}
			})
		})
	}
}

// withoutPlace leaves out what a row may learn from the log alone.
func withoutPlace(rows []map[string]any) (all []string) {
	for _, row := range rows {
		all = append(all, fmt.Sprint(row["type"], row["id"], row["content"]))
	}
	return all
}

// What stands for the rows that went reads on: bindings, tables, and the run.
func TestFullWindowKeepsTheRest(t *testing.T) {
	for seed := range 20 {
		s := generated(t, seed)
		bubble(t, s, 1, Options{MaxWindowRows: 3}, func(t *testing.T, h *Hub, p *fake) {
			v := watchAs(t, openAs(t, h, user("ann", 0)))
			tell(p, len(s.frames))
			expected, is := want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false)
			assert.Equal(t, expected.Run, is.Run)
			assert.Equal(t, expected.Chat, is.Chat)
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		})
	}
}

// Promise 23: a window that is loaded again reads no more of the log than it may hold.
func TestReloadOfAFullWindow(t *testing.T) {
	s := chat(40, 2)
	turn := framesOf(2)
	opts := Options{WindowRows: 8, MaxWindowRows: 30, MinBackoff: time.Millisecond}
	bubble(t, s, 20*turn+3, opts, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		tell(p, 38*turn+3)
		assert.Greater(t, rowCount(v.live), 26)
		p.befores()
		lost(p, int64(38*turn+5))
		tell(p, len(s.frames))
		assert.Equal(t, 1, v.resets())
		read := 0
		for before := int64(4*38 + 3); ; {
			q := p.query()
			if q == nil {
				break
			}
			read += int(min(int64(q.Limit), before-1))
		}
		assert.LessOrEqual(t, read, 30)
		assert.GreaterOrEqual(t, read, 24)
		rows := jsonRows(v.live.Conversation().Timeline())
		assert.Equal(t, withoutPlace(lastOf(t, p, len(rows))), withoutPlace(rows))
		assert.True(t, v.live.Conversation().Snapshot().HasEarlier())
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	})
}

// query takes the next page that upstream was asked for since the last time, nil when there is none.
func (p *fake) query() *upstream.RowsQuery {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queries) == 0 {
		return nil
	}
	q := p.queries[0]
	p.queries = p.queries[1:]
	return &q
}

// Promise 23: a window that was only ever told live is loaded again with as many rows as it had.
func TestReloadOfWhatWasToldLive(t *testing.T) {
	s := chat(12, 4)
	turn := framesOf(4)
	driving(t, s, 0, Options{WindowRows: 5, MinBackoff: time.Millisecond}, func(t *testing.T, h *Hub, w *world, p *fake) {
		w.next = []*fake{p}
		_, err := h.Send(t.Context(), user("ann", 0), to("", "x"))
		require.NoError(t, err)
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		tell(p, 11*turn+3)
		assert.Len(t, v.live.Conversation().Timeline(), 24)
		lost(p, int64(11*turn+5))
		tell(p, len(s.frames))
		assert.Equal(t, 1, v.resets())
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		v.done(1)
	})
}

// Promise 23: earlier rows fill the window up to its bound, and no further; the rows that went come back to where they
// stood.
func TestLoadEarlierUpToTheBound(t *testing.T) {
	s := chat(40, 2)
	turn := framesOf(2)
	opts := Options{WindowRows: 8, MaxWindowRows: 40}
	bubble(t, s, 20*turn+3, opts, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		tell(p, len(s.frames))
		assert.Less(t, rowCount(v.live), 40)
		p.befores()
		for range 50 {
			had := rowCount(v.live)
			c, err := h.LoadEarlier(t.Context(), user("ann", 0), conv, 7)
			if err != nil {
				assert.Equal(t, "the window holds 40 rows already; rowPage reads further", conflict(t, err))
				break
			}
			assert.GreaterOrEqual(t, len(c.Timeline()), had)
			assert.LessOrEqual(t, len(c.Timeline()), 40)
		}
		assert.Equal(t, 40, rowCount(v.live))
		assert.Equal(t, withoutPlace(lastOf(t, p, 40)), withoutPlace(jsonRows(v.live.Conversation().Timeline())))
		p.called()
		_, err := h.LoadEarlier(t.Context(), user("ann", 0), conv, 1)
		assert.Equal(t, coded.Conflict, coded.CodeOf(err))
		assert.Empty(t, p.called())
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		assert.Equal(t, 1, v.copy.resets)
	})
	// A window of all there is is at no bound.
	bubble(t, s, 20*turn, Options{MaxWindowRows: 40}, func(t *testing.T, h *Hub, p *fake) {
		l := openAs(t, h, user("ann", 0)).Live
		for l.Conversation().Snapshot().HasEarlier() {
			loadEarlier(t, h, "ann", 1000)
		}
		assert.Equal(t, 40, rowCount(l))
		loadEarlier(t, h, "ann", 1000)
	})
}

// Where it is not known which of the log's rows went, because frames did not say their seq, the log is read from its end
// until something earlier comes.
func TestLoadEarlierWithoutSeqs(t *testing.T) {
	s := chat(12, 2)
	bare := s
	bare.frames = nil
	for _, f := range s.frames {
		b := *f
		b.Seq = 0
		bare.frames = append(bare.frames, &b)
	}
	driving(t, bare, 0, Options{MaxWindowRows: 20}, func(t *testing.T, h *Hub, w *world, p *fake) {
		w.next = []*fake{p}
		_, err := h.Send(t.Context(), user("ann", 0), to("", "x"))
		require.NoError(t, err)
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		tell(p, len(s.frames))
		had := rowCount(v.live)
		assert.Less(t, had, 20)
		p.befores()
		c := loadEarlier(t, h, "ann", 2)
		assert.Equal(t, []int64{0, 47, 45}, p.befores()[:3], "from its end")
		assert.Greater(t, len(c.Timeline()), had)
		rows := jsonRows(c.Timeline())
		assert.Equal(t, withoutPlace(lastOf(t, p, len(rows))), withoutPlace(rows))
		synctest.Wait()
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	})
	driving(t, bare, 0, Options{MaxWindowRows: 20}, func(t *testing.T, h *Hub, w *world, p *fake) {
		w.next = []*fake{p}
		_, err := h.Send(t.Context(), user("ann", 0), to("", "x"))
		require.NoError(t, err)
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		tell(p, len(s.frames))
		p.set(func() { p.noBefore = true })
		p.called()
		loadEarlier(t, h, "ann", 2)
		assert.Equal(t, 2, p.called()["rows"], "it does not go down")
		v.leave()
	})
}

// A call that waits is never among those that go, and can be answered.
func TestFullWindowKeepsWhatWaits(t *testing.T) {
	c := tale(conv)
	c.starts("r")
	c.calls("c1", true)
	for i := range 30 {
		c.says(fmt.Sprint("word ", i))
	}
	c.pauses(wire.AwaitingClientTool)
	waiting := len(c.frames)
	c.starts("r2")
	c.results("c1", "x")
	c.pauses(wire.Paused)
	s := c.told()
	driving(t, s, 2, Options{MaxWindowRows: 10}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.playTo(waiting)
		synctest.Wait()
		assert.LessOrEqual(t, rowCount(v.live), 10)
		assert.Equal(t, []string{"c1"}, pending(v.live))
		assert.IsType(t, &projection.ToolCallRow{}, v.live.Conversation().Timeline()[0])
		require.NoError(t, submit(t, h, "ann", "c1", "x"))
		p.playTo(len(s.frames))
		time.Sleep(time.Second)
		assert.Empty(t, pending(v.live))
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	})
}

// Rows that can't go because something is expected of each are not gone through for every frame that comes.
func TestWindowOfWaitingCalls(t *testing.T) {
	l := NewLive(conv)
	l.bounds.rows = 20
	trims := 0
	for i := range 100 {
		call := wire.Body{ID: fmt.Sprint(i), ToolCallID: fmt.Sprint(i), ToolName: "tool", Input: "{}", RequiresClientResponse: true}
		l.state.Apply(&wire.Frame{Type: wire.ToolCall, Body: call})
		l.boundLocked(l.state, func(trim projection.Trim) {
			trims++
			l.state.Apply(trim)
		})
	}
	assert.Equal(t, 100, l.state.RowCount())
	assert.Less(t, trims, 40)
}

// A run that is folded from its stream's start is bounded on its way too.
func TestWindowOfALongStream(t *testing.T) {
	c := tale(conv)
	c.starts("r")
	for i := range 500 {
		c.says(fmt.Sprint("word ", i))
	}
	c.pauses(wire.Paused)
	s := c.told()
	bubble(t, s, 450, Options{MaxWindowRows: 40}, func(t *testing.T, h *Hub, p *fake) {
		p.noLastOffset = true
		l := openAs(t, h, user("ann", 0)).Live
		assert.LessOrEqual(t, rowCount(l), 40)
		assert.Equal(t, withoutPlace(lastOf(t, p, rowCount(l))), withoutPlace(jsonRows(l.Conversation().Timeline())))
	})
}
