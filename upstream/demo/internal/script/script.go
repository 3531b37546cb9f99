package script

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"inlaygraph/wire"
)

// epoch is when every scenario was "recorded".
var epoch = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)

// Script is one conversation being written. Lanes write into it in any order; its frames are sorted by time.
type Script struct {
	ID      string // the conversation's
	Agent   string
	Version int
	Title   string
	Plan    *wire.Plan // of the agent, in this version

	cues   []cue
	counts map[string]int
	dice   *rand.Rand
}

// cue is a frame and when it happens.
type cue struct {
	at    time.Duration
	frame *wire.Frame
}

// Begin starts a script. Its chance is its own: it depends on the id alone.
func Begin(id, agent string, version int, title string) *Script {
	h := fnv.New64a()
	h.Write([]byte(id))
	return &Script{
		ID: id, Agent: agent, Version: version, Title: title,
		counts: map[string]int{}, dice: rand.New(rand.NewPCG(h.Sum64(), 1)),
	}
}

// name makes the next id of a sort.
func (s *Script) name(sort string) string {
	s.counts[sort]++
	return fmt.Sprintf("%s.%s%d", s.ID, sort, s.counts[sort])
}

// Records is the finished recording: the head, then the frames in order of time.
func (s *Script) Records() []wire.Record {
	slices.SortStableFunc(s.cues, func(a, b cue) int { return int(a.at - b.at) })
	records := []wire.Record{&wire.Head{
		ConversationID: s.ID, AgentID: s.Agent, AgentVersion: s.Version, Status: wire.Running,
		SaysEarlier: true, HasLastOffset: true, Title: s.Title,
	}}
	for i, c := range s.cues {
		c.frame.Offset = int64(i + 1)
		c.frame.At = epoch.Add(c.at.Truncate(time.Millisecond))
		records = append(records, c.frame)
	}
	return records
}

// Lane is one thread of a run: what it writes happens one after the other. The zero path is the run itself.
type Lane struct {
	s     *Script
	now   time.Duration
	path  []string // the enclosing subgraphs
	spine wire.Spine
	turn  string        // the id of the turn that the next text belongs to; "" when none is open
	token time.Duration // the mean time between two pieces of text
}

// Open starts a run at a lane of its own.
func (s *Script) Open(at time.Duration) *Lane {
	l := &Lane{s: s, now: at}
	l.write(wire.RunStart, wire.Body{
		RunID: s.name("run"), ConversationID: s.ID, AgentID: s.Agent, AgentVersion: s.Version,
	})
	return l
}

func (l *Lane) write(t wire.FrameType, b wire.Body) {
	l.s.cues = append(l.s.cues, cue{l.now, &wire.Frame{Type: t, Body: b}})
}

// Wait lets time pass, in milliseconds.
func (l *Lane) Wait(ms int) *Lane {
	l.now += time.Duration(ms) * time.Millisecond
	return l
}

// StopAt cuts the lane off at a time that it has passed: what it wrote later never happened.
func (l *Lane) StopAt(at time.Duration) *Lane {
	l.s.cues = slices.DeleteFunc(l.s.cues, func(c cue) bool {
		return c.at > at && l.spine.Activation != "" && c.frame.Activation == l.spine.Activation
	})
	l.now = at
	return l
}

// After lets the lane go on when all of the others are done.
func (l *Lane) After(others ...*Lane) *Lane {
	for _, o := range others {
		l.now = max(l.now, o.now)
	}
	return l
}

// User writes what the user said.
func (l *Lane) User(text string) *Lane {
	l.write(wire.UserMessage, wire.Body{ID: l.s.name("user"), Content: text, HasContent: true})
	return l.Wait(250)
}

// Pause ends the run in a way that lets the conversation go on.
func (l *Lane) Pause(status wire.Status) { l.write(wire.RunPause, wire.Body{Status: status}) }

// Fail ends the run for good, unless it is retried.
func (l *Lane) Fail(kind wire.ErrorKind, message string) {
	l.write(wire.RunEnd, wire.Body{
		Status: wire.Failed, Retryable: true, Error: &wire.PublicError{Kind: kind, Message: message},
	})
}

// Node enters a node of this lane's level, on a lane of its own that starts now. Nodes that stream get an
// open turn.
func (l *Lane) Node(id, kind string) *Lane {
	n := &Lane{s: l.s, now: l.now, path: l.path, token: 90 * time.Millisecond}
	n.spine = wire.Spine{NodeID: id, SubgraphPath: l.path, Activation: l.s.name("visit")}
	b := wire.Body{Spine: n.spine, Kind: kind}
	if kind == "llm" || kind == "grounded_answer" {
		n.turn = l.s.name("turn")
		b.MessageID = n.turn
	}
	n.write(wire.NodeStart, b)
	return n
}

// Resume enters the node again in the same visit, at the time of another lane.
func (n *Lane) Resume(l *Lane, kind string) *Lane {
	n.After(l)
	n.write(wire.NodeStart, wire.Body{Spine: n.spine, Kind: kind})
	return n
}

// Inside is the level below a subgraph node: a lane whose nodes lie in it.
func (n *Lane) Inside() *Lane {
	return &Lane{s: n.s, now: n.now, path: append(slices.Clone(n.path), n.spine.NodeID)}
}

// Every sets the mean time between two pieces of text, in milliseconds.
func (n *Lane) Every(ms int) *Lane {
	n.token = time.Duration(ms) * time.Millisecond
	return n
}

// Item is a lane for one item or sample of a repeatable node.
func (n *Lane) Item(i int) *Lane {
	item := *n
	item.spine.Iteration, item.turn = i, ""
	return &item
}

// Done completes the node.
func (n *Lane) Done(usage ...int64) *Lane { return n.end(wire.Completed, nil, usage) }

// Broken fails the node.
func (n *Lane) Broken(kind wire.ErrorKind, message string) *Lane {
	return n.end(wire.Failed, &wire.PublicError{Kind: kind, Message: message}, nil)
}

// Cancelled ends the node because another failed.
func (n *Lane) Cancelled() *Lane { return n.end(wire.Cancelled, nil, nil) }

func (n *Lane) end(status wire.Status, e *wire.PublicError, usage []int64) *Lane {
	b := wire.Body{Spine: n.spine, Status: status, Error: e}
	if len(usage) == 3 {
		b.Usage = &wire.Usage{PromptTokens: usage[0], CompletionTokens: usage[1], ReasoningTokens: usage[2]}
	}
	n.write(wire.NodeEnd, b)
	n.turn = ""
	return n.Wait(40)
}

// Edge fires an edge of this lane's level. A port of "" is not said.
func (l *Lane) Edge(from, port, to string) *Lane {
	b := wire.Body{From: from, FromPort: port, HasFromPort: port != "", To: to}
	b.SubgraphPath = l.path
	l.write(wire.EdgeFired, b)
	return l.Wait(20)
}
