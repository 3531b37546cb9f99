package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
	"inlaygraph/graph/scalars"
	"inlaygraph/wire"
)

// fields wraps what is asked of the conversation c1.
func fields(text string) string { return `{ conversation(id: "c1") { ` + text + ` } }` }

// send wraps the members of a SendInput.
func send(members string) string { return `mutation { send(input: { ` + members + ` }) { fresh } }` }

func onlyError(t *testing.T, errs gqlerror.List) *gqlerror.Error {
	t.Helper()
	require.Len(t, errs, 1)
	return errs[0]
}

func TestUnknownConversation(t *testing.T) {
	s, _ := serveLive(t)
	for _, text := range []string{
		`{ conversation(id: "c2") { id } }`,
		`subscription { chat(conversationId: "c2") { status } }`,
		`subscription { rowChanges(conversationId: "c2") { cursor } }`,
		`subscription { run(conversationId: "") { status } }`,
		`subscription { feed(conversationId: "c2") { mode } }`,
		`subscription { node(conversationId: "c2", path: []) { status } }`,
		`subscription { subagent(conversationId: "c2", path: []) { status } }`,
	} {
		_, errs := s.try(text, nil)
		assert.Equal(t, coded.NotFound, coded.CodeOf(onlyError(t, errs)), text)
	}
}

func TestArgumentsHaveBounds(t *testing.T) {
	s, live := serveLive(t)
	chat := func(ms string) string {
		return `subscription { chat(conversationId: "c1", minIntervalMs: ` + ms + `) { status } }`
	}
	cases := []struct{ name, text, message string }{
		{"interval below", chat("-1"), "minIntervalMs takes 0 to 60000 milliseconds, not -1"},
		{"interval above", chat("60001"), "minIntervalMs takes 0 to 60000 milliseconds, not 60001"},
		{
			"interval of row changes", `subscription { rowChanges(conversationId: "c1", minIntervalMs: 60001) { cursor } }`,
			"minIntervalMs takes 0 to 60000 milliseconds, not 60001",
		},
		{
			"interval of a feed", `subscription { feed(conversationId: "c1", minIntervalMs: 60001) { mode } }`,
			"minIntervalMs takes 0 to 60000 milliseconds, not 60001",
		},
		{
			"interval of a node", `subscription { node(conversationId: "c1", path: [], minIntervalMs: -1) { status } }`,
			"minIntervalMs takes 0 to 60000 milliseconds, not -1",
		},
		{
			"interval of a subagent", `subscription { subagent(conversationId: "c1", path: [], minIntervalMs: -1) { status } }`,
			"minIntervalMs takes 0 to 60000 milliseconds, not -1",
		},
		{
			"version in a chat", `subscription { chat(conversationId: "c1") { feed(pin: { agentId: "a", agentVersion: 2147483648 }) { mode } } }`,
			"Int takes an integer from -2147483648 to 2147483647",
		},
		{"version of a plan", `{ agentPlan(agentId: "a", agentVersion: -1) { name } }`, "agentVersion takes a version, or 0 for the draft, not -1"},
		{"beforeSeq", fields(`rowPage(beforeSeq: 0) { hasEarlier }`), "beforeSeq takes a place in the log, from 1, not 0"},
		{"afterSeq", fields(`rowPage(afterSeq: -1) { hasEarlier }`), "afterSeq takes a place in the log, or 0 for its start, not -1"},
		{"limit below", fields(`rowPage(limit: 0) { hasEarlier }`), "limit takes 1 to 1000, not 0"},
		{"limit above", fields(`rowPage(limit: 1001) { hasEarlier }`), "limit takes 1 to 1000, not 1001"},
		{"limit of conversations below", `{ conversations(limit: 0) { hasMore } }`, "limit takes 1 to 1000, not 0"},
		{"limit of conversations above", `{ conversations(limit: 1001) { hasMore } }`, "limit takes 1 to 1000, not 1001"},
		{"offset of conversations", `{ conversations(offset: -1) { hasMore } }`, "offset takes a number of conversations, from 0, not -1"},
		{"agent of conversations", `{ conversations(agentId: "") { hasMore } }`, "agentId is empty: leave it out when there is none"},
		{"limit of invoices", `{ billing { invoices(limit: 101) { id } } }`, "limit takes 1 to 100, not 101"},
		{"offset of invoices", `{ billing { invoices(offset: -1) { id } } }`, "offset takes a number of invoices, from 0, not -1"},
		{"times of usage", `{ billing { usage(from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z") { overage } } }`, "from is after to"},
		{"table of backlinks", fields(`backlinks(table: "", rowId: "a")`), "table is empty"},
		{"row of backlinks", fields(`backlinks(table: "a", rowId: "")`), "rowId is empty"},
		{"limit of loadEarlier below", `mutation { loadEarlier(conversationId: "c1", limit: 0) { conversation { id } } }`, "limit takes 1 to 1000, not 0"},
		{"limit of loadEarlier above", `mutation { loadEarlier(conversationId: "c1", limit: 1001) { conversation { id } } }`, "limit takes 1 to 1000, not 1001"},
		{"agent of send", send(`agentId: "", content: "x"`), "agentId is empty"},
		{"conversation of send", send(`agentId: "a", content: "x", conversationId: ""`), "conversationId is empty"},
		{"version of send", send(`agentId: "a", content: "x", agentVersion: -1`), "agentVersion takes a version, or 0 for the draft, not -1"},
		{"request id of send", send(`agentId: "a", content: "x", clientRequestId: ""`), "clientRequestId is empty: leave it out when there is none"},
		{
			"long request id of send", send(`agentId: "a", content: "x", clientRequestId: "` + strings.Repeat("r", 257) + `"`),
			"clientRequestId takes at most 256 bytes",
		},
		{"amount", `mutation { topup(amountMicroUsd: 0) { url } }`, "amountMicroUsd takes 1 to 9007199254740991 millionths of a US dollar, not 0"},
		{"plan", `mutation { subscribeCheckout(planId: "") { url } }`, "planId takes an id of 1 to 256 bytes"},
		{
			"return of topup", `mutation { topup(amountMicroUsd: 1, returnUrl: "/wallet") { url } }`,
			"returnUrl takes an absolute https URL of at most 8192 bytes (http for loopback hosts only), without user info",
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, errs := s.try(tc.text, nil)
			err, ok := errors.AsType[*coded.Error](onlyError(t, errs))
			require.True(t, ok)
			assert.Equal(t, coded.BadUserInput, err.Code)
			assert.Equal(t, tc.message, err.Message)
		})
	}
	_, errs := s.try(fields(`rowPage(afterSeq: 9007199254740992) { hasEarlier }`), nil)
	assert.Equal(t, "SafeInt takes an integer from -9007199254740991 to 9007199254740991", onlyError(t, errs).Message)

	for _, pinned := range []string{`query { conversation(id: "c1") { nodes(PIN) { path } } }`, `subscription { feed(conversationId: "c1", PIN) { mode } }`} {
		_, errs := s.try(strings.Replace(pinned, "PIN", `pin: { agentId: "a", agentVersion: 2147483648 }`, 1), nil)
		assert.Equal(t, "Int takes an integer from -2147483648 to 2147483647", onlyError(t, errs).Message)
	}

	for _, ms := range []string{"0", "1", "60000", "null"} {
		assert.NotEmpty(t, s.subscribe(chat(ms), nil)())
	}
	assert.False(t, apply(t, live, &wire.Frame{Type: wire.UserMessage}), "a refused subscription is not among the subscribers")
}

// A number that no JSON reader holds exactly is an error and not a number: here a sum of what upstream reported.
func TestNumbersOutOfRange(t *testing.T) {
	s, live := serveLive(t)
	for _, activation := range []string{"a", "b"} {
		spine := wire.Spine{NodeID: "n", Activation: activation}
		apply(t, live, &wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: spine, Kind: "llm"}})
		apply(t, live, &wire.Frame{Type: wire.NodeEnd, Body: wire.Body{
			Spine: spine, Status: wire.Completed, Usage: &wire.Usage{PromptTokens: scalars.MaxSafeInt, CompletionTokens: 1},
		}})
	}
	data, errs := s.try(fields(`run { status totalUsage { promptTokens completionTokens } }`), nil)
	assert.JSONEq(t, `{"conversation":{"run":{"status":"IDLE","totalUsage":null}}}`, data)
	assert.Equal(t, "conversation.run.totalUsage.promptTokens", onlyError(t, errs).Path.String())
	assert.Equal(t, coded.Internal, coded.CodeOf(errs[0]))
	assert.JSONEq(t, `{"conversation":{"run":{"totalUsage":{"completionTokens":2}}}}`, s.query(fields(`run { totalUsage { completionTokens } }`), nil))
}

// Promise 4 of scalars: a Go value outside its enum's set is an error where it is nullable too, and its number or word
// reaches nobody.
func TestEnumsAreClosed(t *testing.T) {
	cases := []struct {
		name, text, path, data string
		in                     *wire.Frame
	}{
		{
			"nullable", `chat { bindings { name format } }`, "conversation.chat.bindings[0].format",
			`{"conversation":{"chat":{"bindings":[{"name":"x","format":null}]}}}`,
			&wire.Frame{Type: wire.OutputSet, Body: wire.Body{Name: "x", Value: "1", ValueStatus: wire.Final, Format: 77}},
		},
		{
			"not nullable", `chat { error { message kind } }`, "conversation.chat.error.kind",
			`{"conversation":{"chat":{"error":null}}}`,
			&wire.Frame{Type: wire.RunEnd, Body: wire.Body{Status: wire.Failed, Error: &wire.PublicError{Kind: 77, Message: "m"}}},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s, live := serveLive(t)
			apply(t, live, tc.in)
			data, errs := s.try(fields(tc.text), nil)
			assert.JSONEq(t, tc.data, data)
			assert.Equal(t, tc.path, onlyError(t, errs).Path.String())
		})
	}
}

// A conversation without an upstream has no log to page through.
func TestRowPageWithoutUpstream(t *testing.T) {
	s, _ := serveLive(t)
	data, errs := s.try(fields(`id rowPage { hasEarlier }`), nil)
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(onlyError(t, errs)))
	assert.Equal(t, "null", data)
}
