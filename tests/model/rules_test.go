package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// folded reads lines and folds them. Members are written in short, one line a record; see expand.
func folded(t *testing.T, lines string) (*model.Model, model.Outcome) {
	t.Helper()
	m := model.New()
	var last model.Outcome
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		rec, err := wire.Decode([]byte(expand(line)))
		require.NoError(t, err, "%s", expand(line))
		last = m.Apply(rec)
	}
	return m, last
}

// expand makes `message.delta id=m1 node_id=n content=Hi` a JSON object. A word is a string, unless it looks
// like a number, an object, a list, a quoted string, true or null.
func expand(line string) string {
	words := strings.Fields(line)
	members := []string{fmt.Sprintf(`"type":%q`, words[0])}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		if value == "" || !strings.ContainsAny(value[:1], `0123456789{["`) && value != "true" && value != "false" && value != "null" {
			value = fmt.Sprintf("%q", value)
		}
		members = append(members, fmt.Sprintf(`%q:%s`, name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// told is the timeline, one short line a row.
func told(m *model.Model) []string {
	rows := []string{}
	for _, r := range m.View().Timeline {
		id, state := "-", "open"
		if r.ID != nil {
			id = *r.ID
		}
		if r.Complete {
			state = "done"
		}
		switch r.Type {
		case "user":
			rows = append(rows, fmt.Sprintf("user %s %s", id, *r.Content))
		case "assistant":
			text := *r.Content
			if r.Reasoning != nil {
				text += "~" + *r.Reasoning
			}
			rows = append(rows, fmt.Sprintf("assistant %s %s %s", id, text, state))
		case "output":
			rows = append(rows, fmt.Sprintf("output %s %s %s %s %s", id, r.Name, r.Value, strings.ToLower(r.Status), state))
		default:
			rows = append(rows, fmt.Sprintf("%s %s %s", r.Type, id, r.ToolCallID))
		}
	}
	return rows
}

type rule struct {
	name  string
	lines string
	want  []string
	last  string // outcome of the last line; applied when empty
}

func check(t *testing.T, rules []rule) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			m, out := folded(t, r.lines)
			require.Equal(t, append([]string{}, r.want...), told(m))
			want := r.last
			if want == "" {
				want = "applied"
			}
			require.Equal(t, want, strings.TrimSpace(out.Result.String()+" "+out.Reason))
		})
	}
}

// docs/fold.md, "Rows", rules 1 to 5.
func TestTurnRules(t *testing.T) {
	check(t, []rule{
		{name: "1: a known id makes no second user row", lines: `
			user.message id=u1 content=Hi
			user.message id=u1 content=Hi`, want: []string{"user u1 Hi"}, last: "duplicate user"},
		{name: "2: llm prefills", lines: `
			node.start node_id=n activation=a kind=llm message_id=m1`, want: []string{"assistant m1  open"}},
		{name: "2: grounded_answer prefills, without an id too", lines: `
			node.start node_id=n activation=a kind=grounded_answer`, want: []string{"assistant -  open"}},
		{name: "2: no other kind prefills", lines: `
			node.start node_id=n activation=a kind=ensemble message_id=m1`},
		{name: "2: nor a persisted start", lines: `
			node-start seq=1 node_id=n activation=a kind=llm`},
		{name: "2: nor a repeated start, which is no start", lines: `
			node-start seq=1 node_id=n activation=a kind=llm
			node.start node_id=n activation=a kind=llm message_id=m1`},
		{name: "2: nor one whose message is a row", lines: `
			user.message id=u1 content=Hi
			node.start node_id=n activation=a kind=llm message_id=u1`, want: []string{"user u1 Hi"}},
		{name: "3: a delta by id, from whatever slot", lines: `
			node.start node_id=n activation=a kind=llm message_id=m1
			message.delta id=m1 node_id=o activation=b content=Hi`, want: []string{"assistant m1 Hi open"}},
		{name: "3: a delta gives the id to the open turn of its slot", lines: `
			node.start node_id=n activation=a kind=llm
			message.delta id=m1 node_id=n activation=a content=Hi reasoning=hm`, want: []string{"assistant m1 Hi~hm open"}},
		{name: "3: a delta without an id leaves turns with one alone", lines: `
			node.start node_id=n activation=a kind=llm message_id=m1
			message.delta node_id=n activation=a content=Hi`, want: []string{"assistant m1  open", "assistant - Hi open"}},
		{name: "3: another iteration is another slot", lines: `
			node.start node_id=n activation=a kind=llm
			message.delta node_id=n activation=a iteration=1 content=Hi`, want: []string{"assistant -  open", "assistant - Hi open"}},
		{name: "3: without text a delta does nothing", lines: `
			message.delta id=m1 node_id=n`},
		{name: "3: a complete row takes no delta", lines: `
			message.end id=m1 node_id=n content=Hi
			message.delta id=m1 node_id=n content=!`, want: []string{"assistant m1 Hi done"}, last: "rejected complete_row"},
		{name: "3: nor does a row of another kind", lines: `
			user.message id=u1 content=Hi
			message.delta id=u1 content=!`, want: []string{"user u1 Hi"}, last: "rejected other_kind"},
		{name: "4: the end's text wins, what it leaves out stays", lines: `
			message.delta id=m1 node_id=n content=Ho reasoning=hm
			message.end id=m1 node_id=n content=Hi`, want: []string{"assistant m1 Hi~hm done"}},
		{name: "4: a sample arrives whole", lines: `
			message.end id=m1 node_id=n activation=a iteration=2 content=Hi`, want: []string{"assistant m1 Hi done"}},
		{name: "4: an end that leaves the row empty sweeps it", lines: `
			message.delta id=m1 node_id=n content=Ho
			message.end id=m1 node_id=n content=`},
		{name: "4: one late end after an interruption", lines: `
			message.delta id=m1 node_id=n content=Ho
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false
			message.end id=m1 node_id=n content=Hi`, want: []string{"assistant m1 Hi done", "tool-call - t"}},
		{name: "4: and no second one", lines: `
			message.delta id=m1 node_id=n content=Ho
			run.pause status=paused
			message.end id=m1 node_id=n
			message.end id=m1 node_id=n content=Hi`, want: []string{"assistant m1 Ho done"}, last: "rejected second_end"},
		{name: "4: none after the run's end", lines: `
			message.delta id=m1 node_id=n content=Ho
			run.end status=completed
			message.end id=m1 node_id=n content=Hi`, want: []string{"assistant m1 Ho done"}, last: "rejected second_end"},
		{name: "4: none for a row that the log has", lines: `
			assistant id=m1 seq=1 node_id=n content=Hi
			message.end id=m1 node_id=n content=Ho`, want: []string{"assistant m1 Hi done"}, last: "duplicate logged"},
		{name: "5: a turn splits at an artifact", lines: `
			message.delta node_id=n activation=a content=Here
			output.delta id=o1 node_id=n activation=a name=recipe delta=egg
			message.delta node_id=n activation=a content=Enjoy`,
			want: []string{"assistant - Here done", `output o1 recipe "egg" building open`, "assistant - Enjoy open"}},
		{name: "5: an empty one is swept", lines: `
			node.start node_id=n activation=a kind=llm message_id=m1
			tool.call node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=true`,
			want: []string{"tool-call - t"}},
		{name: "5: only in its slot", lines: `
			message.delta id=m1 node_id=n activation=a content=Ho
			output.set node_id=n activation=b name=recipe value=1 status=final complete=true`,
			want: []string{"assistant m1 Ho open", "output - recipe 1 final done"}},
		{name: "5: a duplicate interrupts nothing", lines: `
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false
			message.delta id=m1 node_id=n content=Ho
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"tool-call - t", "assistant m1 Ho open"}, last: "duplicate tool"},
		{name: "5: nor does a result", lines: `
			message.delta id=m1 node_id=n content=Ho
			tool.result node_id=n tool_call_id=t output=ok`, want: []string{"assistant m1 Ho open", "tool-result - t"}},
		{name: "5: nor a persisted row", lines: `
			message.delta id=m1 node_id=n content=Ho
			tool-call seq=1 node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"assistant m1 Ho open", "tool-call - t"}},
		{name: "5: nor a rejected frame", lines: `
			output.set id=o1 node_id=n name=recipe value=1 status=building complete=false
			message.delta id=m1 node_id=n content=Ho
			output.delta id=o1 node_id=n name=recipe delta=x`,
			want: []string{"output o1 recipe 1 building open", "assistant m1 Ho open"}, last: "rejected not_text"},
	})
}

// docs/fold.md, "Rows", rules 6 and 7.
func TestFactRules(t *testing.T) {
	check(t, []rule{
		{name: "6: without an id, the last incomplete one of slot and name", lines: `
			output.delta node_id=n name=a delta=x
			output.delta node_id=n name=b delta=y
			output.set node_id=n name=a value=1 status=final complete=true
			output.delta node_id=n name=a delta=z`,
			want: []string{"output - a 1 final done", `output - b "y" building open`, `output - a "z" building open`}},
		{name: "6: a set may open a complete row again", lines: `
			output.set id=o1 node_id=n name=a value=1 status=final complete=true
			output.set id=o1 node_id=n name=a value=2 status=building complete=false`,
			want: []string{"output o1 a 2 building open"}},
		{name: "6: a delta is nothing for a persisted row", lines: `
			output id=o1 seq=1 node_id=n name=a value="x" status=building complete=false
			output.delta id=o1 node_id=n name=a delta=y`, want: []string{`output o1 a "x" building open`}, last: "duplicate logged"},
		{name: "6: a set is", lines: `
			output id=o1 seq=1 node_id=n name=a value="x" status=final complete=true
			output.set id=o1 node_id=n name=a value="y" status=final complete=true`, want: []string{`output o1 a "y" final done`}},
		{name: "6: an id never changes its name", lines: `
			output.delta id=o1 node_id=n name=a delta=x
			output.delta id=o1 node_id=n name=b delta=y`, want: []string{`output o1 a "x" building open`}, last: "rejected other_name"},
		{name: "7: a second result is dropped", lines: `
			tool.result node_id=n tool_call_id=t output=ok
			tool.result node_id=n tool_call_id=t output=no`, want: []string{"tool-result - t"}, last: "duplicate tool"},
	})
	m, _ := folded(t, `
		output.delta id=o1 node_id=n subgraph_path=["g"] name=a delta=x format=code promoted=true
		output.set id=o1 node_id=n subgraph_path=["g"] name=a value="y" status=final complete=true`)
	require.Len(t, m.View().Chat.Bindings, 1, "6: promoted stays")
	require.Equal(t, "CODE", *m.View().Chat.Bindings[0].Format, "6: format stays")
}

// docs/fold.md, "Rows", rules 8 and 9.
func TestClosingAndLogRules(t *testing.T) {
	open := `
			message.delta id=m1 node_id=n activation=a content=Ho
			node.start node_id=o activation=b kind=llm message_id=m2
			output.delta id=o1 node_id=n activation=a iteration=1 name=r delta=x
			`
	check(t, []rule{
		{name: "8: a node's end closes its activation, of every iteration", lines: open + `node.end node_id=n activation=a status=completed`,
			want: []string{"assistant m1 Ho done", "assistant m2  open", `output o1 r "x" building done`}},
		{name: "8: and no other", lines: open + `node.end node_id=n activation=z status=completed`,
			want: []string{"assistant m1 Ho open", "assistant m2  open", `output o1 r "x" building open`}},
		{name: "8: a persisted end closes like a live one", lines: open + `node-end seq=9 node_id=n activation=a status=completed`,
			want: []string{"assistant m1 Ho done", "assistant m2  open", `output o1 r "x" building done`}},
		{name: "8: a pause closes all", lines: open + `run.pause status=awaiting_client_tool`,
			want: []string{"assistant m1 Ho done", `output o1 r "x" building done`}},
		{name: "8: a head that is not running closes all", lines: open + `conversation conversation_id=c agent_id=a agent_version=1 status=completed`,
			want: []string{"assistant m1 Ho done", `output o1 r "x" building done`}},
		{name: "8: a running one closes nothing", lines: open + `conversation conversation_id=c agent_id=a agent_version=1 status=running`,
			want: []string{"assistant m1 Ho open", "assistant m2  open", `output o1 r "x" building open`}},
		{name: "8: a persisted row is as it stands", lines: `
			conversation conversation_id=c agent_id=a agent_version=1 status=completed
			output seq=1 node_id=n name=r value=1 status=building complete=false`, want: []string{"output - r 1 building open"}},
		{name: "8: a persisted turn without text is not shown", lines: `assistant seq=1 id=m1 node_id=n content=`},
		{name: "9: by id, in place", lines: `
			message.delta id=m1 node_id=n content=Ho
			user.message id=u2 content=Next
			assistant id=m1 seq=7 node_id=n content=Hi`, want: []string{"assistant m1 Hi done", "user u2 Next"}},
		{name: "9: by seq", lines: `
			user.message seq=3 content=Hi
			user seq=3 id=u1 content=Hi`, want: []string{"user u1 Hi"}},
		{name: "9: by tool call", lines: `
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false
			tool-call id=c1 seq=4 node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false`, want: []string{"tool-call c1 t"}},
		{name: "9: another kind under the id is rejected", lines: `
			user.message id=u1 content=Hi
			assistant id=u1 seq=4 node_id=n content=Ho`, want: []string{"user u1 Hi"}, last: "rejected other_kind"},
		{name: "9: else before the first greater seq", lines: `
			user.message id=u1 seq=5 content=Later
			user.message id=u2 content=Last
			user id=u0 seq=2 content=First
			user id=u9 seq=9 content=End`, want: []string{"user u0 First", "user u1 Later", "user u2 Last", "user u9 End"}},
	})
}
