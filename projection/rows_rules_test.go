package projection_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rowRule is one sentence of docs/fold.md, "Rows": inputs, and the timeline after them.
type rowRule struct {
	name string
	in   string
	want []string
	last string // outcome of the last input; applied when empty
}

func checkRows(t *testing.T, rules []rowRule) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			s, c := fold(t, r.in)
			require.Equal(t, append([]string{}, r.want...), told(s.Snapshot().Timeline()))
			want := r.last
			if want == "" {
				want = "applied"
			}
			require.Equal(t, want, short(c))
			if want != "applied" {
				require.Empty(t, c.Slices, "what is not taken moves nothing")
			}
			s.CheckInvariants(t)
		})
	}
}

func TestRowsPreamble(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "rows of every depth", in: `
			user.message id=u content=Hi
			message.delta id=m node_id=n subgraph_path=["g","h"] content=Deep`,
			want: []string{"user u Hi", "assistant m Deep open"}},
		{name: "live a row stands where its first frame arrived", in: `
			message.delta id=m1 node_id=n content=a
			message.delta id=m2 node_id=o content=b
			message.end id=m1 node_id=n seq=9 content=A`,
			want: []string{"assistant m1 A done", "assistant m2 b open"}},
		{name: "from the log it stands by seq", in: `
			user id=u2 seq=5 content=b
			user id=u1 seq=3 content=a`,
			want: []string{"user u1 a", "user u2 b"}},
	})
	t.Run("at is when it opened", func(t *testing.T) {
		rows := read(t, `
			message.delta id=m node_id=n content=a at=2026-03-01T09:00:01Z
			message.end id=m node_id=n content=b at=2026-03-01T09:00:09Z`).Timeline()
		require.Equal(t, 1, rows[0].Common().At().Second())
	})
	t.Run("reasoning is absent when empty", func(t *testing.T) {
		rows := read(t, `message.end id=m node_id=n content=a reasoning=`).Timeline()
		require.Nil(t, rowOf(rows[0]).Reasoning)
	})
}

func TestRule1UserRows(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "user.message appends", in: `user.message id=u content=Hi`, want: []string{"user u Hi"}},
		{name: "user appends", in: `user id=u seq=1 content=Hi`, want: []string{"user u Hi"}},
		{name: "a known id makes no second row", in: `
			user.message id=u content=Hi
			user.message id=u content=Hi`, want: []string{"user u Hi"}, last: "duplicate"},
		{name: "nor from the log", in: `
			user.message id=u content=Hi
			user id=u seq=1 content=Hi`, want: []string{"user u Hi"}},
		{name: "nor does an id of another kind", in: `
			message.delta id=m node_id=n content=a
			user.message id=m content=Hi`, want: []string{"assistant m a open"}, last: "rejected id_taken"},
	})
	t.Run("it never has a node or an activation", func(t *testing.T) {
		sp := read(t, `user.message id=u node_id=n activation=a content=Hi`).Timeline()[0].Common()
		require.Nil(t, sp.NodeID())
		require.Nil(t, sp.Activation())
	})
}

func TestRule2Placeholders(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "llm opens one", in: `node.start node_id=n kind=llm message_id=m`, want: []string{"assistant m  open"}},
		{name: "grounded_answer opens one", in: `node.start node_id=n kind=grounded_answer message_id=m`, want: []string{"assistant m  open"}},
		{name: "its id may be absent", in: `node.start node_id=n kind=llm`, want: []string{"assistant -  open"}},
		{name: "no other kind opens one", in: `
			node.start node_id=a kind=ensemble message_id=m1
			node.start node_id=b kind=for_each_llm message_id=m2
			node.start node_id=c kind=tool message_id=m3`},
		{name: "a persisted node-start never does", in: `node-start seq=1 node_id=n kind=llm`},
		{name: "nor a repeated start", in: `
			node.start node_id=n activation=a kind=llm message_id=m1
			run.pause status=paused
			node.start node_id=n activation=a kind=llm message_id=m2`},
		{name: "nor one that repeats a persisted start", in: `
			node-start seq=1 node_id=n activation=a kind=llm
			node.start node_id=n activation=a kind=llm message_id=m`},
		{name: "nor a message_id that is a row", in: `
			user.message id=m content=Hi
			node.start node_id=n kind=llm message_id=m`, want: []string{"user m Hi"}},
	})
	t.Run("the node's spine and no iteration", func(t *testing.T) {
		m := rowOf(read(t, `node.start node_id=n subgraph_path=["g"] activation=a iteration=3 kind=llm message_id=m at=2026-03-01T09:00:01Z`).Timeline()[0])
		require.Equal(t, []string{"g", "n"}, m.Path)
		require.Equal(t, "a", *m.Activation)
		require.Nil(t, m.Iteration)
		require.Nil(t, m.Seq)
		require.NotNil(t, m.At)
	})
}

func TestRule3Deltas(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "appends to the open row with that id", in: `
			message.delta id=m node_id=n content=a
			message.delta id=m node_id=n content=b reasoning=c`, want: []string{"assistant m ab~c open"}},
		{name: "whatever its slot", in: `
			message.delta id=m node_id=n activation=a content=a
			message.delta id=m node_id=o activation=b content=b`, want: []string{"assistant m ab open"}},
		{name: "else continues the slot's last open row without an id, and names it", in: `
			node.start node_id=n activation=a kind=llm
			message.delta id=m node_id=n activation=a content=a`, want: []string{"assistant m a open"}},
		{name: "the last opened one", in: `
			node.start node_id=n kind=llm
			node.start node_id=n kind=llm
			message.delta node_id=n content=a`, want: []string{"assistant -  open", "assistant - a open"}},
		{name: "which has no id yet", in: `
			node.start node_id=n activation=a kind=llm message_id=m
			message.delta node_id=n activation=a content=a`, want: []string{"assistant m  open", "assistant - a open"}},
		{name: "of its slot", in: `
			node.start node_id=n activation=a kind=llm
			message.delta node_id=n activation=a iteration=1 content=a`, want: []string{"assistant -  open", "assistant - a open"}},
		{name: "which is open", in: `
			message.end node_id=n content=a
			message.delta node_id=n content=b`, want: []string{"assistant - a done", "assistant - b open"}},
		{name: "else opens one at the end", in: `
			user.message id=u content=Hi
			message.delta id=m node_id=n content=a`, want: []string{"user u Hi", "assistant m a open"}},
		{name: "without text it does nothing", in: `message.delta id=m node_id=n content=`},
		{name: "not even naming a row", in: `
			node.start node_id=n kind=llm
			message.delta id=m node_id=n content=`, want: []string{"assistant -  open"}},
		{name: "a complete row rejects it", in: `
			message.end id=m node_id=n content=a
			message.delta id=m node_id=n content=b`, want: []string{"assistant m a done"}, last: "rejected row_complete"},
		{name: "so does a row of another kind", in: `
			user.message id=u content=Hi
			message.delta id=u node_id=n content=b`, want: []string{"user u Hi"}, last: "rejected id_taken"},
		{name: "a row that the log told has it already", in: `
			assistant id=m seq=1 node_id=n content=ab
			message.delta id=m node_id=n content=a`, want: []string{"assistant m ab done"}, last: "duplicate"},
	})
	t.Run("a delta without a node is a top-level row's", func(t *testing.T) {
		s := read(t, `message.delta id=m content=a`)
		require.Equal(t, []string{"assistant m a open"}, told(s.Transcript()))
		require.Nil(t, s.Timeline()[0].Common().Path())
	})
}

func TestRule4Ends(t *testing.T) {
	checkRows(t, []rowRule{
		{name: "by id", in: `
			message.delta id=m node_id=n content=a
			message.end id=m node_id=n`, want: []string{"assistant m a done"}},
		{name: "by slot, naming the row", in: `
			message.delta node_id=n content=a
			message.end id=m node_id=n`, want: []string{"assistant m a done"}},
		{name: "opening if need be", in: `message.end id=m node_id=n iteration=2 content=a`, want: []string{"assistant m a done"}},
		{name: "sets the text it carries", in: `
			message.delta id=m node_id=n content=a reasoning=b
			message.end id=m node_id=n content=A`, want: []string{"assistant m A~b done"}},
		{name: "the empty text too", in: `
			message.delta id=m node_id=n content=a reasoning=b
			message.end id=m node_id=n content=`, want: []string{"assistant m ~b done"}},
		{name: "a row it leaves empty is swept away", in: `
			message.delta id=m node_id=n content=a
			message.end id=m node_id=n content=`},
		{name: "and one without text makes none", in: `message.end id=m node_id=n`},
		{name: "one late end after an interruption", in: `
			message.delta id=m node_id=n content=a
			tool.call node_id=n tool_call_id=t tool_name=x input="{}" requires_client_response=false
			message.end id=m node_id=n content=A`, want: []string{"assistant m A done", "tool-call - t"}},
		{name: "after node.end", in: `
			message.delta id=m node_id=n content=a
			node.end node_id=n status=completed
			message.end id=m node_id=n content=A`, want: []string{"assistant m A done"}},
		{name: "after run.pause", in: `
			message.delta id=m node_id=n content=a
			run.pause status=paused
			message.end id=m node_id=n content=A`, want: []string{"assistant m A done"}},
		{name: "without an id, by slot", in: `
			message.delta node_id=n content=a
			run.pause status=paused
			message.end node_id=n content=A`, want: []string{"assistant - A done"}},
		{name: "a late end may empty the row", in: `
			message.delta id=m node_id=n content=a
			run.pause status=paused
			message.end id=m node_id=n content=`},
		{name: "a second end is rejected", in: `
			message.delta id=m node_id=n content=a
			run.pause status=paused
			message.end id=m node_id=n content=A
			message.end id=m node_id=n content=B`, want: []string{"assistant m A done"}, last: "rejected row_complete"},
		{name: "so is one after the run's end", in: `
			message.delta id=m node_id=n content=a
			run.end status=completed
			message.end id=m node_id=n content=A`, want: []string{"assistant m a done"}, last: "rejected row_complete"},
		{name: "one for a row that the log told is known", in: `
			assistant id=m seq=1 node_id=n content=ab
			message.end id=m seq=1 node_id=n`, want: []string{"assistant m ab done"}, last: "duplicate"},
		{name: "so is one for another kind of row", in: `
			user.message id=u content=Hi
			message.end id=u node_id=n content=A`, want: []string{"user u Hi"}, last: "rejected id_taken"},
	})
	t.Run("a late end takes the seq", func(t *testing.T) {
		rows := read(t, `
			message.delta id=m node_id=n content=a
			run.pause status=paused
			message.end id=m node_id=n seq=4`).Timeline()
		require.EqualValues(t, 4, *rows[0].Seq())
	})
}

func TestRule5Interruptions(t *testing.T) {
	const open = "message.delta id=m node_id=n activation=a content=a\n"
	checkRows(t, []rowRule{
		{name: "tool.call", in: open + `tool.call node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"assistant m a done", "tool-call - t"}},
		{name: "output.delta", in: open + `output.delta id=o node_id=n activation=a name=r delta=x`,
			want: []string{"assistant m a done", `output o r "x" building open`}},
		{name: "output.set", in: open + `output.set id=o node_id=n activation=a name=r value=1 status=final complete=true`,
			want: []string{"assistant m a done", `output o r 1 final done`}},
		{name: "also one that refines an output", in: `
			output.delta id=o node_id=n activation=a name=r delta=x
			message.delta id=m node_id=n activation=a content=a
			output.delta id=o node_id=n activation=a name=r delta=y`,
			want: []string{`output o r "xy" building open`, "assistant m a done"}},
		{name: "an empty turn is swept away", in: `
			node.start node_id=n activation=a kind=llm message_id=m
			tool.call node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"tool-call - t"}},
		{name: "only of the same slot", in: open + `tool.call node_id=n activation=a iteration=1 tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"assistant m a open", "tool-call - t"}},
		{name: "text that follows opens a new row", in: open + `
			tool.call node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false
			message.delta node_id=n activation=a content=b`,
			want: []string{"assistant m a done", "tool-call - t", "assistant - b open"}},
		{name: "a dropped duplicate interrupts nothing", in: `
			tool.call node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false
			` + open + `tool.call node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"tool-call - t", "assistant m a open"}, last: "duplicate"},
		{name: "nor a rejected frame", in: `
			user.message id=u content=Hi
			` + open + `tool.call id=u node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"user u Hi", "assistant m a open"}, last: "rejected id_taken"},
		{name: "nor a persisted row", in: open + `tool-call seq=1 node_id=n activation=a tool_call_id=t tool_name=x input="{}" requires_client_response=false`,
			want: []string{"assistant m a open", "tool-call - t"}},
		{name: "nor a result", in: open + `tool.result node_id=n activation=a tool_call_id=t output=ok`,
			want: []string{"assistant m a open", "tool-result - t"}},
	})
}
