package wire

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pagePlan is the example of docs/wire.md, "Plans".
func pagePlan(t *testing.T) string {
	page, err := os.ReadFile("../docs/wire.md")
	require.NoError(t, err)
	_, plans, found := strings.Cut(string(page), "\n## Plans\n")
	require.True(t, found)
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(plans)
	require.NotNil(t, example)
	return example[1]
}

func TestPlan(t *testing.T) {
	plan, err := DecodePlan([]byte("\ufeff" + pagePlan(t) + "\r\n"))
	require.NoError(t, err)
	assert.Equal(t, &Plan{
		AgentID: "trip", AgentVersion: 7, Name: "Trip planner",
		Nodes: []PlanNode{
			{Path: []string{"kickoff"}, Kind: "llm", Name: "Kick-off"},
			{Path: []string{"research"}, Kind: "subgraph", Name: "Research", ExitPorts: []string{"done", "error"}},
			{Path: []string{"research", "search"}, Kind: "llm"},
			{Path: []string{"payment"}, Kind: "subgraph", HideInnerEvents: true},
			{Path: []string{"vote"}, Kind: "ensemble", Samples: 4},
			{Path: []string{"merge"}, Kind: "join"},
		},
		Edges: []PlanEdge{
			{From: "kickoff", FromPort: "next", HasFromPort: true, To: "research"}, {From: "kickoff", To: "vote"},
		},
		Regions: []PlanRegion{{Source: []string{"kickoff"}, Join: []string{"merge"}, Branches: []PlanBranch{
			{Entry: []string{"research"}, Members: [][]string{{"research"}, {"payment"}}},
			{Entry: []string{"vote"}, Members: [][]string{{"vote"}}},
		}}},
		Outputs: []PlanOutput{
			{Name: "recipe", Format: FormatMarkdown, Schema: `{"type":"string"}`},
			{Name: "sources", SubgraphPath: []string{"research"}},
		},
		Tables: []PlanTable{{Name: "leads", Schema: `{"type":"object"}`}},
		Tools:  []PlanTool{{Name: "approve", RequiresClientResponse: true, Schema: `{}`}, {Name: "lookup", Private: true}},
	}, plan)

	plan, err = DecodePlan([]byte(`{"agent_id":"a","agent_version":0,"name":null,"nodes":null,"regions":[],"more":{"nodes":1}}`))
	require.NoError(t, err)
	assert.Equal(t, &Plan{AgentID: "a"}, plan, "what is null or empty is absent, what is unknown is ignored")

	plan, err = DecodePlan([]byte(`{"agent_version":1,"agent_id":"a","nodes":7,"nodes":[
		{"path":["n"],"kind":null,"name":null,"hide_inner_events":null,"samples":null,"exit_ports":null,"color":"red"}],
		"edges":[{"subgraph_path":null,"from":"n","from_port":"","to":"n"}],
		"outputs":[{"name":"","subgraph_path":[],"format":"hologram","schema":null},{"name":"x","schema":{ "maximum" : 1.50 }}],
		"tables":[{"name":"x","schema":true}],"tools":[{"name":"x","requires_client_response":false,"private":null}]}`))
	require.NoError(t, err)
	assert.Equal(t, &Plan{
		AgentID: "a", AgentVersion: 1, Nodes: []PlanNode{{Path: []string{"n"}}},
		Edges:   []PlanEdge{{From: "n", HasFromPort: true, To: "n"}},
		Outputs: []PlanOutput{{}, {Name: "x", Schema: `{"maximum":1.50}`}},
		Tables:  []PlanTable{{Name: "x", Schema: `true`}}, Tools: []PlanTool{{Name: "x"}},
	}, plan)
}

// Promise 12: faults of form, with their place.
func TestPlanRejections(t *testing.T) {
	for text, want := range map[string]Rejection{
		``:                                        {Reason: ReasonMalformed},
		`[]`:                                      {Reason: ReasonMalformed},
		`{"agent_id":"a"`:                         {Reason: ReasonMalformed},
		`{"agent_version":1}`:                     {Reason: ReasonMissing, Member: "agent_id"},
		`{"agent_id":"a"}`:                        {Reason: ReasonMissing, Member: "agent_version"},
		`{"agent_id":1}`:                          {Reason: ReasonWrongType, Member: "agent_id"},
		planWith(`"agent_version":-1`):            {Reason: ReasonOutOfRange, Member: "agent_version"},
		planWith(`"agent_version":1.0`):           {Reason: ReasonWrongType, Member: "agent_version"},
		planWith(`"agent_version":"1"`):           {Reason: ReasonWrongType, Member: "agent_version"},
		planWith(`"name":[]`):                     {Reason: ReasonWrongType, Member: "name"},
		planWith(`"nodes":{}`):                    {Reason: ReasonWrongType, Member: "nodes"},
		planWith(`"nodes":[null]`):                {Reason: ReasonWrongType, Member: "nodes[0]"},
		planWith(`"nodes":[{}]`):                  {Reason: ReasonMissing, Member: "nodes[0].path"},
		planWith(`"nodes":[{"path":7}]`):          {Reason: ReasonWrongType, Member: "nodes[0].path"},
		planWith(`"nodes":[{"path":["a",null]}]`): {Reason: ReasonWrongType, Member: "nodes[0].path[1]"},
		planWith(`"nodes":[{"path":["a"],"samples":0}]`):                                                   {Reason: ReasonOutOfRange, Member: "nodes[0].samples"},
		planWith(`"nodes":[{"path":["a"],"kind":1}]`):                                                      {Reason: ReasonWrongType, Member: "nodes[0].kind"},
		planWith(`"nodes":[{"path":["a"],"hide_inner_events":"no"}]`):                                      {Reason: ReasonWrongType, Member: "nodes[0].hide_inner_events"},
		planWith(`"nodes":[{"path":["a"],"exit_ports":["x",1]}]`):                                          {Reason: ReasonWrongType, Member: "nodes[0].exit_ports[1]"},
		planWith(`"edges":[{"from":"a"}]`):                                                                 {Reason: ReasonMissing, Member: "edges[0].to"},
		planWith(`"edges":[{"to":"a"}]`):                                                                   {Reason: ReasonMissing, Member: "edges[0].from"},
		planWith(`"edges":[{"from":"a","to":"b","from_port":1}]`):                                          {Reason: ReasonWrongType, Member: "edges[0].from_port"},
		planWith(`"regions":[{"join":["b"],"branches":[]}]`):                                               {Reason: ReasonMissing, Member: "regions[0].source"},
		planWith(`"regions":[{"source":["a"],"branches":[]}]`):                                             {Reason: ReasonMissing, Member: "regions[0].join"},
		planWith(`"regions":[{"source":["a"],"join":["b"]}]`):                                              {Reason: ReasonMissing, Member: "regions[0].branches"},
		planWith(`"regions":[{"source":["a"],"join":["b"],"branches":[{"members":[]}]}]`):                  {Reason: ReasonMissing, Member: "regions[0].branches[0].entry"},
		planWith(`"regions":[{"source":["a"],"join":["b"],"branches":[{"entry":["x"]}]}]`):                 {Reason: ReasonMissing, Member: "regions[0].branches[0].members"},
		planWith(`"regions":[{"source":["a"],"join":["b"],"branches":[{"entry":["x"],"members":["x"]}]}]`): {Reason: ReasonWrongType, Member: "regions[0].branches[0].members[0]"},
		planWith(`"regions":[{"source":["a"],"join":["b"],"branches":[{"entry":["x"],"members":[["x",{}]]}]}]`): {
			Reason: ReasonWrongType, Member: "regions[0].branches[0].members[0][1]"},
		planWith(`"outputs":[{}]`):                             {Reason: ReasonMissing, Member: "outputs[0].name"},
		planWith(`"outputs":[{"name":"x","format":1}]`):        {Reason: ReasonWrongType, Member: "outputs[0].format"},
		planWith(`"outputs":[{"name":"x","subgraph_path":1}]`): {Reason: ReasonWrongType, Member: "outputs[0].subgraph_path"},
		planWith(`"tables":[{"name":null}]`):                   {Reason: ReasonMissing, Member: "tables[0].name"},
		planWith(`"tools":[{"name":"x"}]`):                     {Reason: ReasonMissing, Member: "tools[0].requires_client_response"},
		planWith(`"tools":[{"name":"x","requires_client_response":0}]`): {
			Reason: ReasonWrongType, Member: "tools[0].requires_client_response"},
	} {
		plan, err := DecodePlan([]byte(text))
		assert.Equal(t, &want, err, text)
		assert.Nil(t, plan)
	}
}

// planWith is a plan with this member, perhaps instead of its own.
func planWith(member string) string { return `{"agent_id":"a","agent_version":1,` + member + `}` }

// paths spells "a a/b c" as three paths.
func paths(all string) (list [][]string) {
	for _, one := range strings.Fields(all) {
		list = append(list, strings.Split(one, "/"))
	}
	return list
}

// region makes a region of "source join", and a branch of each further text, its entry first.
func region(ends string, branches ...string) PlanRegion {
	r := PlanRegion{Source: paths(ends)[0], Join: paths(ends)[1]}
	for _, members := range branches {
		r.Branches = append(r.Branches, PlanBranch{Entry: paths(members)[0], Members: paths(members)})
	}
	return r
}

// nodesOf are nodes without more than a path.
func nodesOf(all string) (nodes []PlanNode) {
	for _, path := range paths(all) {
		nodes = append(nodes, PlanNode{Path: path})
	}
	return nodes
}

// Promise 13: faults of sense, with their place and what is wrong.
func TestInvalidPlans(t *testing.T) {
	const base = "s l l2 r j sub sub/x sub/y"
	good := region("s j", "l l2", "r")
	with := func(change func(*PlanRegion)) func(*Plan) {
		return func(p *Plan) {
			r := region("s j", "l l2", "r")
			change(&r)
			p.Regions = []PlanRegion{good, r}
		}
	}
	for _, c := range []struct {
		place, detail string
		change        func(*Plan)
	}{
		{"agent_id", `is empty`, func(p *Plan) { p.AgentID = "" }},
		{"nodes[8].path", `is empty`, func(p *Plan) { p.Nodes = append(p.Nodes, PlanNode{}) }},
		{"nodes[8].path[1]", `is empty`, func(p *Plan) { p.Nodes = append(p.Nodes, PlanNode{Path: []string{"sub", ""}}) }},
		{"nodes[8].path", `is the path of nodes[6] too`, func(p *Plan) { p.Nodes = append(p.Nodes, nodesOf("sub/x")...) }},
		{"nodes[8].path", `is in "no/where", which is no node of the plan`, func(p *Plan) { p.Nodes = append(p.Nodes, nodesOf("no/where/x")...) }},
		{"edges[0].subgraph_path", `"where" is no node of the plan`, func(p *Plan) { p.Edges = []PlanEdge{{SubgraphPath: []string{"where"}, From: "x", To: "y"}} }},
		{"edges[1].from", `"x" is no node of the plan`, func(p *Plan) { p.Edges = []PlanEdge{{From: "s", To: "l"}, {From: "x", To: "l"}} }},
		{"edges[0].from", `"sub/s" is no node of the plan`, func(p *Plan) { p.Edges = []PlanEdge{{SubgraphPath: []string{"sub"}, From: "s", To: "x"}} }},
		{"edges[0].to", `"sub/l" is no node of the plan`, func(p *Plan) { p.Edges = []PlanEdge{{SubgraphPath: []string{"sub"}, From: "x", To: "l"}} }},
		{"edges[0].to", `"l\"?" is no node of the plan`, func(p *Plan) { p.Edges = []PlanEdge{{From: "s", To: "l\"\n"}} }},
		{"regions[1].source", `"nobody" is no node of the plan`, with(func(r *PlanRegion) { r.Source = []string{"nobody"} })},
		{"regions[1].source", `"" is no node of the plan`, with(func(r *PlanRegion) { r.Source = nil })},
		{"regions[1].join", `"nobody" is no node of the plan`, with(func(r *PlanRegion) { r.Join = []string{"nobody"} })},
		{"regions[1].join", `"sub/x" is not in the subgraph of the region's source`, with(func(r *PlanRegion) { r.Join = []string{"sub", "x"} })},
		{"regions[1].branches", `is empty`, with(func(r *PlanRegion) { r.Branches = nil })},
		{"regions[1].branches[1].entry", `"nobody" is no node of the plan`, with(func(r *PlanRegion) { r.Branches[1].Entry = []string{"nobody"} })},
		{"regions[1].branches[1].entry", `"sub/x" is not in the subgraph of the region's source`, with(func(r *PlanRegion) { r.Branches[1].Entry = []string{"sub", "x"} })},
		{"regions[1].branches[0].entry", `"r" is not among the members`, with(func(r *PlanRegion) { r.Branches[0].Entry = []string{"r"} })},
		{"regions[1].branches[1].entry", `"l" is not among the members`, with(func(r *PlanRegion) { r.Branches[1].Entry = []string{"l"} })},
		{"regions[1].branches[1].entry", `"r" is not among the members`, with(func(r *PlanRegion) { r.Branches[1].Members = nil })},
		{"regions[1].branches[0].members[1]", `"nobody" is no node of the plan`, with(func(r *PlanRegion) { r.Branches[0].Members[1] = []string{"nobody"} })},
		{"regions[1].branches[0].members[1]", `"sub/x" is not in the subgraph of the region's source`, with(func(r *PlanRegion) { r.Branches[0].Members[1] = []string{"sub", "x"} })},
		{"regions[1].branches[0].members[1]", `"s" is the region's source`, with(func(r *PlanRegion) { r.Branches[0].Members[1] = []string{"s"} })},
		{"regions[1].branches[0].members[1]", `"j" is the region's join`, with(func(r *PlanRegion) { r.Branches[0].Members[1] = []string{"j"} })},
		{"regions[1].branches[1].members[0]", `"l2" is in branches[0] already`, with(func(r *PlanRegion) { r.Branches[1] = PlanBranch{paths("l2")[0], paths("l2")} })},
		{"regions[1].branches[0].members[2]", `"l" is in branches[0] already`, with(func(r *PlanRegion) { r.Branches[0].Members = paths("l l2 l") })},
		{"regions[256].branches[0].members[0]", `"l" is in more than 256 regions`, func(p *Plan) { p.Regions = slices.Repeat([]PlanRegion{good}, 257) }},
		{"outputs[0].subgraph_path", `"where" is no node of the plan`, func(p *Plan) { p.Outputs = []PlanOutput{{Name: "o", SubgraphPath: []string{"where"}}} }},
		{"outputs[2].name", `is declared by outputs[0] too`, func(p *Plan) {
			p.Outputs = []PlanOutput{{Name: "o", SubgraphPath: []string{"sub"}}, {Name: "o"}, {Name: "o", SubgraphPath: []string{"sub"}}}
		}},
		{"tables[1].name", `is the name of another table too`, func(p *Plan) { p.Tables = []PlanTable{{Name: "x"}, {Name: "x"}} }},
		{"tools[1].name", `is the name of another tool too`, func(p *Plan) { p.Tools = []PlanTool{{Name: "x"}, {Name: "x"}} }},
	} {
		p := &Plan{AgentID: "a", AgentVersion: 1, Nodes: nodesOf(base), Regions: []PlanRegion{good}}
		require.NoError(t, p.Validate())
		c.change(p)
		want := &Rejection{Reason: ReasonInvalidPlan, Member: c.place, Detail: c.detail}
		assert.Equal(t, want, p.Validate(), c.place)
		assert.Equal(t, "invalid_plan at "+c.place+": "+c.detail, want.Error())
		_, err := NewPlanIndex(p)
		assert.Equal(t, want, err)
		if c.place == "agent_id" {
			continue
		}
		_, err = DecodePlan(p.AppendJSON(nil))
		assert.Equal(t, want, err, "%s", p.AppendJSON(nil))
	}

	for place, p := range map[string]*Plan{
		"agent_version":    {AgentID: "a", AgentVersion: -1},
		"nodes[0].samples": {AgentID: "a", Nodes: []PlanNode{{Path: []string{"n"}, Samples: -1}}},
	} {
		assert.Equal(t, &Rejection{Reason: ReasonOutOfRange, Member: place}, p.Validate())
	}
	long := &Plan{AgentID: "a", Edges: []PlanEdge{{From: strings.Repeat("é\n", 9999), To: "b"}}}
	requireSound(t, long.Validate())
}

// Regions of every shape that the page lets be: nested, one behind the other, over each other.
func TestRegionsThatAreFine(t *testing.T) {
	p := &Plan{AgentID: "a", Nodes: nodesOf("s a b c j"), Regions: []PlanRegion{
		region("s j", "a b", "c"), region("s j", "a b", "c"), region("s c", "b", "a"), region("a j", "b", "c"), region("s s", "a"),
	}}
	require.NoError(t, p.Validate())
}
