package graph_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// row selects everything of every kind of row.
const row = `{ __typename type id seq nodeId subgraphPath path activation iteration at
	... on UserRow { content } ... on AssistantRow { content reasoning complete }
	... on OutputRow { name value status format complete }
	... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output } }`

const pendingTool = `{ toolCallId args argumentsJson path delivery { status error } }`

// Promise 5: after every input a subscription's latest message is what a query of the same field answers, whether the
// input woke it or not.
func TestMessageIsWhatAQueryAnswers(t *testing.T) {
	const (
		run  = `{ status nodes { path status visitCount usage { promptTokens } error { message } exitedVia } edges { to count } subagents { path failedCount } }`
		pair = `{ call { id } result { id } delivery { status error } }`
	)
	type pairing struct{ name, subscription, query string }
	cases := []pairing{
		{"transcript", `transcript(conversationId: "c1") ` + row, `chat { value: transcript ` + row + ` }`},
		{"timeline", `timeline(conversationId: "c1") ` + row, `value: timeline ` + row},
		{"rowsAt", `rowsAt(conversationId: "c1", path: ["plan"]) ` + row, `value: rowsAt(path: ["plan"]) ` + row},
		{"rowsAt subtree", `rowsAt(conversationId: "c1", path: ["research"], subtree: true) ` + row, `value: rowsAt(path: ["research"], subtree: true) ` + row},
		{"rowsAt of all nodes", `rowsAt(conversationId: "c1", path: [], subtree: true) ` + row, `value: rowsAt(path: [], subtree: true) ` + row},
		{"run", `run(conversationId: "c1") ` + run, `value: run ` + run},
		{"toolCall", `toolCall(conversationId: "c1", toolCallId: "call2") ` + pair, `value: toolCall(toolCallId: "call2") ` + pair},
		{"pendingTools", `pendingTools(conversationId: "c1") ` + pendingTool, `chat { value: pendingTools ` + pendingTool + ` }`},
	}
	for part, selection := range map[string]string{
		"status": "", "conversation": "{ agentId }", "transcript": row, "pendingTools": pendingTool, "toolStates": "{ toolCallId status }",
		"bindings": "{ name value status format }", "subagentBindings": "{ path bindings { value status } }", "tables": "{ name rows { rowId value status } }",
		"error": "{ kind message }", "retryable": "", "hasEarlier": "", "capabilities": "{ canSend canCancel }", "canRetry": "",
	} {
		chat := "{ " + part + " " + selection + " }"
		cases = append(cases, pairing{"chat " + part, `chat(conversationId: "c1") ` + chat, `value: chat ` + chat})
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s, live := serveLive(t)
			next := s.subscribe("subscription { value: "+tc.subscription+" }", nil)
			message := next()
			for _, in := range inputs(t) {
				if apply(t, live, in) {
					message = next()
				}
				answer := s.query(`{ conversation(id: "c1") { `+tc.query+` } }`, nil)
				require.Equal(t, valueIn(t, answer), valueIn(t, message))
			}
		})
	}
}

// valueIn takes a response's objects apart down to the member "value".
func valueIn(t *testing.T, data string) string {
	t.Helper()
	for {
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(data), &object))
		if value, ok := object["value"]; ok {
			return string(value)
		}
		require.Len(t, object, 1)
		for _, inner := range object {
			data = string(inner)
		}
	}
}

// A change of what is not selected, or of another path, wakes nobody.
func TestOtherSlicesDoNotWake(t *testing.T) {
	s, live := serveLive(t)
	still := map[string]func() string{}
	for name, text := range map[string]string{
		"chat's parts":  `subscription { chat(conversationId: "c1") { subagentBindings { path } } }`,
		"another path":  `subscription { rowsAt(conversationId: "c1", path: ["research", "draft"]) { id } }`,
		"another call":  `subscription { toolCall(conversationId: "c1", toolCallId: "call9") { call { id } } }`,
		"another table": `subscription { table(conversationId: "c1", name: "other") { rows { rowId } } }`,
		"another name":  `subscription { binding(conversationId: "c1", name: "other") { value } }`,
		"no rows":       `subscription { rowsAt(conversationId: "c1", path: []) { id } }`,
	} {
		still[name] = s.subscribe(text, nil)
		still[name]()
	}
	for _, in := range inputs(t)[:11] { // up to the start of the subgraph
		assert.False(t, apply(t, live, in))
	}
}

// minIntervalMs holds messages apart: a change after quiet goes out at once, the next waits, and the last is the newest.
func TestMinInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, live := serveLive(t)
		next := s.subscribe(`subscription { transcript(conversationId: "c1", minIntervalMs: 1000) { id } }`, nil)
		say := func(id string) { apply(t, live, &wire.Frame{Type: wire.UserMessage, Body: wire.Body{ID: id}}) }
		assert.Equal(t, `{"transcript":[]}`, next())
		time.Sleep(5 * time.Second)

		began := time.Now()
		say("a")
		assert.Equal(t, `{"transcript":[{"id":"a"}]}`, next())
		assert.Zero(t, time.Since(began))
		say("b")
		say("c")
		assert.Equal(t, `{"transcript":[{"id":"a"},{"id":"b"},{"id":"c"}]}`, next())
		assert.Equal(t, time.Second, time.Since(began))
	})
}

// A subscription whose context ends leaves nothing behind in the hub, whatever it follows.
func TestSubscriptionsLeaveNothingBehind(t *testing.T) {
	s, _ := serveLive(t)
	ctx, cancel := context.WithCancel(t.Context())
	names, err := filepath.Glob("testdata/operations/follow_*.graphql")
	require.NoError(t, err)
	require.Len(t, names, 11)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		next, _, err := s.start(ctx, string(text), nil)
		require.NoError(t, err)
		require.NotNil(t, next(ctx))
	}
	assert.Equal(t, len(names), s.hub.Stats().Subscriptions)
	cancel()
	assert.Eventually(t, func() bool { return s.hub.Stats().Subscriptions == 0 }, 10*time.Second, time.Millisecond)
}
