package wire

// PlanIndex is a valid plan made ready for looking things up. It and all that it answers are immutable and
// safe for concurrent use. Keys are those of PathKey.
type PlanIndex struct {
	plan    *Plan
	root    *IndexedNode
	nodes   map[string]*IndexedNode // by key
	outputs map[string]*PlanOutput  // by the key of the subgraph followed by that of the name
	tables  map[string]*PlanTable
	tools   map[string]*PlanTool
}

// IndexedNode is a node of the plan with what stands around it and, when it is a subgraph, in it. The root
// stands for the agent as a whole: its Node is nil, its Key "", and its Children are the top level.
type IndexedNode struct {
	Node     *PlanNode
	Ordinal  int    // its place in Plan.Nodes; -1 of the root
	Key      string // PathKey(Node.Path)
	Parent   *IndexedNode
	Children []*IndexedNode   // the nodes directly in it, in plan order
	Edges    []*PlanEdge      // the edges out of it, in plan order
	Regions  []*IndexedRegion // the regions whose nodes are its children, inner ones before outer ones, else in plan order
	Outputs  []*PlanOutput    // those declared for it as a subgraph, in plan order
}

// Subgraph tells whether the node holds other nodes: its kind says so, or the plan has nodes in it, or it is
// told to hide what happens in it.
func (n *IndexedNode) Subgraph() bool {
	return n.Node == nil || n.Node.Kind == kindSubgraph || n.Node.HideInnerEvents || len(n.Children) > 0
}

const kindSubgraph = "subgraph"

// IndexedRegion is a region with its nodes found.
type IndexedRegion struct {
	Region       *PlanRegion
	Ordinal      int          // its place in Plan.Regions
	Parent       *IndexedNode // the subgraph that all its nodes are in, perhaps the root
	Source, Join *IndexedNode
	Entries      []*IndexedNode // of the branches, in their order
	// Enclosing are the regions that have this one in one of their branches, its source and all its members,
	// in plan order. How many they are is how deep the region nests.
	Enclosing []*IndexedRegion

	branches map[string]int // by the key of a member
}

// Branch answers which branch has the node of that key as a member, from 0; false when none has.
func (r *IndexedRegion) Branch(key string) (int, bool) {
	i, ok := r.branches[key]
	return i, ok
}

// NewPlanIndex validates a plan and indexes it. The plan must not be changed afterwards. The error is that of
// Validate.
func NewPlanIndex(p *Plan) (*PlanIndex, error) {
	x, rejected := indexPlan(p)
	if rejected != nil {
		return nil, rejected
	}
	return x, nil
}

// Plan answers what is indexed.
func (x *PlanIndex) Plan() *Plan { return x.plan }

// Root answers what stands for the agent as a whole.
func (x *PlanIndex) Root() *IndexedNode { return x.root }

// Node answers the node of that key, nil when the plan has none; the key "" is no node's.
func (x *PlanIndex) Node(key string) *IndexedNode { return x.nodes[key] }

// Level answers the node of that key as something that holds nodes, the root for ""; nil when the plan has no
// such subgraph.
func (x *PlanIndex) Level(key string) *IndexedNode {
	if key == "" {
		return x.root
	}
	if n := x.nodes[key]; n != nil && n.Subgraph() {
		return n
	}
	return nil
}

// Output answers the output of that name, declared for the subgraph of that key or, with "", for the agent;
// nil when none is.
func (x *PlanIndex) Output(subgraph, name string) *PlanOutput {
	var buf [128]byte
	return x.outputs[string(AppendPathKey(append(buf[:0], subgraph...), name))]
}

// Table answers the declared table of that name; nil when none is.
func (x *PlanIndex) Table(name string) *PlanTable { return x.tables[name] }

// Tool answers the tool of that name; nil when the plan has none.
func (x *PlanIndex) Tool(name string) *PlanTool { return x.tools[name] }
