package feed

import "inlaygraph/wire"

// Shape is a plan made ready for composing. It is immutable and may be shared.
type Shape struct {
	index   *wire.PlanIndex
	parts   map[string]*part     // by the key of a node that regions know
	entries map[string][]*region // by the key of a branch's entry
}

// region is a fan-out region, and where its cards go.
type region struct {
	*wire.IndexedRegion
	id string
	// outer is the region whose cards take this one's, nil for none, and outerBranch the track they go into.
	outer       *region
	outerBranch int
}

// part is what one node is to the regions of its level.
type part struct {
	home   *region   // takes the node's items as members, nil for none
	branch int       // the track they go into
	closes []*region // whose open cards the node's items close, being of a source or a join
}

// NewShape makes a plan ready.
func NewShape(index *wire.PlanIndex) *Shape {
	s := &Shape{index: index, parts: map[string]*part{}, entries: map[string][]*region{}}
	s.level(index.Root())
	return s
}

// level takes the regions of a level in the order in which they group: inner ones first, else as the plan has
// them (docs/feed.md, rule 13). An item goes to the first that has it as a member; those after it meet the card
// that it is in, and never the item itself.
func (s *Shape) level(n *wire.IndexedNode) {
	regions := make([]*region, len(n.Regions))
	order := make(map[*wire.IndexedRegion]int, len(n.Regions))
	for i, r := range n.Regions {
		regions[i], order[r] = &region{IndexedRegion: r, id: regionID(r)}, i
		s.close(r, regions[i])
		for _, around := range r.Enclosing {
			s.close(around, regions[i])
		}
		for branch := range r.Region.Branches {
			for _, member := range r.Region.Branches[branch].Members {
				if p := s.part(wire.PathKey(member)); p.home == nil {
					p.home, p.branch = regions[i], branch
				}
			}
		}
		for _, entry := range r.Entries {
			s.entries[entry.Key] = append(s.entries[entry.Key], regions[i])
		}
	}
	for i, r := range n.Regions {
		for _, around := range r.Enclosing {
			if outer := regions[order[around]]; regions[i].outer == nil || order[around] < order[regions[i].outer.IndexedRegion] {
				regions[i].outer = outer
				regions[i].outerBranch, _ = around.Branch(r.Source.Key)
			}
		}
	}
	for _, child := range n.Children {
		s.level(child)
	}
}

func (s *Shape) part(key string) *part {
	p := s.parts[key]
	if p == nil {
		p = &part{}
		s.parts[key] = p
	}
	return p
}

// close notes that items of the source and the join of a region close the cards of r, unless a region before r
// takes them.
func (s *Shape) close(of *wire.IndexedRegion, r *region) {
	for _, node := range []*wire.IndexedNode{of.Source, of.Join} {
		p := s.part(node.Key)
		if n := len(p.closes); p.home == nil && (n == 0 || p.closes[n-1] != r) {
			p.closes = append(p.closes, r)
		}
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

// knows tells whether the plan is of that agent and version.
func (s *Shape) knows(agentID string, version int) bool {
	p := s.index.Plan()
	return p.AgentID == agentID && p.AgentVersion == version
}

// node returns the plan's node at a path key, nil when there is none.
func (s *Shape) node(key string) *wire.PlanNode {
	if n := s.index.Node(key); n != nil {
		return n.Node
	}
	return nil
}

// subgraph tells whether the plan has a subgraph at a path key.
func (s *Shape) subgraph(key string) bool { return s.index.Level(key) != nil }

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
