package projection_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule6Outputs(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "one row, by id", in: `
			output.delta id=o node_id=n name=r delta=x
			output.set id=o node_id=m name=r value=1 status=final complete=true`, want: []string{"output o r 1 final done"}},
		{name: "without id, the last incomplete one of slot and name", in: `
			output.set id=o1 node_id=n name=r value=1 status=building complete=false
			output.set id=o2 node_id=n name=r value=2 status=building complete=false
			output.set node_id=n name=r value=3 status=building complete=false`,
			want: []string{"output o1 r 1 building open", "output o2 r 3 building open"}},
		{name: "not a complete one", in: `
			output.set node_id=n name=r value=1 status=building complete=true
			output.set node_id=n name=r value=2 status=building complete=false`,
			want: []string{"output - r 1 building done", "output - r 2 building open"}},
		{name: "nor another name's or slot's", in: `
			output.delta node_id=n name=a delta=x
			output.delta node_id=n iteration=1 name=b delta=y
			output.delta node_id=n name=b delta=z`,
			want: []string{`output - a "x" building open`, `output - b "y" building open`, `output - b "z" building open`}},
		{name: "status and complete as the last set says", in: `
			output.set id=o node_id=n name=r value=1 status=final complete=true
			output.set id=o node_id=n name=r value=2 status=building complete=false`, want: []string{"output o r 2 building open"}},
		{name: "a delta changes neither", in: `
			output.set id=o node_id=n name=r value=x status=final complete=false
			output.delta id=o node_id=n name=r delta=y`, want: []string{`output o r "xy" final open`}},
		{name: "a row opened by a delta is building, incomplete", in: `output.delta id=o node_id=n name=r delta=x`,
			want: []string{`output o r "x" building open`}},
		{name: "a delta on a value that is no string is rejected", in: `
			output.set id=o node_id=n name=r value=1 status=building complete=false
			output.delta id=o node_id=n name=r delta=x`, want: []string{"output o r 1 building open"}, last: "rejected not_text"},
		{name: "and on a complete row", in: `
			output.set id=o node_id=n name=r value=x status=final complete=true
			output.delta id=o node_id=n name=r delta=y`, want: []string{`output o r "x" final done`}, last: "rejected row_complete"},
		{name: "on a persisted one it is what the log said", in: `
			output id=o seq=1 node_id=n name=r value=x status=building complete=false
			output.delta id=o node_id=n name=r delta=y`, want: []string{`output o r "x" building open`}, last: "duplicate"},
		{name: "also when a frame said so", in: `
			output.set id=o seq=1 node_id=n name=r value=x status=building complete=false
			output.delta id=o node_id=n name=r delta=y`, want: []string{`output o r "x" building open`}, last: "rejected row_complete"},
		{name: "a set still refines a complete, persisted row", in: `
			output id=o seq=1 node_id=n name=r value=x status=final complete=true
			output.set id=o node_id=n name=r value=y status=final complete=true`, want: []string{`output o r "y" final done`}},
		{name: "an id never changes its name", in: `
			output.delta id=o node_id=n name=r delta=x
			output.delta id=o node_id=n name=s delta=y`, want: []string{`output o r "x" building open`}, last: "rejected name_changed"},
		{name: "nor is it another kind's", in: `
			user.message id=o content=Hi
			output.delta id=o node_id=n name=s delta=y`, want: []string{"user o Hi"}, last: "rejected id_taken"},
	})
	t.Run("format and promoted stay when left out", func(t *testing.T) {
		s := read(t, `
			output.delta id=o node_id=n subgraph_path=["g"] name=r delta=x format=code promoted=true
			output.delta id=o node_id=n subgraph_path=["g"] name=r delta=y
			output.set id=o node_id=n subgraph_path=["g"] name=r value=z status=final complete=true`)
		require.Equal(t, "CODE", *rowOf(s.Timeline()[0]).Format)
		require.Len(t, s.Bindings(), 1)
	})
	t.Run("and change when said", func(t *testing.T) {
		s := read(t, `
			output.delta id=o node_id=n subgraph_path=["g"] name=r delta=x format=code promoted=true
			output.delta id=o node_id=n subgraph_path=["g"] name=r delta=y format=list promoted=false`)
		require.Equal(t, "LIST", *rowOf(s.Timeline()[0]).Format)
		require.Empty(t, s.Bindings())
	})
}

func TestRule7ToolRows(t *testing.T) {
	const call = `tool.call id=c node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false` + "\n"
	checkRows(t, []rowRule{
		{name: "a call and its result are two rows", in: call + `tool.result id=r node_id=n tool_call_id=t output=ok`,
			want: []string{"tool-call c t", "tool-result r t"}},
		{name: "a second call is dropped", in: call + `tool.call node_id=m tool_call_id=t tool_name=y input="{}" requires_client_response=true`,
			want: []string{"tool-call c t"}, last: "duplicate"},
		{name: "a second result is dropped", in: `
			tool.result id=r node_id=n tool_call_id=t output=ok
			tool.result id=r2 node_id=n tool_call_id=t output=no`, want: []string{"tool-result r t"}, last: "duplicate"},
		{name: "a result without a known call is still a row", in: `tool.result id=r node_id=n tool_call_id=t output=ok`,
			want: []string{"tool-result r t"}},
		{name: "server tools are rows like any other, redacted or not", in: `
			tool.call id=c node_id=n tool_call_id=t tool_name=x input= requires_client_response=false
			tool.result id=r node_id=n tool_call_id=t output=`, want: []string{"tool-call c t", "tool-result r t"}},
		{name: "a known id makes no tool row", in: `
			user.message id=u content=Hi
			tool.result id=u node_id=n tool_call_id=t output=ok`, want: []string{"user u Hi"}, last: "rejected id_taken"},
	})
	t.Run("neither ever mutates", func(t *testing.T) {
		s, _ := fold(t, call)
		before := s.Snapshot().Timeline()[0]
		for _, in := range inputs(t, `tool.result id=r node_id=n tool_call_id=t output=ok
			tool-call id=c seq=4 node_id=n tool_call_id=t tool_name=other input=other requires_client_response=true`) {
			s.Apply(in)
		}
		after := rowOf(s.Snapshot().Timeline()[0])
		want := rowOf(before)
		want.Seq = after.Seq // the log's word is taken over, and nothing else
		require.EqualValues(t, 4, *after.Seq)
		require.Equal(t, want, after)
	})
}

func TestRule8Closing(t *testing.T) {
	const open = `
		message.delta id=m node_id=n activation=a content=x
		node.start node_id=o activation=b kind=llm message_id=m2
		output.delta id=o1 node_id=n activation=a iteration=1 name=r delta=x
		output.set id=o2 node_id=o activation=b iteration=1 name=r value=1 status=final complete=false
		`
	all := []string{"assistant m x done", `output o1 r "x" building done`, "output o2 r 1 final done"}
	visit := []string{"assistant m x done", "assistant m2  open", `output o1 r "x" building done`, "output o2 r 1 final open"}
	none := []string{"assistant m x open", "assistant m2  open", `output o1 r "x" building open`, "output o2 r 1 final open"}
	const head = "conversation conversation_id=c agent_id=a agent_version=1 "
	checkRows(t, []rowRule{
		{name: "node.end closes that activation's rows", in: open + `node.end node_id=n activation=a status=completed`, want: visit},
		{name: "and no other's", in: open + `node.end node_id=n activation=z status=completed`, want: none},
		{name: "a persisted node-end closes likewise", in: open + `node-end seq=1 node_id=n activation=a status=completed`, want: visit},
		{name: "even one that repeats", in: `
			node-end seq=1 node_id=n activation=a status=completed
			message.delta id=m node_id=n activation=a content=x
			node.end node_id=n activation=a status=completed`, want: []string{"assistant m x done"}},
		{name: "run.pause closes every row: text completes, empty is swept, outputs keep their status", in: open + `run.pause status=paused`, want: all},
		{name: "run.end does", in: open + `run.end status=failed`, want: all},
		{name: "a head that is not running does", in: open + head + `status=completed`, want: all},
		{name: "a running one does not", in: open + head + `status=running`, want: none},
		{name: "outputs are never swept", in: `
			output.delta id=o node_id=n name=r delta=
			run.pause status=paused`, want: []string{`output o r "" building done`}},
		{name: "a persisted output is as it stands", in: head + `status=completed
			output id=o seq=1 node_id=n name=r value=1 status=building complete=false`, want: []string{"output o r 1 building open"}},
		{name: "a persisted turn is complete", in: `assistant id=m seq=1 node_id=n content=x`, want: []string{"assistant m x done"}},
		{name: "without text it is not shown", in: `assistant id=m seq=1 node_id=n content= reasoning=`},
		{name: "not even where it was live", in: `
			message.delta id=m node_id=n content=x
			assistant id=m seq=1 node_id=n content=`},
	})
}

func TestRule9Matching(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "by id, in place", in: `
			message.delta id=m node_id=n content=x
			user.message id=u content=Hi
			assistant id=m seq=7 node_id=n content=X`, want: []string{"assistant m X done", "user u Hi"}},
		{name: "else by seq", in: `
			user.message seq=3 content=Hi
			user id=u seq=3 content=Hi`, want: []string{"user u Hi"}},
		{name: "but not under another id", in: `
			user.message id=u1 seq=3 content=Hi
			user id=u2 seq=3 content=Ho`, want: []string{"user u1 Hi", "user u2 Ho"}},
		{name: "else, a tool row, by tool_call_id", in: `
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false
			tool.result node_id=n tool_call_id=t output=ok
			tool-call id=c seq=4 node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false
			tool-result id=r seq=5 node_id=n tool_call_id=t output=ok`, want: []string{"tool-call c t", "tool-result r t"}},
		{name: "the same id under another kind is rejected", in: `
			user.message id=u content=Hi
			assistant id=u seq=4 node_id=n content=X`, want: []string{"user u Hi"}, last: "rejected id_taken"},
		{name: "without a match before the first greater seq", in: `
			user.message id=u5 seq=5 content=b
			user.message id=u9 content=c
			user.message id=u3 seq=3 content=d
			user id=u4 seq=4 content=a`, want: []string{"user u4 a", "user u5 b", "user u9 c", "user u3 d"}},
		{name: "else at the end", in: `
			user.message id=u1 seq=1 content=a
			user.message id=u content=b
			user id=u2 seq=2 content=c`, want: []string{"user u1 a", "user u b", "user u2 c"}},
	})
	t.Run("a match takes over id and seq", func(t *testing.T) {
		sp := read(t, `
			message.end node_id=n seq=2 content=x
			assistant id=m seq=2 node_id=n content=x`).Timeline()[0].Common()
		require.Equal(t, "m", *sp.ID())
		require.EqualValues(t, 2, *sp.Seq())
	})
	t.Run("lifecycle rows match by path and activation", func(t *testing.T) {
		n := read(t, `
			node.start node_id=n activation=a kind=tool
			node.end node_id=n activation=a status=completed usage={"prompt_tokens":1}
			node-start seq=1 node_id=n activation=a kind=tool at=2026-03-01T09:00:01Z
			node-end seq=2 node_id=n activation=a status=failed usage={"prompt_tokens":1}`).NodeRun([]string{"n"})
		require.Equal(t, 1, n.VisitCount)
		require.EqualValues(t, 1, n.Usage.PromptTokens)
		require.Equal(t, "COMPLETED", nodeWords[n.Status])
		require.NotNil(t, n.StartedAt, "what was not known is filled in")
	})
	t.Run("else by seq", func(t *testing.T) {
		n := read(t, `
			node.end node_id=n seq=2 status=completed usage={"prompt_tokens":1}
			node-end seq=2 node_id=n activation=a status=completed usage={"prompt_tokens":1}`).NodeRun([]string{"n"})
		require.Equal(t, 1, n.VisitCount)
		require.EqualValues(t, 1, n.Usage.PromptTokens)
	})
	t.Run("edges match by seq", func(t *testing.T) {
		s, c := fold(t, `
			edge.fired from=a to=b seq=3
			edge from=a to=b seq=3
			edge from=a to=b seq=4
			edge.fired from=a to=b seq=4`)
		require.Equal(t, 2, s.Snapshot().Run().Edges[0].Count)
		require.Equal(t, "duplicate", short(c))
	})
	t.Run("the run projection is derived in the timeline's order", func(t *testing.T) {
		n := read(t, `
			node.start node_id=n activation=b kind=tool
			node.end node_id=n activation=b seq=9 status=failed
			node-start seq=1 node_id=n activation=a kind=tool
			node-end seq=2 node_id=n activation=a status=completed`).NodeRun([]string{"n"})
		require.Equal(t, "a", *n.Activation, "a was logged before b's end, so its start stands behind b's, which has no seq")
		require.Equal(t, 2, n.VisitCount)
	})
}
