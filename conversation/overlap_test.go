package conversation

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// overlap is a story of two turns, of which the first is in the log, with three calls behind it, while the second is open:
// a stream repeats all of the first one. Its frames are told up to the last word of the first turn; the log is further.
func overlap() (s story, told int) {
	a, b := wire.Spine{NodeID: "a", Activation: "va"}, wire.Spine{NodeID: "b", Activation: "vb"}
	c := tale(conv)
	c.starts("r")
	c.says("Hi")
	open := int64(len(c.frames))
	text := func(spine wire.Spine, id, word string) {
		c.frame(wire.MessageDelta, wire.Body{Spine: spine, ID: id, Content: word, HasContent: true})
	}
	text(a, "A", "one ")
	text(b, "B", "b")
	text(a, "A", "two")
	told = len(c.frames)
	end := wire.Body{Spine: a, ID: "A", Content: "one two", HasContent: true}
	end.Seq = c.bank(wire.RowAssistant, end)
	c.frame(wire.MessageEnd, wire.Body{Spine: a, ID: "A", Seq: end.Seq})
	for i := range 3 {
		c.calls(fmt.Sprint("c", i), false)
	}
	ahead := len(c.log)
	text(b, "B", "!")
	end = wire.Body{Spine: b, ID: "B", Content: "b!", HasContent: true}
	end.Seq = c.bank(wire.RowAssistant, end)
	c.frame(wire.MessageEnd, wire.Body{Spine: b, ID: "B", Seq: end.Seq})
	c.pauses(wire.Paused)
	s = c.told()
	for n := int(open) + 1; n < len(s.frames)-1; n++ {
		c.marks[n].head.LastOffset = open
	}
	rows := s.rows
	s.rows = func(n int) []*wire.Row {
		if n >= told && n < len(s.frames)-2 {
			return c.log[:ahead]
		}
		return rows(n)
	}
	return s, told
}

// without leaves out the times: what the log has is known by its names alone.
func without(s story) story {
	rows := s.rows
	s.rows = func(n int) (all []*wire.Row) {
		for _, r := range rows(n) {
			bare := *r
			bare.At = time.Time{}
			all = append(all, &bare)
		}
		return all
	}
	return s
}

// tardy is an upstream whose streams take their time for every frame.
type tardy struct {
	*fake
	each time.Duration
}

// Stream implements upstream.Source.
func (s tardy) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	st, err := s.fake.Stream(ctx, auth, id, after)
	return tardyStream{st, s.each}, err
}

type tardyStream struct {
	upstream.Stream
	each time.Duration
}

// Next implements upstream.Stream.
func (s tardyStream) Next(ctx context.Context) (upstream.Item, error) {
	time.Sleep(s.each)
	return s.Stream.Next(ctx)
}

// endOf asserts that the timeline is the end of what a window of everything has at the same time.
func endOf(t *testing.T, p *fake, l *Live) {
	t.Helper()
	h := NewHub(Options{Source: p})
	defer h.Close()
	var whole, rows []string
	for _, row := range open(t, h).Conversation().Timeline() {
		whole = append(whole, rowText(row, false))
	}
	for _, row := range l.Conversation().Timeline() {
		rows = append(rows, rowText(row, false))
	}
	isEndOf(t, whole, rows, "after frame ", p.at())
}

// Promise 24: a turn from before the window that the stream repeats has its whole text, where it stood; and what is
// repeated is neither rejected nor logged.
func TestRepeatedFromBeforeTheWindow(t *testing.T) {
	for window := 1; window <= 6; window++ {
		var log bytes.Buffer
		s, told := overlap()
		opts := Options{WindowRows: window, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		bubble(t, s, told, opts, func(t *testing.T, h *Hub, p *fake) {
			v := watch(t, open(t, h))
			endOf(t, p, v.live)
			for p.at() < len(s.frames) {
				p.play(1)
				synctest.Wait()
				endOf(t, p, v.live)
			}
			loadEarlier(t, h, nobody.Subject, 10)
			endOf(t, p, v.live)
			assert.Equal(t, 6, rowCount(v.live))
			assert.Empty(t, h.Stats().Rejected)
			v.done(0)
		})
		assert.Empty(t, log.String())
	}
}

// Promise 24: a turn that a call closed has no end in the stream; that the window begins with the call tells all the same
// that rows may be missing in front of it.
func TestRepeatedWithoutAnEnd(t *testing.T) {
	c := tale(conv)
	c.starts("r")
	c.says("Hi")
	turn := wire.Body{Spine: wire.Spine{NodeID: "answer", Activation: "a"}, ID: "A", Content: "one", HasContent: true}
	c.frame(wire.MessageDelta, turn)
	c.bank(wire.RowAssistant, turn)
	c.calls("c1", false)
	c.marks[len(c.frames)].head.LastOffset = 2
	c.pauses(wire.Paused)
	s := c.told()
	for window := 1; window <= 3; window++ {
		bubble(t, without(s), len(s.frames)-1, Options{WindowRows: window}, func(t *testing.T, h *Hub, p *fake) {
			endOf(t, p, open(t, h))
		})
	}
}

// Promise 24: when the repetition goes on after it was waited for, the window is loaded again, once.
func TestRepeatedLate(t *testing.T) {
	s, told := overlap()
	bubble(t, without(s), told, Options{WindowRows: 2}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		for p.at() < len(s.frames) {
			p.play(1)
			time.Sleep(time.Second)
			endOf(t, p, v.live)
		}
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		assert.Equal(t, 2, v.copy.resets)
		assert.EqualValues(t, 1, h.Stats().Reloads)
	})
}

// Promise 24: a stream that is cut in the middle of it goes on with it, before anything is shown.
func TestRepeatedAndCut(t *testing.T) {
	s, told := overlap()
	for i := range 6 {
		bubble(t, without(s), told+4, Options{WindowRows: 2}, func(t *testing.T, h *Hub, p *fake) {
			cut := false
			p.cut = func(n int, _ *wire.Frame) bool {
				now := n == i && !cut
				cut = cut || now
				return now
			}
			v := watch(t, open(t, h))
			endOf(t, p, v.live)
			tell(p, len(s.frames))
			endOf(t, p, v.live)
			v.done(0)
		})
	}
}

// Promise 24: where the log can't be read any further there is no guessing: what upstream refused once is asked for again.
func TestRepeatedAndRefused(t *testing.T) {
	s, told := overlap()
	for refusedAt := 1; refusedAt <= 3; refusedAt++ {
		bubble(t, s, told+4, Options{WindowRows: 1}, func(t *testing.T, h *Hub, p *fake) {
			pages := 0
			p.fail = func(op string) error {
				if op == "rows" {
					pages++
				}
				if op != "rows" || pages != 1+refusedAt {
					return nil
				}
				return refused("rows", upstream.Unavailable)
			}
			v := watch(t, open(t, h))
			endOf(t, p, v.live)
			tell(p, len(s.frames))
			endOf(t, p, v.live)
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		})
	}
}

// Promise 24 holds as far as a window may reach, and is not tried in vain.
func TestRepeatedBeyondTheBound(t *testing.T) {
	s, told := overlap()
	for _, late := range []bool{false, true} {
		bubble(t, without(s), told, Options{WindowRows: 2, MaxWindowRows: 3}, func(t *testing.T, h *Hub, p *fake) {
			if !late {
				p.play(4)
			}
			v := watch(t, open(t, h))
			tell(p, len(s.frames))
			time.Sleep(time.Minute)
			assert.LessOrEqual(t, p.called()["rows"], 4)
			assert.LessOrEqual(t, rowCount(v.live), 3)
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		})
	}
	bubble(t, without(s), told+4, Options{}, func(t *testing.T, _ *Hub, p *fake) {
		h := NewHub(Options{Source: tardy{p, time.Second}, WindowRows: 2, MaxWindowRows: 3})
		defer h.Close()
		v := watch(t, open(t, h))
		time.Sleep(10 * time.Minute)
		assert.EqualValues(t, 1, h.Stats().Reloads)
		v.leave()
	})
	// Upstream that answers what was not asked for makes no sense.
	bubble(t, s, told+4, Options{WindowRows: 1}, func(t *testing.T, h *Hub, p *fake) {
		p.noBefore = true
		_, err := h.Open(t.Context(), nobody, conv)
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		assert.LessOrEqual(t, p.called()["rows"], 4)
		p.set(func() { p.noBefore = false })
		endOf(t, p, open(t, h))
	})
}

// Promises 24 and 25: a window that is full of bytes is not read down any further, has no hole, and keeps no more of the log
// than it may hold.
func TestRepeatedBeyondTheBytes(t *testing.T) {
	const calls, most = 60, 10
	c := tale(conv)
	c.starts("r")
	c.says("Hi")
	before := int64(len(c.frames))
	for i := range calls {
		c.calls(fmt.Sprint("c", i), false)
		c.marks[len(c.frames)].head.LastOffset = before
	}
	c.pauses(wire.Paused)
	s := c.told()
	for window := 1; window <= 3; window++ {
		opts := Options{WindowRows: window, Limits: projection.Limits{WindowBytes: most * projection.RowCost}}
		bubble(t, s, len(s.frames)-1, opts, func(t *testing.T, h *Hub, p *fake) {
			v := watch(t, open(t, h))
			assert.LessOrEqual(t, p.called()["rows"], most)
			endOf(t, p, v.live)
			assert.LessOrEqual(t, v.live.held().WindowBytes, int64(most*projection.RowCost))
			assert.GreaterOrEqual(t, rowCount(v.live), most/2)
			v.done(0)
		})
	}
}

// What the stream repeated is bounded by all that it says, not by its texts alone.
func TestRepeatedWithLongNames(t *testing.T) {
	l := &loading{}
	room := true
	for i := 0; room && i < 100; i++ {
		f := &wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: wire.Spine{NodeID: "n", SubgraphPath: []string{strings.Repeat("x", 1<<20)}}}}
		room = l.told(f)
	}
	assert.False(t, room)
}

// Promise 24: what is refined in front of a window that is full has the window loaded again once, and not for each of them.
func TestRefinedBeforeAFullWindow(t *testing.T) {
	c := tale(conv)
	c.starts("r")
	output := func(i int) wire.Body {
		return wire.Body{
			Spine: wire.Spine{NodeID: "studio", Activation: "a"}, ID: fmt.Sprint("o", i), Name: "draft", Value: `1`,
			ValueStatus: wire.Building,
		}
	}
	for i := 1; i <= 20; i++ {
		b := output(i)
		b.Seq = c.bank(wire.RowOutput, b)
		c.frame(wire.OutputSet, b)
	}
	sent := len(c.frames)
	for i := 15; i >= 2; i-- {
		b := output(i)
		b.Seq = int64(i)
		c.frame(wire.OutputSet, b)
	}
	c.pauses(wire.Paused)
	for _, opts := range []Options{
		{WindowRows: 2, MaxWindowRows: 4},
		{WindowRows: 2, Limits: projection.Limits{WindowBytes: 4 * projection.RowCost}},
	} {
		bubble(t, c.told(), sent, opts, func(t *testing.T, h *Hub, p *fake) {
			v := watch(t, open(t, h))
			for p.at() < len(c.frames) {
				p.play(1)
				time.Sleep(30 * time.Second)
			}
			assert.LessOrEqual(t, h.Stats().Reloads, int64(1))
			v.leave()
			assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
		})
	}
}
