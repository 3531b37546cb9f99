package feed

import "inlaygraph/wire"

// Shape is a plan made ready for composing. It is immutable and may be shared.
type Shape struct {
	index   *wire.PlanIndex
	regions map[string][]*region // by the key of the level: inner ones first
	entries map[string][]*region // by the key of a branch's entry
}

// region is a fan-out region with what closes its cards: its source and join, and those of the regions around it.
type region struct {
	*wire.IndexedRegion
	id      string
	closers map[string]bool
}

// NewShape makes a plan ready.
func NewShape(index *wire.PlanIndex) *Shape {
	s := &Shape{index: index, regions: map[string][]*region{}, entries: map[string][]*region{}}
	s.level(index.Root())
	return s
}

func (s *Shape) level(n *wire.IndexedNode) {
	for _, r := range n.Regions {
		x := &region{IndexedRegion: r, id: regionID(r), closers: map[string]bool{r.Source.Key: true, r.Join.Key: true}}
		for _, around := range r.Enclosing {
			x.closers[around.Source.Key], x.closers[around.Join.Key] = true, true
		}
		s.regions[n.Key] = append(s.regions[n.Key], x)
		for _, entry := range r.Entries {
			s.entries[entry.Key] = append(s.entries[entry.Key], x)
		}
	}
	for _, child := range n.Children {
		s.level(child)
	}
}

// regionID names a region by what it is: its source, its join and its branches' entries.
func regionID(r *wire.IndexedRegion) string {
	nodes := []string{r.Source.Key, r.Join.Key}
	for _, entry := range r.Entries {
		nodes = append(nodes, entry.Key)
	}
	return wire.PathKey(nodes)
}

// branchOf is the branch that holds the whole of an inner region, its source and all its members.
func (r *region) branchOf(inner *region) (branch int, ok bool) {
	for _, around := range inner.Enclosing {
		if around == r.IndexedRegion {
			return r.Branch(inner.Source.Key)
		}
	}
	return 0, false
}

// node returns the plan's node at a path key, nil when there is none.
func (s *Shape) node(key string) *wire.PlanNode {
	if n := s.index.Node(key); n != nil {
		return n.Node
	}
	return nil
}

// subgraph returns the plan's subgraph at a path key, nil when there is none.
func (s *Shape) subgraph(key string) *wire.PlanNode {
	if n := s.index.Level(key); n != nil {
		return n.Node
	}
	return nil
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

func name(n *wire.PlanNode) *string {
	if n == nil || n.Name == "" {
		return nil
	}
	return &n.Name
}
