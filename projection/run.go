package projection

import (
	"sync"
	"time"

	"inlaygraph/wire"
)

// RunStatus is the run's standing (docs/fold.md, "The run projection").
type RunStatus uint8

// The run statuses.
const (
	RunIdle RunStatus = iota
	RunRunning
	RunPaused
	RunCompleted
	RunFailed
	RunCancelled
)

// NodeRun is one node's current activation, keyed by its absolute path (docs/fold.md). Immutable.
type NodeRun struct {
	place *Place
	// Kind is the start's word, nil while no start is known.
	Kind *string
	// Status is Running, Completed, Failed or Cancelled.
	Status     wire.Status
	Activation *string
	VisitCount int
	StartedAt  *time.Time
	FinishedAt *time.Time
	Error      *wire.PublicError
	// Usage sums all reported completions of the path, nil if none reported any.
	Usage *wire.Usage
	// ExitedVia is the port of the last fired edge that leaves the path.
	ExitedVia *string

	// order is the key of the first start, or of the first end while no start is known; evidence the
	// key of the first of either.
	order, evidence uint64
	// subgraphKey is the key of the first start of kind subgraph, 0 for none.
	subgraphKey uint64
	// startKey is the key of the latest start, 0 when the window has none.
	startKey uint64
}

// Place is the node's interned path.
func (n *NodeRun) Place() *Place { return n.place }

// Path is the node's absolute path.
func (n *NodeRun) Path() []string { return n.place.Path }

// NodeID is the last segment of the path.
func (n *NodeRun) NodeID() string { return n.place.NodeID }

// SubgraphPath is the path of the enclosing subgraphs, empty at the top level.
func (n *NodeRun) SubgraphPath() []string { return n.place.SubgraphPath }

// FiredEdge is an edge the run traversed, by semantic identity. Immutable.
type FiredEdge struct {
	SubgraphPath []string
	From         string
	FromPort     *string
	To           string
	Count        int
	LastFiredAt  *time.Time

	lastKey uint64
	fromKey string // the source's PathKey
}

// LastKey orders the edge's last firing among the keys of timeline entries.
func (e *FiredEdge) LastKey() uint64 { return e.lastKey }

// Subagent is a subgraph that ran, with its strict descendants rolled up at any depth; cancelled counts
// as failed (docs/fold.md).
type Subagent struct {
	Path         []string
	NodeID       string
	RunningCount int
	DoneCount    int
	FailedCount  int
}

// RunSnapshot is the run projection, published whole when it moves. Immutable.
type RunSnapshot struct {
	Status RunStatus
	// Nodes in order of first start (of first end where no start is known).
	Nodes []*NodeRun
	// Edges in order of last firing.
	Edges      []*FiredEdge
	TotalUsage *wire.Usage
	// Subagents in order of first evidence.
	Subagents  []*Subagent
	HasEarlier bool

	once     sync.Once // guards what views look up
	from     map[string][]*FiredEdge
	children map[string][]*NodeRun
}

// edgesFrom are the fired edges that leave a path, by its key.
func (r *RunSnapshot) edgesFrom(key string) []*FiredEdge {
	r.once.Do(r.index)
	return r.from[key]
}

// childrenOf are the nodes that ran directly in a subgraph, by its key, in run order.
func (r *RunSnapshot) childrenOf(key string) []*NodeRun {
	r.once.Do(r.index)
	return r.children[key]
}

func (r *RunSnapshot) index() {
	r.from, r.children = map[string][]*FiredEdge{}, map[string][]*NodeRun{}
	for _, e := range r.Edges {
		r.from[e.fromKey] = append(r.from[e.fromKey], e)
	}
	for _, n := range r.Nodes {
		r.children[n.place.Parent.key] = append(r.children[n.place.Parent.key], n)
	}
}

// IdleRun is the stable empty run (docs/fold.md).
var IdleRun = &RunSnapshot{Nodes: []*NodeRun{}, Edges: []*FiredEdge{}, Subagents: []*Subagent{}}
