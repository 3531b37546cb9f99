package feed_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/wire"
)

// fuzzNodes are where things happen in a fuzzed conversation: everywhere in the family's plan, and beside it.
var fuzzNodes = []string{"n", "k", "l", "l2", "r", "m", "g", "v", "g/n", "u/n", "g/u/n", ""}

// fuzzed reads three bytes as one thing that happens: what, where and in which visit, and of which iteration or at
// which place of the log.
func fuzzed(what, where, rest byte) wire.Record {
	b := wire.Body{}
	path := fuzzNodes[int(where)%len(fuzzNodes)]
	for i := range path {
		if path[i] == '/' {
			b.SubgraphPath, b.NodeID = append(b.SubgraphPath, path[:i]), path[i+1:]
		}
	}
	if b.NodeID == "" {
		b.NodeID = path
	}
	if path == "g/u/n" {
		b.SubgraphPath, b.NodeID = []string{"g", "u"}, "n"
	}
	b.Activation = []string{"x", "y", "z", ""}[int(where)/len(fuzzNodes)%4]
	b.Iteration = int(rest % 4)
	b.Content, b.HasContent = "text", true
	id := fmt.Sprint("id", rest%16)
	seq := int64(1 + rest%64)
	frame := func(t wire.FrameType) wire.Record { return &wire.Frame{Type: t, Body: b} }
	row := func(t wire.RowType) wire.Record { b.Seq = seq; return &wire.Row{Type: t, Body: b} }
	switch what % 16 {
	case 0:
		return frame(wire.UserMessage)
	case 1, 2:
		b.ID = id
		return frame(wire.MessageEnd)
	case 3:
		return frame(wire.MessageDelta)
	case 4:
		b.HasContent = false
		return frame(wire.MessageEnd)
	case 5:
		b.ToolCallID, b.ToolName = id, "ask"
		return frame(wire.ToolCall)
	case 6, 7:
		b.Kind = []string{"llm", "any"}[what%2]
		return frame(wire.NodeStart)
	case 8:
		b.Status = []wire.Status{wire.Completed, wire.Failed}[rest%2]
		return frame(wire.NodeEnd)
	case 9:
		b.Status = wire.Paused
		return frame(wire.RunPause)
	case 10, 11:
		b.ID = id
		return row(wire.RowAssistant)
	case 12:
		return row(wire.RowUser)
	case 13:
		b.Kind = "any"
		return row(wire.RowNodeStart)
	case 14:
		b.ID, b.Seq = id, seq
		return &wire.Page{Rows: []*wire.Row{{Type: wire.RowAssistant, Body: b}}, HasEarlier: rest%2 == 0}
	}
	return &wire.Head{ConversationID: "c", AgentID: "a", AgentVersion: 1, Status: wire.Running, SaysEarlier: true, HasEarlier: rest%2 == 0}
}

// FuzzFeed folds whatever happens to one agent. Every row of the timeline stands in the feed once (promise 1), the
// entries are the lists (docs/feed.md, rule 17), no key comes twice (promise 6), and the feed that is kept up to date
// is the one made from scratch (promise 4).
func FuzzFeed(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 1, 0, 1, 2, 1, 3, 4, 0, 1, 8, 2, 1, 7, 3, 1, 5, 4})        // one firing
	f.Add([]byte{1, 2, 0, 0, 0, 0, 1, 2, 1, 1, 16, 2, 1, 1, 3, 1, 4, 4})                // user rows in the middle
	f.Add([]byte{6, 2, 0, 4, 2, 0, 7, 6, 0, 8, 6, 0, 3, 2, 0, 5, 2, 1})                 // turns that are swept away
	f.Add([]byte{15, 0, 0, 10, 2, 40, 10, 4, 50, 12, 0, 45, 14, 2, 3, 14, 1, 2, 13, 1}) // a window, and pages before it
	f.Add([]byte{1, 2, 1, 3, 4, 0, 0, 0, 0, 1, 4, 5, 4, 4, 0, 2, 2, 2, 3, 8, 0, 4, 8, 0})
	shape := planned(f, family)
	f.Fuzz(func(t *testing.T, program []byte) {
		s := begin(t, shape)
		for len(program) >= 3 && len(program) < 600 {
			change := s.state.Apply(fuzzed(program[0], program[1], program[2]))
			s.kept.Apply(s.state.Snapshot(), &change)
			program = program[3:]
		}
		composed := s.feed()
		var timeline []feed.Row
		for _, r := range s.state.Snapshot().Timeline() {
			timeline = append(timeline, r.(feed.Row))
		}
		require.ElementsMatch(t, timeline, leaves(composed.Rows()))
		requireSameLists(t, composed)
		keys := map[string]bool{}
		for _, e := range composed.Entries() {
			require.False(t, keys[e.Key], "%q twice", e.Key)
			keys[e.Key] = true
		}
	})
}
