package wire

import (
	"math"
	"slices"
)

// DecodePlan decodes and validates a plan (docs/wire.md, "Plans"): an answer of
// GET /v1/agents/{agent_id}/versions/{version}, or a plan file. The error is a *Rejection that says the place,
// such as `regions[0].branches[1].members[2]`; of faults of form the first in the order of the page is told,
// then those that Validate finds. The caller bounds the size of the data.
func DecodePlan(data []byte) (*Plan, error) {
	s := states.Get().(*state)
	defer s.release()
	data, rejected := wholeObject(data)
	if rejected != nil {
		return nil, rejected
	}
	plan, place, why := s.plan(data)
	if why != "" {
		return nil, &Rejection{Reason: why, Member: place}
	}
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	return &plan, nil
}

// The members of a plan and of its parts, as docs/wire.md lists them.
var (
	planMembers = []string{
		"agent_id", "agent_version", "name", "nodes", "edges", "regions", "outputs", "tables", "tools",
	}
	planNodeMembers   = []string{"path", "kind", "name", "hide_inner_events", "samples", "exit_ports"}
	planEdgeMembers   = []string{"subgraph_path", "from", "from_port", "to"}
	planRegionMembers = []string{"source", "join", "branches"}
	planBranchMembers = []string{"entry", "members"}
	planOutputMembers = []string{"name", "subgraph_path", "format", "schema"}
	planTableMembers  = []string{"name", "schema"}
	planToolMembers   = []string{"name", "requires_client_response", "private", "schema"}
)

func (s *state) plan(raw []byte) (p Plan, place string, why Reason) {
	f := s.fields(raw, planMembers)
	p.AgentID = f.text("agent_id", required)
	p.AgentVersion = f.number("agent_version", required, 0)
	p.Name = f.text("name", optional)
	p.Nodes = list(&f, "nodes", optional, s.planNode)
	p.Edges = list(&f, "edges", optional, s.planEdge)
	p.Regions = list(&f, "regions", optional, s.planRegion)
	p.Outputs = list(&f, "outputs", optional, s.planOutput)
	p.Tables = list(&f, "tables", optional, s.planTable)
	p.Tools = list(&f, "tools", optional, s.planTool)
	return p, f.place, f.why
}

func (s *state) planNode(raw []byte) (n PlanNode, place string, why Reason) {
	f := s.fields(raw, planNodeMembers)
	n.Path = f.path("path", required)
	n.Kind = f.text("kind", optional)
	n.Name = f.text("name", optional)
	n.HideInnerEvents = f.boolean("hide_inner_events", optional)
	n.Samples = f.number("samples", optional, 1)
	n.ExitPorts = f.path("exit_ports", optional)
	return n, f.place, f.why
}

func (s *state) planEdge(raw []byte) (e PlanEdge, place string, why Reason) {
	f := s.fields(raw, planEdgeMembers)
	e.SubgraphPath = f.path("subgraph_path", optional)
	e.From = f.text("from", required)
	e.HasFromPort = f.get("from_port", optional) != nil
	e.FromPort = f.text("from_port", optional)
	e.To = f.text("to", required)
	return e, f.place, f.why
}

func (s *state) planRegion(raw []byte) (r PlanRegion, place string, why Reason) {
	f := s.fields(raw, planRegionMembers)
	r.Source = f.path("source", required)
	r.Join = f.path("join", required)
	r.Branches = list(&f, "branches", required, s.planBranch)
	return r, f.place, f.why
}

func (s *state) planBranch(raw []byte) (b PlanBranch, place string, why Reason) {
	f := s.fields(raw, planBranchMembers)
	b.Entry = f.path("entry", required)
	b.Members = list(&f, "members", required, s.names)
	return b, f.place, f.why
}

func (s *state) planOutput(raw []byte) (o PlanOutput, place string, why Reason) {
	f := s.fields(raw, planOutputMembers)
	o.Name = f.text("name", required)
	o.SubgraphPath = f.path("subgraph_path", optional)
	if raw := f.get("format", optional); raw != nil {
		o.Format, why = s.format(raw)
		f.fail("format", "", why)
	}
	o.Schema = f.json("schema")
	return o, f.place, f.why
}

func (s *state) planTable(raw []byte) (t PlanTable, place string, why Reason) {
	f := s.fields(raw, planTableMembers)
	t.Name = f.text("name", required)
	t.Schema = f.json("schema")
	return t, f.place, f.why
}

func (s *state) planTool(raw []byte) (t PlanTool, place string, why Reason) {
	f := s.fields(raw, planToolMembers)
	t.Name = f.text("name", required)
	t.RequiresClientResponse = f.boolean("requires_client_response", required)
	t.Private = f.boolean("private", optional)
	t.Schema = f.json("schema")
	return t, f.place, f.why
}

// fields reads the members of one object. The first fault stays, and nothing is read after it.
type fields struct {
	s     *state
	names []string
	found [9][]byte // by the place of their names; as many as the greatest of the lists has
	place string
	why   Reason
}

// need says whether a member that is absent or null is a fault.
type need bool

const (
	required need = true
	optional need = false
)

func (s *state) fields(raw []byte, names []string) fields {
	f := fields{s: s, names: names}
	if !s.pick(raw, names, f.found[:]) {
		f.why = ReasonWrongType
	}
	return f
}

// get answers a member's raw value, nil where there is none.
func (f *fields) get(name string, needed need) []byte {
	if f.why != "" {
		return nil
	}
	raw := f.found[slices.Index(f.names, name)]
	if raw == nil || isNull(raw) {
		if needed {
			f.fail(name, "", ReasonMissing)
		}
		return nil
	}
	return raw
}

// fail notes a fault, if there is one.
func (f *fields) fail(name, place string, why Reason) {
	if why != "" {
		f.place, f.why = under(name, place), why
	}
}

func (f *fields) text(name string, needed need) (text string) {
	if raw := f.get(name, needed); raw != nil {
		var why Reason
		text, why = f.s.name(raw)
		f.fail(name, "", why)
	}
	return text
}

func (f *fields) path(name string, needed need) (path []string) {
	if raw := f.get(name, needed); raw != nil {
		var place string
		var why Reason
		path, place, why = f.s.names(raw)
		f.fail(name, place, why)
	}
	return path
}

func (f *fields) number(name string, needed need, least int64) (n int) {
	if raw := f.get(name, needed); raw != nil {
		whole, why := integer(raw, least, math.MaxInt32)
		n = int(whole)
		f.fail(name, "", why)
	}
	return n
}

func (f *fields) boolean(name string, needed need) (yes bool) {
	if raw := f.get(name, needed); raw != nil {
		var why Reason
		yes, why = boolean(raw)
		f.fail(name, "", why)
	}
	return yes
}

func (f *fields) json(name string) JSON {
	if raw := f.get(name, optional); raw != nil {
		return f.s.json(raw)
	}
	return ""
}

// list reads an array of things of one sort; `[]` reads as nil.
func list[T any](f *fields, name string, needed need, read func([]byte) (T, string, Reason)) (all []T) {
	raw := f.get(name, needed)
	if raw == nil {
		return nil
	}
	place, why := each(raw, func(value []byte) (string, Reason) {
		one, place, why := read(value)
		all = append(all, one)
		return place, why
	})
	f.fail(name, place, why)
	return all
}
