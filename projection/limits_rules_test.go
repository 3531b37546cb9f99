package projection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// applied folds inputs in short and answers each one's change.
func applied(t *testing.T, s *projection.State, lines string) (changes []projection.Change) {
	t.Helper()
	for _, in := range inputs(t, lines) {
		changes = append(changes, s.Apply(in))
		s.CheckInvariants(t)
	}
	return changes
}

func reasonsOf(changes []projection.Change) (reasons []string) {
	for _, c := range changes {
		reasons = append(reasons, c.Reason)
	}
	return reasons
}

// Promise 13: a row that a stream lets grow takes no more text than it may; its end is still folded, and the log's word
// takes its place.
func TestRowIsFull(t *testing.T) {
	s := projection.NewBounded("c", projection.Limits{RowBytes: 10})
	changes := applied(t, s, `
		message.delta id=m content=abcde
		message.delta id=m reasoning=abc content=de
		message.delta id=m content=x
		output.delta id=o name=draft delta=abcde
		output.delta id=o name=draft delta=abcdef
		output.delta id=o name=draft delta=fghij
		message.end id=m seq=1`)
	require.Equal(t, []string{"", "", "row_full", "", "row_full", "", ""}, reasonsOf(changes))
	require.Empty(t, changes[2].Slices)
	turn := s.Snapshot().Timeline()[0].(*projection.AssistantRow)
	require.Equal(t, "abcdede", turn.Content)
	require.Equal(t, "abc", *turn.Reasoning())
	require.True(t, turn.Complete)
	text, _ := s.Snapshot().Timeline()[1].(*projection.OutputRow).Value.Text()
	require.Equal(t, "abcdefghij", text)

	applied(t, s, `assistant id=m seq=1 content=abcdefghijklmno`)
	require.Equal(t, "abcdefghijklmno", s.Snapshot().Timeline()[0].(*projection.AssistantRow).Content)
}

// Promise 13: what a head brings is taken as far as there is room.
func TestWorkingSetIsBounded(t *testing.T) {
	s := projection.NewBounded("c", projection.Limits{StateBytes: 4000})
	head := &wire.Head{ConversationID: "c", AgentID: "a", Status: wire.Running, WorkingSet: &wire.WorkingSet{}}
	for i := range 20 {
		name := fmt.Sprint("v", i)
		head.WorkingSet.Bindings = append(head.WorkingSet.Bindings, wire.WorkingBinding{Name: name, Value: `1`, Status: wire.Final})
		head.WorkingSet.Tables = append(head.WorkingSet.Tables, wire.WorkingTable{Name: name, Rows: []wire.WorkingRow{{RowID: "r", Value: `1`, Status: wire.Final}}})
	}
	for range 3 { // the same set again finds the same room
		c := s.Apply(head)
		s.CheckInvariants(t)
		require.NotEmpty(t, c.RowReasons)
		require.Equal(t, projection.ReasonFull, c.RowReasons[0])
		bindings := s.Snapshot().Bindings()
		require.Greater(t, len(bindings), 5)
		require.Less(t, len(bindings), 20)
		require.LessOrEqual(t, s.Held().StateBytes, int64(4000+200), "a name may come on top")
	}
}

// hostile are streams without an end, each growing something else. frame answers the nth frame.
var hostile = map[string]func(n int) *wire.Frame{
	"turns that never end": func(n int) *wire.Frame {
		return frame(wire.MessageDelta, wire.Body{Content: "text", ID: fmt.Sprint("m", n), Spine: wire.Spine{NodeID: "a", Activation: fmt.Sprint(n)}})
	},
	"outputs that never end": func(n int) *wire.Frame {
		return frame(wire.OutputDelta, wire.Body{Delta: "text", Name: "o", ID: fmt.Sprint("o", n), Spine: wire.Spine{NodeID: "a"}})
	},
	"output names": func(n int) *wire.Frame {
		return frame(wire.OutputSet, wire.Body{Value: `1`, ValueStatus: wire.Final, Complete: true, Name: fmt.Sprint("o", n), Spine: wire.Spine{NodeID: "a"}})
	},
	"values": func(n int) *wire.Frame {
		return frame(wire.OutputSet, wire.Body{Value: wire.JSON(`"` + strings.Repeat("x", 10_000) + `"`), ValueStatus: wire.Final, Complete: true, Name: fmt.Sprint("o", n%50), Spine: wire.Spine{NodeID: "a"}})
	},
	"calls without a result": func(n int) *wire.Frame {
		return frame(wire.ToolCall, wire.Body{ToolCallID: fmt.Sprint("t", n), ToolName: "f", Input: "{}", RequiresClientResponse: true})
	},
	"results without a call": func(n int) *wire.Frame {
		return frame(wire.ToolResult, wire.Body{ToolCallID: fmt.Sprint("t", n), Output: "{}"})
	},
	"paths": func(n int) *wire.Frame {
		return frame(wire.NodeStart, wire.Body{Kind: "code", Spine: wire.Spine{NodeID: fmt.Sprint("n", n), SubgraphPath: []string{"s", fmt.Sprint(n)}}})
	},
	"visits that never end": func(n int) *wire.Frame {
		return frame(wire.NodeStart, wire.Body{Kind: "code", Spine: wire.Spine{NodeID: "a", Activation: fmt.Sprint("v", n)}})
	},
	"failures with a long reason": func(n int) *wire.Frame {
		return frame(wire.NodeEnd, wire.Body{
			Status: wire.Failed, Error: &wire.PublicError{Kind: wire.ErrorTool, Message: strings.Repeat("x", 5000)},
			Spine: wire.Spine{NodeID: fmt.Sprint("n", n%300), Activation: fmt.Sprint(n)},
		})
	},
	"edges": func(n int) *wire.Frame {
		return frame(wire.EdgeFired, wire.Body{From: "a", To: fmt.Sprint("b", n), FromPort: "p", HasFromPort: true})
	},
	"runs that stop": func(n int) *wire.Frame {
		if n%2 == 0 {
			return frame(wire.RunStart, wire.Body{ConversationID: "c", AgentID: "a"})
		}
		return frame(wire.RunEnd, wire.Body{Status: wire.Failed, Error: &wire.PublicError{Kind: wire.ErrorLLM, Message: "no"}})
	},
	"table rows": func(n int) *wire.Frame {
		return frame(wire.TableRow, wire.Body{Table: "t", RowID: fmt.Sprint(n), Value: `{"a":1}`, ValueStatus: wire.Final})
	},
	"a table row that grows": func(n int) *wire.Frame {
		return frame(wire.TableRow, wire.Body{Table: "t", RowID: "r", Value: wire.JSON(`"` + strings.Repeat("x", 10*n) + `"`), ValueStatus: wire.Building})
	},
	"tables": func(n int) *wire.Frame {
		return frame(wire.TableRow, wire.Body{Table: fmt.Sprint("t", n), RowID: "r", Value: `1`, ValueStatus: wire.Final})
	},
	"user turns": func(n int) *wire.Frame {
		return frame(wire.UserMessage, wire.Body{Content: strings.Repeat("x", 1000), ID: fmt.Sprint("u", n)})
	},
	"one turn that grows": func(n int) *wire.Frame {
		return frame(wire.MessageDelta, wire.Body{Content: strings.Repeat("x", 1000), ID: "m"})
	},
}

func frame(kind wire.FrameType, b wire.Body) *wire.Frame { return &wire.Frame{Type: kind, Body: b} }

// Promise 13: however a stream goes on, what a state holds has a bound, and what ends a run is still taken.
func TestHostileStreamsAreBounded(t *testing.T) {
	limits := projection.Limits{RowBytes: 100_000, WindowBytes: 200_000, StateBytes: 200_000}
	const slack = 20_000 // one frame and its marks
	for name, next := range hostile {
		t.Run(name, func(t *testing.T) {
			s := projection.NewBounded("c", limits)
			s.Apply(frame(wire.RunStart, wire.Body{ConversationID: "c", AgentID: "a"}))
			worth := limits.WindowBytes
			for n := range 8000 {
				s.Apply(next(n))
				if held := s.Held(); held.WindowBytes > worth {
					s.Apply(projection.Trim{Keep: 20_000, KeepBytes: limits.WindowBytes * 9 / 10})
					worth = max(limits.WindowBytes, s.Held().WindowBytes*11/10)
				}
				held := s.Held()
				require.LessOrEqual(t, held.WindowBytes, 2*limits.WindowBytes+slack)
				require.LessOrEqual(t, held.StateBytes, limits.StateBytes+slack)
				if n%100 == 0 {
					require.Less(t, s.Names(), 8000/2, "names, ids and visits kept")
				}
			}
			s.CheckInvariants(t)
			c := s.Apply(frame(wire.RunEnd, wire.Body{Status: wire.Completed}))
			require.Equal(t, projection.Applied, c.Outcome)
			s.Apply(projection.Trim{Keep: 0, KeepBytes: 1})
			s.CheckInvariants(t)
			require.Equal(t, projection.ChatCompleted, s.Snapshot().Status())
		})
	}
}
