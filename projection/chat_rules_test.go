package projection_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

const (
	runStart = "run.start run_id=r conversation_id=c agent_id=a agent_version=1\n"
	head     = "conversation conversation_id=c agent_id=a agent_version=1 "
)

func TestChatStatus(t *testing.T) {
	for in, want := range map[string]string{
		"":                                      "IDLE",
		"user.message id=u content=Hi":          "IDLE",
		runStart:                                "STREAMING",
		"run.pause status=paused":               "PAUSED",
		"run.pause status=awaiting_client_tool": "AWAITING_CLIENT_TOOL",
		"run.end status=completed":              "COMPLETED",
		"run.end status=failed":                 "FAILED",
		"run.end status=cancelled":              "CANCELLED",
		head + "status=running":                 "STREAMING",
		head + "status=paused":                  "PAUSED",
		head + "status=failed\n" + runStart:     "STREAMING",
		runStart + head + "status=completed":    "COMPLETED",
	} {
		t.Run(in, func(t *testing.T) { require.Equal(t, want, chatOf(read(t, in)).Status) })
	}
}

func TestChatConversation(t *testing.T) {
	t.Run("from the first opener", func(t *testing.T) {
		s := read(t, "run.start run_id=r conversation_id=c agent_id=a agent_version=0")
		require.Equal(t, &projection.ConversationRef{ConversationID: "c", AgentID: "a"}, s.Conversation())
		require.Equal(t, "c", s.ID())
		require.Equal(t, 1, read(t, head+"status=running").Conversation().AgentVersion)
	})
	t.Run("a later one with another version is counted, its run opens, the identity stays", func(t *testing.T) {
		s, c := fold(t, runStart+"run.end status=completed\nrun.start run_id=r conversation_id=c agent_id=a agent_version=2")
		require.True(t, c.OtherOpener)
		require.Equal(t, projection.ChatStreaming, s.Snapshot().Status())
		require.Equal(t, 1, s.Snapshot().Conversation().AgentVersion)
	})
	t.Run("another conversation's is rejected whole", func(t *testing.T) {
		s, c := fold(t, runStart+`conversation conversation_id=other agent_id=a agent_version=1 status=failed has_earlier=true working_set={"bindings":{"b":{"value":1,"status":"final"}}}`)
		require.Equal(t, "rejected foreign_conversation", short(c))
		require.Equal(t, projection.ChatStreaming, s.Snapshot().Status())
		require.False(t, s.Snapshot().HasEarlier())
		require.Empty(t, s.Snapshot().Bindings())
	})
	t.Run("so is one of another than was asked for", func(t *testing.T) {
		s := projection.New("mine")
		c := s.Apply(inputs(t, runStart)[0])
		require.Equal(t, "rejected foreign_conversation", short(c))
	})
}

func TestChatPendingTools(t *testing.T) {
	pending := func(s *projection.Snapshot) (ids []string) {
		for _, p := range s.PendingTools() {
			ids = append(ids, p.ToolCallID())
		}
		return ids
	}
	const calls = `
		tool.call node_id=n tool_call_id=t1 tool_name=x input="{}" requires_client_response=true
		tool.call node_id=n tool_call_id=t2 tool_name=x input="{}" requires_client_response=false
		tool.call node_id=n tool_call_id=t3 tool_name=x input="{}" requires_client_response=true
		tool.call node_id=n tool_call_id=t4 tool_name=x input="{}" requires_client_response=true
		tool.result node_id=n tool_call_id=t4 output=ok
		`
	t.Run("client calls without a result, in call order", func(t *testing.T) {
		require.Equal(t, []string{"t1", "t3"}, pending(read(t, calls)))
	})
	t.Run("after the run's end too", func(t *testing.T) {
		require.Equal(t, []string{"t1", "t3"}, pending(read(t, calls+"run.end status=completed")))
	})
	t.Run("not a cancelled one", func(t *testing.T) {
		require.Equal(t, []string{"t3"}, pending(read(t, calls+"delivery t1 CANCELLED")))
	})
	t.Run("a result that came first counts", func(t *testing.T) {
		require.Empty(t, pending(read(t, `
			tool.result node_id=n tool_call_id=t1 output=ok
			tool.call node_id=n tool_call_id=t1 tool_name=x input="{}" requires_client_response=true`)))
	})
	args := func(input string) string {
		s := projection.New("")
		s.Apply(&wire.Frame{Type: wire.ToolCall, Body: wire.Body{ToolCallID: "t", Input: input, RequiresClientResponse: true}})
		p := s.Snapshot().PendingTools()[0]
		require.Equal(t, input, p.ArgumentsJSON(), "argumentsJson is always the raw string")
		if p.Args() == nil {
			return ""
		}
		return string(p.Args().AppendJSON(nil))
	}
	t.Run("args is the parsed input", func(t *testing.T) {
		require.Equal(t, `{"a":[1,{}]}`, args(` { "a" : [ 1 , {} ] } `))
		require.Equal(t, `null`, args(`null`))
	})
	t.Run("numbers pass through unchanged", func(t *testing.T) {
		require.Equal(t, `[1.0,1e400,12345678901234567890]`, args(`[1.0, 1e400, 12345678901234567890]`))
	})
	t.Run("absent when it does not parse", func(t *testing.T) {
		for _, input := range []string{"", "{broken", "{} {}", "NaN", "'a'", "[1,]", "\ufeff{}"} {
			require.Empty(t, args(input), "%q", input)
		}
	})
	t.Run("or is over 65,536 bytes", func(t *testing.T) {
		whole := `"` + strings.Repeat("x", 65_534) + `"`
		require.Equal(t, whole, args(whole))
		require.Empty(t, args(whole+" "))
	})
}

func TestChatToolStates(t *testing.T) {
	state := func(s *projection.Snapshot) (out []string) {
		for _, d := range s.ToolStates() {
			for word, status := range deliveryWords {
				if d.Status == status {
					out = append(out, d.ToolCallID+" "+word)
				}
			}
		}
		return out
	}
	t.Run("never folded from the log", func(t *testing.T) {
		s := read(t, `tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=true`)
		require.Empty(t, s.ToolStates())
		require.Nil(t, s.ToolCall("t").Delivery, "a call nobody delivered has none")
	})
	t.Run("as the server that delivers says, failed ones again", func(t *testing.T) {
		s := read(t, `
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=true
			delivery t PENDING
			delivery t SUBMITTING
			delivery t FAILED reason
			delivery u PENDING
			delivery t SUBMITTING`)
		require.Equal(t, []string{"t SUBMITTING", "u PENDING"}, state(s))
		require.Equal(t, projection.ToolSubmitting, s.ToolCall("t").Delivery.Status)
		require.Equal(t, projection.ToolSubmitting, s.PendingTools()[0].Delivery.Status)
	})
	t.Run("failed says why", func(t *testing.T) {
		require.Equal(t, "reason", *read(t, "delivery t FAILED reason").ToolStates()[0].Error)
	})
	t.Run("cancelled is terminal", func(t *testing.T) {
		s, c := fold(t, "delivery t CANCELLED\ndelivery t SUBMITTED")
		require.Equal(t, []string{"t CANCELLED"}, state(s.Snapshot()))
		require.Equal(t, "duplicate", short(c))
	})
	t.Run("a replay never resurrects one", func(t *testing.T) {
		require.Empty(t, read(t, `delivery t CANCELLED
			tool-call id=c seq=1 node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=true`).PendingTools())
	})
}

func TestChatError(t *testing.T) {
	const failedNode = `node.end node_id=n activation=a status=failed error={"kind":"tool","message":"Node."}` + "\n"
	message := func(in string) string {
		if e := read(t, in).Error(); e != nil {
			return e.Message
		}
		return ""
	}
	t.Run("only while failed", func(t *testing.T) {
		require.Empty(t, message(runStart+failedNode))
		require.Empty(t, message(`run.end status=cancelled error={"kind":"llm","message":"Run."}`))
		require.Empty(t, message(`run.end status=failed error={"kind":"llm","message":"Run."}`+"\n"+runStart))
	})
	t.Run("run.end's", func(t *testing.T) {
		require.Equal(t, "Run.", message(failedNode+`run.end status=failed error={"kind":"llm","message":"Run."}`))
	})
	t.Run("or the head's", func(t *testing.T) {
		require.Equal(t, "Head.", message(failedNode+head+`status=failed error={"kind":"llm","message":"Head."}`))
	})
	t.Run("else the last failed node's", func(t *testing.T) {
		require.Equal(t, "Node.", message(failedNode+"node.end node_id=m status=completed\nrun.end status=failed"))
	})
	t.Run("which may have none", func(t *testing.T) {
		require.Empty(t, message(failedNode+"node.end node_id=m status=failed\nrun.end status=failed"))
	})
	t.Run("since the latest run.start", func(t *testing.T) {
		require.Empty(t, message(failedNode+runStart+"run.end status=failed"))
	})
	t.Run("or user row", func(t *testing.T) {
		require.Empty(t, message(failedNode+"user.message id=u content=Hi\nrun.end status=failed"))
	})
	t.Run("retryable is run.end's word, else false, cleared by run.start", func(t *testing.T) {
		require.True(t, read(t, "run.end status=failed retryable=true").Retryable())
		require.False(t, read(t, "run.end status=failed retryable=true\nrun.end status=failed").Retryable())
		require.True(t, read(t, head+"status=failed retryable=true").Retryable())
		require.False(t, read(t, "run.end status=failed retryable=true\n"+runStart).Retryable())
	})
}

func TestChatHasEarlier(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     bool
	}{
		{"false while nobody says", "user id=u seq=5 content=Hi", false},
		{"the head's word", head + "status=running has_earlier=true", true},
		{"the latest head's", head + "status=running has_earlier=true\n" + head + "status=running has_earlier=false", false},
		{"which may say nothing", head + "status=running has_earlier=true\n" + head + "status=running", true},
		{"the page's", head + "status=running has_earlier=true\npage has_earlier=false", false},
		{"false while seq 1 is in the window", head + "status=running has_earlier=true\nuser id=u seq=1 content=Hi", false},
		{"live too", head + "status=running has_earlier=true\nuser.message id=u seq=1 content=Hi", false},
		{"but not by what was not taken", head + "status=running has_earlier=true\nuser.message id=u content=Hi\nassistant id=u seq=1 node_id=n content=x", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.in)
			require.Equal(t, c.want, s.HasEarlier())
			require.Equal(t, c.want, s.Run().HasEarlier, "run says the same")
		})
	}
	t.Run("loading earlier rows gives the state of the longer window", func(t *testing.T) {
		const (
			opening = head + "status=running has_earlier=true last_offset=9\n"
			earlier = `
				+ user id=u seq=1 content=Hi
				+ node-start seq=2 node_id=n activation=a kind=llm at=2026-03-01T09:00:01Z
				+ output id=o seq=3 node_id=n activation=a name=r value=1 status=building complete=false
				`
			rest = `
				assistant id=m seq=4 node_id=n activation=a content=x
				node-end seq=5 node_id=n activation=a status=completed
				message.delta offset=10 id=m2 node_id=k content=y
				`
		)
		paged := read(t, opening+rest+"page has_earlier=false"+earlier)
		longer := read(t, opening+strings.ReplaceAll(earlier, "+", "")+rest)
		require.Equal(t, []string{"user u Hi", "output o r 1 building done", "assistant m x done", "assistant m2 y open"}, told(paged.Timeline()))
		require.Empty(t, model.Diff(standing(longer), standing(paged)))
	})
}

// standing is what two states of one conversation are compared by.
func standing(s *projection.Snapshot) any {
	c := chatOf(s)
	return []any{rowsOf(s.Timeline()), c, runOf(s.Run())}
}

func TestChatCapabilities(t *testing.T) {
	for _, c := range []struct {
		name, in                string
		send, cancel, retryable bool
	}{
		{"idle", "", true, false, false},
		{"streaming", runStart, false, true, false},
		{"awaiting a client tool", "run.pause status=awaiting_client_tool", false, true, false},
		{"paused", "run.pause status=paused", true, true, false},
		{"completed", "run.end status=completed", true, false, false},
		{"cancelled", "run.end status=cancelled retryable=true", true, false, false},
		{"failed", "run.end status=failed", true, false, false},
		{"failed, retryable", "run.end status=failed retryable=true", true, false, true},
		{"a send in flight", "run.end status=failed retryable=true\nlatch send on", false, false, false},
		{"a retry in flight", "run.end status=failed retryable=true\nlatch retry on", false, false, false},
		{"no longer", "run.end status=failed retryable=true\nlatch retry on\nlatch retry off", true, false, true},
		{"a cancel in flight", runStart + "latch cancel on", false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.in)
			require.Equal(t, projection.Capabilities{CanSend: c.send, CanCancel: c.cancel}, s.Capabilities())
			require.Equal(t, c.retryable, s.CanRetry())
		})
	}
}

func TestChatSlicesOfRows(t *testing.T) {
	s := read(t, `
		user.message id=u content=Hi
		message.end id=m1 node_id=n activation=a content=a
		message.end id=m2 node_id=n activation=b content=b
		tool.call id=c node_id=n activation=b tool_call_id=t tool_name=x input="{}" requires_client_response=false
		message.end id=m3 node_id=x subgraph_path=["n"] activation=c content=c
		message.end id=m4 node_id=x subgraph_path=["n","x"] activation=d content=d
		output.set id=o1 node_id=n name=r value=1 status=final complete=true
		output.set id=o2 node_id=x subgraph_path=["n"] name=r value=2 status=final complete=true promoted=true
		output.set id=o3 node_id=x subgraph_path=["n"] name=r value=3 status=final complete=true
		tool.result id=d tool_call_id=t output=ok`)
	ids := func(rows []projection.Row) (out []string) {
		for _, r := range rows {
			out = append(out, *r.Common().ID())
		}
		return out
	}
	t.Run("transcript is the top-level user and assistant rows", func(t *testing.T) {
		require.Equal(t, []string{"u", "m1", "m2"}, ids(s.Transcript()))
	})
	t.Run("rowsAt is exactly there", func(t *testing.T) {
		require.Equal(t, []string{"m1", "m2", "c", "o1"}, ids(s.RowsAt([]string{"n"}, false)))
		require.Equal(t, []string{"m3", "o2", "o3"}, ids(s.RowsAt([]string{"n", "x"}, false)))
	})
	t.Run("with subtree also below", func(t *testing.T) {
		require.Equal(t, []string{"m1", "m2", "c", "m3", "m4", "o1", "o2", "o3"}, ids(s.RowsAt([]string{"n"}, true)))
	})
	t.Run("[] alone is none, with subtree every row that has a node", func(t *testing.T) {
		require.Empty(t, s.RowsAt([]string{}, false))
		require.Equal(t, []string{"m1", "m2", "c", "m3", "m4", "o1", "o2", "o3"}, ids(s.RowsAt(nil, true)))
	})
	t.Run("outputsNamed is in the scope of bindings, oldest first", func(t *testing.T) {
		var got []string
		for _, o := range s.OutputsNamed("r") {
			got = append(got, *o.ID())
		}
		require.Equal(t, []string{"o1", "o2"}, got)
		require.Empty(t, s.OutputsNamed("nothing"))
	})
	t.Run("assistantsInActivation is of one visit", func(t *testing.T) {
		got := s.AssistantsInActivation([]string{"n"}, "b")
		require.Len(t, got, 1)
		require.Equal(t, "m2", *got[0].ID())
	})
	t.Run("a tool call pair is joined by the call's id", func(t *testing.T) {
		p := s.ToolCall("t")
		require.Equal(t, []string{"c", "d"}, []string{*p.Call.ID(), *p.Result.ID()})
		require.Equal(t, &projection.ToolCallPair{}, s.ToolCall("nothing"))
	})
	t.Run("a top-level row's subgraphPath is null", func(t *testing.T) {
		require.Nil(t, s.Timeline()[1].Common().SubgraphPath())
		require.Equal(t, []string{"n"}, s.RowsAt([]string{"n", "x"}, false)[0].Common().SubgraphPath())
	})
}
