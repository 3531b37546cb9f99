package langgraph

import (
	"slices"
	"time"

	"inlaygraph/wire"
)

// The kinds of nodes that are told. A node that nothing says more of is just a node.
const (
	kindNode     = "node"
	kindModel    = "llm"
	kindTool     = "tool"
	kindSubgraph = "subgraph"
)

// interruptTool is the name of the tool of an interrupt that is a call of its own.
const interruptTool = "interrupt"

// teller tells frames of what happens to tasks. A run's events drive it, and so does a history: what the two tell in
// common, they tell the same way.
type teller struct {
	thread, run string
	plan        *wire.PlanIndex
	private     map[string]bool
	known       *Known
	at          time.Time // of what happens now; zero: not known

	out      []*wire.Frame
	skipped  map[Skip]int64
	unknown  []string
	visit    string // what a lost task's next activation ends in: the run, and its attempt from the second on
	tasks    map[string]*task
	order    []*task // as they were first met
	levels   map[string]*level
	turns    map[string]*turn
	failures []placedFailure
}

func newTeller(thread string, plan *wire.PlanIndex, private map[string]bool, known *Known) *teller {
	return &teller{
		thread: thread, plan: plan, private: private, known: known.clone(), skipped: map[Skip]int64{},
		tasks: map[string]*task{}, levels: map[string]*level{}, turns: map[string]*turn{},
	}
}

// begin opens a run.
func (t *teller) begin(run string) {
	t.run, t.visit = run, run
	t.tasks, t.order = map[string]*task{}, nil
	t.levels, t.turns, t.failures = map[string]*level{}, map[string]*turn{}, nil
}

// take hands over what was told since it was last called.
func (t *teller) take() []*wire.Frame {
	out := t.out
	t.out = nil
	return out
}

// tell appends a frame of a place.
func (t *teller) tell(kind wire.FrameType, spine wire.Spine, fill func(*wire.Body)) {
	f := &wire.Frame{Type: kind, Body: wire.Body{Spine: spine}}
	if fill != nil {
		fill(&f.Body)
	}
	t.out = append(t.out, f)
}

func (t *teller) skip(why Skip) { t.skipped[why]++ }

// maxUnknown bounds how many notes a run keeps.
const maxUnknown = 100

// doubt notes something that could not be told.
func (t *teller) doubt(note string) {
	if len(t.unknown) < maxUnknown && !slices.Contains(t.unknown, note) {
		t.unknown = append(t.unknown, note)
	}
}

// close ends a run: what is open is closed, and what did not finish counts as lost if the run was stopped.
func (t *teller) close(o OutcomeStatus) {
	stopped := o == Failed || o == Cancelled
	for _, tk := range t.order {
		t.settle(tk, nil, !stopped, false)
		for _, u := range tk.turns {
			t.lateText(u)
		}
	}
	for id, facts := range t.known.tasks {
		if stopped && (facts.state == taskRunning || facts.state == taskEnded) {
			facts.state = taskLost
			t.known.tasks[id] = facts
		}
	}
	if o == Succeeded {
		clear(t.known.finished)
		clear(t.known.owed)
	}
}

// planNode is the plan's node of a path, nil without one.
func (t *teller) planNode(path []string, node string) *wire.IndexedNode {
	if t.plan == nil {
		return nil
	}
	key := wire.AppendPathKey(nil, path...)
	return t.plan.Node(string(wire.AppendPathKey(key, node)))
}

// kindOf is the kind of a node, as the plan has it.
func (t *teller) kindOf(path []string, node string) string {
	n := t.planNode(path, node)
	switch {
	case n == nil:
		return kindNode
	case n.Node.Kind != "":
		return n.Node.Kind
	case n.Subgraph():
		return kindSubgraph
	}
	return kindNode
}

// user tells the user's turn, once.
func (t *teller) user(id string, m HumanMessage) {
	if t.known.users[id] {
		return
	}
	t.known.users[id] = true
	if m.ID != "" {
		t.known.messages[m.ID] = true
	}
	t.tell(wire.UserMessage, wire.Spine{}, func(b *wire.Body) {
		b.ID, b.Content, b.HasContent, b.At = id, m.Content, true, t.at
	})
}
