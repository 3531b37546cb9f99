package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

const head = "conversation conversation_id=c agent_id=a agent_version=1 "
const runStart = "run.start run_id=r conversation_id=c agent_id=a agent_version=1\n"

func node(t *testing.T, m *model.Model, path string) *model.NodeRun {
	t.Helper()
	for _, n := range m.View().Run.Nodes {
		if strings.Join(n.Path, "/") == path {
			return n
		}
	}
	t.Fatalf("no run of %s", path)
	return nil
}

// docs/fold.md, "The run projection", NodeRun: which visit is the current one, and how many there were.
func TestNodeRuns(t *testing.T) {
	at := func(s string) string { return ` at="2026-01-01T00:00:0` + s + `Z"` }
	for _, c := range []struct {
		name, lines, status string
		visits              int
		prompt              int64 // -1: no usage
		started, finished   bool
	}{
		{"a new activation resets", `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			node.end node_id=n activation=a status=failed` + at("2") + `
			node.start node_id=n activation=b kind=llm` + at("3"), "RUNNING", 2, -1, true, false},
		{"an end of another activation adds its usage and its visit only", `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			node.end node_id=n activation=b status=failed usage={"prompt_tokens":3}` + at("2"), "RUNNING", 2, 3, true, false},
		{"while no start is known the latest end sets the status", `
			node.end node_id=n activation=a status=failed` + at("1") + `
			node.end node_id=n activation=b status=completed` + at("2"), "COMPLETED", 2, -1, false, true},
		{"an end before its start", `
			node.end node_id=n activation=a status=completed` + at("1") + `
			node.start node_id=n activation=a kind=llm` + at("2"), "COMPLETED", 1, -1, true, true},
		{"a repeated end adds no usage", `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			node.end node_id=n activation=a status=completed usage={"prompt_tokens":3}` + at("2") + `
			node.end node_id=n activation=a status=failed usage={"prompt_tokens":3}` + at("2"), "COMPLETED", 1, 3, true, true},
		{"a repeated start is no visit", `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			node.end node_id=n activation=a status=completed` + at("2") + `
			node.start node_id=n activation=a kind=llm` + at("3"), "COMPLETED", 1, -1, true, true},
		{"without activations, one visit per start", `
			node.start node_id=n kind=llm` + at("1") + `
			node.end node_id=n status=completed usage={"prompt_tokens":1}` + at("2") + `
			node.start node_id=n kind=llm` + at("3") + `
			node.end node_id=n status=failed usage={"prompt_tokens":1}` + at("4"), "FAILED", 2, 2, true, true},
		{"a bare end without an open start is a visit, once", `
			node.end node_id=n status=completed usage={"prompt_tokens":1}` + at("1") + `
			node.end node_id=n status=failed usage={"prompt_tokens":1}` + at("1") + `
			node.start node_id=n kind=llm` + at("3"), "RUNNING", 2, 1, true, false},
		{"a failed run stops its nodes, for good in that activation", runStart + `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			run.end status=failed
			` + runStart + `
			node.start node_id=n activation=a kind=llm` + at("1"), "CANCELLED", 1, -1, true, false},
		{"but for a late end", runStart + `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			run.end status=cancelled
			node.end node_id=n activation=a status=completed` + at("3"), "COMPLETED", 1, -1, true, true},
		{"a new activation runs", runStart + `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			run.end status=failed
			` + runStart + `
			node.start node_id=n activation=b kind=llm` + at("1"), "RUNNING", 2, -1, true, false},
		{"a completed run leaves them", runStart + `
			node.start node_id=n activation=a kind=llm` + at("1") + `
			run.end status=completed`, "RUNNING", 1, -1, true, false},
		{"a head stops what the log says after it", head + `status=failed
			node-start seq=1 node_id=n activation=a kind=llm` + at("1"), "CANCELLED", 1, -1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := folded(t, c.lines)
			n := node(t, m, "n")
			require.Equal(t, c.status, n.Status)
			require.Equal(t, c.visits, n.VisitCount)
			require.Equal(t, c.started, n.StartedAt != nil)
			require.Equal(t, c.finished, n.FinishedAt != nil)
			if c.prompt < 0 {
				require.Nil(t, n.Usage)
			} else {
				require.Equal(t, c.prompt, n.Usage.PromptTokens)
			}
		})
	}
}

// docs/fold.md, "The run projection": edges, exits, order, rollups, the run's status.
func TestRunSnapshot(t *testing.T) {
	m, _ := folded(t, runStart+`
		node.start node_id=s activation=a kind=subgraph
		node.start node_id=x subgraph_path=["s","deep"] activation=b kind=llm
		node.end node_id=y subgraph_path=["s"] activation=c status=cancelled usage={"completion_tokens":2}
		edge.fired subgraph_path=["s"] from=y from_port=no to=x
		edge.fired from=s to=t
		edge.fired subgraph_path=["s"] from=y from_port=yes to=x
		edge.fired subgraph_path=["s"] from=y from_port=no to=x`)
	run := m.View().Run
	require.Equal(t, "RUNNING", run.Status)
	require.Equal(t, int64(2), run.TotalUsage.CompletionTokens)
	var order []string
	for _, e := range run.Edges {
		order = append(order, e.From+">"+e.To)
	}
	require.Equal(t, []string{"s>t", "y>x", "y>x"}, order)
	require.Equal(t, 2, run.Edges[2].Count)
	require.Equal(t, "no", *node(t, m, "s/y").ExitedVia)
	require.Nil(t, node(t, m, "s").ExitedVia)
	require.Equal(t, []*model.Subagent{
		{Path: []string{"s"}, NodeID: "s", RunningCount: 1, FailedCount: 1},
		{Path: []string{"s", "deep"}, NodeID: "deep", RunningCount: 1},
	}, run.Subagents)

	m, _ = folded(t, head+`status=completed`)
	require.Equal(t, "IDLE", m.View().Run.Status, "a head but no lifecycle row")
	m, _ = folded(t, head+`status=awaiting_client_tool
		edge seq=1 from=a to=b`)
	require.Equal(t, "PAUSED", m.View().Run.Status)
}

// docs/fold.md, "The chat snapshot".
func TestChat(t *testing.T) {
	m, out := folded(t, runStart+`
		run.start run_id=r conversation_id=other agent_id=a agent_version=1`)
	require.Equal(t, "other_conversation", out.Reason)
	_, out = folded(t, runStart+`run.start run_id=r conversation_id=c agent_id=b agent_version=1`)
	require.True(t, out.OtherAgent)
	require.Equal(t, "STREAMING", m.View().Chat.Status)
	require.Equal(t, model.Capabilities{CanCancel: true}, m.View().Chat.Capabilities)

	m, _ = folded(t, runStart+`
		node.end node_id=n activation=a status=failed error={"kind":"tool","message":"Old."}
		user.message content=Hi
		node.end node_id=n activation=b status=failed error={"kind":"tool","message":"New."}
		run.end status=failed retryable=true`)
	chat := m.View().Chat
	require.Equal(t, &model.PublicError{Kind: "TOOL", Message: "New."}, chat.Error)
	require.True(t, chat.CanRetry)
	require.Equal(t, model.Capabilities{CanSend: true}, chat.Capabilities)

	m, _ = folded(t, `
		node.end node_id=n activation=a status=failed error={"kind":"tool","message":"Old."}
		`+runStart+`
		run.end status=failed`)
	require.Nil(t, m.View().Chat.Error, "a run-level failure with no node reason")

	m, _ = folded(t, `
		tool.call node_id=n tool_call_id=t1 tool_name=x input="{\"n\":1.50}" requires_client_response=true
		tool.call node_id=n tool_call_id=t2 tool_name=x input="{" requires_client_response=true
		tool.call node_id=n tool_call_id=t3 tool_name=x input="{}" requires_client_response=false
		tool.call node_id=n tool_call_id=t4 tool_name=x input="{}" requires_client_response=true
		tool.result node_id=n tool_call_id=t4 output=ok
		run.end status=completed`)
	pending := m.View().Chat.PendingTools
	require.Len(t, pending, 2, "after the run's end too")
	require.Equal(t, `{"n":1.50}`, string(pending[0].Args))
	require.Nil(t, pending[1].Args)

	m, _ = folded(t, head+`status=running has_earlier=true working_set={"bindings":{"a":{"value":1,"status":"final"},"b":{"value":1,"status":"final"}},"tables":{"t":[{"row_id":"r1","value":1,"status":"final"},{"row_id":"r2","value":2,"status":"final"}],"u":[{"row_id":"r1","value":1,"status":"final"}]}}
		output seq=2 node_id=n name=b value=2 status=final complete=true
		output.set id=o1 node_id=n name=c value=3 status=final complete=true
		output.set id=o2 node_id=n name=c value=4 status=final complete=true
		output.set id=o1 node_id=n name=c value=5 status=final complete=true
		table.row table=t row_id=r2 value=3 status=building
		table.delete table=u row_id=r1
		table.delete table=nobody row_id=r1`)
	chat = m.View().Chat
	var values []string
	for _, b := range chat.Bindings {
		values = append(values, b.Name+"="+string(b.Value))
	}
	require.Equal(t, []string{"a=1", "b=2", "c=4"}, values, "the last row of the timeline, not the last touched")
	require.Len(t, chat.Tables, 2)
	require.Equal(t, "r2", chat.Tables[0].Rows[0].RowID)
	require.Empty(t, chat.Tables[1].Rows, "an emptied table stays")
	require.True(t, chat.HasEarlier)
	m.Apply(&wire.Page{HasEarlier: true, Rows: []*wire.Row{{Type: wire.RowUser, Body: wire.Body{Seq: 1, Content: "Hi"}}}})
	require.False(t, m.View().Chat.HasEarlier, "false while seq 1 is in the window")
}

// docs/wire.md, "Live frames": duplicates and gaps.
func TestOffsets(t *testing.T) {
	m, out := folded(t, `
		user.message offset=1 content=Hi
		user.message offset=1 content=Hi`)
	require.Equal(t, model.Duplicate, out.Result)
	require.Len(t, m.View().Timeline, 1)
	m.Skip(2)
	require.False(t, m.Apply(&wire.Frame{Type: wire.UserMessage, Offset: 3}).Gap)
	require.True(t, m.Apply(&wire.Frame{Type: wire.UserMessage, Offset: 5}).Gap)
	require.Equal(t, 1, m.Counts().Gaps)
	_, out = folded(t, head+`status=running last_offset=7
		user.message offset=8 content=Hi`)
	require.False(t, out.Gap)
	_, out = folded(t, head+`status=running last_offset=7
		user.message offset=9 content=Hi`)
	require.True(t, out.Gap)
	m, _ = folded(t, `
		user.message content=Hi
		user.message content=Hi`)
	require.Len(t, m.View().Timeline, 2, "a frame without an offset is never a duplicate")
}

// docs/fold.md: a page of earlier rows is folded as if the window had been longer.
func TestPage(t *testing.T) {
	m, _ := folded(t, head+`status=failed has_earlier=true
		node-end seq=3 node_id=n activation=a status=completed`)
	m.Apply(&wire.Page{Rows: []*wire.Row{
		{Type: wire.RowNodeStart, Body: wire.Body{Seq: 1, Spine: wire.Spine{NodeID: "n", Activation: "a"}, Kind: "llm"}},
		{Type: wire.RowOutput, Body: wire.Body{Seq: 2, Spine: wire.Spine{NodeID: "n", Activation: "a"}, Name: "r", Value: "1", ValueStatus: wire.Building}},
	}})
	require.Equal(t, []string{"output - r 1 building done"}, told(m), "the end in the window closes the output of the page")
	require.Equal(t, "llm", *node(t, m, "n").Kind)
	require.Equal(t, "COMPLETED", node(t, m, "n").Status)
}
