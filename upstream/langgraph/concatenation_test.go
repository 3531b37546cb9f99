package langgraph

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A node that returns what a streaming model gave returns the concatenation of its pieces: a message with the pieces of
// its calls, put together. Where the stream did not say that it stopped, they are not added once more (promise 7).
func TestCallsOfAConcatenation(t *testing.T) {
	piece := func(members string) event { return chunk("model:t1", "m1", `"tool_call_chunks":[`+members+`]`) }
	lines := told(t, RunInfo{}, Succeeded,
		starts("model:t1"),
		piece(`{"index":0,"id":"w1","name":"weather","args":"{\"city\":","type":"tool_call_chunk"}`),
		piece(`{"index":0,"args":"\"Bergen\"}","type":"tool_call_chunk"}`),
		ends("model:t1", `{"messages":[{"content":"","id":"m1","type":"AIMessageChunk",
			"tool_call_chunks":[{"index":0,"id":"w1","name":"weather","args":"{\"city\":\"Bergen\"}","type":"tool_call_chunk"}],
			"tool_calls":[{"name":"weather","args":{"city":"Bergen"},"id":"w1","type":"tool_call"}]}]}`),
	)
	assert.Contains(t, lines, `tool.call model@t1 call/w1 w1 weather {"city":"Bergen"}`)
}
