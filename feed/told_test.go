package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// planned reads a plan, one line a node ("node g/n llm"), a region ("region k > l l2 | r > m": source, branches,
// join) or an edge ("edge k l"). A node is named "The" and its id; "hidden", "nameless" and "samples=4" may follow
// its kind.
func planned(t testing.TB, lines string) *feed.Shape {
	t.Helper()
	index, err := wire.NewPlanIndex(plan(t, lines))
	require.NoError(t, err)
	return feed.NewShape(index)
}

func plan(t testing.TB, lines string) *wire.Plan {
	t.Helper()
	p := &wire.Plan{AgentID: "a", AgentVersion: 1}
	path := func(s string) []string { return strings.Split(s, "/") }
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "node":
			n := wire.PlanNode{Path: path(words[1]), Kind: words[2]}
			n.Name = "The " + n.Path[len(n.Path)-1]
			for _, more := range words[3:] {
				switch more {
				case "hidden":
					n.HideInnerEvents = true
				case "nameless":
					n.Name = ""
				default:
					_, err := fmt.Sscanf(more, "samples=%d", &n.Samples)
					require.NoError(t, err)
				}
			}
			p.Nodes = append(p.Nodes, n)
		case "region":
			r := wire.PlanRegion{Source: path(words[1]), Join: path(words[len(words)-1])}
			for branch := range strings.SplitSeq(strings.Join(words[3:len(words)-2], " "), "|") {
				b := wire.PlanBranch{}
				for _, member := range strings.Fields(branch) {
					b.Members = append(b.Members, path(member))
				}
				b.Entry = b.Members[0]
				r.Branches = append(r.Branches, b)
			}
			p.Regions = append(p.Regions, r)
		case "edge":
			from := path(words[1])
			p.Edges = append(p.Edges, wire.PlanEdge{SubgraphPath: from[:len(from)-1], From: from[len(from)-1], To: words[2]})
		default:
			require.Fail(t, "what is "+words[0])
		}
	}
	return p
}

// story is a conversation told in words, folded as they come, with the feed kept up to date beside it.
type story struct {
	t     testing.TB
	id    string // the conversation's
	shape *feed.Shape
	state *projection.State
	kept  *feed.Composer
	used  map[string]int
	moved bool // the feed, by the last word
}

// begin is a story of which nothing is told but the identity of the conversation.
func begin(t testing.TB, shape *feed.Shape) *story { return beginAs(t, "c", shape) }

func beginAs(t testing.TB, id string, shape *feed.Shape) *story {
	s := &story{t: t, id: id, shape: shape, state: projection.New(""), used: map[string]int{}}
	s.apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{RunID: "r", ConversationID: id, AgentID: "a", AgentVersion: 1}})
	s.kept = feed.NewComposer(shape, s.state.Snapshot())
	return s
}

// told is a story from its beginning.
func told(t testing.TB, shape *feed.Shape, words string) *story {
	t.Helper()
	s := begin(t, shape)
	s.tell(words)
	return s
}

func (s *story) apply(in projection.Input) projection.Change {
	change := s.state.Apply(in)
	require.NotEqual(s.t, projection.Rejected, change.Outcome, change.Reason)
	if s.kept != nil {
		s.moved = s.kept.Apply(s.state.Snapshot(), &change)
	}
	return change
}

// tell goes on. "user" is a user row, "k.x" a row of node k in activation x that comes whole, "k.x.1" one of its first
// iteration, "g/n" a row of n in subgraph g without an activation; the id of a row is its word, with an accent when
// it comes again. Before such a word "text:" is a token of a row that stays open,
// "unsaid:" its end, which says that there was no text after all, "call:" is a tool call, "result:"
// what the call said before returned, "out:" an output; "start:", "llm:" (which opens a placeholder), "bare:"
// (one without an id), "end:", "failed:" and "cancelled:" are the node's. "edge:g/a>b" fires; "pause" and "resume" are the
// run's; "earlier" is a head that says that earlier rows exist, "whole" one that says that none do.
func (s *story) tell(words string) {
	s.t.Helper()
	for _, word := range strings.Fields(words) {
		for _, f := range s.records(word) {
			s.apply(f)
		}
	}
}

// log is a row of the log: one that is known, or a new one, which stands where its seq says.
func (s *story) log(word string, seq int64) {
	s.t.Helper()
	s.apply(&wire.Row{Type: wire.RowAssistant, Body: wire.Body{Spine: spine(s.t, word), ID: word, Seq: seq, Content: "text", HasContent: true}})
}

var endings = map[string]wire.Status{"end": wire.Completed, "failed": wire.Failed, "cancelled": wire.Cancelled}

func (s *story) records(word string) []wire.Record {
	what, where, prefixed := strings.Cut(word, ":")
	if !prefixed {
		what, where = "row", word
	}
	frame := func(t wire.FrameType, b wire.Body) []wire.Record { return []wire.Record{&wire.Frame{Type: t, Body: b}} }
	switch word {
	case "user":
		return frame(wire.UserMessage, wire.Body{ID: s.mint(word), Content: "Hi", HasContent: true})
	case "pause":
		return frame(wire.RunPause, wire.Body{Status: wire.AwaitingClientTool})
	case "resume":
		return frame(wire.RunStart, wire.Body{RunID: "r2", ConversationID: s.id, AgentID: "a", AgentVersion: 1})
	case "earlier", "whole":
		return []wire.Record{&wire.Head{
			ConversationID: s.id, AgentID: "a", AgentVersion: 1, Status: wire.Running, SaysEarlier: true, HasEarlier: word == "earlier",
		}}
	}
	b := wire.Body{Spine: spine(s.t, where)}
	if status, ended := endings[what]; ended {
		b.Status = status
		return frame(wire.NodeEnd, b)
	}
	switch what {
	case "row":
		b.ID, b.Content, b.HasContent = s.mint(word), "text", true
		return frame(wire.MessageEnd, b)
	case "text":
		b.ID, b.Content, b.HasContent = word, "token ", true
		return frame(wire.MessageDelta, b)
	case "unsaid":
		b.ID, b.HasContent = "text:"+where, true
		return frame(wire.MessageEnd, b)
	case "call":
		b.ID, b.ToolCallID, b.ToolName, b.Input = s.mint(word), s.id+where, "ask", "{}"
		return frame(wire.ToolCall, b)
	case "result":
		b.ID, b.ToolCallID, b.Output = s.mint(word), s.id+where, "done"
		return frame(wire.ToolResult, b)
	case "out":
		b.ID, b.Name, b.Value, b.ValueStatus, b.Complete = s.mint(word), "plan", `{"n":1}`, wire.Final, true
		return frame(wire.OutputSet, b)
	case "start":
		b.Kind = "any"
		return frame(wire.NodeStart, b)
	case "llm":
		b.Kind, b.MessageID = "llm", s.mint(where)
		return frame(wire.NodeStart, b)
	case "bare":
		b.Kind = "llm"
		return frame(wire.NodeStart, b)
	case "edge":
		b.From, b.To, _ = strings.Cut(b.NodeID, ">")
		b.NodeID = ""
		return frame(wire.EdgeFired, b)
	}
	require.Fail(s.t, "what is "+word)
	return nil
}

func (s *story) mint(word string) string {
	s.used[word]++
	return word + strings.Repeat("'", s.used[word]-1)
}

func spine(t testing.TB, where string) wire.Spine {
	parts := strings.Split(where, ".")
	path := strings.Split(parts[0], "/")
	sp := wire.Spine{NodeID: path[len(path)-1]}
	if len(path) > 1 {
		sp.SubgraphPath = path[:len(path)-1]
	}
	if len(parts) > 1 {
		sp.Activation = parts[1]
	}
	if len(parts) > 2 {
		_, err := fmt.Sscan(parts[2], &sp.Iteration)
		require.NoError(t, err)
	}
	return sp
}

// feed is the story's feed as it stands: composed anew, and held against the one that was kept up to date.
func (s *story) feed() *feed.Feed {
	s.t.Helper()
	scratch := feed.Compose(s.state.Snapshot(), pin(1), s.shape)
	require.Equal(s.t, feed.Composed, scratch.Mode)
	require.Equal(s.t, dump(scratch), dump(s.kept.Feed()), "kept up to date")
	return scratch
}

func (s *story) shown() string {
	s.t.Helper()
	return shown(s.feed().Rows())
}

func pin(version int) *feed.Pin { return &feed.Pin{AgentID: "a", AgentVersion: &version} }

// scene is a short story and the feed that it makes.
type scene struct{ name, words, want string }

func checkScenes(t *testing.T, plan string, scenes []scene) {
	shape := planned(t, plan)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) { require.Equal(t, s.want, told(t, shape, s.words).shown()) })
	}
}
