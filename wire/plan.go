package wire

// Plan is the static metadata of one immutable version of an agent (docs/wire.md, "Plans"). It says what the
// graph is; what ran is the run projection's to say. Immutable once decoded.
type Plan struct {
	AgentID      string
	AgentVersion int // 0 is a draft
	Name         string
	Nodes        []PlanNode // in the platform's order
	Edges        []PlanEdge
	Regions      []PlanRegion
	Outputs      []PlanOutput
	Tables       []PlanTable
	Tools        []PlanTool
}

// PlanNode is one node of the graph, by its absolute path.
type PlanNode struct {
	Path            []string
	Kind            string
	Name            string
	HideInnerEvents bool // a black box: a subgraph that tells nothing of its inner nodes
	Samples         int  // of an ensemble; 0 when not told
	ExitPorts       []string
}

// PlanEdge is a static edge between two nodes of one subgraph.
type PlanEdge struct {
	SubgraphPath []string
	From         string
	FromPort     string
	HasFromPort  bool
	To           string
}

// PlanRegion is a fan-out region: the platform's own word that what Source starts runs in branches until Join.
// All paths of a region share one parent.
type PlanRegion struct {
	Source   []string
	Join     []string
	Branches []PlanBranch
}

// PlanBranch is one branch of a region: its entry node and all its nodes, the entry among them.
type PlanBranch struct {
	Entry   []string
	Members [][]string
}

// PlanOutput is a declared output of the agent or of one of its subgraphs.
type PlanOutput struct {
	Name         string
	SubgraphPath []string
	Format       ArtifactFormat
	Schema       JSON // "" when none is declared
}

// PlanTable is a declared collection.
type PlanTable struct {
	Name   string
	Schema JSON
}

// PlanTool is a tool the agent may call.
type PlanTool struct {
	Name                   string
	RequiresClientResponse bool
	Private                bool
	Schema                 JSON
}
