package graph_test

import (
	"context"
	"encoding/json"
	"os"
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
	... on OutputRow { name value status format complete schemaErrors }
	... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output } }`

// item selects what of a row or card a feed's entries do not say.
const item = `{ ... on Row ` + row + ` ... on CompositeRow { type key nodeName nodeId subgraphPath hasEarlier }
	... on FanOutRow { join branchStatus } ... on SubagentRow { runningCount doneCount failedCount nodeStatus } ... on RepeatRow { mode done total } }`

const (
	pin      = `pin: { agentId: "trip", agentVersion: 7 }`
	otherPin = `pin: { agentId: "trip", agentVersion: 8 }`
)

const pendingTool = `{ toolCallId args argumentsJson path delivery { status error } }`

// Promise 5: after every input a subscription's latest message is what a query of the same field answers, whether the
// input woke it or not.
func TestMessageIsWhatAQueryAnswers(t *testing.T) {
	const (
		run  = `{ status nodes { path status visitCount usage { promptTokens } error { message } exitedVia } edges { to count } subagents { path failedCount } }`
		pair = `{ call { id } result { id } delivery { status error } }`
		feed = `{ mode reason hasEarlier rows { __typename } entries { key parent track iteration index row ` + item + ` } }`
		node = `{ path name status exitedVia visitCount hasEarlier kind active done failed content reasoning startedAt finishedAt error { message }
			usage { promptTokens } rows { id } branches { port to flag } }`
		subagent = `{ __typename path name status exitedVia visitCount hasEarlier ... on OpenSubagentView { runningCount doneCount failedCount
			children { path kind status } outputs { name value status format schemaErrors } } }`
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
	for name, pin := range map[string]string{"its pin": pin, "another pin": otherPin, "no pin": "pin: null"} {
		cases = append(cases,
			pairing{"feed of " + name, `feed(conversationId: "c1", ` + pin + `) ` + feed, `chat { value: feed(` + pin + `) ` + feed + ` }`},
			pairing{"chat feed of " + name, `chat(conversationId: "c1") { feed(` + pin + `) ` + feed + ` }`, `value: chat { feed(` + pin + `) ` + feed + ` }`})
		for _, path := range []string{`["plan"]`, `["left"]`, `["research"]`, `["research", "search"]`, `["research", "weigh"]`, `["vault"]`, `["merge"]`, `[]`} {
			at := `path: ` + path + `, ` + pin
			cases = append(cases,
				pairing{"node " + path + " of " + name, `node(conversationId: "c1", ` + at + `) ` + node, `value: node(` + at + `) ` + node},
				pairing{"subagent " + path + " of " + name, `subagent(conversationId: "c1", ` + at + `) ` + subagent, `value: subagent(` + at + `) ` + subagent})
		}
	}
	for part, selection := range map[string]string{
		"status": "", "conversation": "{ agentId }", "transcript": row, "pendingTools": pendingTool, "toolStates": "{ toolCallId status }",
		"bindings": "{ name value status format schemaErrors }", "subagentBindings": "{ path bindings { value status schemaErrors } }",
		"tables": "{ name rows { rowId value status schemaErrors } }",
		"error":  "{ kind message }", "retryable": "", "hasEarlier": "", "capabilities": "{ canSend canCancel }", "canRetry": "",
	} {
		chat := "{ " + part + " " + selection + " }"
		cases = append(cases, pairing{"chat " + part, `chat(conversationId: "c1") ` + chat, `value: chat ` + chat})
	}
	for _, story := range stories {
		for _, tc := range cases {
			t.Run(string(story)+" "+tc.name, func(t *testing.T) {
				s, live := story.serve(t)
				next := s.subscribe("subscription { value: "+tc.subscription+" }", nil)
				message := next()
				for _, in := range story.inputs(t) {
					if apply(t, live, in) {
						message = next()
					}
					answer := s.query(`{ conversation(id: "c1") { `+tc.query+` } }`, nil)
					require.Equal(t, valueIn(t, answer), valueIn(t, message))
				}
			})
		}
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

// A view and a feed are woken by what they show, and by nothing else: here the offsets of the frames that do.
func TestWhatWakesAView(t *testing.T) {
	cases := []struct {
		field string
		by    []int64
	}{
		{`node(conversationId: "c1", path: ["left"]) { status }`, []int64{1, 7, 10, 12, 14, 16}},
		{`node(conversationId: "c1", path: ["right"]) { status }`, []int64{1, 9, 11, 13, 15}},
		{`node(conversationId: "c1", path: ["research", "search"]) { status }`, []int64{1, 22, 23, 24, 25, 26, 27}},
		{`node(conversationId: "c1", path: ["research"]) { status }`, []int64{1, 21, 22, 23, 24, 25, 30, 31, 34, 35}},
		{`node(conversationId: "c1", path: ["never"]) { status }`, []int64{1}},
		{`subagent(conversationId: "c1", path: ["research"]) { status }`, []int64{1, 21, 22, 24, 25, 26, 28, 29, 32, 33, 34, 35}},
		{`subagent(conversationId: "c1", path: ["research", "weigh"]) { status }`, []int64{1, 28, 29, 32, 33}},
		{`subagent(conversationId: "c1", path: ["vault"]) { status }`, []int64{1, 36, 37}},
		{`feed(conversationId: "c1", ` + pin + `) { mode }`, []int64{
			1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 32, 33, 34, 36, 37, 39, 40, 41, 46, 47,
		}},
		{`feed(conversationId: "c1", ` + otherPin + `) { mode }`, []int64{
			1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 17, 18, 19, 22, 23, 24, 25, 30, 31, 39, 40, 41, 46, 47,
		}},
		{`feed(conversationId: "c1") { mode }`, []int64{2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 17, 18, 19, 39, 40, 41, 46, 47}},
		{`chat(conversationId: "c1") { feed { mode } status }`, []int64{
			1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 17, 18, 19, 39, 40, 41, 46, 47, 48,
		}},
	}
	for _, tc := range cases {
		t.Run(tc.field, func(t *testing.T) {
			s, live := trip.serve(t)
			next := s.subscribe(`subscription { `+tc.field+` }`, nil)
			next()
			var by []int64
			for _, in := range trip.inputs(t) {
				if apply(t, live, in) {
					by = append(by, in.(*wire.Frame).Offset)
					next()
				}
			}
			assert.Equal(t, tc.by, by)
		})
	}
}

// A plan that comes late wakes those who read it, and leaves them where they would be if it had been known from the start.
func TestLatePlan(t *testing.T) {
	s, live := serveLive(t)
	for _, in := range trip.inputs(t) {
		apply(t, live, in)
	}
	follow := func(field string) func() string { return s.subscribe("subscription { value: "+field+" }", nil) }
	cases := []struct{ field, before, after string }{
		{`feed(conversationId: "c1", ` + pin + `) { mode reason }`, `{"mode":"FLAT_GUARDED","reason":"the plan of this version is not known"}`, `{"mode":"COMPOSED","reason":null}`},
		{`node(conversationId: "c1", path: ["left"]) { name branches { flag } }`, `{"name":null,"branches":[]}`, `{"name":"By train","branches":[{"flag":"TAKEN"}]}`},
		{`subagent(conversationId: "c1", path: ["vault"]) { __typename }`, `{"__typename":"OpenSubagentView"}`, `{"__typename":"BlackBoxSubagentView"}`},
		{
			`subagent(conversationId: "c1", path: ["research"]) { ... on OpenSubagentView { outputs { schemaErrors } } }`,
			`{"outputs":[{"schemaErrors":null}]}`, `{"outputs":[{"schemaErrors":[]}]}`,
		},
		{
			`chat(conversationId: "c1") { bindings { schemaErrors } }`,
			`{"bindings":[{"schemaErrors":null}]}`, `{"bindings":[{"schemaErrors":["/km: maximum: got 1,200, want 1,000"]}]}`,
		},
		{
			`table(conversationId: "c1", name: "leads") { rows { schemaErrors } }`,
			`{"rows":[{"schemaErrors":null},{"schemaErrors":null}]}`, `{"rows":[{"schemaErrors":["/: missing property 'name'"]},{"schemaErrors":[]}]}`,
		},
	}
	var next []func() string
	for i, tc := range cases {
		next = append(next, follow(tc.field))
		assert.Equal(t, tc.before, valueIn(t, next[i]()))
	}
	for _, unmoved := range []string{
		`transcript(conversationId: "c1") { id }`, `run(conversationId: "c1") { status }`, `table(conversationId: "c1", name: "loose") { name }`,
	} {
		follow(unmoved)()
	}
	_, woken := live.Apply(planned(t, trip.plan(t)))
	assert.Equal(t, len(cases), woken)
	for i, tc := range cases {
		assert.Equal(t, tc.after, valueIn(t, next[i]()))
	}
}

// What may be partial says so as soon as a page tells that there are earlier rows.
func TestEarlierRowsWakeTheViews(t *testing.T) {
	s, live := trip.serve(t)
	apply(t, live, &wire.Frame{Type: wire.UserMessage, Body: wire.Body{ID: "u9", Seq: 9}})
	var next []func() string
	for _, field := range []string{
		`node(conversationId: "c1", path: ["left"])`, `subagent(conversationId: "c1", path: ["research"])`, `feed(conversationId: "c1")`,
		`feed(conversationId: "c1", ` + pin + `)`, `chat(conversationId: "c1")`,
	} {
		follow := s.subscribe("subscription { value: "+field+" { hasEarlier } }", nil)
		assert.Equal(t, `{"hasEarlier":false}`, valueIn(t, follow()))
		next = append(next, follow)
	}
	_, woken := live.Apply(&wire.Page{HasEarlier: true})
	assert.Equal(t, len(next), woken)
	for _, follow := range next {
		assert.Equal(t, `{"hasEarlier":true}`, valueIn(t, follow()))
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
	names := append(writer.operations(t, "follow_*"), trip.operations(t, "follow_*")...)
	require.Len(t, names, 17)
	for _, name := range names {
		text, err := os.ReadFile(name + ".graphql")
		require.NoError(t, err)
		next, _, err := s.start(ctx, string(text), nil)
		require.NoError(t, err)
		require.NotNil(t, next(ctx))
	}
	assert.Equal(t, len(names), s.hub.Stats().Subscriptions)
	cancel()
	assert.Eventually(t, func() bool { return s.hub.Stats().Subscriptions == 0 }, 10*time.Second, time.Millisecond)
}
