package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/model"
)

func pathOf(s string) []string { return strings.Split(s, "/") }

// docs/fold.md, "The views": the text of a node.
func TestNodeViewContent(t *testing.T) {
	said := func(node, activation, content string) string {
		path := pathOf(node)
		line := "message.end node_id=" + path[len(path)-1] + " content=" + content + " reasoning=" + strings.ToUpper(content)
		if len(path) > 1 {
			line += ` subgraph_path=["` + strings.Join(path[:len(path)-1], `","`) + `"]`
		}
		if activation != "" {
			line += " activation=" + activation
		}
		return line + "\n"
	}
	plan := planned(t, "node n llm\nnode g subgraph\nnode s subgraph\nnode g/n llm")
	for _, c := range []struct{ name, lines, path, content string }{
		{"the current activation's rows, nothing between", "node.start node_id=n activation=a kind=llm\n" + said("n", "a", "x") + said("n", "a", "y") + said("n", "b", "z"), "n", "xy"},
		{"a new activation starts anew", said("n", "a", "x") + "node.start node_id=n activation=b kind=llm\n", "n", ""},
		{"no run: of the last row's activation", said("n", "a", "x") + said("n", "b", "y") + said("n", "a", "z"), "n", "xz"},
		{"a container's is its subtree's, its own included", said("g", "a", "x") + said("g/n", "b", "y") + said("n", "c", "z") + said("g/h/n", "d", "w"), "g", "xyw"},
		{"a subgraph by the plan with rows of its own only", said("s", "a", "x") + said("s", "b", "y"), "s", "xy"},
		{"a container by its rows, unknown to the plan", "node.start node_id=u activation=b kind=llm\n" + said("u", "a", "x") + said("u/n", "c", "y"), "u", "xy"},
		{"without an activation", "node.start node_id=n kind=llm\n" + said("n", "", "x") + said("n", "b", "z"), "n", "x"},
		{"nothing", "node.start node_id=n kind=llm", "n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := folded(t, c.lines)
			v := m.NodeView(pathOf(c.path), plan)
			require.Equal(t, c.content, v.Content)
			if c.content == "" {
				require.Nil(t, v.Reasoning, "null when empty")
			} else {
				require.Equal(t, strings.ToUpper(c.content), *v.Reasoning)
			}
		})
	}
}

// docs/fold.md, "The views": the rest of a node.
func TestNodeViews(t *testing.T) {
	plan := planned(t, "node n llm\nnode k router\nnode g subgraph\nnode g/n llm\nnode b subgraph hidden")
	m := lived(t, "earlier k.q start:g.x start:u.y failed:u.y start:n.z end:n.z n.z edge:k>n end:b.w")
	var told []string
	for _, v := range m.Nodes(plan) {
		name, kind := "-", "-"
		if v.Name != nil {
			name = *v.Name
		}
		if v.Kind != nil {
			kind = *v.Kind
		}
		told = append(told, strings.Join([]string{strings.Join(v.Path, "/"), name, kind, v.Status}, ","))
		require.True(t, v.HasEarlier)
		require.Equal(t, []bool{v.Status == "RUNNING", v.Status == "COMPLETED", v.Status == "FAILED"}, []bool{v.Active, v.Done, v.Failed})
	}
	require.Equal(t, []string{
		"n,The n,any,COMPLETED", "k,The k,router,IDLE", "g,The g,any,RUNNING", "g/n,The n,llm,IDLE", "b,The b,subgraph,COMPLETED",
		"u,-,any,FAILED",
	}, told, "plan order, then run order")
	k := m.NodeView([]string{"k"}, plan)
	require.Equal(t, "next", *k.ExitedVia, "an edge that fired is known though the node is not")
	require.Len(t, k.Rows, 1)
	asked := m.NodeView(pathOf("no/such"), nil)
	require.Equal(t, "IDLE", asked.Status)
	require.Equal(t, "such", asked.NodeID)
	require.Empty(t, m.NodeView([]string{"n"}, nil).Branches)
	require.Nil(t, m.NodeView([]string{"n"}, nil).Name)
}

// docs/fold.md, "branches(path)".
func TestBranches(t *testing.T) {
	plan := planned(t, `
		node k router
		node a llm
		node b llm
		edge k yes a
		edge k no b
		edge k yes b
		edge k yes a
		edge k - a
		edge a yes b`)
	fired := func(port string) string { return "edge.fired from=k to=a from_port=" + port + "\n" }
	start := "node.start node_id=k activation="
	for _, c := range []struct{ name, lines, want string }{
		{"before anything", "", "yes>a PENDING, no>b PENDING, yes>b PENDING, ->a PENDING"},
		{"every wire of the port", fired("yes"), "yes>a TAKEN, no>b UNTAKEN, yes>b TAKEN, ->a UNTAKEN"},
		{"several ports", fired("yes") + fired("no"), "yes>a TAKEN, no>b TAKEN, yes>b TAKEN, ->a UNTAKEN"},
		{"no port is a port", "edge.fired from=k to=b", "yes>a UNTAKEN, no>b UNTAKEN, yes>b UNTAKEN, ->a TAKEN"},
		{"a port the plan does not have", fired("error"), "yes>a UNTAKEN, no>b UNTAKEN, yes>b UNTAKEN, ->a UNTAKEN"},
		{"a new visit starts anew", fired("yes") + start + "x kind=router\n", "yes>a PENDING, no>b PENDING, yes>b PENDING, ->a PENDING"},
		{"a repeated start does not", start + "x kind=router\n" + fired("no") + start + "x kind=router\n", "yes>a UNTAKEN, no>b TAKEN, yes>b UNTAKEN, ->a UNTAKEN"},
		{"another node's edge", "edge.fired from=a to=b from_port=yes\n" + `edge.fired subgraph_path=["g"] from=k to=a from_port=yes`, "yes>a PENDING, no>b PENDING, yes>b PENDING, ->a PENDING"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := folded(t, c.lines)
			var told []string
			for _, b := range m.NodeView([]string{"k"}, plan).Branches {
				port := "-"
				if b.Port != nil {
					port = *b.Port
				}
				told = append(told, port+">"+b.To+" "+b.Flag)
			}
			require.Equal(t, c.want, strings.Join(told, ", "))
		})
	}
}

// docs/fold.md, "SubagentView(path)".
func TestSubagentViews(t *testing.T) {
	plan := planned(t, "node g subgraph\nnode g/n llm\nnode b subgraph hidden\nnode l llm")
	m := lived(t, "start:g.x start:g/n.y start:g/h.z start:g/h/n.w end:g/h/n.w failed:g/h.z start:l.v edge:l>g start:b.u start:b/n.t")
	g := m.SubagentView([]string{"g"}, plan)
	require.Equal(t, "RUNNING", g.Status)
	require.Equal(t, []int{1, 1, 1, 1}, []int{g.RunningCount, g.DoneCount, g.FailedCount, g.VisitCount})
	require.Len(t, g.Children, 2)
	require.Equal(t, []string{"g", "n"}, g.Children[0].Path)
	require.Equal(t, "FAILED", g.Children[1].Status)
	require.Equal(t, "any", *g.Children[1].Kind)

	black, err := json.Marshal(m.SubagentView([]string{"b"}, plan))
	require.NoError(t, err)
	require.JSONEq(t, `{"path":["b"],"nodeId":"b","name":"The b","status":"RUNNING","exitedVia":null,"visitCount":1,"hasEarlier":false}`, string(black))
	require.False(t, m.SubagentView([]string{"b"}, nil).BlackBox, "only the plan says so")

	leaf, err := json.Marshal(m.SubagentView([]string{"l"}, plan))
	require.NoError(t, err)
	require.JSONEq(t, `{"path":["l"],"nodeId":"l","name":"The l","status":"IDLE","exitedVia":null,"visitCount":0,"hasEarlier":false,
		"runningCount":0,"doneCount":0,"failedCount":0,"children":[],"outputs":[]}`, string(leaf), "no subgraph: idle, zeros")

	m, _ = folded(t, `
		output.set node_id=n subgraph_path=["g"] name=own value=1 status=final complete=true
		output.set node_id=n subgraph_path=["g"] name=up value=2 status=final complete=true promoted=true
		output.set node_id=n subgraph_path=["g","h"] name=deeper value=3 status=final complete=true`)
	outputs := m.SubagentView([]string{"g"}, plan).Outputs
	require.Len(t, outputs, 1)
	require.Equal(t, "own", outputs[0].Name)
}

// docs/fold.md, "The views": present, not absent; and what the run projection says of a node, its view says.
func TestViewsHoldTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := conversation(t)
		m := model.New()
		for _, rec := range recs {
			m.Apply(rec)
		}
		views := map[string]*model.NodeView{}
		for i, v := range m.Nodes(plan) {
			key := strings.Join(v.Path, "/")
			require.Nil(t, views[key], "a node comes once")
			views[key] = v
			if i < len(plan.Nodes) {
				require.Equal(t, plan.Nodes[i].Path, v.Path)
			}
		}
		run := m.View().Run
		for _, n := range run.Nodes {
			v := views[strings.Join(n.Path, "/")]
			require.Equal(t, n.Status, v.Status)
			require.Equal(t, n.VisitCount, v.VisitCount)
		}
		for _, a := range run.Subagents {
			v := m.SubagentView(a.Path, nil)
			require.Equal(t, []int{a.RunningCount, a.DoneCount, a.FailedCount}, []int{v.RunningCount, v.DoneCount, v.FailedCount})
		}
	})
}
