package model

import (
	"slices"
	"time"

	"inlaygraph/wire"
)

// PathView is what every node's view has.
type PathView struct {
	Path       []string `json:"path"`
	NodeID     string   `json:"nodeId"`
	Name       *string  `json:"name"`
	Status     string   `json:"status"`
	ExitedVia  *string  `json:"exitedVia"`
	VisitCount int      `json:"visitCount"`
	HasEarlier bool     `json:"hasEarlier"`
}

// NodeView is docs/fold.md's NodeView.
type NodeView struct {
	PathView
	Kind       *string      `json:"kind"`
	Active     bool         `json:"active"`
	Done       bool         `json:"done"`
	Failed     bool         `json:"failed"`
	Content    string       `json:"content"`
	Reasoning  *string      `json:"reasoning"`
	StartedAt  *time.Time   `json:"startedAt"`
	FinishedAt *time.Time   `json:"finishedAt"`
	Error      *PublicError `json:"error"`
	Usage      *Usage       `json:"usage"`
	Rows       []*Row       `json:"rows"`
	Branches   []Branch     `json:"branches"`
}

// Branch is one of the plan's edges out of a node.
type Branch struct {
	Port *string `json:"port"`
	To   string  `json:"to"`
	Flag string  `json:"flag"`
}

// NodeView is the view of a path, which must not be empty. plan is nil where there is none, or none that counts.
func (m *Model) NodeView(path []string, plan *wire.Plan) *NodeView {
	return m.now.nodeView(path, plan, m.now.scanRun(), m.now.runSnapshot().Nodes)
}

func (s *state) nodeView(path []string, plan *wire.Plan, scan *runScan, nodes []*NodeRun) *NodeView {
	run := runOf(nodes, path)
	v := &NodeView{PathView: s.pathView(path, plan, run, scan.exits[joined(path)]), Branches: s.branches(path, plan)}
	v.Active, v.Done, v.Failed = v.Status == "RUNNING", v.Status == "COMPLETED", v.Status == "FAILED" || v.Status == "CANCELLED"
	if run != nil {
		v.Kind, v.StartedAt, v.FinishedAt, v.Error, v.Usage = run.Kind, run.StartedAt, run.FinishedAt, run.Error, run.Usage
	}
	if n := planNode(plan, path); n != nil && v.Kind == nil {
		v.Kind = text(n.Kind)
	}
	at := func(e *entry) bool { return slices.Equal(pathOf(e.Spine), path) }
	v.Rows = s.rows(at)
	in := at // the rows whose text counts
	switch last := s.last(func(e *entry) bool { return e.kind == assistantRow && at(e) }); {
	case v.Kind != nil && *v.Kind == "subgraph", s.first(func(e *entry) bool { return below(e, path) }) != nil:
		in = func(e *entry) bool { return hasPrefix(pathOf(e.Spine), path) }
	case run != nil:
		in = func(e *entry) bool { return at(e) && equalPtr(text(e.Activation), run.Activation) }
	case last != nil:
		in = func(e *entry) bool { return at(e) && e.Activation == last.Activation }
	}
	var reasoning string
	for _, e := range s.entries {
		if e.kind == assistantRow && in(e) {
			v.Content += e.content
			reasoning += e.reasoning
		}
	}
	v.Reasoning = text(reasoning)
	return v
}

// below says whether a durable row is of a node below the path.
func below(e *entry, path []string) bool {
	return e.durable() && hasPrefix(e.SubgraphPath, path)
}

// runOf is the path's NodeRun, nil when it was not reached.
func runOf(nodes []*NodeRun, path []string) *NodeRun {
	for _, n := range nodes {
		if slices.Equal(n.Path, path) {
			return n
		}
	}
	return nil
}

func (s *state) pathView(path []string, plan *wire.Plan, run *NodeRun, exit *string) PathView {
	v := PathView{Path: list(path), NodeID: path[len(path)-1], Status: "IDLE", ExitedVia: exit, HasEarlier: s.hasEarlier()}
	if n := planNode(plan, path); n != nil {
		v.Name = text(n.Name)
	}
	if run != nil {
		v.Status, v.VisitCount = run.Status, run.VisitCount
	}
	return v
}

// branches are the plan's edges out of a node, one per (port, to). Choice: a port that the plan does not have
// leaves the others untaken all the same.
func (s *state) branches(path []string, plan *wire.Plan) []Branch {
	branches := []Branch{}
	if plan == nil {
		return branches
	}
	fired := s.firedSinceStart(path)
	for _, e := range plan.Edges {
		if !slices.Equal(append(slices.Clone(e.SubgraphPath), e.From), path) {
			continue
		}
		b := Branch{To: e.To, Flag: "PENDING"}
		if e.HasFromPort {
			b.Port = &e.FromPort
		}
		if slices.ContainsFunc(branches, func(o Branch) bool { return o.To == b.To && equalPtr(o.Port, b.Port) }) {
			continue
		}
		if len(fired) > 0 {
			b.Flag = "UNTAKEN"
		}
		if slices.ContainsFunc(fired, func(port *string) bool { return equalPtr(port, b.Port) }) {
			b.Flag = "TAKEN"
		}
		branches = append(branches, b)
	}
	return branches
}

// firedSinceStart are the ports of the edges that left the node since its latest start.
func (s *state) firedSinceStart(path []string) []*string {
	var fired []*string
	for _, e := range s.entries {
		switch {
		case e.kind == startMark && slices.Equal(pathOf(e.Spine), path):
			fired = nil
		case e.kind == edgeMark && slices.Equal(append(slices.Clone(e.SubgraphPath), e.from), path):
			var port *string
			if e.hasPort {
				port = &e.port
			}
			fired = append(fired, port)
		}
	}
	return fired
}

// Nodes are the views of every plan node, in plan order, then of every other run node, in run order.
func (m *Model) Nodes(plan *wire.Plan) []*NodeView {
	views := []*NodeView{}
	scan, nodes := m.now.scanRun(), m.now.runSnapshot().Nodes
	if plan != nil {
		for _, n := range plan.Nodes {
			views = append(views, m.now.nodeView(n.Path, plan, scan, nodes))
		}
	}
	for _, n := range nodes {
		if planNode(plan, n.Path) == nil {
			views = append(views, m.now.nodeView(n.Path, plan, scan, nodes))
		}
	}
	return views
}
