package langgraph

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// drawEvent draws an event of a server that keeps no order and knows few names, so that they collide.
func drawEvent(t *rapid.T) event {
	place := rapid.SampledFrom([]string{"a:1", "a:2", "b:3", "sub:s|a:4", "sub:s|a:5", "sub:s|1|a:6", "sub:s"}).Draw(t, "place")
	id := rapid.SampledFrom([]string{"m", "n", "o", "", "m/1"}).Draw(t, "message")
	call := rapid.SampledFrom([]string{"c", "d", "", "i"}).Draw(t, "call")
	switch rapid.IntRange(0, 14).Draw(t, "event") {
	case 0, 1, 2:
		return startsWith(place, messages(aiCalls(id, "given", call+` look {}`)), rapid.SampledFrom([]string{pushed, "branch:to:a", "join:a+b:sub"}).Draw(t, "trigger"))
	case 3, 4:
		return ends(place, messages(aiCalls(id, "said ", call+` look {}`), tool("t", call, "x")))
	case 5:
		return fails(place, rapid.SampledFrom([]string{"Error", abortError}).Draw(t, "name"), "secret")
	case 6:
		return asks(place, rapid.SampledFrom([]string{"i", "j", ""}).Draw(t, "interrupt"), `{"q":1}`)
	case 7, 8:
		return says(place, id, rapid.SampledFrom([]string{"said ", "x", ""}).Draw(t, "text"))
	case 9:
		return calls(place, id, piece(0, call, "look", `{"a"`), piece(1, "", "", `1}`))
	case 10:
		return stops(place, id, 1, 2)
	case 11:
		return whole(place, tool("t", call, "y"))
	case 12:
		return whole(place, ai(id, rapid.SampledFrom([]string{"said ", "other"}).Draw(t, "whole")))
	case 13:
		return block(place, id, `{"type":"text","text":"b"},{"type":"tool_use","id":`+js(call)+`},{"type":"text","text":"c"}`)
	default:
		return event{"metadata", fmt.Sprintf(`{"attempt":%d}`, rapid.IntRange(0, 3).Draw(t, "attempt"))}
	}
}

// Promises 2 and 3: whatever a server says in whatever order, over several runs, the fold takes every frame.
func TestWhateverComes(t *testing.T) {
	plan := planOf(t, "a llm", "b tool", "sub/a llm", "a -> b", "b :x-> a", "tool look client")
	rapid.Check(t, func(t *rapid.T) {
		s := projection.New("")
		var known *Known
		offset := int64(0)
		for n := range rapid.IntRange(1, 4).Draw(t, "runs") {
			info := RunInfo{ThreadID: "T", RunID: fmt.Sprintf("R%d", n), AgentID: "A", Known: known}
			if rapid.Bool().Draw(t, "plan") {
				info.Plan = plan
			}
			if rapid.Bool().Draw(t, "human") {
				info.Human = []HumanMessage{{rapid.SampledFrom([]string{"", "h", "m"}).Draw(t, "human"), "hi"}}
			}
			if rapid.Bool().Draw(t, "answer") {
				info.Answers = []Answer{{rapid.SampledFrom([]string{"", "i", "j"}).Draw(t, "answered"), `"yes"`}}
			}
			events := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 25).Draw(t, "events")
			o := Outcome{Status: OutcomeStatus(rapid.IntRange(1, 4).Draw(t, "outcome")), Interrupts: []Interrupt{{"i", "1"}, {"", "2"}}}
			frames, r := translate(info, events, o)
			for _, f := range frames {
				offset++
				f.Offset = offset
				back, err := wire.DecodeFrame(f.AppendJSON(nil))
				require.NoError(t, err)
				c := s.Apply(back)
				require.Equal(t, projection.Applied, c.Outcome, "%s: %s", c.Reason, f.AppendJSON(nil))
				require.NotContains(t, string(f.AppendJSON(nil)), "secret", "promise 9")
			}
			known = r.Known()
		}
		for _, row := range s.Snapshot().Timeline() {
			if a, ok := row.(*projection.AssistantRow); ok {
				require.True(t, a.Complete)
			}
		}
	})
}

// Promise 2: no bytes make it panic, and what they say of known things is taken by the fold.
func FuzzEvent(f *testing.F) {
	for _, e := range []event{
		starts("a:1"), ends("a:1", messages(ai("m", "x"))), fails("a:1", "Error", "x"), asks("a:1", "i", "1"), says("a:1", "m", "x"),
		chunk("a:1", "m", `"content":"\ud83d"`), calls("a:1", "m", piece(0, "c", "n", "{")), whole("a:1", tool("t", "c", "x")),
		{"updates|a:1", `{"__interrupt__":[{"id":"i","value":1}]}`}, {"metadata", `{"attempt":2}`}, {"error", `"Error('x')"`},
		{"tasks", `{"id":"1","name":"a","error":"{\"name\":\"x\"}"}`}, {"messages|a|b:|:c", `[[],{}]`},
	} {
		f.Add(e.name, []byte(e.data), uint8(1))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte, outcome uint8) {
		events := []event{starts("a:1"), says("a:1", "m", "x"), {name, string(data)}, {name, string(data)}, says("a:1", "m", "y"), ends("a:1", messages(ai("m", "xy")))}
		frames, _ := translate(RunInfo{ThreadID: "T", RunID: "R", AgentID: "A"}, events, Outcome{Status: OutcomeStatus(outcome%4 + 1)})
		folded(t, frames)
	})
}
