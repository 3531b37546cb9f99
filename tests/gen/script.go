package gen

import (
	"slices"

	"inlaygraph/wire"
)

// A script is what will happen, one step after the other. The scripts of parallel branches are shuffled
// together, each keeping its own order.
type script []func()

// turn is one turn of the agent: at most so many nodes, at every depth together.
func (p *platform) turn(agent *graph) script {
	budget := between(p.t, "visits", 1, 16)
	return p.level(nil, agent, &budget)
}

// level walks a graph in stages of one node, or of several side by side. Nodes are drawn with repetition, so
// loops come by themselves.
func (p *platform) level(path []string, g *graph, budget *int) script {
	var all script
	var before []*node
	for range between(p.t, "stages", 1, 4) {
		if *budget <= 0 {
			break
		}
		nodes := rapidSubset(p, g.nodes)
		var branches []script
		for _, n := range nodes {
			var branch script
			for _, from := range before {
				branch = append(branch, p.edge(path, from, n))
			}
			branches = append(branches, append(branch, p.visit(path, n, budget)...))
		}
		all = append(all, p.shuffled(branches)...)
		before = nodes
	}
	return all
}

// rapidSubset is mostly one node, sometimes two or three different ones.
func rapidSubset(p *platform, nodes []*node) []*node {
	first := upTo(p.t, "node", len(nodes))
	count := pick(p.t, "side by side", 1, 1, 2, 3)
	var subset []*node
	for i := range min(count, len(nodes)) {
		subset = append(subset, nodes[(first+i)%len(nodes)])
	}
	return subset
}

func (p *platform) shuffled(branches []script) script {
	var all script
	for {
		branches = slices.DeleteFunc(branches, func(s script) bool { return len(s) == 0 })
		if len(branches) == 0 {
			return all
		}
		i := upTo(p.t, "branch", len(branches))
		all = append(all, branches[i][0])
		branches[i] = branches[i][1:]
	}
}

func (p *platform) edge(path []string, from, to *node) func() {
	return func() {
		b := wire.Body{Spine: wire.Spine{SubgraphPath: path}, From: from.id, To: to.id}
		if b.HasFromPort = !chance(p.t, "no port", 20); b.HasFromPort {
			b.FromPort = pick(p.t, "port", "next", "yes", "no")
		}
		p.record(wire.EdgeFired, wire.RowEdge, b)
	}
}

// visit is one activation of a node, from its start to its end.
func (p *platform) visit(path []string, n *node, budget *int) script {
	*budget--
	v := &visit{spine: wire.Spine{NodeID: n.id, SubgraphPath: path}, kind: n.kind}
	steps := script{func() { p.nodeStart(v) }}
	add := func(step func()) { steps = append(steps, step) }
	switch n.kind {
	case "llm", "grounded_answer":
		for range upTo(p.t, "parts", 4) {
			steps = append(steps, p.part(v)...)
		}
	case "tool":
		add(func() { p.tool(v, 0, false) })
	case "ensemble":
		for _, sample := range []int{2, 1, 4, 3}[:upTo(p.t, "samples", 5)] {
			add(func() { p.sample(v, sample) })
		}
	case "for_each_llm":
		for item := range upTo(p.t, "items", 4) {
			steps = append(steps, p.item(v, item+1)...)
		}
	case "subgraph":
		if !n.blackBox {
			steps = append(steps, p.level(append(slices.Clone(path), n.id), n.inner, budget)...)
		}
	}
	add(func() {
		p.nodeEnd(v, pick(p.t, "status", wire.Completed, wire.Completed, wire.Completed, wire.Completed, wire.Failed))
	})
	return steps
}

// part is one thing that an answering node does.
func (p *platform) part(v *visit) script {
	switch pick(p.t, "part", "text", "text", "text", "tool", "client tool", "output", "output", "table") {
	case "tool":
		return script{func() { p.tool(v, 0, false) }}
	case "client tool":
		return script{func() { p.tool(v, 0, true) }}
	case "output":
		return script{func() { p.output(v) }}
	case "table":
		return script{func() { p.table(v) }, func() { p.table(v) }}
	}
	var steps script
	for range between(p.t, "deltas", 1, 4) {
		steps = append(steps, func() { p.text(v, 0) })
	}
	return steps
}

// sample arrives whole.
func (p *platform) sample(v *visit, iteration int) {
	turn := p.open(wire.RowAssistant, wire.Body{Spine: v.at(iteration), ID: p.mint("m"), Content: pick(p.t, "sample", "yes", "no")})
	b := turn.row.Body
	b.HasContent = true
	b.Seq = p.bank(turn)
	turn.row.At = p.emit(wire.MessageEnd, b).At
}

// item streams, and may call a tool in between.
func (p *platform) item(v *visit, iteration int) script {
	steps := script{func() { p.text(v, iteration) }, func() { p.text(v, iteration) }}
	if chance(p.t, "tool", 25) {
		steps = append(steps, func() { p.tool(v, iteration, false) }, func() { p.text(v, iteration) })
	}
	return append(steps, func() { // the next item starts when this one is done
		if turn := v.turns[iteration]; turn != nil {
			delete(v.turns, iteration)
			p.turnEnd(turn)
		}
	})
}
