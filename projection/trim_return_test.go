package projection_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What comes back stands where it stood, and does nothing that it did before.
func TestWhatComesBack(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		want        []string
	}{
		{"on its side of a row that was passed over", `
			user seq=1 content=a
			message.delta id=m1 node_id=n content=x
			user.message seq=2 content=b
			user.message seq=3 content=c
			trim 2
			page has_earlier=false
			+ user seq=1 content=a
			+ user seq=2 content=b`, []string{"user - a", "assistant m1 x open", "user - b", "user - c"}},
		{"page by page", `
			user seq=1 content=a
			message.delta id=m1 node_id=n content=x
			user.message seq=2 content=b
			user.message seq=3 content=c
			trim 2
			page has_earlier=true
			+ user seq=2 content=b
			page has_earlier=false
			+ user seq=1 content=a`, []string{"user - a", "assistant m1 x open", "user - b", "user - c"}},
		{"an output that its visit's end had closed", `
			output.set id=o1 seq=1 node_id=n activation=v name=x value=1 status=building complete=false
			node.end node_id=n activation=v status=completed
			user.message seq=3 content=c
			trim 1
			page has_earlier=false
			+ output id=o1 seq=1 node_id=n activation=v name=x value=1 status=building complete=false`,
			[]string{"output o1 x 1 building done", "user - c"}},
		{"what the log told more than once, as it was told last", `
			output seq=1 id=o1 node_id=n name=x value=1 status=building complete=false
			output seq=2 id=o1 node_id=n name=x value=2 status=final complete=true
			user.message seq=3 content=c
			trim 1
			page has_earlier=true
			+ output seq=2 id=o1 node_id=n name=x value=2 status=final complete=true
			page has_earlier=false
			+ output seq=1 id=o1 node_id=n name=x value=1 status=building complete=false`,
			[]string{"output o1 x 2 final done", "user - c"}},
		{"a row that was told again since moves to its place", `
			output seq=1 id=o1 node_id=n name=x value=1 status=final complete=true
			user seq=2 content=a
			user seq=3 content=b
			trim 1
			output seq=4 id=o1 node_id=n name=x value=2 status=final complete=true
			page has_earlier=false
			+ output seq=1 id=o1 node_id=n name=x value=1 status=final complete=true
			+ user seq=2 content=a`,
			[]string{"output o1 x 2 final done", "user - a", "user - b"}},
		{"an end does not close what was opened since", `
			message.end seq=1 id=m1 node_id=n content=a
			node.end seq=2 node_id=n status=completed
			user.message seq=3 content=b
			trim 0
			output.set id=o1 node_id=n name=x value=1 status=building complete=false
			page has_earlier=false
			+ assistant seq=1 id=m1 node_id=n content=a
			+ node-end seq=2 node_id=n status=completed
			+ user seq=3 content=b`,
			[]string{"assistant m1 a done", "user - b", "output o1 x 1 building open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, change := fold(t, opened+c.lines)
			s.CheckInvariants(t)
			require.False(t, change.Overlap)
			require.Equal(t, c.want, told(s.Snapshot().Timeline()))
		})
	}
	t.Run("a call is not asked for again", func(t *testing.T) {
		s := read(t, opened+`
			tool.call id=t1 seq=1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=true
			tool.result node_id=n tool_call_id=k output=ok
			user.message seq=3 content=b
			trim 1
			page has_earlier=false
			+ tool-call id=t1 seq=1 node_id=n tool_call_id=k tool_name=x input="{}" requires_client_response=true`)
		require.Empty(t, s.PendingTools(), "though the log has not got the result")
		require.NotNil(t, s.ToolCall("k").Call)
	})
	t.Run("edges and visits are counted once, known or not", func(t *testing.T) {
		s := read(t, `
			node.start node_id=n kind=router
			edge.fired from=n to=m
			edge.fired seq=3 from=n to=m
			user.message seq=4 content=b
			user.message seq=5 content=b
			trim 1
			page has_earlier=true
			+ node-start seq=1 node_id=n kind=llm
			+ edge seq=2 from=n to=m
			+ edge seq=3 from=n to=m`)
		require.Equal(t, 2, s.Run().Edges[0].Count)
		require.Equal(t, 1, s.NodeRun([]string{"n"}).VisitCount)
	})
	t.Run("a value stays bound to what came last", func(t *testing.T) {
		s := read(t, opened+`
			output.set id=o1 seq=1 node_id=n name=x value=1 status=final complete=true
			output.set id=o2 node_id=n name=x value=2 status=final complete=true
			user.message seq=3 content=b
			trim 1
			page has_earlier=false
			+ output id=o1 seq=1 node_id=n name=x value=1 status=final complete=true`)
		require.Equal(t, "2", string(rawOf(&s.Binding(nil, "x").Value)), "though the log has not got it")
	})
	t.Run("rows stand by seq, also where the log tells a start again", func(t *testing.T) {
		s := read(t, `
			user seq=1 content=a
			node-start seq=2 node_id=n activation=a kind=llm
			tool-call seq=3 node_id=n activation=a tool_call_id=c tool_name=t input="{}" requires_client_response=true
			edge seq=4 from=m to=o
			node-start seq=5 node_id=n activation=a kind=llm
			tool-result seq=6 node_id=n activation=a tool_call_id=c output=x
			user seq=7 content=b
			user seq=8 content=c
			trim 1
			page has_earlier=true
			+ node-start seq=5 node_id=n activation=a kind=llm
			+ tool-result seq=6 node_id=n activation=a tool_call_id=c output=x
			+ user seq=7 content=b
			page has_earlier=false
			+ user seq=1 content=a
			+ node-start seq=2 node_id=n activation=a kind=llm
			+ tool-call seq=3 node_id=n activation=a tool_call_id=c tool_name=t input="{}" requires_client_response=true
			+ edge seq=4 from=m to=o`)
		require.Equal(t, []string{
			"user 1", "mark 1 of [n] 2", "tool-call 3", "mark 3 of [m] 4", "tool-result 6", "user 7", "user 8",
		}, entriesOf(s))
	})
	t.Run("pages below are loaded as ever", func(t *testing.T) {
		s := read(t, opened+`
			page has_earlier=true
			+ node-end seq=5 node_id=n activation=b status=completed usage={"prompt_tokens":1}
			+ user seq=6 content=b
			user.message seq=7 content=c
			trim 1
			page has_earlier=false
			+ node-start seq=1 node_id=n activation=a kind=llm
			+ node-end seq=2 node_id=n activation=a status=completed usage={"prompt_tokens":2}
			+ node-start seq=4 node_id=n activation=b kind=llm
			+ node-end seq=5 node_id=n activation=b status=completed usage={"prompt_tokens":1}
			+ user seq=6 content=b`)
		n := s.NodeRun([]string{"n"})
		require.Equal(t, 2, n.VisitCount)
		require.EqualValues(t, 3, n.Usage.PromptTokens)
		require.Equal(t, []string{"user - b", "user - c"}, told(s.Timeline()))
	})
}
