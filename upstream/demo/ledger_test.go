package demo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// post sends frames to a ledger, offsets from 1, and returns them as they went out.
func post(t *testing.T, l *ledger, lines ...string) []*wire.Frame {
	t.Helper()
	l.beginLoop(10)
	var frames []*wire.Frame
	for _, line := range lines {
		f, err := wire.DecodeFrame([]byte(line))
		require.NoError(t, err, line)
		f.Offset = l.offset + 1
		l.take(f)
		frames = append(frames, f)
	}
	return frames
}

// shown is a log in short: seq, type, id and what it says.
func shown(rows []*wire.Row) []string {
	var all []string
	for _, r := range rows {
		says := r.Content + r.Input + r.Output + string(r.Value)
		if r.Reasoning != "" {
			says = "(" + r.Reasoning + ")" + says
		}
		if r.Type == wire.RowEdge {
			says = r.From + ">" + r.To
		}
		if r.Type == wire.RowNodeStart || r.Type == wire.RowNodeEnd {
			says = r.NodeID + " " + r.Kind + r.Status.String()
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", r.Seq, r.Type, r.ID, says)))
	}
	return all
}

const n = `"node_id":"n","activation":"a"`

func TestLedger(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []string
		rows   []string
		sent   []string // what the frames say that the recording did not: "type id seq", "" for the same
	}{
		{"a turn that is banked by its end", []string{
			`{"type":"user.message","id":"u","content":"hi"}`,
			`{"type":"node.start","kind":"llm","message_id":"m",` + n + `}`,
			`{"type":"message.delta","id":"m","reasoning":"hm",` + n + `}`,
			`{"type":"message.delta","id":"m","content":"he",` + n + `}`,
			`{"type":"message.delta","id":"m","content":"y",` + n + `}`,
			`{"type":"message.end","id":"m",` + n + `}`,
			`{"type":"node.end","status":"completed",` + n + `}`,
			`{"type":"edge.fired","from":"n","to":"o"}`,
		}, []string{"1 user u hi", "2 node-start  n llm", "3 assistant m (hm)hey", "4 node-end  n completed", "5 edge  n>o"},
			[]string{"u 1", " 2", "m 0", "m 0", "m 0", "m 3", " 4", " 5"}},

		{"whole text wins", []string{
			`{"type":"message.delta","id":"m","content":"dra","reasoning":"r",` + n + `}`,
			`{"type":"message.end","id":"m","content":"final",` + n + `}`,
		}, []string{"1 assistant m (r)final"}, []string{"m 0", "m 1"}},

		{"an empty turn leaves nothing", []string{
			`{"type":"node.start","kind":"llm","message_id":"m",` + n + `}`,
			`{"type":"message.delta","id":"m",` + n + `}`,
			`{"type":"message.end","id":"m","content":"",` + n + `}`,
			`{"type":"node.end","status":"completed",` + n + `}`,
		}, []string{"1 node-start  n llm", "2 node-end  n completed"}, []string{" 1", "m 0", "m 0", " 2"}},

		{"an interruption banks first, and text after it is another turn", []string{
			`{"type":"message.delta","id":"m1","content":"one",` + n + `}`,
			`{"type":"tool.call","id":"t","tool_call_id":"c","tool_name":"x","input":"in","requires_client_response":false,` + n + `}`,
			`{"type":"tool.result","id":"r","tool_call_id":"c","output":"out",` + n + `}`,
			`{"type":"message.delta","id":"m2","content":"two",` + n + `}`,
			`{"type":"node.end","status":"completed",` + n + `}`,
		}, []string{"1 assistant m1 one", "2 tool-call t in", "3 tool-result r out", "4 assistant m2 two", "5 node-end  n completed"},
			[]string{"m1 0", "t 2", "r 3", "m2 0", " 5"}},

		{"a late end refines the row in place", []string{
			`{"type":"message.delta","id":"m","content":"one",` + n + `}`,
			`{"type":"tool.call","id":"t","tool_call_id":"c","tool_name":"x","input":"in","requires_client_response":false,` + n + `}`,
			`{"type":"message.end","id":"m","content":"one!",` + n + `}`,
			`{"type":"message.end","id":"m","content":"again",` + n + `}`,
		}, []string{"1 assistant m one!", "2 tool-call t in"}, []string{"m 0", "t 2", "m 1", "m 1"}},

		{"a second call or result is no second row and interrupts nothing", []string{
			`{"type":"tool.call","id":"t","tool_call_id":"c","tool_name":"x","input":"in","requires_client_response":false,` + n + `}`,
			`{"type":"message.delta","id":"m","content":"one",` + n + `}`,
			`{"type":"tool.call","id":"t2","tool_call_id":"c","tool_name":"x","input":"in","requires_client_response":false,` + n + `}`,
			`{"type":"message.delta","id":"m","content":" two",` + n + `}`,
			`{"type":"run.pause","status":"paused"}`,
		}, []string{"1 tool-call t in", "2 assistant m one two"}, []string{"t 1", "m 0", "t2 1", "m 0", " 0"}},

		{"another slot is not interrupted", []string{
			`{"type":"message.delta","id":"m","content":"x","iteration":1,` + n + `}`,
			`{"type":"output.delta","id":"o","name":"v","delta":"y","iteration":2,` + n + `}`,
			`{"type":"run.pause","status":"paused"}`,
		}, []string{"1 assistant m x", `2 output o "y"`}, []string{"m 0", "o 0", " 0"}},

		{"ids are minted where there are none", []string{
			`{"type":"user.message","content":"hi"}`,
			`{"type":"node.start","kind":"llm",` + n + `}`,
			`{"type":"message.delta","content":"a",` + n + `}`,
			`{"type":"message.delta","content":"b",` + n + `}`,
			`{"type":"output.delta","name":"v","delta":"x",` + n + `}`,
			`{"type":"output.set","name":"v","value":"xy","status":"final","complete":true,` + n + `}`,
			`{"type":"message.delta","content":"c",` + n + `}`,
			`{"type":"message.end",` + n + `}`,
		}, []string{"1 user c#1 hi", "2 node-start  n llm", "3 assistant c#3 ab", `4 output c#5 "xy"`, "5 assistant c#7 c"},
			[]string{"c#1 1", " 2", "c#3 0", "c#3 0", "c#5 0", "c#5 4", "c#7 0", "c#7 5"}},

		{"an id that comes late is the placeholder's", []string{
			`{"type":"node.start","kind":"llm",` + n + `}`,
			`{"type":"message.delta","id":"m","content":"a",` + n + `}`,
			`{"type":"message.end","id":"m",` + n + `}`,
		}, []string{"1 node-start  n llm", "2 assistant m a"}, []string{" 1", "m 0", "m 2"}},

		{"an id that comes after one was minted is known as that one", []string{
			`{"type":"message.delta","content":"a",` + n + `}`,
			`{"type":"message.delta","id":"m","content":"b",` + n + `}`,
			`{"type":"message.end","id":"m",` + n + `}`,
		}, []string{"1 assistant c#1 ab"}, []string{"c#1 0", "c#1 0", "c#1 1"}},

		{"outputs refine one row", []string{
			`{"type":"output.set","id":"o","name":"v","value":{"a":1},"status":"building","complete":false,` + n + `}`,
			`{"type":"output.delta","id":"o","name":"v","delta":"no string",` + n + `}`,
			`{"type":"output.set","id":"o","name":"v","value":{"a":2},"status":"final","complete":true,` + n + `}`,
			`{"type":"output.delta","id":"o","name":"v","delta":"too late",` + n + `}`,
			`{"type":"output.set","id":"o","name":"v","value":{"a":3},"status":"final","complete":true,` + n + `}`,
		}, []string{`1 output o {"a":3}`}, []string{"o 0", "o 0", "o 1", "o 0", "o 1"}},

		{"a node's end closes its own, first opened first", []string{
			`{"type":"message.delta","id":"m1","content":"x",` + n + `}`,
			`{"type":"message.delta","id":"m2","content":"y","node_id":"other","activation":"b"}`,
			`{"type":"output.delta","id":"o","name":"v","delta":"z","iteration":1,` + n + `}`,
			`{"type":"node.end","status":"failed","error":{"kind":"llm","message":"no"},` + n + `}`,
			`{"type":"node.end","status":"completed",` + n + `}`,
		}, []string{"1 assistant m1 x", `2 output o "z"`, "3 node-end  n failed"}, []string{"m1 0", "m2 0", "o 0", " 3", " 3"}},

		{"a resumed node is no second visit", []string{
			`{"type":"node.start","kind":"llm","message_id":"m",` + n + `}`,
			`{"type":"node.start","kind":"llm",` + n + `}`,
		}, []string{"1 node-start  n llm"}, []string{" 1", " 1"}},

		{"an id of another kind is left alone", []string{
			`{"type":"user.message","id":"x","content":"hi"}`,
			`{"type":"message.delta","id":"x","content":"no",` + n + `}`,
			`{"type":"message.end","id":"x",` + n + `}`,
			`{"type":"output.delta","id":"x","name":"v","delta":"no",` + n + `}`,
			`{"type":"run.pause","status":"paused"}`,
		}, []string{"1 user x hi"}, []string{"x 1", "x 0", "x 0", "x 0", " 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger("c", nil, nil)
			var sent []string
			for _, f := range post(t, l, c.frames...) {
				sent = append(sent, fmt.Sprint(f.ID, " ", f.Seq))
			}
			assert.Equal(t, c.rows, shown(l.rows))
			assert.Equal(t, c.sent, sent)
		})
	}
}

func TestLedgerHead(t *testing.T) {
	l := newLedger("c", nil, nil)
	steps := []struct {
		frame string
		last  int64 // where to reattach after it
		is    wire.Status
	}{
		{`{"type":"run.start","run_id":"r","conversation_id":"c","agent_id":"x","agent_version":1}`, 1, wire.Running},
		{`{"type":"node.start","kind":"llm","message_id":"m",` + n + `}`, 1, wire.Running},
		{`{"type":"message.delta","id":"m","content":"a",` + n + `}`, 1, wire.Running},
		{`{"type":"output.delta","id":"o","name":"v","delta":"x",` + n + `}`, 3, wire.Running},
		{`{"type":"message.delta","id":"m2","content":"b",` + n + `}`, 3, wire.Running},
		{`{"type":"output.set","id":"o","name":"v","value":"xy","status":"final","complete":true,` + n + `}`, 6, wire.Running},
		{`{"type":"node.end","status":"completed",` + n + `}`, 7, wire.Running},
		{`{"type":"run.end","status":"failed","retryable":true,"error":{"kind":"tool","message":"no"}}`, 8, wire.Failed},
	}
	l.beginLoop(10)
	for _, step := range steps {
		f, err := wire.DecodeFrame([]byte(step.frame))
		require.NoError(t, err)
		f.Offset = l.offset + 1
		l.take(f)
		h := l.head(3)
		assert.Equal(t, step.last, h.LastOffset, step.frame)
		assert.Equal(t, step.is, h.Status, step.frame)
	}
	h := l.head(3)
	assert.True(t, h.Retryable)
	assert.Equal(t, &wire.PublicError{Kind: wire.ErrorTool, Message: "no"}, h.Error)
	assert.True(t, h.HasEarlier, "five rows, a tail of three")
	assert.False(t, l.head(5).HasEarlier)

	post(t, l, steps[0].frame)
	h = l.head(3)
	assert.Equal(t, wire.Running, h.Status)
	assert.Nil(t, h.Error)
	assert.False(t, h.HasRetryable)
}

// Promise 5: what falls out of the log stays in the working set.
func TestWorkingSet(t *testing.T) {
	l := newLedger("c", nil, nil)
	set := func(name, value, more string) string {
		return fmt.Sprintf(`{"type":"output.set","name":%q,"value":%s,"status":"final","complete":true,%s%s}`, name, value, n, more)
	}
	row := func(id, value string) string {
		return fmt.Sprintf(`{"type":"table.row","table":"t","row_id":%q,"value":%s,"status":"final",%s}`, id, value, n)
	}
	inner := `,"subgraph_path":["sub"]`
	post(t, l,
		set("old", "1", ""), set("kept", "1", ""), set("mine", "1", inner), set("up", "1", inner+`,"promoted":true`),
		row("a", "1"), row("b", "1"), row("a", "2"),
		`{"type":"table.row","table":"gone","row_id":"x","value":1,"status":"building",`+n+`}`,
		`{"type":"table.delete","table":"gone","row_id":"x",`+n+`}`,
		`{"type":"table.delete","table":"never","row_id":"x",`+n+`}`,
		`{"type":"output.delta","name":"open","delta":"x",`+n+`}`)
	check := func(kept string) {
		w := l.head(9).WorkingSet
		var got []string
		for _, b := range w.Bindings {
			if b.Name == "open" {
				assert.Equal(t, wire.Building, b.Status, "closed by the pause, and still as it was")
				continue
			}
			got = append(got, b.Name+"="+string(b.Value))
		}
		assert.Equal(t, []string{"kept=" + kept, "old=1", "up=1"}, got)
		require.Len(t, w.SubagentBindings, 1)
		assert.Equal(t, []string{"sub"}, w.SubagentBindings[0].Path)
		require.Len(t, w.Tables, 2)
		assert.Equal(t, "gone", w.Tables[0].Name)
		assert.Empty(t, w.Tables[0].Rows)
		require.Len(t, w.Tables[1].Rows, 2)
		assert.Equal(t, "a", w.Tables[1].Rows[0].RowID, "most recently moved first")
		assert.EqualValues(t, "2", w.Tables[1].Rows[0].Value)
	}
	check("1")
	assert.Len(t, l.head(9).WorkingSet.Bindings, 3, "what is not persisted is not in it")
	l.closeAll(nil)
	assert.Len(t, l.head(9).WorkingSet.Bindings, 4, "the pause persisted it")
	post(t, l, set("kept", "2", ""))
	check("2")
	for loop := 3; loop <= 11; loop++ {
		l.beginLoop(10)
		check("2")
		assert.Equal(t, loop <= 10, l.rows[0].Seq == 1, "loop %d", loop)
	}
	first := l.rows[0].Seq
	assert.Greater(t, first, int64(1))
	rows, earlier := l.page(0, -1, 100)
	assert.False(t, earlier, "what is dropped is not earlier")
	assert.Equal(t, first, rows[0].Seq)
}

func TestPages(t *testing.T) {
	l := newLedger("c", nil, nil)
	var lines []string
	for range 10 {
		lines = append(lines, `{"type":"edge.fired","from":"a","to":"b"}`)
	}
	post(t, l, lines...)
	for _, c := range []struct {
		before, after int64
		limit         int
		first, last   int64
		earlier       bool
	}{
		{0, -1, 4, 7, 10, true}, {0, -1, 10, 1, 10, false}, {0, -1, 99, 1, 10, false},
		{7, -1, 4, 3, 6, true}, {3, -1, 4, 1, 2, false}, {1, -1, 4, 0, 0, false}, {99, -1, 1, 10, 10, true}, {0, 0, 4, 1, 4, false},
		{0, 2, 4, 3, 6, true}, {0, 8, 4, 9, 10, true}, {0, 10, 4, 0, 0, true}, {0, 99, 4, 0, 0, true},
		{6, 2, 2, 3, 4, true}, {6, 2, 9, 3, 5, true}, {3, 5, 9, 0, 0, true},
	} {
		rows, earlier := l.page(c.before, c.after, c.limit)
		var first, last int64
		if len(rows) > 0 {
			first, last = rows[0].Seq, rows[len(rows)-1].Seq
		}
		assert.Equal(t, []any{c.first, c.last, c.earlier}, []any{first, last, earlier}, "%+v", c)
	}
}

// What a recording has before its first frame is the log that the frames go on from.
func TestLedgerGoesOnFromALog(t *testing.T) {
	var rows []*wire.Row
	for _, line := range []string{
		`{"type":"user","id":"u","seq":41,"content":"hi"}`,
		`{"type":"node-start","kind":"llm","seq":42,` + n + `}`,
		`{"type":"assistant","id":"m","seq":43,"content":"done",` + n + `}`,
		`{"type":"tool-call","id":"t","seq":44,"tool_call_id":"c","tool_name":"x","input":"in","requires_client_response":true,` + n + `}`,
		`{"type":"output","id":"o","seq":45,"name":"v","value":1,"status":"final","complete":true,` + n + `}`,
		`{"type":"edge","seq":45,"from":"said","to":"twice"}`,
	} {
		r, err := wire.DecodeRow([]byte(line))
		require.NoError(t, err)
		rows = append(rows, r)
	}
	l := newLedger("c", nil, rows)
	frames := post(t, l,
		`{"type":"user.message","id":"u","content":"hi"}`,
		`{"type":"node.start","kind":"llm",`+n+`}`,
		`{"type":"message.delta","id":"m","content":"again",`+n+`}`,
		`{"type":"message.end","id":"m","content":"again",`+n+`}`,
		`{"type":"tool.call","id":"t","tool_call_id":"c","tool_name":"x","input":"in","requires_client_response":true,`+n+`}`,
		`{"type":"tool.result","id":"r","tool_call_id":"c","output":"out",`+n+`}`,
		`{"type":"output.set","id":"o","name":"v","value":2,"status":"final","complete":true,`+n+`}`)
	assert.Equal(t, []string{"41 user u hi", "42 node-start  n llm", "43 assistant m done", "44 tool-call t in",
		"45 output o 2", "46 tool-result r out"}, shown(l.rows))
	var seqs []int64
	for _, f := range frames {
		seqs = append(seqs, f.Seq)
	}
	assert.Equal(t, []int64{41, 42, 0, 43, 44, 46, 45}, seqs)
}
