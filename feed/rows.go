package feed

import (
	"inlaygraph/ordered"
	"inlaygraph/wire"
)

// Row is an item of the feed: one of the projection's rows, or a *FanOutRow, *SubagentRow or *RepeatRow.
type Row interface {
	// IsFeedRow seals the union for the schema.
	IsFeedRow()
	// Type is a durable kind's own name, or "fan-out", "subagent" or "repeat".
	Type() string
}

// Composite is a card (docs/feed.md). It is derived, never logged, and has no id.
type Composite interface {
	Row
	// IsCompositeRow seals the interface for the schema.
	IsCompositeRow()
	// Key is the card's opaque identity in the view.
	Key() string
	lists() []rows
}

// rows is one list of a card, or the feed's own.
type rows = ordered.Tree[Row]

func list(t rows) []Row {
	out := make([]Row, 0, t.Len())
	for _, r := range t.All() {
		out = append(out, r)
	}
	return out
}

// card is what every card carries.
type card struct {
	key        string
	path       []string // of the subgraph node, the repeatable node, or the region's source
	nodeName   *string
	hasEarlier bool
}

// IsFeedRow seals the union for the schema.
func (*card) IsFeedRow() {}

// IsCompositeRow seals the interface for the schema.
func (*card) IsCompositeRow() {}

// Key is the card's opaque identity in the view; it is no row id and no cursor.
func (c *card) Key() string { return c.key }

// NodeName is the plan's name of the node, nil when it has none.
func (c *card) NodeName() *string { return c.nodeName }

// NodeID is the subgraph node, the repeatable node, or the region's source.
func (c *card) NodeID() *string { return &c.path[len(c.path)-1] }

// SubgraphPath is the path of the subgraphs that enclose that node, nil at the top level.
func (c *card) SubgraphPath() []string {
	if len(c.path) == 1 {
		return nil
	}
	return c.path[:len(c.path)-1]
}

// HasEarlier tells that the window may lack the card's beginning.
func (c *card) HasEarlier() bool { return c.hasEarlier }

// BranchStatus is where a branch of a fan-out stands, by its entry node alone.
type BranchStatus uint8

// The branch statuses.
const (
	BranchUnknown BranchStatus = iota + 1
	BranchRunning
	BranchDone
	BranchFailed
)

// FanOutRow is one firing of a fan-out region as one item. Immutable.
type FanOutRow struct {
	card
	// Join is the absolute path of the join node.
	Join   []string
	tracks []rows
	// BranchStatus has one status per branch, on the region's last card only.
	BranchStatus []BranchStatus
}

// Type is "fan-out".
func (*FanOutRow) Type() string { return "fan-out" }

// Tracks has one list per branch in the plan's order, possibly empty ones.
func (r *FanOutRow) Tracks() [][]Row { return tracks(r.tracks) }

func (r *FanOutRow) lists() []rows { return r.tracks }

func tracks(ts []rows) [][]Row {
	out := make([][]Row, len(ts))
	for i, t := range ts {
		out[i] = list(t)
	}
	return out
}

// SubagentRow is one subgraph as one item, whatever its visits. Immutable.
type SubagentRow struct {
	card
	rows rows
	// The counts roll up the strict descendants; nil for a black box.
	RunningCount, DoneCount, FailedCount *int
	// NodeStatus is the subgraph node's own status, nil when unknown.
	NodeStatus *wire.Status
}

// Type is "subagent".
func (*SubagentRow) Type() string { return "subagent" }

// Rows is the inner feed.
func (r *SubagentRow) Rows() []Row { return list(r.rows) }

func (r *SubagentRow) lists() []rows { return []rows{r.rows} }

// RepeatMode is how a repeatable node goes through its iterations.
type RepeatMode uint8

// The repeat modes.
const (
	RepeatParallel   RepeatMode = iota + 1 // the samples of an ensemble
	RepeatSequential                       // the items of a for-each
)

// RepeatRow is one activation of a repeatable node as one item. Immutable.
type RepeatRow struct {
	card
	// Mode says whether the tracks are samples or items.
	Mode       RepeatMode
	tracks     []rows
	iterations []int32
	// Total is an ensemble's sample count where the plan has it.
	Total *int
}

// Type is "repeat".
func (*RepeatRow) Type() string { return "repeat" }

// Tracks has one list per iteration that has rows, by ascending iteration.
func (r *RepeatRow) Tracks() [][]Row { return tracks(r.tracks) }

// Done is the number of iterations that have rows; it says nothing of completion.
func (r *RepeatRow) Done() int { return len(r.tracks) }

func (r *RepeatRow) lists() []rows { return r.tracks }
