package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// What upstream must not answer. The client reads no more than that upstream does not answer well; the log has the reason.
var nonsense = []struct {
	name, operation string // %[1]q: a conversation
	request         string // of which the answer is nonsense; %[1]s: the conversation
	status          int
	body            string
	logs            string
}{
	{"a head that is no JSON", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s", 200, `<p>` + secretly, "malformed_json"},
	{"a head that is a list", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s", 200, `["` + secretly + `"]`, "malformed_json"},
	{"a head without an agent", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s", 200, `{"type":"conversation","conversation_id":"` + secretly + `","status":"paused"}`, "agent_id"},
	{"a head that broke off", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s", 200, `{"type":"conversation","title":"` + secretly, "upstream head: unavailable (200): malformed_json"},
	{"a head of 500", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s", 500, `{"error":{"code":"overloaded","message":"shard 7 is down"}}`, "overloaded"},
	{"rows that are no JSON", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s/rows", 200, secretly, "upstream rows: unavailable (200): malformed_json"},
	{"no rows", `{ conversation(id: %[1]q) { id } }`, "GET /v1/conversations/%[1]s/rows", 200, `{"word":"` + secretly + `"}`, "missing_member at rows"},
	{"a list that is no JSON", `{ conversations { hasMore } }`, "GET /v1/conversations", 200, secretly, "upstream list: unavailable (200): malformed_json"},
	{"a list of nothing", `{ conversations { hasMore } }`, "GET /v1/conversations", 200, `{"has_more":true,"word":"` + secretly + `"}`, "missing_member at conversations"},
	{"backlinks of nothing", `{ conversation(id: %[1]q) { backlinks(table: "t", rowId: "r") } }`, "GET /v1/conversations/%[1]s/tables/t/r/backlinks", 200, `{"word":"` + secretly + `"}`, "missing_member at backlinks"},
	{"backlinks that are no list", `{ conversation(id: %[1]q) { backlinks(table: "t", rowId: "r") } }`, "GET /v1/conversations/%[1]s/tables/t/r/backlinks", 200, `{"backlinks":"` + secretly + `"}`, "wrong_type at backlinks"},

	{"a run that is no stream", sendingTo(`content: "Hello"`), execute, 200, `{"word":"` + secretly + `"}`, "the answer is no event stream"},
	{"a run that does not begin", sendingTo(`content: "Hello"`), execute, 503, secretly, "upstream execute: unavailable (503)"},
	{"a retry that is no stream", `mutation { retry(conversationId: %[1]q) { conversation { id } } }`, "POST /v1/conversations/%[1]s/retry", 200, secretly, "the answer is no event stream"},
	{"a cancel that fails", `mutation { cancel(conversationId: %[1]q) { conversation { id } } }`, "POST /v1/conversations/%[1]s/cancel", 500, secretly, "upstream cancel: unavailable (500)"},

	{"a balance that is no JSON", `{ billing { balance { availableMicroUsd } } }`, "GET /v1/billing/balance", 200, secretly, "upstream billing/balance: unavailable (200): the answer is no JSON object"},
	{"a balance without money", `{ billing { balance { overage } } }`, "GET /v1/billing/balance", 200, `{"overage":"` + secretly + `"}`, "available_micro_usd is missing"},
	{"money beyond the range", `{ billing { balance { availableMicroUsd } } }`, "GET /v1/billing/balance", 200, `{"available_micro_usd":9007199254740992,"overage":"` + secretly + `"}`, "available_micro_usd"},
	{"money below the range", `{ billing { balance { availableMicroUsd } } }`, "GET /v1/billing/balance", 200, `{"available_micro_usd":-9007199254740992,"overage":"` + secretly + `"}`, "available_micro_usd"},
	{"money in parts", `{ billing { balance { availableMicroUsd } } }`, "GET /v1/billing/balance", 200, `{"available_micro_usd":0.5,"overage":"` + secretly + `"}`, "available_micro_usd"},
	{"money in words", `{ billing { usage { usedMicroUsd } } }`, "GET /v1/billing/usage", 200, `{"used_micro_usd":"` + secretly + `","lines":[]}`, "used_micro_usd"},
	{"usage without lines", `{ billing { usage { usedMicroUsd } } }`, "GET /v1/billing/usage", 200, `{"used_micro_usd":1,"overage":"` + secretly + `"}`, "lines is missing"},
	{"plans without names", `{ billing { plans { status } } }`, "GET /v1/billing/plans", 200, `{"status":"` + secretly + `","plans":[{"id":"p","price_micro_usd":1,"features":[]}]}`, "plans[0].name is missing"},
	{"an invoice without a total", `{ billing { invoices { id } } }`, "GET /v1/billing/invoices", 200, `{"invoices":[{"id":"` + secretly + `","status":"open"}]}`, "invoices[0].total_micro_usd is missing"},
	{"no grants", `{ billing { grants { id } } }`, "GET /v1/billing/grants", 200, `{"word":"` + secretly + `"}`, "grants is missing"},

	{"a checkout without a page", `mutation { topup(amountMicroUsd: 1) { url } }`, "POST /v1/billing/topup", 200, `{"word":"` + secretly + `"}`, "url is missing"},
	{"a checkout that is not https", `mutation { topup(amountMicroUsd: 1) { url } }`, "POST /v1/billing/topup", 200, `{"url":"http://pay.example/` + secretly + `"}`, "url is no absolute https URL"},
	{"a checkout that is not absolute", `mutation { subscribeCheckout(planId: "p1") { url } }`, "POST /v1/billing/subscribe", 200, `{"url":"/` + secretly + `"}`, "url is no absolute https URL"},
	{"a checkout that is a script", `mutation { subscribeCheckout(planId: "p1") { url } }`, "POST /v1/billing/subscribe", 200, `{"url":"javascript:` + secretly + `"}`, "url is no absolute https URL"},
	{"a checkout that is null", `mutation { subscribeCheckout(planId: "p1") { url } }`, "POST /v1/billing/subscribe", 200, `{"url":null,"word":"` + secretly + `"}`, "url is missing"},
	{"a checkout of 500", `mutation { subscribeCheckout(planId: "p1") { url } }`, "POST /v1/billing/subscribe", 500, secretly, "upstream billing/subscribe: unavailable (500)"},
}

// Nonsense from upstream is UPSTREAM_UNAVAILABLE with a message of ours. Its reason is in the log, upstream's words
// nowhere; what is good afterwards is read again.
func TestNonsenseFromUpstream(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t)
	for i, tc := range nonsense {
		t.Run(tc.name, func(t *testing.T) {
			id := fmt.Sprintf("talk-%d", i)
			standing := wire.Paused
			if strings.Contains(tc.operation, "retry") {
				standing = wire.Failed
			}
			p.add("demo", id, "anonymous").begin(standing)
			fill := func(text string) string {
				if strings.Contains(text, "%[1]") {
					return fmt.Sprintf(text, id)
				}
				return text
			}
			p.answer(fill(tc.request), tc.status, tc.body)
			logged := len(s.stderr.String())
			got := s.post(t, mediaJSON, request{Query: fill(tc.operation)})
			r := parse(t, got.body)
			require.Equal(t, []string{"UPSTREAM_UNAVAILABLE"}, codes(r.Errors), got.body)
			assert.NotContains(t, got.body, secretly)
			eventually(t, patience, func() string {
				if log := s.stderr.String()[logged:]; !strings.Contains(log, tc.logs) {
					return fmt.Sprintf("the log does not say %q but\n%s", tc.logs, log)
				}
				return ""
			})
			p.answer(fill(tc.request), 0, "")
			if strings.HasPrefix(tc.operation, "{") {
				again := s.post(t, mediaJSON, request{Query: fill(tc.operation)})
				assert.Empty(t, parse(t, again.body).Errors)
			}
		})
	}
	assert.NotContains(t, s.stderr.String(), secretly)
}
