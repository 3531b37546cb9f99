package gen

import (
	"slices"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// ChaosWithPlan is Chaos, and a valid plan over the same ids. A few more node ids make room for regions that nest,
// a few more user rows for the boundaries they make; mostly the conversation is one of the plan's agent.
func ChaosWithPlan(t *rapid.T) (*wire.Plan, []wire.Record) {
	d := &designer{t: t, plan: &wire.Plan{AgentID: agentID, AgentVersion: agentVersion}}
	d.chaosLevel(nil, "n", "m", "h", "a", "b", "c", "d")
	d.plan.Nodes = append(d.plan.Nodes, planNode(t, []string{"g"}, "subgraph"))
	d.chaosLevel([]string{"g"}, "n", "m", "g", "a", "b", "c", "d")
	d.plan.Nodes = append(d.plan.Nodes, planNode(t, []string{"g", "h"}, "subgraph"))
	d.chaosLevel([]string{"g", "h"}, "n", "m", "a", "b")
	for _, parent := range [][]string{nil, {"g"}, {"g", "h"}} {
		d.plan.Regions = append(d.plan.Regions, anyRegions(t, parent, d.idsIn(parent))...)
	}
	for range upTo(t, "edges", 5) {
		d.plan.Edges = append(d.plan.Edges, planEdge(t, nil, pick(t, "from", "n", "n", "m", "g"), pick(t, "to", "m", "n")))
	}
	shuffle(t, d.plan.Regions)
	d.loosen()

	var recs []wire.Record
	if !chance(t, "no opener", 10) {
		open := wire.Body{RunID: "run", ConversationID: conversationID, AgentID: agentID, AgentVersion: agentVersion}
		recs = append(recs, &wire.Frame{Type: wire.RunStart, Body: open})
	}
	for _, rec := range Chaos(t) {
		if chance(t, "user", 6) {
			recs = append(recs, &wire.Frame{Type: wire.UserMessage, Body: wire.Body{Content: "and?", HasContent: true}})
		}
		switch rec := rec.(type) {
		case *wire.Frame:
			d.spread(&rec.Body)
		case *wire.Row:
			d.spread(&rec.Body)
		case *wire.Page:
			for _, row := range rec.Rows {
				d.spread(&row.Body)
			}
		}
		recs = append(recs, rec)
	}
	return d.plan, recs
}

func (d *designer) chaosLevel(parent []string, ids ...string) {
	for _, id := range ids {
		kind := pick(d.t, "kind", "llm", "llm", "llm", "ensemble", "for_each_llm", "router", "subgraph", "")
		d.plan.Nodes = append(d.plan.Nodes, planNode(d.t, below(parent, id), kind))
	}
}

// spread gives some of what happened to the nodes that Chaos does not know, and counts the samples and items of those
// that repeat.
func (d *designer) spread(b *wire.Body) {
	if b.NodeID == "" {
		return
	}
	if rapid.Bool().Draw(d.t, "spread") {
		b.NodeID = pick(d.t, "spread to", "a", "b", "c", "d")
	}
	path := below(b.SubgraphPath, b.NodeID)
	repeats := func(n wire.PlanNode) bool {
		return (n.Kind == "ensemble" || n.Kind == "for_each_llm") && slices.Equal(n.Path, path)
	}
	if slices.ContainsFunc(d.plan.Nodes, repeats) && rapid.Bool().Draw(d.t, "repeat") {
		b.Iteration = pick(d.t, "iteration", 1, 2, 3)
	}
}
