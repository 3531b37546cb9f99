package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"inlaygraph/wire"
)

// planner writes the plan of a script's agent, one level of it: the top or the inside of a subgraph.
type planner struct {
	plan *wire.Plan
	at   []string
}

// planned starts the plan of the script's agent.
func (s *Script) planned(name string) planner {
	s.Plan = &wire.Plan{AgentID: s.Agent, AgentVersion: s.Version, Name: name}
	return planner{plan: s.Plan}
}

func (p planner) path(id string) []string { return append(slices.Clone(p.at), id) }

// node adds a node, and answers it for what else there is to say.
func (p planner) node(id, kind, name string, exitPorts ...string) *wire.PlanNode {
	p.plan.Nodes = append(p.plan.Nodes, wire.PlanNode{Path: p.path(id), Kind: kind, Name: name, ExitPorts: exitPorts})
	return &p.plan.Nodes[len(p.plan.Nodes)-1]
}

// subgraph adds a subgraph and answers its inside.
func (p planner) subgraph(id, name string, exitPorts ...string) planner {
	p.node(id, "subgraph", name, exitPorts...)
	return planner{p.plan, p.path(id)}
}

// edge adds an edge; a port of "" is not said.
func (p planner) edge(from, port, to string) {
	p.plan.Edges = append(p.plan.Edges, wire.PlanEdge{
		SubgraphPath: p.at, From: from, FromPort: port, HasFromPort: port != "", To: to,
	})
}

// region adds a fan-out, each branch the ids of its nodes, its entry first.
func (p planner) region(source, join string, branches ...[]string) {
	r := wire.PlanRegion{Source: p.path(source), Join: p.path(join)}
	for _, ids := range branches {
		b := wire.PlanBranch{Entry: p.path(ids[0])}
		for _, id := range ids {
			b.Members = append(b.Members, p.path(id))
		}
		r.Branches = append(r.Branches, b)
	}
	p.plan.Regions = append(p.plan.Regions, r)
}

// output declares an output of the level.
func (p planner) output(name string, format wire.ArtifactFormat, schema wire.JSON) {
	p.plan.Outputs = append(p.plan.Outputs, wire.PlanOutput{Name: name, SubgraphPath: p.at, Format: format, Schema: schema})
}

func (p planner) table(name string, schema wire.JSON) {
	p.plan.Tables = append(p.plan.Tables, wire.PlanTable{Name: name, Schema: schema})
}

// tool adds a server's tool, and answers it for what else there is to say.
func (p planner) tool(name string, schema wire.JSON) *wire.PlanTool {
	p.plan.Tools = append(p.plan.Tools, wire.PlanTool{Name: name, Schema: schema})
	return &p.plan.Tools[len(p.plan.Tools)-1]
}

// clientTool adds a tool that the client answers.
func (p planner) clientTool(name string, schema wire.JSON) {
	p.tool(name, schema).RequiresClientResponse = true
}

// PlanFile is the name of the plan's file.
func (s *Script) PlanFile() string { return s.Agent + ".json" }

// PlanText is the plan as its file has it: JSON, one part a line.
func (s *Script) PlanText() ([]byte, error) {
	var lists struct {
		Nodes, Edges, Regions, Outputs, Tables, Tools []json.RawMessage
	}
	if err := json.Unmarshal(s.Plan.AppendJSON(nil), &lists); err != nil {
		return nil, fmt.Errorf("the plan of %s: %w", s.Agent, err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"agent_id\": %s, \"agent_version\": %d, \"name\": %s", quoted(s.Plan.AgentID), s.Plan.AgentVersion, quoted(s.Plan.Name))
	for _, list := range []struct {
		name  string
		parts []json.RawMessage
	}{
		{"nodes", lists.Nodes}, {"edges", lists.Edges}, {"regions", lists.Regions}, {"outputs", lists.Outputs},
		{"tables", lists.Tables}, {"tools", lists.Tools},
	} {
		if len(list.parts) > 0 {
			fmt.Fprintf(&b, ",\n \"%s\": [\n  %s]", list.name, bytes.Join(parts(list.parts), []byte(",\n  ")))
		}
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

func parts(raw []json.RawMessage) [][]byte {
	all := make([][]byte, len(raw))
	for i, part := range raw {
		all[i] = part
	}
	return all
}
