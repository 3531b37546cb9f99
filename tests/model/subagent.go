package model

import (
	"encoding/json"
	"slices"

	"inlaygraph/wire"
)

// SubagentView is docs/fold.md's SubagentView: open, or a black box, which has only what every view has.
type SubagentView struct {
	PathView
	BlackBox     bool            `json:"-"`
	RunningCount int             `json:"runningCount"`
	DoneCount    int             `json:"doneCount"`
	FailedCount  int             `json:"failedCount"`
	Children     []SubagentChild `json:"children"`
	Outputs      []*Binding      `json:"outputs"`
}

// SubagentChild is a run node one level below.
type SubagentChild struct {
	Path   []string `json:"path"`
	NodeID string   `json:"nodeId"`
	Kind   *string  `json:"kind"`
	Status string   `json:"status"`
}

// MarshalJSON leaves out what a black box does not have.
func (v *SubagentView) MarshalJSON() ([]byte, error) {
	if v.BlackBox {
		return json.Marshal(v.PathView)
	}
	type open SubagentView
	return json.Marshal((*open)(v))
}

// SubagentView is the view of a path, which must not be empty.
func (m *Model) SubagentView(path []string, plan *wire.Plan) *SubagentView {
	s := m.now
	v := &SubagentView{Children: []SubagentChild{}, Outputs: []*Binding{}}
	var run *NodeRun
	var exit *string
	if s.isSubgraph(path, plan) {
		run, exit = runOf(s.runSnapshot().Nodes, path), s.scanRun().exits[joined(path)]
	}
	v.PathView = s.pathView(path, plan, run, exit)
	if n := planNode(plan, path); n != nil && n.HideInnerEvents {
		v.BlackBox = true
		return v
	}
	for _, n := range s.runSnapshot().Nodes {
		if len(n.Path) <= len(path) || !hasPrefix(n.Path, path) {
			continue
		}
		switch n.Status {
		case "RUNNING":
			v.RunningCount++
		case "COMPLETED":
			v.DoneCount++
		default:
			v.FailedCount++
		}
		if len(n.Path) == len(path)+1 {
			v.Children = append(v.Children, SubagentChild{Path: n.Path, NodeID: n.NodeID, Kind: n.Kind, Status: n.Status})
		}
	}
	for _, b := range s.subagentBindings() {
		if slices.Equal(b.Path, path) {
			v.Outputs = b.Bindings
		}
	}
	return v
}

// isSubgraph says whether anything shows the path to be a subgraph. Choice: the plan's word, or that it ran as
// one, or that there are rows or inner outputs in it.
func (s *state) isSubgraph(path []string, plan *wire.Plan) bool {
	return planSubgraph(plan, path) ||
		slices.ContainsFunc(s.runSnapshot().Subagents, func(a *Subagent) bool { return slices.Equal(a.Path, path) }) ||
		s.first(func(e *entry) bool { return below(e, path) }) != nil ||
		slices.ContainsFunc(s.subagentBindings(), func(b *SubagentBindings) bool { return slices.Equal(b.Path, path) })
}
