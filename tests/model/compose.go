package model

import (
	"slices"

	"inlaygraph/wire"
)

// composer composes one feed. It looks at every entry again for every level: nothing is kept that could be wrong.
type composer struct {
	s    *state
	plan *wire.Plan
	runs []*NodeRun
	all  map[string]int // cards by name, to tell those of one name apart
}

func newComposer(s *state, plan *wire.Plan) *composer {
	return &composer{s: s, plan: plan, runs: s.runSnapshot().Nodes, all: map[string]int{}}
}

// item is something that stands in the list of a level: a durable row or a card in the making.
type item struct {
	place      int      // in the timeline: of its row, or of the first thing in it
	path       []string // its node's, of a fan-out its source's; nil without a node
	activation string   // of a row or a repeat
	row        *entry   // a durable row; nil of a card

	name   string // what identifies a card
	number int    // among the cards of that name, from 0

	inner  []*item          // a subagent's rows
	tracks [][]*item        // of a fan-out or a repeat
	stamps []int            // of a repeat: the iteration of each track
	region *wire.PlanRegion // of a fan-out
	last   bool             // the region's last card
}

// level is docs/feed.md, "Composing level P".
func (c *composer) level(p []string) []*item {
	list := c.repeats(p, c.subagents(p))
	for _, region := range c.regions(p) {
		list = c.fanOut(region, list)
	}
	return list
}

// subagents is step 1: the rows of level p, those deeper gathered in one card for each subgraph of the plan.
// Choice: what has no node (a user row) is of the top level only; it is in no subgraph.
func (c *composer) subagents(p []string) []*item {
	var list []*item
	for i, e := range c.s.entries {
		if !hasPrefix(e.SubgraphPath, p) {
			continue
		}
		child := c.child(e, p)
		switch {
		case child != nil:
			known := func(o *item) bool { return o.row == nil && slices.Equal(o.path, child) }
			if !slices.ContainsFunc(list, known) {
				card := &item{place: i, path: child, inner: c.level(child)}
				c.call(card, "subagent "+joined(child))
				list = append(list, card)
			}
		case e.durable():
			list = append(list, &item{place: i, path: pathOf(e.Spine), activation: e.Activation, row: e})
		}
	}
	return list
}

// child is the subgraph of the plan, one level below p, that the entry shows to have run; nil when there is none.
// A row shows it from inside, a start or an end also as its own; an edge does not.
func (c *composer) child(e *entry, p []string) []string {
	at := e.SubgraphPath
	switch {
	case (e.kind == startMark || e.kind == endMark) && !e.gone:
		at = pathOf(e.Spine)
	case !e.durable():
		return nil
	}
	if len(at) == len(p) {
		return nil
	}
	child := at[:len(p)+1]
	if !c.subgraph(child) {
		return nil
	}
	return child
}

// subgraph says whether the plan has such a subgraph. Choice: a node is one by its kind, by hiding its inner
// events, or by having nodes of the plan in it.
func (c *composer) subgraph(path []string) bool { return planSubgraph(c.plan, path) }

func planSubgraph(plan *wire.Plan, path []string) bool {
	n := planNode(plan, path)
	if n == nil {
		return false
	}
	return n.Kind == "subgraph" || n.HideInnerEvents || slices.ContainsFunc(plan.Nodes, func(o wire.PlanNode) bool {
		return len(o.Path) > len(path) && hasPrefix(o.Path, path)
	})
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// planNode is the plan's node with that path, nil when the plan (or the node) is not there.
func planNode(plan *wire.Plan, path []string) *wire.PlanNode {
	if plan == nil {
		return nil
	}
	for i := range plan.Nodes {
		if slices.Equal(plan.Nodes[i].Path, path) {
			return &plan.Nodes[i]
		}
	}
	return nil
}

// repeats is step 2.
func (c *composer) repeats(p []string, list []*item) []*item {
	var out []*item
	for _, it := range list {
		if it.row == nil || len(it.path) != len(p)+1 || it.activation == "" || it.row.Iteration == 0 || c.mode(it.path) == "" {
			out = append(out, it)
			continue
		}
		of := func(o *item) bool {
			return len(o.stamps) > 0 && slices.Equal(o.path, it.path) && o.activation == it.activation
		}
		i := slices.IndexFunc(out, of)
		if i < 0 {
			i = len(out)
			out = append(out, &item{place: it.place, path: it.path, activation: it.activation})
			c.call(out[i], "repeat "+joined(it.path)+" in "+it.activation)
		}
		out[i].put(it)
	}
	return out
}

// mode is how a node repeats; "" when it does not.
func (c *composer) mode(path []string) string {
	n := planNode(c.plan, path)
	switch {
	case n == nil:
		return ""
	case n.Kind == "ensemble":
		return "PARALLEL"
	case n.Kind == "for_each_llm":
		return "SEQUENTIAL"
	}
	return ""
}

// put adds a row to the track of its iteration.
func (it *item) put(row *item) {
	n := row.row.Iteration
	i, found := slices.BinarySearch(it.stamps, n)
	if !found {
		it.stamps = slices.Insert(it.stamps, i, n)
		it.tracks = slices.Insert(it.tracks, i, nil)
	}
	it.tracks[i] = append(it.tracks[i], row)
}

// call names a card. Cards of one name are numbered in the order in which they open.
func (c *composer) call(it *item, name string) {
	it.name, it.number = name, c.all[name]
	c.all[name]++
}

// regions are those of level p in the order in which they are composed. The page asks for innermost first, and
// for plan order where regions overlap without nesting. So: plan order, and before each region those in it.
// Choice: where both can't be had (C in A, B overlaps both, plan order A, B, C), innermost first wins.
func (c *composer) regions(p []string) []*wire.PlanRegion {
	var order []*wire.PlanRegion
	var visit func(r *wire.PlanRegion)
	visit = func(r *wire.PlanRegion) {
		if slices.Contains(order, r) {
			return
		}
		for i := range c.plan.Regions {
			if inner := &c.plan.Regions[i]; encloses(r, inner) {
				visit(inner)
			}
		}
		order = append(order, r)
	}
	for i := range c.plan.Regions {
		if r := &c.plan.Regions[i]; len(r.Source) == len(p)+1 && hasPrefix(r.Source, p) {
			visit(r)
		}
	}
	return order
}

// encloses says whether the inner region's source and all its members lie in one branch of the outer region. The
// joins don't matter.
func encloses(outer, inner *wire.PlanRegion) bool {
	return branchOf(outer, append([][]string{inner.Source}, members(inner)...)) >= 0
}

func members(r *wire.PlanRegion) [][]string {
	var all [][]string
	for _, b := range r.Branches {
		all = append(all, b.Members...)
	}
	return all
}

// branchOf is the branch that has all of the paths, -1 when none has.
func branchOf(r *wire.PlanRegion, paths [][]string) int {
	return slices.IndexFunc(r.Branches, func(b wire.PlanBranch) bool {
		return !slices.ContainsFunc(paths, func(p []string) bool { return !contains(b.Members, p) })
	})
}

func contains(paths [][]string, path []string) bool {
	return slices.ContainsFunc(paths, func(p []string) bool { return slices.Equal(p, path) })
}
