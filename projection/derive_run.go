package projection

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// runCell holds the run projection as it stands between two moves of it; whoever reads it first composes
// it, and every snapshot in between shares it.
type runCell struct {
	once sync.Once
	run  *RunSnapshot

	status     RunStatus
	hasEarlier bool
	nodeRuns   tree[*NodeRun]
	nodeOrder  tree[*Place]
	edges      tree[*FiredEdge]
}

// Run is the run projection. It is the same object until it moves.
func (s *Snapshot) Run() *RunSnapshot { return s.run.get() }

func (c *runCell) get() *RunSnapshot {
	c.once.Do(func() { c.run = c.compose() })
	return c.run
}

// sameOrder tells whether nodes and subagents stand in the same order.
func (r *RunSnapshot) sameOrder(o *RunSnapshot) bool {
	return slices.EqualFunc(r.Nodes, o.Nodes, func(a, b *NodeRun) bool { return a.place == b.place }) &&
		slices.EqualFunc(r.Subagents, o.Subagents, func(a, b *Subagent) bool { return slices.Equal(a.Path, b.Path) })
}

// below lists the nodes that ran strictly below a place, in run order.
func (r *RunSnapshot) below(pl *Place) []*Place {
	var out []*Place
	for _, n := range r.Nodes {
		if n.place.Below(pl) {
			out = append(out, n.place)
		}
	}
	return out
}

// NodeRun is the run of one node, nil when it was not reached.
func (s *Snapshot) NodeRun(path []string) *NodeRun {
	pl := s.places.find(path)
	if pl == nil {
		return nil
	}
	n, _ := s.nodeRuns.Get(pl.ord)
	return n
}

func (c *runCell) compose() *RunSnapshot {
	if c.status == RunIdle && !c.hasEarlier && c.nodeOrder.Len()+c.edges.Len() == 0 {
		return IdleRun
	}
	r := &RunSnapshot{
		Status: c.status, HasEarlier: c.hasEarlier,
		Nodes:     make([]*NodeRun, 0, c.nodeOrder.Len()),
		Edges:     make([]*FiredEdge, 0, c.edges.Len()),
		Subagents: []*Subagent{},
	}
	for _, pl := range c.nodeOrder.All() {
		n, _ := c.nodeRuns.Get(pl.ord)
		r.Nodes = append(r.Nodes, n)
		r.TotalUsage = addUsage(r.TotalUsage, n.Usage)
	}
	for _, e := range c.edges.All() {
		r.Edges = append(r.Edges, e)
	}
	r.Subagents = subagents(r.Nodes)
	return r
}

// subagents are the subgraphs that ran, in order of first evidence, with their strict descendants at any depth rolled up
// (docs/fold.md, "Subagent").
func subagents(nodes []*NodeRun) []*Subagent {
	type found struct {
		place    *Place
		evidence uint64
		below    Counts
	}
	by := map[*Place]*found{}
	at := func(pl *Place, evidence uint64) *found {
		f := by[pl]
		if f == nil {
			f = &found{place: pl, evidence: evidence}
			by[pl] = f
		}
		f.evidence = min(f.evidence, evidence)
		return f
	}
	for _, n := range nodes {
		if n.subgraphKey != 0 {
			at(n.place, n.subgraphKey)
		}
		for pl := n.place.Parent; pl.Parent != nil; pl = pl.Parent {
			at(pl, n.evidence).below.add(n.Status, 1)
		}
	}
	list := slices.SortedFunc(maps.Values(by), func(a, b *found) int {
		// One fact is evidence of every subgraph above it: outermost first.
		return cmp.Or(cmp.Compare(a.evidence, b.evidence), len(a.place.Path)-len(b.place.Path))
	})
	out := make([]*Subagent, len(list))
	for i, f := range list {
		out[i] = &Subagent{
			Path: f.place.Path, NodeID: f.place.NodeID,
			RunningCount: f.below.Running, DoneCount: f.below.Done, FailedCount: f.below.Failed,
		}
	}
	return out
}
