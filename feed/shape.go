package feed

import (
	"cmp"
	"slices"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// Shape is a plan made ready for composing. It is immutable and may be shared.
type Shape struct {
	plan    *wire.Plan
	nodes   map[string]*wire.PlanNode // by path key
	regions map[string][]*region      // by the level's path key: inner ones first, else in plan order
	entries map[string][]*region      // by the path key of a branch's entry
	// grouped are the path keys of nodes whose rows may enter a repeat or a fan-out, or close one.
	grouped map[string]bool
}

// region is a fan-out region of one level.
type region struct {
	plan    *wire.PlanRegion
	id      string
	source  string         // path key
	members map[string]int // path key -> branch
	closers map[string]bool
	depth   int // how many regions enclose it
}

// NewShape indexes a valid plan.
func NewShape(plan *wire.Plan) *Shape {
	s := &Shape{
		plan: plan, nodes: map[string]*wire.PlanNode{}, regions: map[string][]*region{},
		entries: map[string][]*region{}, grouped: map[string]bool{},
	}
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		key := projection.PathKey(n.Path)
		s.nodes[key] = n
		if repeatMode(n) != 0 {
			s.grouped[key] = true
		}
	}
	for i := range plan.Regions {
		r := newRegion(&plan.Regions[i])
		level := projection.PathKey(r.plan.Source[:len(r.plan.Source)-1])
		s.regions[level] = append(s.regions[level], r)
		for j := range r.plan.Branches {
			key := projection.PathKey(r.plan.Branches[j].Entry)
			s.entries[key] = append(s.entries[key], r)
		}
	}
	for _, level := range s.regions {
		nest(level)
		for _, r := range level {
			for key := range r.members {
				s.grouped[key] = true
			}
			for key := range r.closers {
				s.grouped[key] = true
			}
		}
		slices.SortStableFunc(level, func(a, b *region) int { return cmp.Compare(b.depth, a.depth) })
	}
	return s
}

func newRegion(p *wire.PlanRegion) *region {
	r := &region{plan: p, source: projection.PathKey(p.Source), members: map[string]int{}, closers: map[string]bool{}}
	join := projection.PathKey(p.Join)
	r.id = r.source + "\x00" + join
	r.closers[r.source], r.closers[join] = true, true
	for i, b := range p.Branches {
		for _, m := range b.Members {
			key := projection.PathKey(m)
			r.id += "\x00" + key
			r.members[key] = i
		}
	}
	return r
}

// branchOf is the branch of r that holds the whole of an inner region, its source and all its members.
func (r *region) branchOf(inner *region) (branch int, ok bool) {
	branch, ok = r.members[inner.source]
	if !ok || r == inner {
		return 0, false
	}
	for key := range inner.members {
		if b, in := r.members[key]; !in || b != branch {
			return 0, false
		}
	}
	return branch, true
}

// nest finds which regions of a level lie within which, and lets what closes an outer one close an inner one.
func nest(level []*region) {
	own := map[*region][2]string{}
	holds := map[string][]*region{} // path key -> the regions that have it among their members
	for _, r := range level {
		own[r] = [2]string{r.source, projection.PathKey(r.plan.Join)}
		for key := range r.members {
			holds[key] = append(holds[key], r)
		}
	}
	for _, inner := range level {
		for _, outer := range holds[inner.source] {
			if _, ok := outer.branchOf(inner); ok {
				inner.depth++
				inner.closers[own[outer][0]], inner.closers[own[outer][1]] = true, true
			}
		}
	}
}

func repeatMode(n *wire.PlanNode) RepeatMode {
	if n == nil {
		return 0
	}
	switch n.Kind {
	case "ensemble":
		return RepeatParallel
	case "for_each_llm":
		return RepeatSequential
	}
	return 0
}

// subgraph returns the plan's subgraph at a path key, nil when there is none.
func (s *Shape) subgraph(key string) *wire.PlanNode {
	if n := s.nodes[key]; n != nil && n.Kind == "subgraph" {
		return n
	}
	return nil
}

func name(n *wire.PlanNode) *string {
	if n == nil || n.Name == "" {
		return nil
	}
	return &n.Name
}
