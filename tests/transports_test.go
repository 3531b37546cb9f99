package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
)

// everyWay runs an operation over every transport, and answers its streams. Those that end by themselves have ended.
func everyWay(t *testing.T, s *server, r request) map[string]*stream {
	t.Helper()
	return map[string]*stream{
		"WebSocket":   dial(t, s).run(t, r),
		"SSE by POST": events(t, s.newPost(t, mediaEvents, r)),
		"SSE by GET":  events(t, s.newGet(t, mediaEvents, r)),
	}
}

// A query has one answer, byte for byte, whatever brings it.
func TestAQueryIsTheSameOnEveryTransport(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	p.add(t, "desk.ndjson", "").tell(40)
	r := request{
		Query:     `query Desk($id: ID!) { conversation(id: $id) { chat ` + chatFields + ` run ` + runFields + ` timeline ` + rowFields + ` } }`,
		Variables: map[string]any{"id": "desk"},
	}
	want := s.post(t, mediaResponse, r).body
	require.Empty(t, parse(t, want).Errors)
	assert.Contains(t, want, "12345678901234567890", "numbers keep their digits")

	for name, req := range map[string]*http.Request{
		"POST as application/json": s.newPost(t, mediaJSON, r),
		"GET":                      s.newGet(t, mediaResponse, r),
		"GET as application/json":  s.newGet(t, mediaJSON, r),
	} {
		got := send(t, req)
		assert.Equal(t, http.StatusOK, got.status, name)
		assert.Equal(t, want, got.body, name)
	}
	for name, got := range everyWay(t, s, r) {
		completed, _ := got.end(t)
		assert.True(t, completed, name)
		require.Equal(t, 1, got.count(), name)
		assert.Equal(t, want, string(got.message(t, 1)), name)
	}
}

// A subscription says the same on every transport, message by message.
func TestASubscriptionIsTheSameOnEveryTransport(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	desk := p.add(t, "desk.ndjson", "")
	desk.tell(8)
	f := timeline("")
	streams := everyWay(t, s, request{Query: f.operation("desk")})
	for _, got := range streams {
		got.message(t, 1)
	}
	const frames = 33
	for told := 9; told <= frames; told++ {
		desk.tell(1)
		folded := model.Fold(desk.records(told)).Timeline
		eventually(t, patience, func() string {
			want := f.read(t, s, "desk")
			if diff := model.Diff(folded, withoutTypename(t, want)); diff != "" {
				return diff
			}
			for name, got := range streams {
				if f.latest(t, got) != want {
					return name + " has not got what a query reads"
				}
			}
			return ""
		})
	}
	o := f.observe(t, streams["WebSocket"])
	o.History, o.Final = desk.history(t, frames, "timeline", f.operation("desk")), f.read(t, s, "desk")
	assert.NoError(t, Validate(o))
	for name, got := range streams {
		assert.True(t, slices.Equal(o.Values, f.observe(t, got).Values), "%s says something else", name)
	}
	assert.Greater(t, len(o.Values), 15)
}

// refusal is a request that is refused, and how.
type refusal struct {
	name    string
	request request
	code    string
	status  int  // of POST with application/graphql-response+json
	before  bool // refused before it is executed: on a WebSocket by `error`
}

var refusals = []refusal{
	{"not closed", request{Query: `{ conversation(id: "desk"`}, "GRAPHQL_PARSE_FAILED", 400, true},
	{"no document", request{Query: " "}, "GRAPHQL_PARSE_FAILED", 400, true},
	{"an unknown field", request{Query: `{ nothing }`}, "GRAPHQL_VALIDATION_FAILED", 400, true},
	{"an unknown argument", request{Query: `{ conversation(id: "desk", nothing: 1) { id } }`}, "GRAPHQL_VALIDATION_FAILED", 400, true},
	{"no selection", request{Query: `{ conversation(id: "desk") }`}, "GRAPHQL_VALIDATION_FAILED", 400, true},
	{"no mutations", request{Query: `mutation { send { ok } }`}, "GRAPHQL_VALIDATION_FAILED", 400, true},
	{"two roots", request{Query: `subscription { run(conversationId: "desk") { status } transcript(conversationId: "desk") { id } }`}, "GRAPHQL_VALIDATION_FAILED", 400, true},
	{"a variable is missing", request{Query: `query ($id: ID!) { conversation(id: $id) { id } }`}, "BAD_USER_INPUT", 400, true},
	{"a variable of another type", request{Query: `query ($id: ID!) { conversation(id: $id) { id } }`, Variables: map[string]any{"id": []any{}}}, "BAD_USER_INPUT", 400, true},
	{"no such conversation", request{Query: `{ conversation(id: "nobody") { id } }`}, "NOT_FOUND", 200, false},
	{"no such conversation to follow", request{Query: timeline("").operation("nobody")}, "NOT_FOUND", 200, false},
	{"an id like a path", request{Query: `{ conversation(id: "../v1/conversations/desk") { id } }`}, "NOT_FOUND", 200, false},
	{"an id like another endpoint", request{Query: `{ conversation(id: "desk/rows") { id } }`}, "NOT_FOUND", 200, false},
	{"an id like a query", request{Query: `{ conversation(id: "desk?x=1") { id } }`}, "NOT_FOUND", 200, false},
	{"an empty id", request{Query: `{ conversation(id: "") { id } }`}, "NOT_FOUND", 200, false},
	{"a page of nothing", request{Query: `{ conversation(id: "desk") { rowPage(limit: 0) { hasEarlier } } }`}, "BAD_USER_INPUT", 200, false},
	{"an interval below 0", request{Query: timeline("minIntervalMs: -1").operation("desk")}, "BAD_USER_INPUT", 200, false},
}

// Bad requests get the errors of docs/service.md, with the same code on every transport, and cost the connection
// nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	p.add(t, "desk.ndjson", "").tell(20)
	c := dial(t, s)
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			subscription := len(r.request.Query) > 12 && r.request.Query[:12] == "subscription"
			if !subscription || r.before {
				got := s.post(t, mediaResponse, r.request)
				assert.Equal(t, []string{r.code}, codes(parse(t, got.body).Errors)[:1], "%s", got.body)
				assert.Equal(t, r.status, got.status)
				got = s.post(t, mediaJSON, r.request)
				assert.Equal(t, []string{r.code}, codes(parse(t, got.body).Errors)[:1], "%s", got.body)
				assert.Equal(t, http.StatusOK, got.status)
			}

			streamed := events(t, s.newPost(t, mediaEvents, r.request))
			completed, _ := streamed.end(t)
			assert.True(t, completed)
			require.Equal(t, 1, streamed.count())
			assert.Equal(t, r.code, codes(parse(t, string(streamed.message(t, 1))).Errors)[0])

			socket := c.run(t, r.request)
			completed, refused := socket.end(t)
			if r.before {
				assert.False(t, completed)
				assert.Zero(t, socket.count())
				var errs []responseError
				require.NoError(t, json.Unmarshal(refused, &errs))
				assert.Equal(t, r.code, codes(errs)[0])
				return
			}
			assert.True(t, completed)
			require.Equal(t, 1, socket.count())
			assert.Equal(t, r.code, codes(parse(t, string(socket.message(t, 1))).Errors)[0])
		})
	}
	assert.NotEmpty(t, c.subscribe(t, timeline("").operation("desk")).message(t, 1), "the connection is as good as before")
}

// Every reason for which upstream hides a conversation reads the same.
func TestEveryHiddenConversationReadsTheSame(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	answers := map[string]bool{}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusGone} {
		id := fmt.Sprintf("hidden%d", status)
		p.refuse(id, status)
		got := parse(t, s.post(t, mediaResponse, request{Query: fmt.Sprintf(`{ conversation(id: %q) { id } }`, id)}).body)
		require.Len(t, got.Errors, 1)
		answers[got.Errors[0].Extensions.Code+" "+got.Errors[0].Message] = true
	}
	assert.Len(t, answers, 1)
	assert.Contains(t, fmt.Sprint(answers), "NOT_FOUND ")
	for status, code := range map[int]string{401: "UNAUTHENTICATED", 429: "RATE_LIMITED", 500: "UPSTREAM_UNAVAILABLE", 503: "UPSTREAM_UNAVAILABLE"} {
		id := fmt.Sprintf("hidden%d", status)
		p.refuse(id, status)
		got := parse(t, s.post(t, mediaResponse, request{Query: fmt.Sprintf(`{ conversation(id: %q) { id } }`, id)}).body)
		assert.Equal(t, []string{code}, codes(got.Errors), "%d", status)
	}
}

// A subscription needs a transport that can carry it.
func TestASubscriptionNeedsAStream(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	p.add(t, "desk.ndjson", "").tell(20)
	got := s.post(t, mediaResponse, request{Query: timeline("").operation("desk")})
	assert.Equal(t, http.StatusNotAcceptable, got.status)
}
