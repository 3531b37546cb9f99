package demo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

const (
	opened    = `{"type":"run.start","offset":1,"run_id":"r","conversation_id":"c","agent_id":"a","agent_version":2}`
	said      = `{"type":"user.message","offset":2,"content":"Hello\n there"}`
	paused    = `{"type":"run.pause","offset":3,"status":"paused"}`
	completed = `{"type":"run.end","offset":3,"status":"completed"}`
	failed    = `{"type":"run.end","offset":3,"status":"failed"}`
	headC     = `{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":2,"status":"running","last_offset":7,"title":"T"}`
	rowC      = `{"type":"user","seq":1,"content":"before"}`
	late      = `{"type":"edge.fired","offset":4,"from":"x","to":"y"}`
)

// types is a loop in short.
func types(frames []*wire.Frame) string {
	var all []string
	for _, f := range frames {
		word := f.Type.String()
		if f.Status != 0 {
			word += ":" + f.Status.String()
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

// inLoop is what a tape plays by itself in its nth loop.
func inLoop(t *tape, n int) (frames []*wire.Frame) {
	c := course{tape: t}
	for range n {
		c.beginLoop()
		frames = nil
		for c.next < len(t.parts) {
			for _, q := range c.recorded().cues {
				frames = append(frames, q.frame)
			}
		}
	}
	return frames
}

// Promise 1: every loop ends in a pause, unless the run failed.
func TestTape(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		first string // the first loop
		then  string // those after it; "" for the same
		from  int64
		notes int
	}{
		{"paused", []string{opened, said, paused}, "run.start user.message run.pause:paused", "", 1, 0},
		{"completed", []string{opened, said, completed}, "run.start user.message run.pause:paused", "", 1, 0},
		{"failed", []string{opened, said, failed}, "run.start user.message run.end:failed", "", 1, 0},
		{"failed, then retried", []string{opened, failed, strings.Replace(opened, ":1", ":4", 1), strings.Replace(completed, ":3", ":5", 1)},
			"run.start run.end:failed run.start run.pause:paused", "", 1, 0},
		{"awaiting", []string{opened, strings.Replace(paused, "paused", "awaiting_client_tool", 1)}, "run.start run.pause:awaiting_client_tool", "", 1, 0},
		{"without an end", []string{opened, said}, "run.start user.message run.pause:paused", "", 1, 1},
		{"with something after its end", []string{opened, completed, late}, "run.start edge.fired run.pause:paused", "", 1, 0},
		{"without a start", []string{said, paused}, "run.start user.message run.pause:paused", "", 2, 0},
		{"in the middle of a run", []string{headC, rowC, strings.Replace(said, ":2", ":8", 1), strings.Replace(paused, ":3", ":9", 1)},
			"user.message run.pause:paused", "run.start user.message run.pause:paused", 8, 0},
		{"a head, frames without offsets", []string{headC, `{"type":"user.message","content":"x"}`, `{"type":"run.pause","status":"paused"}`},
			"user.message run.pause:paused", "run.start user.message run.pause:paused", 8, 0},
		{"noise", []string{opened, said, said, strings.Replace(opened, `:"c"`, `:"other"`, 1), "nonsense", paused, rowC, headC},
			"run.start user.message run.pause:paused", "", 1, 5},
		{"only a log", []string{headC, rowC}, "", "", 8, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			tape, err := newTape(record(t, "c", c.lines...), recordedPace)
			require.NoError(t, err)
			if c.then == "" {
				c.then = c.first
			}
			for loop, want := range []string{c.first, c.then, c.then} {
				if want == "" {
					assert.Empty(t, tape.frames)
					continue
				}
				frames := inLoop(tape, loop+1)
				assert.Equal(t, want, types(frames), "loop %d", loop+1)
				if frames[0].Type == wire.RunStart {
					assert.Equal(t, "c", frames[0].ConversationID)
				}
			}
			assert.Equal(t, "c", tape.conversationID)
			assert.Equal(t, c.from, tape.first)
			assert.Len(t, tape.notes, c.notes, "%q", tape.notes)
		})
	}
}

func TestTapeTitles(t *testing.T) {
	for want, lines := range map[string][]string{
		"T":                           {headC, opened, said, paused},
		"Hello there":                 {opened, said, paused},
		"before":                      {rowC, opened, said, paused},
		"":                            {opened, paused},
		strings.Repeat("é", 59) + "…": {opened, fmt.Sprintf(`{"type":"user.message","content":%q}`, strings.Repeat("é", 99)), paused},
	} {
		tape, err := newTape(record(t, "c", lines...), recordedPace)
		require.NoError(t, err)
		assert.Equal(t, want, tape.title)
	}
}

// Promise 6: the pace is the recording's own.
func TestPace(t *testing.T) {
	p := pace{untimed: 30 * time.Millisecond, longest: time.Second, between: 10 * time.Second}
	base := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	at := func(ms int) *wire.Frame {
		f := &wire.Frame{Type: wire.EdgeFired}
		f.At = base.Add(time.Duration(ms) * time.Millisecond)
		return f
	}
	end := func(ms int) *wire.Frame {
		f := at(ms)
		f.Type = wire.RunPause
		return f
	}
	none := &wire.Frame{Type: wire.EdgeFired}
	for name, c := range map[string]struct {
		frames []*wire.Frame
		ms     []int
	}{
		"exact":             {[]*wire.Frame{at(0), at(1), at(501), at(501)}, []int{0, 1, 501, 501}},
		"no times":          {[]*wire.Frame{none, none, none}, []int{0, 30, 60}},
		"some times":        {[]*wire.Frame{at(0), none, at(100), none, at(110)}, []int{0, 30, 100, 130, 130}},
		"the first without": {[]*wire.Frame{none, at(500), at(600)}, []int{0, 0, 100}},
		"a long gap":        {[]*wire.Frame{at(0), at(5000), at(5100)}, []int{0, 1000, 1100}},
		"between runs":      {[]*wire.Frame{at(0), end(10), at(5010), at(90_000)}, []int{0, 10, 5010, 6010}},
		"steps back":        {[]*wire.Frame{at(100), at(50), at(120)}, []int{0, 0, 20}},
	} {
		var got []int
		for _, d := range p.schedule(c.frames) {
			got = append(got, int(d.Milliseconds()))
		}
		assert.Equal(t, c.ms, got, name)
	}
}

// Promise 2: no identity of a later loop was seen before.
func TestFresh(t *testing.T) {
	f := &wire.Frame{Type: wire.ToolCall, Offset: 3}
	f.ID, f.Activation, f.ToolCallID, f.Seq = "x", "a~2", "t", 9
	mark := markFor([]*wire.Frame{f})
	assert.Equal(t, "~~", mark)
	one, two := fresh(f, ""), fresh(f, mark+"2")
	assert.Equal(t, []any{"x", "a~2", "t", "", int64(0)}, []any{one.ID, one.Activation, one.ToolCallID, one.RunID, one.Seq})
	assert.Equal(t, []string{"x~~2", "a~2~~2", "t~~2", "", ""}, []string{two.ID, two.Activation, two.ToolCallID, two.RunID, two.MessageID})
	assert.Equal(t, "x", f.ID)
}
