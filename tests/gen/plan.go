package gen

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// PlanOf is a valid plan for a run: its nodes and others, edges that fired and others, and regions drawn from
// whatever nodes share a level. Then it is loosened: some of the run's nodes are not in it.
func PlanOf(t *rapid.T, run *Run) *wire.Plan {
	d := &designer{t: t, plan: &wire.Plan{AgentID: agentID, AgentVersion: agentVersion, Name: "Agent"}}
	kinds := map[string]string{}
	var paths [][]string
	note := func(path []string, kind string) {
		key := strings.Join(path, "/")
		if _, known := kinds[key]; !known {
			paths = append(paths, path)
		}
		if kind != "" || kinds[key] == "" {
			kinds[key] = kind
		}
	}
	for _, f := range run.Frames {
		for depth := 1; depth <= len(f.SubgraphPath); depth++ {
			note(slices.Clone(f.SubgraphPath[:depth]), "subgraph")
		}
		for _, id := range []string{f.NodeID, f.From, f.To} {
			if id != "" {
				note(below(f.SubgraphPath, id), f.Kind)
			}
		}
	}
	for _, path := range paths {
		d.plan.Nodes = append(d.plan.Nodes, planNode(t, path, kinds[strings.Join(path, "/")]))
	}
	for _, parent := range append([][]string{nil}, paths...) {
		if len(parent) == 0 || kinds[strings.Join(parent, "/")] == "subgraph" {
			d.unreached(parent)
			d.plan.Regions = append(d.plan.Regions, anyRegions(t, parent, d.idsIn(parent))...)
		}
	}
	for _, f := range run.Frames {
		if f.Type == wire.EdgeFired && !chance(t, "edge not planned", 20) {
			d.plan.Edges = append(d.plan.Edges, wire.PlanEdge{
				SubgraphPath: slices.Clone(f.SubgraphPath), From: f.From, FromPort: f.FromPort, HasFromPort: f.HasFromPort, To: f.To,
			})
			if chance(t, "another edge", 40) {
				ids := d.idsIn(f.SubgraphPath)
				d.plan.Edges = append(d.plan.Edges, planEdge(t, f.SubgraphPath, f.From, ids[upTo(t, "to", len(ids))]))
			}
		}
	}
	shuffle(t, d.plan.Regions)
	d.loosen()
	return d.plan
}

// unreached adds nodes to a level that no run has heard of.
func (d *designer) unreached(parent []string) {
	for i := range upTo(d.t, "unreached", 3) {
		kind := pick(d.t, "kind", "llm", "join", "ensemble", "subgraph", "")
		d.plan.Nodes = append(d.plan.Nodes, planNode(d.t, below(parent, fmt.Sprintf("x%d", i+1)), kind))
	}
}

func (d *designer) idsIn(parent []string) []string {
	var ids []string
	for _, n := range d.plan.Nodes {
		if len(n.Path) == len(parent)+1 && slices.Equal(n.Path[:len(parent)], parent) {
			ids = append(ids, n.Path[len(parent)])
		}
	}
	return ids
}

// anyRegions draws regions over the nodes of one level, valid but without sense: they nest, overlap and share nodes
// as it comes.
func anyRegions(t *rapid.T, parent, ids []string) []wire.PlanRegion {
	var all []wire.PlanRegion
	for range upTo(t, "regions", 4) {
		if len(ids) < 3 {
			break
		}
		drawn := slices.Clone(ids)
		shuffle(t, drawn)
		source, join, rest := drawn[0], drawn[1], drawn[2:]
		r := anyRegion(t, parent, source, join, rest)
		all = append(all, r)
		for _, b := range r.Branches {
			if len(b.Members) < 2 || !chance(t, "nested", 60) {
				continue
			}
			var inner []string
			for _, m := range b.Members {
				inner = append(inner, m[len(parent)])
			}
			shuffle(t, inner)
			joins := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(inner, id) })
			all = append(all, anyRegion(t, parent, inner[0], joins[upTo(t, "join", len(joins))], inner[1:]))
		}
	}
	return all
}

// anyRegion deals most of the rest out to branches.
func anyRegion(t *rapid.T, parent []string, source, join string, rest []string) wire.PlanRegion {
	r := wire.PlanRegion{Source: below(parent, source), Join: below(parent, join)}
	branches := make([][][]string, between(t, "branches", 1, 3))
	for i, id := range rest {
		if b := upTo(t, "deal", len(branches)+1); b < len(branches) || i == 0 {
			b = min(b, len(branches)-1)
			branches[b] = append(branches[b], below(parent, id))
		}
	}
	for _, members := range branches {
		if len(members) > 0 {
			r.Branches = append(r.Branches, wire.PlanBranch{Entry: members[upTo(t, "entry", len(members))], Members: members})
		}
	}
	return r
}

// loosen takes some nodes out of the plan, subgraphs above all, with all that is in them or leads to them.
func (d *designer) loosen() {
	for range pick(d.t, "left out", 0, 0, 0, 1, 2) {
		var paths [][]string
		subgraphs := rapid.Bool().Draw(d.t, "a subgraph")
		for _, n := range d.plan.Nodes {
			if !subgraphs || n.Kind == "subgraph" {
				paths = append(paths, n.Path)
			}
		}
		if len(paths) > 0 && len(d.plan.Nodes) > 2 {
			d.leaveOut(paths[upTo(d.t, "node", len(paths))])
		}
	}
}

func (d *designer) leaveOut(gone []string) {
	out := func(path []string) bool { return len(path) >= len(gone) && slices.Equal(path[:len(gone)], gone) }
	p := d.plan
	p.Nodes = slices.DeleteFunc(p.Nodes, func(n wire.PlanNode) bool { return out(n.Path) })
	p.Edges = slices.DeleteFunc(p.Edges, func(e wire.PlanEdge) bool {
		return out(below(e.SubgraphPath, e.From)) || out(below(e.SubgraphPath, e.To))
	})
	for i := range p.Regions {
		r := &p.Regions[i]
		for j := range r.Branches {
			b := &r.Branches[j]
			b.Members = slices.DeleteFunc(b.Members, out)
			if out(b.Entry) && len(b.Members) > 0 {
				b.Entry = b.Members[0]
			}
		}
		r.Branches = slices.DeleteFunc(r.Branches, func(b wire.PlanBranch) bool { return len(b.Members) == 0 })
	}
	p.Regions = slices.DeleteFunc(p.Regions, func(r wire.PlanRegion) bool {
		return out(r.Source) || out(r.Join) || len(r.Branches) == 0
	})
}
