package langgraph

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func piece(index int, id, name, args string) string {
	members := `"index":` + js(index) + `,"args":` + js(args)
	if id != "" {
		members += `,"id":` + js(id) + `,"name":` + js(name)
	}
	return `{` + members + `,"type":"tool_call_chunk"}`
}

func calls(place, id string, pieces ...string) event {
	list := ""
	for i, p := range pieces {
		if i > 0 {
			list += ","
		}
		list += p
	}
	return chunk(place, id, `"tool_call_chunks":[`+list+`]`)
}

func block(place, id, blocks string) event { return chunk(place, id, `"content":[`+blocks+`]`) }

// Promise 7: how turns and calls follow each other.
func TestTurnsAndCalls(t *testing.T) {
	const start, end, pause = "node.start a@1", "node.end a@1 completed", "run.pause paused"
	for name, c := range map[string]struct {
		info   RunInfo
		events []event
		want   []string
	}{
		"pieces, the id on the first one only": {
			events: []event{
				says("a:1", "m", "Let me see. "), calls("a:1", "m", piece(0, "c1", "look", `{"ci`)), calls("a:1", "m", piece(0, "", "", `ty":"B"}`)),
				calls("a:1", "m", piece(1, "c2", "find", `{"n"`)), calls("a:1", "m", piece(1, "", "", `: 1.0}`)), stops("a:1", "m", 1, 2),
			},
			want: []string{
				`message.delta a@1 turn/m "Let me see. "`, "message.end a@1 turn/m", `tool.call a@1 call/c1 c1 look {"city":"B"}`,
				`tool.call a@1 call/c2 c2 find {"n": 1.0}`,
			},
		},
		"pieces of two calls in turns": {
			events: []event{
				calls("a:1", "m", piece(0, "c1", "x", `{"a"`), piece(1, "c2", "y", `{"b"`)), calls("a:1", "m", piece(1, "", "", `:2}`)),
				calls("a:1", "m", piece(0, "", "", `:1}`)),
			},
			want: []string{`tool.call a@1 call/c1 c1 x {"a":1}`, `tool.call a@1 call/c2 c2 y {"b":2}`},
		},
		"pieces without an index, and an id on each": {
			events: []event{
				chunk("a:1", "m", `"tool_call_chunks":[{"id":"c1","name":"x","args":"{"}]`), chunk("a:1", "m", `"tool_call_chunks":[{"args":"}"}]`),
				chunk("a:1", "m", `"tool_call_chunks":[{"id":"c2","name":"y","args":"[","index":7}]`),
				chunk("a:1", "m", `"tool_call_chunks":[{"id":"c2","args":"]","index":7}]`),
			},
			want: []string{"tool.call a@1 call/c1 c1 x {}", "tool.call a@1 call/c2 c2 y []"},
		},
		"a call without arguments, one without a name, one without an id": {
			events: []event{
				calls("a:1", "m", piece(0, "c1", "x", "")), chunk("a:1", "m", `"tool_call_chunks":[{"index":1,"args":"{}"}]`),
				chunk("a:1", "m", `"tool_call_chunks":[{"index":2,"name":"z","args":"{}"}]`),
			},
			want: []string{"tool.call a@1 call/c1 c1 x {}", "tool.call a@1 call/m#1 m#1 z {}"},
		},
		"calls that were not streamed": {
			events: []event{ends("a:1", messages(aiCalls("m", "", `c1 x {"a": 1}`)))},
			want:   []string{`tool.call a@1 call/c1 c1 x {"a":1}`},
		},
		"as the model wrote them": {
			events: []event{ends("a:1", messages(`{"content":"","id":"m","type":"ai","tool_calls":[{"id":"c1","name":"x","args":{"a":1}}],"additional_kwargs":{"tool_calls":[{"id":"c1","function":{"name":"x","arguments":"{ \"a\" : 1 }"}}]},"invalid_tool_calls":[{"id":"c2","name":"y","args":"{oops"}]}`))},
			want:   []string{`tool.call a@1 call/c1 c1 x { "a" : 1 }`, "tool.call a@1 call/c2 c2 y {oops"},
		},
		"a call in the midst of text": {
			events: []event{
				block("a:1", "m", `{"type":"thinking","thinking":"hm","index":0}`), block("a:1", "m", `{"type":"text","text":"Before. ","index":1}`),
				chunk("a:1", "m", `"content":[{"type":"tool_use","id":"c1","name":"x","index":2}],"tool_call_chunks":[`+piece(2, "c1", "x", "")+`]`),
				chunk("a:1", "m", `"content":[{"type":"input_json_delta","input":"{}","index":2}],"tool_call_chunks":[`+piece(2, "", "", "{}")+`]`),
				block("a:1", "m", `{"type":"text","text":"","index":3}`), block("a:1", "m", `{"type":"text","text":"After.","index":3}`),
			},
			want: []string{
				`message.delta a@1 turn/m thinks "hm"`, `message.delta a@1 turn/m "Before. "`, "message.end a@1 turn/m",
				"tool.call a@1 call/c1 c1 x {}", `message.delta a@1 turn/m/1 "After."`, "message.end a@1 turn/m/1",
			},
		},
		"the same, not streamed": {
			events: []event{ends("a:1", messages(`{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Before. "},{"type":"tool_use","id":"c1","name":"x"},{"type":"input_json_delta","input":"{}"},{"type":"text","text":"After."}],"id":"m","type":"ai","tool_calls":[{"id":"c1","name":"x","args":{}}]}`))},
			want: []string{
				`message.end a@1 turn/m "Before. " thinks "hm"`, "tool.call a@1 call/c1 c1 x {}", `message.end a@1 turn/m/1 "After."`,
			},
		},
		"two calls in the midst of text": {
			events: []event{ends("a:1", messages(`{"content":["One. ",{"type":"tool_use","id":"c1"},"Two. ",{"type":"tool_use","id":"c2"},"Three."],"id":"m","type":"ai","tool_calls":[{"id":"c1","name":"x","args":{}},{"id":"c2","name":"y","args":{}}]}`))},
			want: []string{
				`message.end a@1 turn/m "One. "`, "tool.call a@1 call/c1 c1 x {}", `message.end a@1 turn/m/1 "Two. "`,
				"tool.call a@1 call/c2 c2 y {}", `message.end a@1 turn/m/2 "Three."`,
			},
		},
		"text after a call, where the text is one string": {
			events: []event{says("a:1", "m", "One "), calls("a:1", "m", piece(0, "c1", "x", "{}")), says("a:1", "m", "turn.")},
			want: []string{
				`message.delta a@1 turn/m "One "`, `message.delta a@1 turn/m "turn."`, "message.end a@1 turn/m",
				"tool.call a@1 call/c1 c1 x {}",
			},
		},
		"reasoning as servers tell it": {
			events: []event{
				chunk("a:1", "m", `"additional_kwargs":{"reasoning_content":"one "}`), chunk("a:1", "m", `"additional_kwargs":{"reasoning":{"summary":[{"text":"two "}]}}`),
				block("a:1", "m", `{"type":"reasoning","summary":[{"text":"three "}]}`), block("a:1", "m", `{"type":"reasoning","reasoning":"four"}`),
				block("a:1", "m", `"Plain.",{"type":"image","url":"x"}`),
			},
			want: []string{
				`message.delta a@1 turn/m thinks "one "`, `message.delta a@1 turn/m thinks "two "`, `message.delta a@1 turn/m thinks "three "`,
				`message.delta a@1 turn/m thinks "four"`, `message.delta a@1 turn/m "Plain."`, "message.end a@1 turn/m",
			},
		},
		"halves of a character in two pieces": {
			events: []event{
				chunk("a:1", "m", `"content":"a \ud83d"`), chunk("a:1", "m", `"content":"\ude00 b \\ud83d"`), chunk("a:1", "m", `"content":"\uD83D"`),
				chunk("a:1", "m", `"content":"c\ud83d"`),
			},
			want: []string{
				`message.delta a@1 turn/m "a "`, `message.delta a@1 turn/m "😀 b \\ud83d"`, `message.delta a@1 turn/m "�c"`,
				`message.delta a@1 turn/m "�"`, "message.end a@1 turn/m",
			},
		},
		"a call ends what else its node is writing": {
			events: []event{
				says("a:1", "m", "one "), says("a:1", "n", "two "), calls("a:1", "n", piece(0, "c", "x", "{}")), stops("a:1", "n", 0, 0),
				says("a:1", "m", "more"),
			},
			want: []string{
				`message.delta a@1 turn/m "one "`, `message.delta a@1 turn/n "two "`, "message.end a@1 turn/n", "message.end a@1 turn/m",
				"tool.call a@1 call/c c x {}", `message.delta a@1 turn/m/1 "more"`, "message.end a@1 turn/m/1",
			},
		},
		"text after the end of its message": {
			events: []event{says("a:1", "m", "one"), stops("a:1", "m", 0, 0), says("a:1", "m", "two")},
			want: []string{
				`message.delta a@1 turn/m "one"`, "message.end a@1 turn/m", `message.delta a@1 turn/m/1 "two"`, "message.end a@1 turn/m/1",
			},
		},
		"promise 11: private tools": {
			info: RunInfo{PrivateTools: map[string]bool{"lookup": true}, Plan: planOf(t, "tool hidden private")},
			events: []event{ends("a:1", messages(aiCalls("m", "", `c1 lookup {"a":1}`, `c2 hidden {"a":1}`), tool("t1", "c1", "secret"),
				`{"content":"secret","id":"t2","type":"tool","tool_call_id":"c2"}`, tool("t3", "c3", "secret")))},
			want: []string{
				"tool.call a@1 call/c1 c1 lookup {}", "tool.call a@1 call/c2 c2 hidden {}", `tool.result a@1 result/c1 c1 ""`,
				`tool.result a@1 result/c2 c2 ""`, `tool.result a@1 result/c3 c3 ""`,
			},
		},
		"results, once": {
			events: []event{
				whole("a:1", tool("t1", "c1", "sunny")), whole("a:1", `{"content":"Error: 10.0.0.1 refused","id":"t2","type":"tool","status":"error","tool_call_id":"c2"}`),
				whole("a:1", `{"content":[{"type":"text","text":"in "},{"type":"text","text":"parts"}],"id":"t3","type":"tool","tool_call_id":"c3"}`),
				whole("a:1", `{"content":[{"type":"image","n":1}],"id":"t4","type":"tool","tool_call_id":"c4"}`),
				ends("a:1", messages(tool("t1", "c1", "sunny"), tool("t5", "c1", "again"))),
			},
			want: []string{
				`tool.result a@1 result/c1 c1 "sunny"`, `tool.result a@1 result/c2 c2 "The tool failed."`, `tool.result a@1 result/c3 c3 "in parts"`,
				`tool.result a@1 result/c4 c4 "[{\"type\":\"image\",\"n\":1}]"`,
			},
		},
		"a model that counts its calls from one": {
			events: []event{ends("a:1", messages(aiCalls("m", "", "1 x {}"), tool("t1", "1", "one"), aiCalls("n", "", "1 x {}"), tool("t1", "1", "one"), tool("t2", "1", "two")))},
			want: []string{
				"tool.call a@1 call/1 1 x {}", `tool.result a@1 result/1 1 "one"`, "tool.call a@1 call/1@n 1@n x {}",
				`tool.result a@1 result/1@n 1@n "two"`,
			},
		},
		"ids that look like others": {
			events: []event{ends("a:1", messages(ai("m/1", "x"), ai("m%2F1", "y")))},
			want:   []string{`message.end a@1 turn/m%2F1 "x"`, `message.end a@1 turn/m%252F1 "y"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			events := append([]event{starts("a:1")}, c.events...)
			if last := c.events[len(c.events)-1]; last.name != "tasks" {
				events = append(events, ends("a:1", `{}`))
			}
			c.want = append(append([]string{start}, c.want...), end, pause)
			got := told(t, c.info, Succeeded, events...)
			for i, line := range got {
				if len(line) > len(end) && line[:len(end)] == end {
					got[i] = end
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// A client tool's call says so.
func TestClientToolsAreThePlans(t *testing.T) {
	plan := planOf(t, "a llm", "tool approve client")
	assert.Equal(t, []string{
		"node.start a@1 llm", "tool.call a@1 call/c1 c1 approve {} client", "tool.call a@1 call/c2 c2 other {}",
		"node.end a@1 completed", "run.pause paused",
	}, told(t, RunInfo{Plan: plan}, Succeeded, starts("a:1"), ends("a:1", messages(aiCalls("m", "", "c1 approve {}", "c2 other {}")))))
}

// Calls that a stop cut off are not told: their arguments may lack something.
func TestCutOffCalls(t *testing.T) {
	for _, o := range []OutcomeStatus{Failed, Cancelled} {
		lines := told(t, RunInfo{}, o, starts("a:1"), calls("a:1", "m", piece(0, "c1", "x", `{"a":1`)))
		assert.Len(t, lines, 2, "%v", lines)
	}
}
