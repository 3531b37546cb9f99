package conversation

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// reopened is what a new hub says of the conversation.
func reopened(t *testing.T, p *fake) facts {
	t.Helper()
	h := NewHub(Options{Source: p})
	defer h.Close()
	return factsOf(t, open(t, h).Conversation(), true)
}

// Promise 10: where upstream cannot reattach, the log is read while the run lasts: its rows are seen as they
// are written, and in the end the conversation is what a new reader sees.
func TestPollTheLog(t *testing.T) {
	stories := map[string]story{"chat": chat(3, 6)}
	for seed := range 20 {
		stories[fmt.Sprint("generated ", seed)] = generated(t, seed)
	}
	for name, s := range stories {
		for _, older := range []bool{false, true} {
			t.Run(fmt.Sprint(name, older), func(t *testing.T) {
				bubble(t, s, 1, Options{}, func(t *testing.T, h *Hub, p *fake) {
					p.noReattach, p.noLastOffset = true, older
					v := watch(t, open(t, h))
					for p.at() < len(s.frames) {
						from := p.at()
						p.play(3)
						for _, f := range s.frames[from:p.at()] {
							if f.Type == wire.RunStart {
								time.Sleep(15 * time.Second) // it is seen
							}
						}
						time.Sleep(1100 * time.Millisecond)
						if s.head(p.at()).Status == wire.Running {
							assert.Len(t, v.live.Conversation().Timeline(), len(shown(s.rows(p.at()))), "what reached the log is there")
						}
					}
					time.Sleep(30 * time.Second)
					assert.Equal(t, reopened(t, p), factsOf(t, v.live.Conversation(), true))
					v.leave()
					assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
					assert.Less(t, p.called()["stream"], 20, "asked once a run")
				})
			})
		}
	}
}

// shown are the rows that a timeline shows.
func shown(rows []*wire.Row) (all []*wire.Row) {
	for _, r := range rows {
		switch r.Type {
		case wire.RowNodeStart, wire.RowNodeEnd, wire.RowEdge:
		default:
			all = append(all, r)
		}
	}
	return all
}

// The stream was there, was cut, and can't be had again: the log takes its place, with one reset, and what was
// seen of a turn that is not written yet is gone until it is.
func TestPollAfterACut(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 2, Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		p.playTo(6)
		synctest.Wait()
		p.set(func() { p.noReattach = true })
		cutOnce(p)
		p.play(1)
		time.Sleep(3 * time.Second)
		assert.Equal(t, 1, v.resets())
		assert.Len(t, v.live.Conversation().Timeline(), 1)
		p.playTo(len(s.frames))
		time.Sleep(3 * time.Second)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
		v.leave()
	})
}

// A run on a platform that cannot reattach is one reset, at its end; beginning to read the log is none.
func TestPollResets(t *testing.T) {
	s := chat(3, 6)
	turn := framesOf(6)
	bubble(t, s, turn, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.noReattach = true
		v := watch(t, open(t, h))
		for run := 2; run <= 3; run++ {
			tell(p, run*turn-1)
			assert.Equal(t, run-2, v.resets())
			tell(p, run*turn)
			assert.Equal(t, run-1, v.resets())
			assert.Equal(t, want(t, s, run*turn), factsOf(t, v.live.Conversation(), false))
		}
		v.done(2)
	})
}

// bare is a story of one run whose log is what rows say.
func bare(rows func(n int) []*wire.Row) story {
	s := story{rows: rows}
	for n := range 100 {
		s.frames = append(s.frames, &wire.Frame{Type: wire.EdgeFired, Offset: int64(n) + 1, Body: wire.Body{From: "a", To: "b"}})
	}
	s.head = func(n int) *wire.Head {
		h := &wire.Head{ConversationID: conv, Status: wire.Running, WorkingSet: &wire.WorkingSet{Tables: []wire.WorkingTable{{
			Name: "t", Rows: []wire.WorkingRow{{RowID: fmt.Sprint(n), Value: "1", Status: wire.Final}},
		}}}}
		if n == len(s.frames) {
			h.Status = wire.Completed
		}
		return h
	}
	return s
}

func userRow(seq int) *wire.Row {
	return &wire.Row{Type: wire.RowUser, Body: wire.Body{Seq: int64(seq), ID: fmt.Sprint("u", seq), Content: "x", HasContent: true}}
}

// A log that is empty at first, that outgrows the window between two looks, and that ends in rows which show
// nothing is read to its end, no faster than it should be; tables move with the head.
func TestPollOddLogs(t *testing.T) {
	s := bare(func(n int) (rows []*wire.Row) {
		for i := range n {
			empty := wire.Body{Seq: int64(2*i) + 2, ID: fmt.Sprint("empty", i), HasContent: true}
			rows = append(rows, userRow(2*i+1), &wire.Row{Type: wire.RowAssistant, Body: empty})
		}
		return rows
	})
	for _, from := range []int{0, 1, 20} {
		bubble(t, s, from, Options{WindowRows: 4}, func(t *testing.T, h *Hub, p *fake) {
			p.noReattach = true
			v := watch(t, open(t, h))
			held := min(from, 2)
			assert.Len(t, v.live.Conversation().Timeline(), held)
			time.Sleep(time.Minute)
			assert.Less(t, p.called()["rows"], 130)
			for _, more := range []int{1, 3, 20} {
				p.play(more)
				time.Sleep(1100 * time.Millisecond)
				held = p.at() - from + held
				if from == 0 { // the first rows that came were a window
					held = min(held, 2)
				}
				from = p.at()
				assert.Len(t, v.live.Conversation().Timeline(), held)
				assert.Equal(t, fmt.Sprint(p.at()), v.live.Conversation().Snapshot().Table("t").Rows[0].RowID)
			}
			p.playTo(100)
			time.Sleep(time.Minute)
			assert.Equal(t, projection.ChatCompleted, v.live.Conversation().Snapshot().Status())
			assert.Equal(t, "u199", *v.live.Conversation().Timeline()[held+100-from-1].Common().ID())
			v.leave()
		})
	}
}

// A row that is refined where it stands is not behind anything: the end of the run brings it.
func TestPollRowsRefinedInPlace(t *testing.T) {
	s := bare(func(n int) []*wire.Row {
		out := wire.Body{Spine: wire.Spine{NodeID: "n", Activation: "a"}, Seq: 1, ID: "o", Name: "x", Value: `"draft"`, ValueStatus: wire.Building}
		if n > 50 {
			out.Value, out.ValueStatus, out.Complete = `"done"`, wire.Final, true
		}
		return []*wire.Row{{Type: wire.RowOutput, Body: out}, userRow(2)}
	})
	bubble(t, s, 1, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.noReattach = true
		v := watch(t, open(t, h))
		value := func() string {
			return string(v.live.Conversation().OutputsNamed("x")[0].Value.AppendJSON(nil))
		}
		assert.Equal(t, `"draft"`, value())
		p.playTo(100)
		time.Sleep(2 * time.Second)
		assert.Equal(t, `"done"`, value())
		v.leave()
	})
}

// Nobody is there: nothing is polled.
func TestPollForNobody(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 8, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.noReattach = true
		l := open(t, h)
		p.called()
		time.Sleep(time.Minute)
		assert.Empty(t, p.called())
		p.playTo(len(s.frames) - 2)
		open(t, h)
		assert.Len(t, l.Conversation().Timeline(), 2)
	})
}
