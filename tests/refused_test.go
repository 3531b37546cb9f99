package tests

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// A pin that is out of bounds inside of a chat is refused like one at the top: before upstream hears anything.
func TestABadPinCostsUpstreamNothing(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t)
	p.add("demo", "talk", "anonymous").begin(wire.Paused)
	c := dial(t, s)
	for _, operation := range []string{
		`subscription { feed(conversationId: "talk", pin: { agentId: "helper", agentVersion: 99999999999 }) { mode } }`,
		`subscription { chat(conversationId: "talk") { status feed(pin: { agentId: "helper", agentVersion: 99999999999 }) { mode } } }`,
		`subscription { ...S } fragment S on Subscription { chat(conversationId: "talk") { ...C } } fragment C on ChatSnapshot { a: feed { mode } b: feed(pin: { agentId: "helper", agentVersion: -2147483649 }) { mode } }`,
	} {
		for name, stream := range map[string]*stream{"WebSocket": c.subscribe(t, operation), "SSE": s.stream(t, operation)} {
			completed, _ := stream.end(t)
			assert.True(t, completed, name)
			assert.Equal(t, []string{"BAD_USER_INPUT"}, codes(parse(t, string(stream.message(t, 1))).Errors), name)
		}
	}
	asked, _ := p.since(0)
	assert.Empty(t, asked)
	c.subscribe(t, `subscription { chat(conversationId: "talk") { feed(pin: { agentId: "helper", agentVersion: 3 }) { mode } } }`).message(t, 1)
}

// What upstream refuses for want of payment is a conflict that says so; a read that it does not take is upstream's fault.
func TestPaymentAndRefusedReads(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t)
	p.add("demo", "talk", "anonymous").begin(wire.Paused)
	p.answer("POST /v1/agents/helper/execute", http.StatusPaymentRequired, `{"error":{"code":"no_credit","message":"`+secretly+`"}}`)
	got := s.post(t, mediaJSON, request{Query: fmt.Sprintf(sendingTo(`content: "Hello"`), "talk")})
	r := parse(t, got.body)
	require.Equal(t, []string{"CONFLICT"}, codes(r.Errors))
	assert.Equal(t, "upstream asks for payment first", r.Errors[0].Message)
	for _, status := range []int{400, 413, 422} {
		for _, what := range []string{"", "/rows"} {
			id := fmt.Sprintf("odd-%d-%d", status, len(what))
			p.add("demo", id, "anonymous").begin(wire.Paused)
			p.answer("GET /v1/conversations/"+id+what, status, secretly)
			for _, accept := range []string{mediaJSON, mediaEvents} {
				query := fmt.Sprintf(`{ conversation(id: %q) { id } }`, id)
				assert.Contains(t, s.post(t, accept, request{Query: query}).body, `"UPSTREAM_UNAVAILABLE"`, "%d to %q", status, what)
			}
		}
	}
}
