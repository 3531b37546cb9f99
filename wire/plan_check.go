package wire

import (
	"slices"
	"strconv"
	"strings"
)

// ReasonInvalidPlan is the reason of a plan whose members are what they should be but don't fit together; the
// rejection's Detail says what is wrong (docs/wire.md, "Plans").
const ReasonInvalidPlan Reason = "invalid_plan"

// maxRegionsOfNode bounds how many regions one node may be a member of. It is far beyond any nesting, and
// it keeps the work that finds out which regions nest in proportion to the plan.
const maxRegionsOfNode = 256

// Validate checks that the plan's parts fit together (docs/wire.md, "Plans"), in time that is proportional to
// its size. The error is a *Rejection. A decoded plan is valid.
func (p *Plan) Validate() error {
	if _, rejected := indexPlan(p); rejected != nil {
		return rejected
	}
	return nil
}

// planCheck is a plan being checked and indexed in one go.
type planCheck struct {
	*PlanIndex
	key      []byte         // room for a key
	memberOf [][]membership // by the ordinal of a node, in plan order
	regions  []*IndexedRegion
}

// membership says that a node is a member of a branch of a region.
type membership struct{ region, branch int }

func indexPlan(p *Plan) (*PlanIndex, *Rejection) {
	c := planCheck{
		PlanIndex: &PlanIndex{
			plan: p, root: &IndexedNode{Ordinal: -1},
			nodes:   make(map[string]*IndexedNode, len(p.Nodes)),
			outputs: make(map[string]*PlanOutput, len(p.Outputs)),
			tables:  make(map[string]*PlanTable, len(p.Tables)),
			tools:   make(map[string]*PlanTool, len(p.Tools)),
		},
		memberOf: make([][]membership, len(p.Nodes)),
	}
	if p.AgentID == "" {
		return nil, invalid("agent_id", "is empty")
	}
	if p.AgentVersion < 0 {
		return nil, &Rejection{Reason: ReasonOutOfRange, Member: "agent_version"}
	}
	for _, check := range []func() *Rejection{c.checkNodes, c.checkEdges, c.checkRegions, c.checkOutputs, c.checkNames} {
		if rejected := check(); rejected != nil {
			return nil, rejected
		}
	}
	c.nest()
	return c.PlanIndex, nil
}

// invalid is a fault of a place.
func invalid(place, detail string) *Rejection {
	return &Rejection{Reason: ReasonInvalidPlan, Member: place, Detail: detail}
}

// spelled is a path as a fault tells it.
func spelled(path ...string) string { return strconv.Quote(clip(strings.Join(path, "/"))) }

const noNode = " is no node of the plan"

func (c *planCheck) checkNodes() *Rejection {
	all := make([]IndexedNode, len(c.plan.Nodes))
	for i := range all {
		node := &c.plan.Nodes[i]
		if len(node.Path) == 0 {
			return invalid(indexed("nodes", i)+".path", "is empty")
		}
		if j := slices.Index(node.Path, ""); j >= 0 {
			return invalid(indexed(indexed("nodes", i)+".path", j), "is empty")
		}
		if node.Samples < 0 {
			return &Rejection{Reason: ReasonOutOfRange, Member: indexed("nodes", i) + ".samples"}
		}
		key := PathKey(node.Path)
		if other := c.nodes[key]; other != nil {
			return invalid(indexed("nodes", i)+".path", "is the path of "+indexed("nodes", other.Ordinal)+" too")
		}
		all[i] = IndexedNode{Node: node, Ordinal: i, Key: key}
		c.nodes[key] = &all[i]
	}
	// Only now, since a node may stand before the subgraph that it is in.
	for i := range all {
		n := &all[i]
		n.Parent = c.root
		if above := n.Node.Path[:len(n.Node.Path)-1]; len(above) > 0 {
			last := AppendPathKey(c.key[:0], n.Node.Path[len(above)])
			if n.Parent = c.nodes[n.Key[:len(n.Key)-len(last)]]; n.Parent == nil {
				return invalid(indexed("nodes", i)+".path", "is in "+spelled(above...)+", which"+noNode)
			}
		}
		n.Parent.Children = append(n.Parent.Children, n)
	}
	return nil
}

// find answers the node that the segments lead to, nil when the plan has none.
func (c *planCheck) find(segments ...string) *IndexedNode {
	c.key = AppendPathKey(c.key[:0], segments...)
	return c.nodes[string(c.key)]
}

// within answers the node of that id in the subgraph whose key is in c.key.
func (c *planCheck) within(id string) *IndexedNode {
	return c.nodes[string(AppendPathKey(c.key, id))]
}

func (c *planCheck) checkEdges() *Rejection {
	for i := range c.plan.Edges {
		edge := &c.plan.Edges[i]
		if c.find(edge.SubgraphPath...) == nil && len(edge.SubgraphPath) > 0 {
			return invalid(indexed("edges", i)+".subgraph_path", spelled(edge.SubgraphPath...)+noNode)
		}
		from := c.within(edge.From)
		if from == nil {
			return invalid(indexed("edges", i)+".from", spelled(append(slices.Clone(edge.SubgraphPath), edge.From)...)+noNode)
		}
		if c.within(edge.To) == nil {
			return invalid(indexed("edges", i)+".to", spelled(append(slices.Clone(edge.SubgraphPath), edge.To)...)+noNode)
		}
		from.Edges = append(from.Edges, edge)
	}
	return nil
}

func (c *planCheck) checkRegions() *Rejection {
	for i := range c.plan.Regions {
		region := &c.plan.Regions[i]
		place := indexed("regions", i)
		r := &IndexedRegion{Region: region, Ordinal: i, branches: map[string]int{}}
		if r.Source = c.find(region.Source...); r.Source == nil {
			return invalid(place+".source", spelled(region.Source...)+noNode)
		}
		r.Parent = r.Source.Parent
		var rejected *Rejection
		if r.Join, rejected = c.inRegion(r, place+".join", region.Join); rejected != nil {
			return rejected
		}
		if len(region.Branches) == 0 {
			return invalid(place+".branches", "is empty")
		}
		for b := range region.Branches {
			if rejected := c.checkBranch(r, b, indexed(place+".branches", b)); rejected != nil {
				return rejected
			}
		}
		c.regions = append(c.regions, r)
	}
	return nil
}

// inRegion finds a node that should be in the same subgraph as the region's source.
func (c *planCheck) inRegion(r *IndexedRegion, place string, path []string) (*IndexedNode, *Rejection) {
	node := c.find(path...)
	if node == nil {
		return nil, invalid(place, spelled(path...)+noNode)
	}
	if node.Parent != r.Parent {
		return nil, invalid(place, spelled(path...)+" is not in the subgraph of the region's source")
	}
	return node, nil
}

func (c *planCheck) checkBranch(r *IndexedRegion, b int, place string) *Rejection {
	branch := &r.Region.Branches[b]
	entry, rejected := c.inRegion(r, place+".entry", branch.Entry)
	if rejected != nil {
		return rejected
	}
	for m, path := range branch.Members {
		member := c.find(path...)
		place := func() string { return indexed(place+".members", m) }
		switch {
		case member == nil:
			return invalid(place(), spelled(path...)+noNode)
		case member.Parent != r.Parent:
			return invalid(place(), spelled(path...)+" is not in the subgraph of the region's source")
		case member == r.Source:
			return invalid(place(), spelled(path...)+" is the region's source")
		case member == r.Join:
			return invalid(place(), spelled(path...)+" is the region's join")
		}
		if other, twice := r.branches[member.Key]; twice {
			return invalid(place(), spelled(path...)+" is in "+indexed("branches", other)+" already")
		}
		in := &c.memberOf[member.Ordinal]
		if len(*in) == maxRegionsOfNode {
			return invalid(place(), spelled(path...)+" is in more than "+strconv.Itoa(maxRegionsOfNode)+" regions")
		}
		*in = append(*in, membership{r.Ordinal, b})
		r.branches[member.Key] = b
	}
	if in, ok := r.branches[entry.Key]; !ok || in != b {
		return invalid(place+".entry", spelled(branch.Entry...)+" is not among the members")
	}
	r.Entries = append(r.Entries, entry)
	return nil
}

// nest finds which regions enclose which, and hands the regions to their subgraphs: in plan order, but before
// each region those that it encloses. So an inner region stands before an outer one, and of two that
// overlap without nesting the first of the plan, wherever both can be had.
func (c *planCheck) nest() {
	inner := make([][]*IndexedRegion, len(c.regions))
	for _, r := range c.regions {
		// A region never encloses itself: its source is not among its members.
		around := slices.Clone(c.memberOf[r.Source.Ordinal])
		for _, branch := range r.Region.Branches {
			for _, path := range branch.Members {
				if len(around) == 0 {
					break
				}
				around = common(around, c.memberOf[c.find(path...).Ordinal])
			}
		}
		for _, m := range around {
			r.Enclosing = append(r.Enclosing, c.regions[m.region])
			inner[m.region] = append(inner[m.region], r)
		}
	}
	handed := make([]bool, len(c.regions))
	var hand func(r *IndexedRegion)
	hand = func(r *IndexedRegion) { // nests as deep as the regions do, at most maxRegionsOfNode
		if !handed[r.Ordinal] {
			handed[r.Ordinal] = true
			for _, in := range inner[r.Ordinal] {
				hand(in)
			}
			r.Parent.Regions = append(r.Parent.Regions, r)
		}
	}
	for _, r := range c.regions {
		hand(r)
	}
}

// common keeps of a what b has too; both are in plan order.
func common(a, b []membership) []membership {
	kept, i := a[:0], 0
	for _, m := range a {
		for i < len(b) && b[i].region < m.region {
			i++
		}
		if i < len(b) && b[i] == m {
			kept = append(kept, m)
		}
	}
	return kept
}

func (c *planCheck) checkOutputs() *Rejection {
	first := map[*PlanOutput]int{}
	for i := range c.plan.Outputs {
		output := &c.plan.Outputs[i]
		level := c.root
		if node := c.find(output.SubgraphPath...); len(output.SubgraphPath) > 0 {
			if level = node; level == nil {
				return invalid(indexed("outputs", i)+".subgraph_path", spelled(output.SubgraphPath...)+noNode)
			}
		}
		key := string(AppendPathKey(c.key, output.Name))
		if other := c.outputs[key]; other != nil {
			return invalid(indexed("outputs", i)+".name", "is declared by "+indexed("outputs", first[other])+" too")
		}
		c.outputs[key], first[output] = output, i
		level.Outputs = append(level.Outputs, output)
	}
	return nil
}

func (c *planCheck) checkNames() *Rejection {
	for i := range c.plan.Tables {
		table := &c.plan.Tables[i]
		if c.tables[table.Name] != nil {
			return invalid(indexed("tables", i)+".name", "is the name of another table too")
		}
		c.tables[table.Name] = table
	}
	for i := range c.plan.Tools {
		tool := &c.plan.Tools[i]
		if c.tools[tool.Name] != nil {
			return invalid(indexed("tools", i)+".name", "is the name of another tool too")
		}
		c.tools[tool.Name] = tool
	}
	return nil
}
