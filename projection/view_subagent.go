package projection

import "inlaygraph/wire"

// SubagentView is a subgraph as its users see it: an *OpenSubagentView, or a *BlackBoxSubagentView that tells
// nothing of what is in it (docs/fold.md).
type SubagentView interface {
	// IsSubagentView seals the interface for the schema.
	IsSubagentView()
	// IsPathView says that it reads like every view of a path.
	IsPathView()
}

// OpenSubagentView tells of a subgraph's inside.
type OpenSubagentView struct {
	PathView
	// The counts roll up strict descendants at any depth; cancelled counts as failed.
	RunningCount, DoneCount, FailedCount int
	// Children are the nodes one level below that ran, in run order.
	Children []*SubagentChild
	// Outputs are its own un-promoted outputs, by name.
	Outputs []*Binding
}

// IsSubagentView seals the interface for the schema.
func (*OpenSubagentView) IsSubagentView() {}

// BlackBoxSubagentView is a subgraph that hides its inner events.
type BlackBoxSubagentView struct{ PathView }

// IsSubagentView seals the interface for the schema.
func (*BlackBoxSubagentView) IsSubagentView() {}

// SubagentChild is one observed direct child of a subgraph.
type SubagentChild struct {
	Path   []string
	NodeID string
	Kind   *string
	Status NodeStatus
}

// SubagentView is the view of one subgraph. A path that is none reads idle, with zeros. plan may be nil.
func (s *Snapshot) SubagentView(path []string, plan *wire.PlanIndex) SubagentView {
	node, run := planNode(plan, path), s.NodeRun(path)
	counts := s.Counts(path)
	if !isSubgraph(node, run, counts) {
		return &OpenSubagentView{PathView: s.pathView(path, nil, node, nil), Children: []*SubagentChild{}, Outputs: []*Binding{}}
	}
	of := s.pathView(path, s.places.find(path), node, run)
	if node != nil && node.Node.HideInnerEvents {
		return &BlackBoxSubagentView{of}
	}
	v := &OpenSubagentView{
		PathView: of, RunningCount: counts.Running, DoneCount: counts.Done, FailedCount: counts.Failed,
		Children: []*SubagentChild{}, Outputs: []*Binding{},
	}
	for _, n := range s.Run().childrenOf(PathKey(path)) {
		v.Children = append(v.Children, &SubagentChild{Path: n.place.Path, NodeID: n.place.NodeID, Kind: n.Kind, Status: nodeStatus(n.Status)})
	}
	for _, b := range s.SubagentBindings() {
		if PathKey(b.Path) == PathKey(path) {
			v.Outputs = b.Bindings
		}
	}
	return v
}

// isSubgraph tells whether plan or run say that a path is a subgraph.
func isSubgraph(node *wire.IndexedNode, run *NodeRun, below Counts) bool {
	return node != nil && node.Subgraph() || run != nil && run.subgraphKey != 0 || below != Counts{}
}
