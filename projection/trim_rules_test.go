package projection_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

const opened = `
	conversation conversation_id=c agent_id=a agent_version=1 status=running has_earlier=true
	page has_earlier=true
	`

// docs/fold.md, "A full window": which rows go.
func TestTrimDropsTheOldestRows(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		want        []string
	}{
		{"until so many are left", `
			user.message id=u1 content=a
			user.message id=u2 content=b
			user.message id=u3 content=c
			trim 2`, []string{"user u2 b", "user u3 c"}},
		{"none where so many are not there", `
			user.message id=u1 content=a
			trim 2`, []string{"user u1 a"}},
		{"no fewer than none", `
			user.message id=u1 content=a
			trim -1`, []string{}},
		{"but for one that is open", `
			message.delta id=m1 node_id=n content=a
			output.delta id=o1 node_id=o name=x delta=b
			user.message id=u1 content=c
			user.message id=u2 content=d
			trim 3`, []string{"assistant m1 a open", `output o1 x "b" building open`, "user u2 d"}},
		{"and then for no longer than it is", `
			message.delta id=m1 node_id=n content=a
			user.message id=u1 content=b
			user.message id=u2 content=c
			trim 2
			message.end id=m1 node_id=n
			trim 1`, []string{"user u2 c"}},
		{"and for a client's call without a result", `
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=true
			user.message id=u1 content=b
			trim 0`, []string{"tool-call t1 k"}},
		{"which goes with its result", `
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=true
			user.message id=u1 content=b
			trim 1
			tool.result id=t2 node_id=n tool_call_id=k output=ok
			trim 1`, []string{"tool-result t2 k"}},
		{"or once it is cancelled", `
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=true
			delivery k CANCELLED
			trim 0`, []string{}},
		{"a platform's call does not wait", `
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=false
			trim 0`, []string{}},
		{"a result waits for its call to go first", `
			tool.result id=t2 node_id=n tool_call_id=k output=ok
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=true
			trim 1
			trim 0`, []string{}},
		{"what still comes for one that is gone opens another", `
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=false
			user.message id=u1 content=a
			message.delta id=m1 node_id=n content=a
			node.end node_id=n status=completed
			trim 0
			message.end id=m1 node_id=n content=b
			user.message id=u1 content=c
			tool.result id=t2 node_id=n tool_call_id=k output=ok`, []string{"assistant m1 b done", "user u1 c", "tool-result t2 k"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := fold(t, c.lines)
			s.CheckInvariants(t)
			require.Equal(t, c.want, told(s.Snapshot().Timeline()))
			require.Equal(t, len(c.want), s.RowCount())
		})
	}
}

// docs/fold.md, "A full window": what stays.
func TestTrimKeepsAllButRows(t *testing.T) {
	bindings := func(s *projection.Snapshot) (out []string) {
		for _, b := range chatOf(s).Bindings {
			out = append(out, b.Name+"="+string(b.Value))
		}
		for _, sub := range chatOf(s).SubagentBindings {
			for _, b := range sub.Bindings {
				out = append(out, fmt.Sprint(sub.Path, b.Name, "=", string(b.Value)))
			}
		}
		return out
	}
	const outputs = `
		output.set id=o1 node_id=n name=x value=1 status=final complete=true
		output.set id=o2 node_id=n name=y value=2 status=final complete=true
		output.set id=o3 node_id=n subgraph_path=["g"] name=x value=3 status=final complete=true
		output.set id=o4 node_id=n subgraph_path=["g"] name=z value=4 status=final complete=true promoted=true
		output.set id=o5 node_id=n name=x value=5 status=final complete=true
		`
	t.Run("bindings", func(t *testing.T) {
		s, c := fold(t, outputs+"trim 1")
		require.Equal(t, []string{"x=5", "y=2", "z=4", "[g]x=3"}, bindings(s.Snapshot()))
		for _, slice := range c.Slices {
			require.NotContains(t, []projection.SliceKind{projection.SliceBinding, projection.SliceBindings, projection.SliceSubagentBindings}, slice.Kind)
		}
		require.Equal(t, []string{"x=5", "y=2", "z=4", "[g]x=3"}, bindings(read(t, outputs+"trim 0")))
		require.Equal(t, []string{"x=6", "y=2", "z=4", "[g]x=3"}, bindings(read(t, outputs+`
			trim 0
			output.set id=o6 node_id=n name=x value=6 status=final complete=true`)), "a later row says otherwise")
		require.Equal(t, []string{"x=7"}, bindings(read(t, outputs+`
			trim 0
			conversation conversation_id=c agent_id=a agent_version=1 status=running working_set={"bindings":{"x":{"value":7,"status":"final"}}}`)),
			"so does a later working set, for all names")
		require.Equal(t, []string{"x=2"}, bindings(read(t, `
			output.delta id=o1 node_id=n name=x delta=a
			output.set id=o2 node_id=m name=x value=2 status=final complete=true
			trim 1`)), "an older one that is open is not taken for the last")
	})
	t.Run("what is wrong with a value, before and after the plan is known", func(t *testing.T) {
		schema := wire.JSON(`{"type":"string"}`)
		index, err := wire.NewPlanIndex(&wire.Plan{AgentID: "a", AgentVersion: 1, Nodes: []wire.PlanNode{{Path: []string{"g"}, Kind: "subgraph"}},
			Outputs: []wire.PlanOutput{{Name: "y", Schema: schema}, {Name: "z", Schema: schema, SubgraphPath: []string{"g"}}}})
		require.NoError(t, err)
		schemas, errs := projection.NewSchemas(index)
		require.Empty(t, errs)
		for _, late := range []bool{false, true} {
			s, _ := fold(t, outputs+"run.start run_id=r conversation_id=c agent_id=a agent_version=1")
			if !late {
				s.Apply(projection.Plan{Index: index, Schemas: schemas})
			}
			s.Apply(projection.Trim{Keep: 0})
			s.Apply(projection.Plan{Index: index, Schemas: schemas})
			require.Nil(t, s.Snapshot().Binding(nil, "x").SchemaErrors())
			require.Len(t, s.Snapshot().Binding(nil, "y").SchemaErrors(), 1)
			require.Len(t, s.Snapshot().Binding(nil, "z").SchemaErrors(), 1, "declared where it was made")
		}
	})
	t.Run("the run", func(t *testing.T) {
		const run = `
			run.start run_id=r conversation_id=c agent_id=a agent_version=1
			node.start node_id=n activation=a kind=llm
			message.end id=m1 node_id=n activation=a content=x
			edge.fired from=n from_port=p to=m
			node.end node_id=n activation=a status=completed usage={"prompt_tokens":3}
			node.start node_id=n subgraph_path=["g"] activation=b kind=llm
			message.end id=m2 node_id=n subgraph_path=["g"] activation=b content=x
			`
		before, after := read(t, run), read(t, run+"trim 0")
		want, got := runOf(before.Run()), runOf(after.Run())
		want.HasEarlier = true
		require.Equal(t, want, got)
		again := read(t, run+`
			trim 0
			node.end node_id=n activation=a status=failed usage={"prompt_tokens":3}`)
		require.Equal(t, got, runOf(again.Run()), "what is repeated is known")
	})
	t.Run("calls that wait can be answered", func(t *testing.T) {
		const call = `
			tool.call id=t1 node_id=n tool_call_id=k tool_name=x input="{\"a\":1}" requires_client_response=true
			tool.call id=t2 node_id=n tool_call_id=l tool_name=x input="{}" requires_client_response=false
			trim 0`
		s := read(t, call)
		require.Len(t, s.PendingTools(), 1)
		require.NotNil(t, s.ToolCall("k").Call)
		require.Nil(t, s.ToolCall("l").Call)
		s = read(t, call+`
			tool.result id=t3 node_id=n tool_call_id=k output=ok`)
		require.Empty(t, s.PendingTools())
		require.NotNil(t, s.ToolCall("k").Result)
	})
	t.Run("tables", func(t *testing.T) {
		s := read(t, `
			table.row table=t row_id=r value=1 status=final
			user.message id=u content=a
			trim 0`)
		require.Len(t, s.Table("t").Rows, 1)
	})
	t.Run("a user's turn parts reasons", func(t *testing.T) {
		s := read(t, `
			node.end node_id=n activation=a status=failed error={"kind":"tool","message":"Old."}
			user.message id=u content=a
			trim 0
			run.end status=failed`)
		require.Nil(t, s.Error())
	})
	t.Run("a reason", func(t *testing.T) {
		s := read(t, `
			user.message id=u content=a
			node.end node_id=n activation=a status=failed error={"kind":"tool","message":"New."}
			user.message id=v content=b
			run.start run_id=r conversation_id=c agent_id=a agent_version=1
			node.end node_id=n activation=b status=failed error={"kind":"tool","message":"Newer."}
			message.end id=m node_id=n activation=c content=x
			trim 0
			run.end status=failed`)
		require.Equal(t, "Newer.", s.Error().Message)
	})
}

// docs/fold.md, "A full window": there is something earlier until the first row is back.
func TestTrimmedWindowsHaveEarlierRows(t *testing.T) {
	const whole = `
		user.message id=u1 seq=1 content=a
		user.message id=u2 seq=2 content=b
		user.message id=u3 seq=3 content=c
		`
	require.False(t, read(t, whole).HasEarlier())
	require.True(t, read(t, whole+"trim 1").HasEarlier())
	require.True(t, read(t, whole+`
		trim 1
		conversation conversation_id=c agent_id=a agent_version=1 status=running has_earlier=false`).HasEarlier(), "a head knows of the log alone")
	back := `
		trim 1
		page has_earlier=true
		+ user id=u2 seq=2 content=b
		`
	s := read(t, whole+back)
	require.True(t, s.HasEarlier())
	require.Equal(t, []string{"user u2 b", "user u3 c"}, told(s.Timeline()))
	for _, says := range []string{"true", "false"} {
		s = read(t, whole+back+`
			page has_earlier=`+says+`
			+ user id=u1 seq=1 content=a`)
		require.False(t, s.HasEarlier())
		require.Equal(t, []string{"user u1 a", "user u2 b", "user u3 c"}, told(s.Timeline()))
	}
	require.False(t, read(t, whole+`
		trim 1
		page has_earlier=false`).HasEarlier(), "a page knows what it stands behind")
}

// From which seq on the window holds what the log has.
func TestSeqsOfATrimmedWindow(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		least       int64
	}{
		{"nothing was dropped", `
			user seq=5 content=a`, 5},
		{"behind the last that was dropped", `
			user seq=5 content=a
			user seq=6 content=b
			user seq=8 content=c
			trim 1`, 7},
		{"of a live turn whose seq is greater than that of rows behind it", `
			message.delta id=m1 node_id=n content=a
			user.message seq=5 content=b
			message.end id=m1 node_id=n seq=6
			trim 1`, 7},
		{"a turn without a seq is written before its visit ends", `
			message.delta id=m1 node_id=n activation=v content=a
			user.message seq=5 content=b
			node.end node_id=n activation=v status=completed seq=7
			trim 1`, 7},
		{"or a later visit, where it does not say which", `
			message.delta id=m1 node_id=n content=a
			user.message seq=5 content=b
			node.end node_id=n status=completed seq=7
			trim 1`, 7},
		{"not known while it runs", `
			message.delta id=m1 node_id=n activation=v content=a
			tool.call node_id=n activation=v tool_call_id=k tool_name=x input="{}" requires_client_response=false seq=5
			user.message seq=6 content=b
			trim 2`, 0},
		{"any other row without a seq is written at once", `
			user.message content=a
			user.message seq=6 content=b
			trim 1`, 6},
		{"not known when nothing behind it has one", `
			user.message content=a
			user.message content=b
			trim 1`, 0},
		{"what a page brings back", `
			user.message seq=5 content=a
			user.message seq=6 content=b
			user.message seq=7 content=c
			trim 1
			page has_earlier=true
			+ user seq=6 content=b`, 6},
		{"and what is dropped again", `
			user.message seq=5 content=a
			user.message seq=6 content=b
			user.message seq=7 content=c
			trim 1
			page has_earlier=true
			+ user seq=6 content=b
			trim 0`, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := fold(t, opened+c.lines)
			least, _ := s.Seqs()
			require.Equal(t, c.least, least)
		})
	}
	s, _ := fold(t, `
		user.message seq=5 content=a
		trim 0`)
	_, greatest := s.Seqs()
	require.EqualValues(t, 5, greatest, "the greatest that was seen, dropped or not")
}

// Promises 7 and 8: a client that follows the rows is told of each that went, or where those are too many gets the
// list anew.
func TestTrimIsToldByRow(t *testing.T) {
	for _, dropped := range []int{1, projection.JournalDepth, 3 * projection.JournalDepth} {
		s := projection.New("c")
		for range dropped + 2 {
			s.Apply(&wire.Frame{Type: wire.UserMessage})
		}
		j := projection.NewJournal(s.Snapshot(), projection.RowSlice{All: true})
		c := s.Apply(projection.Trim{Keep: 2})
		require.Len(t, c.Rows, dropped)
		require.True(t, c.Has(projection.Slice{Kind: projection.SliceTimeline}))
		require.False(t, c.Reset)
		j.Add(c.Rows)
		ops, ok := j.Since(0)
		require.Equal(t, dropped <= 2*projection.JournalDepth, ok)
		for _, op := range ops {
			require.Equal(t, &projection.RowRemoved{Index: 0}, op)
		}
	}
}
