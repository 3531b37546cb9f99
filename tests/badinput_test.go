package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// What a client must not ask. %[1]q is the id of a conversation that stands as told; nothing is done upstream.
var badRequests = []struct {
	name, operation string
	standing        wire.Status
	code, says      string
}{
	{"a message without content", sendingTo(`content: ""`), wire.Paused, "BAD_USER_INPUT", "content is empty"},
	{"a message that is too long", sendingTo(`content: "` + strings.Repeat("é", 501) + `"`), wire.Paused, "BAD_USER_INPUT", "content takes at most 1000 bytes"},
	{"a message to another's agent", `mutation { send(input: { agentId: "somebody", conversationId: %[1]q, content: "Hello" }) { fresh } }`, wire.Paused, "BAD_USER_INPUT", "agentId"},
	{"a message to no agent", `mutation { send(input: { agentId: "", content: "Hello" }) { fresh } }`, 0, "BAD_USER_INPUT", "agentId is empty"},
	{"a message to a negative version", sendingTo(`content: "Hello", agentVersion: -1`), wire.Paused, "BAD_USER_INPUT", "agentVersion"},
	{"a request without a name", sendingTo(`content: "Hello", clientRequestId: ""`), wire.Paused, "BAD_USER_INPUT", "clientRequestId"},
	{"a request with a long name", sendingTo(`content: "Hello", clientRequestId: "` + strings.Repeat("x", 257) + `"`), wire.Paused, "BAD_USER_INPUT", "clientRequestId"},
	{"a message to nobody", `mutation { send(input: { agentId: "helper", conversationId: "", content: "Hello" }) { fresh } }`, 0, "BAD_USER_INPUT", "conversationId is empty"},
	{"a message to a foreign conversation", `mutation { send(input: { agentId: "helper", conversationId: "foreign", content: "Hello" }) { fresh } }`, 0, "NOT_FOUND", "no such conversation"},
	{"a message to an unknown conversation", `mutation { send(input: { agentId: "helper", conversationId: "nowhere", content: "Hello" }) { fresh } }`, 0, "NOT_FOUND", "no such conversation"},
	{"a message in the middle of a run", sendingTo(`content: "Hello"`), wire.Running, "CONFLICT", "in progress"},
	{"a message while a tool waits", sendingTo(`content: "Hello"`), wire.AwaitingClientTool, "CONFLICT", "waits for its answer"},

	{"a result of an unknown call", answeringTo("call7", `"x"`), wire.AwaitingClientTool, "BAD_USER_INPUT", "toolCallId"},
	{"a result of no call", answeringTo("", `"x"`), wire.AwaitingClientTool, "BAD_USER_INPUT", "toolCallId"},
	{"a result of a server's tool", answeringTo("call0", `"x"`), wire.AwaitingClientTool, "BAD_USER_INPUT", "toolCallId"},
	{"another result of an answered call", answeringTo("call-1", `"x"`), wire.AwaitingClientTool, "CONFLICT", "another result"},
	{"a result that is too long", answeringTo("call1", `"`+strings.Repeat("x", 1001)+`"`), wire.AwaitingClientTool, "BAD_USER_INPUT", "output takes at most 1000 bytes"},
	{"a result for a foreign conversation", strings.ReplaceAll(answeringTo("call1", `"x"`), "%[1]q", `"foreign"`), 0, "NOT_FOUND", "no such conversation"},

	{"a cancel of what is over", `mutation { cancel(conversationId: %[1]q) { conversation { id } } }`, wire.Completed, "CONFLICT", "no run"},
	{"a cancel of what is foreign", `mutation { cancel(conversationId: "foreign") { conversation { id } } }`, 0, "NOT_FOUND", "no such conversation"},
	{"a retry of what did not fail", `mutation { retry(conversationId: %[1]q) { conversation { id } } }`, wire.Paused, "CONFLICT", "no failed run"},
	{"a retry of what is foreign", `mutation { retry(conversationId: "foreign") { conversation { id } } }`, 0, "NOT_FOUND", "no such conversation"},

	{"no earlier rows", `mutation { loadEarlier(conversationId: %[1]q, limit: 0) { conversation { id } } }`, wire.Paused, "BAD_USER_INPUT", "limit"},
	{"less than no earlier rows", `mutation { loadEarlier(conversationId: %[1]q, limit: -1) { conversation { id } } }`, wire.Paused, "BAD_USER_INPUT", "limit"},
	{"too many earlier rows", `mutation { loadEarlier(conversationId: %[1]q, limit: 1001) { conversation { id } } }`, wire.Paused, "BAD_USER_INPUT", "limit"},
	{"a negative page", `{ conversation(id: %[1]q) { rowPage(limit: -1) { hasEarlier } } }`, wire.Paused, "BAD_USER_INPUT", "limit"},
	{"a page before nothing", `{ conversation(id: %[1]q) { rowPage(beforeSeq: 0) { hasEarlier } } }`, wire.Paused, "BAD_USER_INPUT", "beforeSeq"},
	{"a page after less than nothing", `{ conversation(id: %[1]q) { rowPage(afterSeq: -1) { hasEarlier } } }`, wire.Paused, "BAD_USER_INPUT", "afterSeq"},
	{"backlinks of no table", `{ conversation(id: %[1]q) { backlinks(table: "", rowId: "r") } }`, wire.Paused, "BAD_USER_INPUT", "table"},
	{"a negative list", `{ conversations(limit: -1) { hasMore } }`, 0, "BAD_USER_INPUT", "limit"},
	{"a list before its start", `{ conversations(offset: -1) { hasMore } }`, 0, "BAD_USER_INPUT", "offset"},
	{"a plan of a negative version", `{ agentPlan(agentId: "helper", agentVersion: -1) { name } }`, 0, "BAD_USER_INPUT", "agentVersion"},

	{"a negative number of invoices", `{ billing { invoices(limit: -1) { id } } }`, 0, "BAD_USER_INPUT", "limit"},
	{"invoices before the first", `{ billing { invoices(offset: -1) { id } } }`, 0, "BAD_USER_INPUT", "offset"},
	{"usage that ends before it begins", `{ billing { usage(from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z") { usedMicroUsd } } }`, 0, "BAD_USER_INPUT", "from"},
	{"no money", `mutation { topup(amountMicroUsd: 0) { url } }`, 0, "BAD_USER_INPUT", "amountMicroUsd"},
	{"less than no money", `mutation { topup(amountMicroUsd: -1) { url } }`, 0, "BAD_USER_INPUT", "amountMicroUsd"},
	{"more money than can be counted", `mutation { topup(amountMicroUsd: 9007199254740992) { url } }`, 0, "BAD_USER_INPUT", ""},
	{"part of a millionth", `mutation { topup(amountMicroUsd: 1.5) { url } }`, 0, "BAD_USER_INPUT", ""},
	{"back to anywhere", `mutation { topup(amountMicroUsd: 1, returnUrl: "http://app.example/") { url } }`, 0, "BAD_USER_INPUT", "returnUrl"},
	{"back to a script", `mutation { topup(amountMicroUsd: 1, returnUrl: "javascript:alert(1)") { url } }`, 0, "BAD_USER_INPUT", "returnUrl"},
	{"back to a part of a page", `mutation { subscribeCheckout(planId: "p1", returnUrl: "/back") { url } }`, 0, "BAD_USER_INPUT", "returnUrl"},
	{"a plan without a name", `mutation { subscribeCheckout(planId: "") { url } }`, 0, "BAD_USER_INPUT", "planId"},
}

func sendingTo(rest string) string {
	return `mutation { send(input: { agentId: "helper", conversationId: %[1]q, ` + rest + ` }) { fresh } }`
}

func answeringTo(call, output string) string {
	return fmt.Sprintf(`mutation { submitToolResult(input: { conversationId: %%[1]q, toolCallId: %q, output: %s }) { conversation { id } } }`, call, output)
}

// openTenancy is a tenancy that lets everybody in as one user, with a server in front of it.
func openTenancy(t *testing.T, args ...string) (*tenancy, *server) {
	t.Helper()
	p := newTenancy(t)
	p.open("anonymous", "demo")
	return p, serve(t, append([]string{"--upstream", p.http.URL, "--insecure", "--idle-poll-seconds", "1"}, args...)...)
}

// Bad requests are refused with a code and a reason, and nothing is done about them upstream.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t, "--max-content-bytes", "1000")
	p.add("demo", "foreign", "somebody").begin(wire.Paused)
	for i, tc := range badRequests {
		t.Run(tc.name, func(t *testing.T) {
			operation := tc.operation
			if tc.standing != 0 {
				id := fmt.Sprintf("talk-%d", i)
				p.add("demo", id, "anonymous").beginWithCalls(tc.standing)
				operation = fmt.Sprintf(operation, id)
			}
			_, from := p.since(0)
			got := s.post(t, mediaJSON, request{Query: operation})
			r := parse(t, got.body)
			require.Equal(t, []string{tc.code}, codes(r.Errors), got.body)
			assert.Contains(t, r.Errors[0].Message, tc.says)
			assert.NotContains(t, got.body, secretly)
			asked, _ := p.since(from)
			for _, a := range asked {
				assert.True(t, strings.HasPrefix(a.request, "GET "), "%s: nothing is done", a.request)
			}
		})
	}
	assert.NotContains(t, s.stderr.String(), `"level":"ERROR"`)
	longest := s.post(t, mediaJSON, request{Query: fmt.Sprintf(`mutation { send(input: { agentId: "helper", content: %q }) { fresh } }`, strings.Repeat("é", 500))})
	assert.Empty(t, parse(t, longest.body).Errors, "the longest that is let through")
	blank := s.post(t, mediaJSON, request{Query: `mutation { send(input: { agentId: "helper", content: " \n" }) { fresh } }`})
	assert.Empty(t, parse(t, blank.body).Errors, "a message of spaces is one: what it means is the agent's to say")
}

// beginWithCalls is begin, with a server's tool and a client's that is answered on the way.
func (c *kept) beginWithCalls(standing wire.Status) *kept {
	served := calling("call0")
	served.RequiresClientResponse = false
	c.say(wire.Frame{Type: wire.RunStart}, served, calling("call-1"), pausing(wire.AwaitingClientTool), wire.Frame{Type: wire.RunStart},
		wire.Frame{Type: wire.ToolResult, Body: wire.Body{Spine: helper, ToolCallID: "call-1", Output: "fine"}}, pausing(wire.Paused))
	return c.begin(standing)
}

// A variable that its scalar refuses refuses the request: nothing of it has run.
func TestNothingRunsBesideABadVariable(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	r := d.s.newPost(t, mediaResponse, request{
		Query:     `mutation Both($amount: MicroUSD!) { send(input: { agentId: "` + keptAgent + `", content: "Hello" }) { fresh } topup(amountMicroUsd: $amount) { url } }`,
		Variables: map[string]any{"amount": "5"},
	})
	r.Header.Set("Authorization", "Bearer "+d.ann)
	a := send(t, r)
	assert.Equal(t, 400, a.status)
	got := parse(t, a.body)
	assert.Equal(t, []string{"BAD_USER_INPUT"}, codes(got.Errors))
	assert.Contains(t, got.Errors[0].Message, `variable "$amount": MicroUSD takes an integer`)
	assert.Zero(t, d.p.count(execute))
}
