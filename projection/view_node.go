package projection

import (
	"time"

	"inlaygraph/wire"
)

// NodeStatus is a node's status in a view: an unreached node is idle, present and not absent.
type NodeStatus uint8

// The statuses.
const (
	NodeIdle NodeStatus = iota
	NodeRunning
	NodeCompleted
	NodeFailed
	NodeCancelled
)

func nodeStatus(s wire.Status) NodeStatus {
	switch s {
	case wire.Running:
		return NodeRunning
	case wire.Completed:
		return NodeCompleted
	case wire.Failed:
		return NodeFailed
	case wire.Cancelled:
		return NodeCancelled
	}
	return NodeIdle
}

// PathView is what the views of nodes and subagents have in common.
type PathView struct {
	Path []string
	// Name is the plan's name of the node.
	Name *string
	// Status is idle while the node was not reached.
	Status     NodeStatus
	ExitedVia  *string
	VisitCount int
	// HasEarlier tells that what is counted may be partial.
	HasEarlier bool
}

// NodeID is the last segment of the path.
func (v *PathView) NodeID() string {
	if len(v.Path) == 0 {
		return ""
	}
	return v.Path[len(v.Path)-1]
}

// IsPathView seals the interface for the schema.
func (*PathView) IsPathView() {}

// NodeView is one node of the plan or of the run, leaf or subgraph, reached or not (docs/fold.md). What
// it says of rows is worked out when it is asked for.
type NodeView struct {
	PathView
	// Kind is the run's word, else the plan's.
	Kind       *string
	StartedAt  *time.Time
	FinishedAt *time.Time
	Error      *wire.PublicError
	Usage      *wire.Usage

	snap  *Snapshot
	place *Place            // nil when nothing was ever seen at the path
	node  *wire.IndexedNode // nil when the plan has none, or there is no plan
	run   *NodeRun
}

// NodeView is the view of one path. plan may be nil.
func (s *Snapshot) NodeView(path []string, plan *wire.PlanIndex) *NodeView {
	return s.nodeView(path, s.places.find(path), planNode(plan, path))
}

// NodeViews are the views of every plan node, in plan order, then of every other node that ran, in run order.
func (s *Snapshot) NodeViews(plan *wire.PlanIndex) []*NodeView {
	run := s.Run()
	out := make([]*NodeView, 0, len(run.Nodes))
	if plan != nil {
		nodes := make([]*wire.IndexedNode, len(plan.Plan().Nodes))
		inPlanOrder(nodes, plan.Root())
		for _, node := range nodes {
			out = append(out, s.nodeView(node.Node.Path, s.places.byKey(node.Key), node))
		}
	}
	for _, n := range run.Nodes {
		if plan == nil || plan.Node(n.place.key) == nil {
			out = append(out, s.nodeView(n.place.Path, n.place, nil))
		}
	}
	return out
}

// inPlanOrder puts what is in a level, at any depth, where the plan has it.
func inPlanOrder(nodes []*wire.IndexedNode, level *wire.IndexedNode) {
	for _, n := range level.Children {
		nodes[n.Ordinal] = n
		inPlanOrder(nodes, n)
	}
}

func planNode(plan *wire.PlanIndex, path []string) *wire.IndexedNode {
	if plan == nil {
		return nil
	}
	return plan.Node(PathKey(path))
}

func (s *Snapshot) pathView(path []string, pl *Place, node *wire.IndexedNode, run *NodeRun) PathView {
	v := PathView{Path: path, HasEarlier: s.HasEarlier()}
	if node != nil && node.Node.Name != "" {
		v.Name = &node.Node.Name
	}
	if run != nil {
		v.Status, v.VisitCount, v.ExitedVia = nodeStatus(run.Status), run.VisitCount, run.ExitedVia
	} else if pl != nil {
		v.ExitedVia, _ = s.exits.Get(pl.ord)
	}
	return v
}

func (s *Snapshot) nodeView(path []string, pl *Place, node *wire.IndexedNode) *NodeView {
	var run *NodeRun
	if pl != nil {
		run, _ = s.nodeRuns.Get(pl.ord)
	}
	v := &NodeView{PathView: s.pathView(path, pl, node, run), snap: s, place: pl, node: node, run: run}
	if node != nil && node.Node.Kind != "" {
		v.Kind = &node.Node.Kind
	}
	if run != nil {
		if run.Kind != nil {
			v.Kind = run.Kind
		}
		v.StartedAt, v.FinishedAt, v.Error, v.Usage = run.StartedAt, run.FinishedAt, run.Error, run.Usage
	}
	return v
}

// Active is running.
func (v *NodeView) Active() bool { return v.Status == NodeRunning }

// Done is completed.
func (v *NodeView) Done() bool { return v.Status == NodeCompleted }

// Failed is failed or cancelled.
func (v *NodeView) Failed() bool { return v.Status == NodeFailed || v.Status == NodeCancelled }

// Rows are the rows exactly at the path.
func (v *NodeView) Rows() []Row { return v.snap.RowsAt(v.Path, false) }

// Content is the joined text of the current activation; a container's is its whole subtree's.
func (v *NodeView) Content() string {
	return v.joined(func(r *AssistantRow) string { return r.Content })
}

// Reasoning is the joined reasoning of the same turns, nil when empty.
func (v *NodeView) Reasoning() *string {
	s := v.joined(func(r *AssistantRow) string { return r.reasoning })
	return optional(&s)
}

// joined joins a text of the turns. Of a single one, as most nodes have, it is that turn's own.
func (v *NodeView) joined(text func(*AssistantRow) string) string {
	if v.place == nil {
		return ""
	}
	first, rest := "", []byte(nil)
	for r := range v.turns {
		switch s := text(r); {
		case s == "":
		case first == "":
			first = s
		case rest == nil:
			rest = append(append(rest, first...), s...)
		default:
			rest = append(rest, s...)
		}
	}
	if rest != nil {
		return string(rest)
	}
	return first
}

// turns yields the assistant rows that the view joins (docs/fold.md, "NodeView").
func (v *NodeView) turns(yield func(*AssistantRow) bool) {
	here, _ := v.snap.at.Get(v.place.ord)
	keys, activation := here.exact, ""
	container := v.container(here)
	switch {
	case container:
		if here.deeper {
			keys = here.below
		}
	case v.run != nil:
		if v.run.Activation != nil {
			activation = *v.run.Activation
		}
	default:
		for key := range keys.Descend(^uint64(0)) {
			if r, ok := v.snap.rowAt(key).(*AssistantRow); ok {
				activation = r.activation
				break
			}
		}
	}
	for key := range keys.All() {
		r, ok := v.snap.rowAt(key).(*AssistantRow)
		if ok && (container || r.activation == activation) && !yield(r) {
			return
		}
	}
}

// container tells whether the view joins a subtree: a subgraph by its kind, or any path with rows below it.
func (v *NodeView) container(here placeRows) bool {
	return v.Kind != nil && *v.Kind == "subgraph" || here.deeper && here.below.Len() > here.exact.Len()
}

// BranchFlag says of an edge whether its port was taken; it says nothing of progress downstream.
type BranchFlag uint8

// The flags.
const (
	BranchPending BranchFlag = iota + 1
	BranchTaken
	BranchUntaken
)

// Branch is one of the plan's edges out of a node, by port and target.
type Branch struct {
	Port *string
	To   string
	Flag BranchFlag
}

// Branches are the plan's edges out of the node, one per port and target: taken when the port fired since the
// node's latest start (no start in the window: ever), whichever of its wires it was; untaken when only others did.
func (v *NodeView) Branches() []*Branch {
	out := []*Branch{}
	if v.node == nil {
		return out
	}
	since := uint64(0)
	if v.run != nil {
		since = v.run.startKey
	}
	fired := map[port]bool{}
	for _, e := range v.snap.Run().edgesFrom(PathKey(v.Path)) {
		if e.lastKey > since {
			fired[portOf(e.FromPort)] = true
		}
	}
	type wire struct {
		port
		to string
	}
	seen := map[wire]bool{}
	for _, e := range v.node.Edges {
		p := port{e.FromPort, e.HasFromPort}
		if seen[wire{p, e.To}] {
			continue
		}
		seen[wire{p, e.To}] = true
		b := &Branch{To: e.To, Flag: BranchPending}
		if e.HasFromPort {
			b.Port = &e.FromPort
		}
		if fired[p] {
			b.Flag = BranchTaken
		} else if len(fired) > 0 {
			b.Flag = BranchUntaken
		}
		out = append(out, b)
	}
	return out
}

type port struct {
	name string
	has  bool
}

func portOf(name *string) port {
	if name == nil {
		return port{}
	}
	return port{*name, true}
}
