package gen

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// Agent is a designed agent: what it does, stage by stage, and its plan.
type Agent struct {
	Plan *wire.Plan
	top  *level
}

// level is the top level or a subgraph: its stages, one after the other.
type level struct {
	path   []string
	nodes  []*member
	stages []stage
}

// member is a node of a level; inner is what is in it when it is a subgraph.
type member struct {
	node
	inner *level
}

// stage is a node, or a fan-out from a source to a join.
type stage struct {
	node *member
	fan  *fan
}

type fan struct {
	source, join *member
	branches     [][]stage
}

// NewAgent designs an agent. Its regions say what its fan-outs are, in any order, perhaps with others that overlap
// them; some nodes are not in the plan, and some of the plan are never reached.
func NewAgent(t *rapid.T) *Agent {
	d := &designer{t: t, plan: &wire.Plan{AgentID: agentID, AgentVersion: agentVersion, Name: "Agent"}}
	a := &Agent{Plan: d.plan, top: d.level(nil, 2)}
	shuffle(t, d.plan.Regions)
	d.loosen()
	return a
}

// Planned is a designed agent's plan, and a run of it.
func Planned(t *rapid.T) (*wire.Plan, *Run) {
	a := NewAgent(t)
	return a.Plan, a.Run(t)
}

type designer struct {
	t    *rapid.T
	plan *wire.Plan
}

// level designs a level with subgraphs at most so deep, and puts it into the plan.
func (d *designer) level(path []string, depth int) *level {
	l := &level{path: path}
	size := between(d.t, "stages", 1, 2)
	l.stages = d.stages(l, size, depth, 2, nil)
	d.edges(l.path, l.stages)
	if chance(d.t, "other regions", 20) {
		d.plan.Regions = append(d.plan.Regions, anyRegions(d.t, path, idsOf(l))...)
	}
	return l
}

func idsOf(l *level) []string {
	var ids []string
	for _, m := range l.nodes {
		ids = append(ids, m.id)
	}
	return ids
}

// stages designs so many stages, with fan-outs that nest so deep. around is the join of the fan-out whose branch
// they are: an inner fan-out at its end may share it.
func (d *designer) stages(l *level, count, depth, nest int, around *member) []stage {
	var all []stage
	var before *fan
	for i := range count {
		if len(l.nodes) >= 12 || nest == 0 || !chance(d.t, "fan-out", 55) {
			all = append(all, stage{node: d.node(l, depth, "llm", "llm", "llm", "grounded_answer", "ensemble", "ensemble", "for_each_llm", "tool", "router", "subgraph", "subgraph")})
			before = nil
			continue
		}
		f := &fan{}
		if before != nil && rapid.Bool().Draw(d.t, "from the last join") {
			f.source = before.join
		} else {
			f.source = d.node(l, depth, "llm", "router", "router", "ensemble", "subgraph")
		}
		if around != nil && i == count-1 && rapid.Bool().Draw(d.t, "same join") {
			f.join = around
		} else {
			f.join = d.node(l, depth, "join", "join", "llm", "llm", "ensemble", "subgraph")
		}
		for range between(d.t, "branches", 1, 3) {
			f.branches = append(f.branches, d.stages(l, between(d.t, "in branch", 1, 2), depth, nest-1, f.join))
		}
		all = append(all, stage{fan: f})
		before = f
		d.plan.Regions = append(d.plan.Regions, region(l.path, f))
	}
	return all
}

// node designs one node of a level. A subgraph that may go no deeper is an llm.
func (d *designer) node(l *level, depth int, kinds ...string) *member {
	m := &member{node: node{id: fmt.Sprintf("n%d", len(l.nodes)+1), kind: pick(d.t, "kind", kinds...)}}
	l.nodes = append(l.nodes, m)
	if m.kind == "subgraph" && depth == 0 {
		m.kind = "llm"
	}
	i := len(d.plan.Nodes)
	d.plan.Nodes = append(d.plan.Nodes, planNode(d.t, below(l.path, m.id), m.kind))
	if m.kind == "subgraph" {
		m.inner = d.level(below(l.path, m.id), depth-1)
		m.blackBox = d.plan.Nodes[i].HideInnerEvents && !chance(d.t, "tells all the same", 20)
	}
	return m
}

// planNode describes a node.
func planNode(t *rapid.T, path []string, kind string) wire.PlanNode {
	n := wire.PlanNode{Path: path, Kind: kind}
	if !chance(t, "no name", 20) {
		n.Name = "The " + path[len(path)-1]
	}
	if kind == "ensemble" {
		n.Samples = pick(t, "samples", 4, 4, 0)
	}
	n.HideInnerEvents = kind == "subgraph" && chance(t, "black box", 20)
	return n
}

// below is a path of its own: plans and runs never share memory.
func below(path []string, id string) []string { return append(slices.Clone(path), id) }

func region(path []string, f *fan) wire.PlanRegion {
	r := wire.PlanRegion{Source: below(path, f.source.id), Join: below(path, f.join.id)}
	for _, stages := range f.branches {
		b := wire.PlanBranch{}
		for _, m := range membersOf(stages, f.join) {
			b.Members = append(b.Members, below(path, m.id))
		}
		b.Entry = b.Members[0]
		r.Branches = append(r.Branches, b)
	}
	return r
}

// membersOf are the nodes of a branch, its entry first.
func membersOf(stages []stage, join *member) []*member {
	var all []*member
	add := func(m *member) {
		if m != join && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	for _, s := range stages {
		if s.node != nil {
			add(s.node)
			continue
		}
		add(s.fan.source)
		for _, branch := range s.fan.branches {
			for _, m := range membersOf(branch, join) {
				add(m)
			}
		}
		add(s.fan.join)
	}
	return all
}

// edges draws the plan's edges from stage to stage and into and out of the branches.
func (d *designer) edges(path []string, stages []stage) {
	var before *member
	wire := func(from, to *member) {
		if from != nil && !chance(d.t, "no edge", 15) {
			d.plan.Edges = append(d.plan.Edges, planEdge(d.t, path, from.id, to.id))
		}
	}
	for _, s := range stages {
		if s.node != nil {
			wire(before, s.node)
			before = s.node
			continue
		}
		if before != s.fan.source {
			wire(before, s.fan.source)
		}
		for _, branch := range s.fan.branches {
			nodes := membersOf(branch, s.fan.join)
			wire(s.fan.source, nodes[0])
			d.edges(path, branch)
			wire(nodes[len(nodes)-1], s.fan.join)
		}
		before = s.fan.join
	}
}

func planEdge(t *rapid.T, path []string, from, to string) wire.PlanEdge {
	e := wire.PlanEdge{SubgraphPath: slices.Clone(path), From: from, To: to, HasFromPort: !chance(t, "no port", 20)}
	if e.HasFromPort {
		e.FromPort = pick(t, "port", "next", "yes", "no")
	}
	return e
}

func shuffle[T any](t *rapid.T, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := upTo(t, "shuffle", i+1)
		list[i], list[j] = list[j], list[i]
	}
}
