package demo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

const (
	yes = `{"approved":true}` // what the scenario answers, to both of its calls
	row = `{"row":"F"}`
)

// Promise 11: each pending tool is answered by itself, in any order, and the run goes on with the last one.
func TestTwoToolsAnsweredInAnyOrder(t *testing.T) {
	_, client := start(t, quick)
	for name, order := range map[string][]int{"as called": {0, 1}, "the other way round": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			all := execute(t, client, "concierge", user("", "Book it"))
			id := all[0].ConversationID
			assert.Equal(t, "run.pause:awaiting_client_tool", types(all[len(all)-1:]))
			calls := ofType(all, wire.ToolCall)[1:]
			require.Len(t, calls, 2)
			outputs := []string{yes, row}

			first, second := order[0], order[1]
			_, err := client.Stream(t.Context(), "", id, 0)
			require.ErrorIs(t, err, upstream.Idle)
			partly := execute(t, client, "concierge", result(id, calls[first].ToolCallID, outputs[first]))
			assert.Equal(t, "run.start tool.result run.pause:awaiting_client_tool", types(partly))
			assert.Equal(t, outputs[first], partly[1].Output)
			assert.Equal(t, calls[first].Activation, partly[1].Activation)
			_, err = client.Execute(t.Context(), "", "concierge", result(id, calls[first].ToolCallID, outputs[first]))
			assert.ErrorIs(t, err, upstream.Conflict, "answered already")
			_, err = client.Execute(t.Context(), "", "concierge", user(id, "well?"))
			assert.ErrorIs(t, err, upstream.Conflict)

			rest := execute(t, client, "concierge", result(id, calls[second].ToolCallID, outputs[second]))
			sound(t, append(append(all, partly...), rest...))
			assert.Equal(t, "run.start tool.result node.start message.delta", types(rest[:4]))
			assert.Equal(t, outputs[second], rest[1].Output)
			assert.Equal(t, calls[0].Activation, rest[2].Activation, "no second visit")
			assert.Equal(t, "node.end:completed run.pause:paused", types(rest[len(rest)-2:]))
			text := saying(rest)
			assert.Contains(t, text, "You answered `"+calls[first].ToolName+"` with "+outputs[first])
			assert.Contains(t, text, calls[second].ToolName)
			assert.Contains(t, text, "Done! Row F")
			assert.NotContains(t, text, "recorded", "these are the scenario's own answers")
			page, _, err := client.Rows(t.Context(), "", id, upstream.RowsQuery{})
			require.NoError(t, err)
			results := 0
			for _, r := range page.Rows {
				if r.Type == wire.RowToolResult {
					results++
				}
			}
			assert.Equal(t, 4, results, "two by the server, two by the person")
			_, err = client.Execute(t.Context(), "", "concierge", result(id, calls[second].ToolCallID, outputs[second]))
			assert.ErrorIs(t, err, upstream.Conflict, "answered already")
		})
	}
}

// Promise 11: what the person answers is what the log has, and a no is a no.
func TestWhatIsAnsweredCounts(t *testing.T) {
	_, client := start(t, quick)
	for name, c := range map[string]struct {
		approve, choose string
		says            []string
		booked          bool
	}{
		"yes, and another row": {`{"approved":true}`, `{"row":"M"}`, []string{`with {"row":"M"}.`, "as it was recorded", "Done!"}, true},
		"no":                   {`{"approved":false}`, row, []string{"That is a no"}, false},
		"plainly no":           {`false`, row, []string{"That is a no"}, false},
		"a failure":            {`{"error":"the person left"}`, row, []string{"That is a no"}, false},
		"no JSON":              {`sure, go ahead`, row, []string{"sure, go ahead"}, true},
		"nothing":              {``, `null`, []string{"as it was recorded"}, true},
		"a lot":                {yes, strings.Repeat("é", 500), []string{strings.Repeat("é", 199) + "…."}, true},
	} {
		t.Run(name, func(t *testing.T) {
			all := execute(t, client, "concierge", user("", "Book it"))
			id, calls := all[0].ConversationID, ofType(all, wire.ToolCall)[1:]
			in := result(id, calls[0].ToolCallID, c.approve)
			in.Messages = append(in.Messages, wire.Message{Role: wire.Tool, ToolCallID: calls[1].ToolCallID, Content: c.choose})
			rest := execute(t, client, "concierge", in)
			sound(t, append(all, rest...))
			results := ofType(rest, wire.ToolResult)
			assert.Equal(t, []string{c.approve, c.choose}, []string{results[0].Output, results[1].Output})
			assert.Equal(t, c.booked, len(results) > 2, "what is booked has a result of its own")
			for _, words := range c.says {
				assert.Contains(t, saying(rest), words)
			}
			assert.Equal(t, c.booked, strings.Contains(saying(rest), "Done!"))
			assert.Equal(t, "node.end:completed run.pause:paused", types(rest[len(rest)-2:]))
			assert.NotEmpty(t, execute(t, client, "concierge", user(id, "Another one")))
		})
	}
	all := execute(t, client, "concierge", user("", "Book it"))
	in := result(all[0].ConversationID, ofType(all, wire.ToolCall)[1].ToolCallID, yes)
	in.Messages = append(in.Messages, in.Messages[0])
	_, err := client.Execute(t.Context(), "", "concierge", in)
	assert.ErrorIs(t, err, upstream.Refused, "one call, two answers")
}

// Promise 11, in a scenario: a person's answer comes before the scenario's own, which comes when nobody answers.
func TestAnsweringAScenario(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Patience: -1, Rest: time.Hour}, builtIn(t, "approval"))
	c := d.looping[0]
	advance(t, clock, 200*time.Millisecond, c, 42)
	frames := sentFrames(t, c)
	calls := ofType(frames, wire.ToolCall)[1:]
	clock.settle(t, 1)
	clock.move(29 * time.Second)

	// One is answered: the other still waits, for as long as before.
	s, err := client.Execute(t.Context(), "", "concierge", result(c.id, calls[1].ToolCallID, `{"row":"M"}`))
	require.NoError(t, err)
	defer s.Close()
	clock.settle(t, 1)
	clock.move(wordPace)
	assert.Equal(t, "run.start tool.result run.pause:awaiting_client_tool", types(read(t, s, 0)))
	clock.settle(t, 1)
	clock.move(29 * time.Second)
	clock.settle(t, 1)
	h, err := client.Head(t.Context(), "", c.id)
	require.NoError(t, err)
	assert.Equal(t, wire.AwaitingClientTool, h.Status)
	advance(t, clock, 200*time.Millisecond, c, 45+10)
	resumed := sentFrames(t, c)[45:]
	assert.Equal(t, "run.start tool.result node.start message.delta", types(resumed[:4]))
	assert.Equal(t, []string{calls[0].ToolCallID, yes}, []string{resumed[1].ToolCallID, resumed[1].Output}, "the scenario's own")
	clock.settle(t, 1)
	clock.move(6 * time.Second) // 4.3 s as recorded, and the words
	until(t, c, "its words", func() bool { return c.ledger.status == wire.Paused })
	sound(t, sentFrames(t, c))
	assert.Contains(t, saying(sentFrames(t, c)), "You answered `choose_seats` with {\"row\":\"M\"}. What follows goes on as it was recorded.")

	// A person says something while it rests, and answers both at once.
	clock.settle(t, 1)
	s, err = client.Execute(t.Context(), "", "concierge", user(c.id, "Two more, please"))
	require.NoError(t, err)
	defer s.Close()
	_, err = client.Execute(t.Context(), "", "concierge", user(c.id, "And tea"))
	assert.ErrorIs(t, err, upstream.Conflict, "it runs")
	clock.settle(t, 1)
	clock.move(10 * time.Second)
	again := read(t, s, 0)
	assert.Equal(t, "Two more, please", again[1].Content)
	assert.Equal(t, types(frames), types(again))
	assert.NotEqual(t, frames[0].RunID, again[0].RunID)
	calls = ofType(again, wire.ToolCall)[1:]
	in := result(c.id, calls[0].ToolCallID, `{"approved":false}`)
	in.Messages = append(in.Messages, wire.Message{Role: wire.Tool, ToolCallID: calls[1].ToolCallID, Content: row})
	s, err = client.Execute(t.Context(), "", "concierge", in)
	require.NoError(t, err)
	defer s.Close()
	clock.settle(t, 1)
	clock.move(10 * time.Second)
	assert.Contains(t, saying(read(t, s, 0)), "That is a no")

	// After the rest it goes on by itself.
	last := c.ledger.offset
	clock.settle(t, 1)
	clock.move(time.Hour)
	advance(t, clock, 200*time.Millisecond, c, last+42)
	next := sentFrames(t, c)
	sound(t, next)
	assert.Equal(t, types(frames), types(next[last:last+42]))
	assert.Equal(t, frames[1].Content, next[last+1].Content)
}

// A recording that ends where a tool waits goes on when it is answered, though it has nothing more.
func TestAnsweringARecordingWithoutMore(t *testing.T) {
	d, client := start(t, quick, record(t, "c", opened, said,
		`{"type":"tool.call","offset":3,"tool_call_id":"t","tool_name":"ask","input":"{}","requires_client_response":true}`,
		`{"type":"run.pause","offset":4,"status":"awaiting_client_tool"}`))
	c := d.looping[0]
	over(t, c)
	frames := execute(t, client, "a", result("c", "t", "42"))
	assert.Equal(t, "run.start tool.result message.delta", types(frames[:3]))
	assert.Equal(t, "message.end run.pause:paused", types(frames[len(frames)-2:]))
	assert.Equal(t, "You answered `ask` with 42. There is nothing more to do.", saying(frames))
	sound(t, sentFrames(t, c))
}

// A turn may wait more than once: each time only what was answered then is mentioned.
func TestAnsweringTwice(t *testing.T) {
	ask := func(offset int) string {
		return fmt.Sprintf(`{"type":"tool.call","offset":%d,"tool_call_id":"t%d","tool_name":"ask%d","input":"{}","requires_client_response":true,%s}`, offset, offset, offset, n)
	}
	_, client := start(t, quick, record(t, "c", called("c", 1), said, ask(3), `{"type":"run.pause","offset":4,"status":"awaiting_client_tool"}`,
		called("c", 5), ask(6), `{"type":"run.pause","offset":7,"status":"awaiting_client_tool"}`, called("c", 8), `{"type":"run.pause","offset":9,"status":"paused"}`))
	all := execute(t, client, "c", user("", "hi"))
	id := all[0].ConversationID
	var words []string
	for range 2 {
		call := ofType(all, wire.ToolCall)[0].ToolCallID
		all = execute(t, client, "c", result(id, call, "1"))
		words = append(words, saying(all))
	}
	assert.Equal(t, []string{
		"You answered `ask3` with 1. What follows goes on as it was recorded.",
		"You answered `ask6` with 1. What follows goes on as it was recorded.",
	}, words)
	assert.Equal(t, wire.Paused, standing(t, client, id))
}
