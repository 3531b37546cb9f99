package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// limited are the limits on documents, each lowered on the command line; what fits stands at the limit, and what is beyond
// it one above. Both are documents that are good in themselves.
var limited = []struct{ flag, fits, beyond, says string }{
	{"--max-tokens=200", strings.Repeat("#\n", 197) + "{__typename}", strings.Repeat("#\n", 198) + "{__typename}", "more than 200 tokens"},
	{"--max-aliases-per-field=5", "{" + many(5, "a#:__typename ") + "}", "{" + many(6, "a#:__typename ") + "}", "more than 5 aliases"},
	{"--max-directives=6", "{" + strings.Repeat("__typename@skip(if:false)", 6) + "}", "{" + strings.Repeat("__typename@skip(if:false)", 7) + "}", "more than 6 directives"},
	{"--max-introspection-depth=4", "{__schema{types{fields{name}}}}", "{__schema{types{fields{type{name}}}}}", "introspection is nested more than 4 deep"},
	{"--max-fields-per-response-name=7", "{" + strings.Repeat("__typename ", 7) + "}", "{...F ...F}fragment F on Query{" + strings.Repeat("__typename ", 4) + "}", "more than 7 fields in one selection set"},
	{"--max-depth=8", strings.Repeat("{...", 7) + "{__typename}" + strings.Repeat("}", 7), strings.Repeat("{...", 8) + "{__typename}" + strings.Repeat("}", 8), "more than 8 deep"},
	{"--max-expanded-fields=20", "{" + many(4, "...{session{tenant ...F}}") + "}fragment F on SessionInfo{subject tenant expiresAt}", "{" + many(5, "...{session{tenant ...F}}") + "}fragment F on SessionInfo{subject tenant expiresAt}", "more than 20 fields"},
}

// many writes a text n times with the numbers from 0.
func many(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// refusedEverywhere sends an operation in every way that there is, and expects the one refusal of a document in each.
func refusedEverywhere(t *testing.T, s *server, r request, status int, code, says string) {
	t.Helper()
	check := func(way string, errs []responseError) {
		t.Helper()
		if assert.Len(t, errs, 1, way) {
			assert.Equal(t, code, errs[0].Extensions.Code, way)
			assert.Contains(t, errs[0].Message, says, way)
		}
	}
	for way, req := range map[string]*http.Request{
		"POST": s.newPost(t, mediaResponse, r), "POST, json": s.newPost(t, mediaJSON, r),
		"GET": s.newGet(t, mediaResponse, r), "GET, json": s.newGet(t, mediaJSON, r),
	} {
		got := send(t, req)
		assert.Equal(t, status, got.status, way)
		check(way, parse(t, got.body).Errors)
	}
	for way, stream := range everyWay(t, s, r) {
		completed, refused := stream.end(t)
		var errs []responseError
		if way == "WebSocket" {
			assert.Zero(t, stream.count())
			require.NoError(t, json.Unmarshal(refused, &errs), way)
		} else {
			assert.True(t, completed, way)
			require.Equal(t, 1, stream.count(), way)
			errs = parse(t, string(stream.message(t, 1))).Errors
		}
		check(way, errs)
	}
}

// answeredEverywhere is the same for what is let through. It answers what everybody was told.
func answeredEverywhere(t *testing.T, s *server, r request) string {
	t.Helper()
	want := s.post(t, mediaResponse, r)
	require.Equal(t, http.StatusOK, want.status, want.body)
	require.Empty(t, parse(t, want.body).Errors)
	assert.Equal(t, want.body, send(t, s.newGet(t, mediaJSON, r)).body)
	for way, stream := range everyWay(t, s, r) {
		assert.Equal(t, want.body, string(stream.message(t, 1)), way)
	}
	return want.body
}

// Every limit on documents, at its figure and beyond it, on every transport (docs/service.md, "Limits").
func TestLimitsOfDocuments(t *testing.T) {
	t.Parallel()
	args := []string{"--introspection"}
	for _, l := range limited {
		args = append(args, l.flag)
	}
	_, s := openTenancy(t, args...)
	for _, l := range limited {
		t.Run(l.flag, func(t *testing.T) {
			answeredEverywhere(t, s, request{Query: l.fits})
			refusedEverywhere(t, s, request{Query: l.beyond}, http.StatusBadRequest, "BAD_USER_INPUT", l.says)
		})
	}
}

// A request's size: 413 by POST, with an event stream or without, and close 1009 on a WebSocket; in a URL it is the header
// that is too large.
func TestLimitOfRequests(t *testing.T) {
	t.Parallel()
	const limit = 5_000
	_, s := openTenancy(t, fmt.Sprintf("--max-request-bytes=%d", limit))
	filled := func(bytes int, format string) string {
		text := fmt.Sprintf(format, "")
		return fmt.Sprintf(format, strings.Repeat(" ", bytes-len(text)))
	}
	for accept, status := range map[string]int{mediaJSON: 200, mediaResponse: 200, mediaEvents: 200} {
		for size, status := range map[int]int{limit: status, limit + 1: http.StatusRequestEntityTooLarge} {
			r := s.newPost(t, accept, request{})
			r.Body, r.ContentLength = body(filled(size, `{"query":"{__typename%s}"}`)), int64(size)
			got := send(t, r)
			assert.Equal(t, status, got.status, "%s, %d bytes", accept, size)
			if size > limit {
				assert.Equal(t, []string{"PAYLOAD_TOO_LARGE"}, codes(parse(t, got.body).Errors))
			}
		}
	}
	for size, want := range map[int]string{limit: `{"id":"1","type":"next","payload":{"data":{"__typename":"Query"}}}`, limit + 1: ""} {
		conn, _, err := dialRaw(t, s, "graphql-transport-ws")
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
		require.NoError(t, conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_init"}`)))
		_, _, err = conn.ReadMessage()
		require.NoError(t, err)
		require.NoError(t, conn.WriteMessage(websocket.TextMessage, []byte(filled(size, `{"id":"1","type":"subscribe","payload":{"query":"{__typename%s}"}}`))))
		_, text, err := conn.ReadMessage()
		assert.Equal(t, want, string(text))
		assert.Equal(t, want == "", websocket.IsCloseError(err, 1009), "%v", err)
	}
	within := s.newGet(t, mediaJSON, request{Query: "{__typename}" + strings.Repeat(",", 30<<10)}) // three bytes each in a URL
	assert.Equal(t, http.StatusOK, send(t, within).status, "%d bytes", len(within.URL.RawQuery))
	beyond := s.newGet(t, mediaJSON, request{Query: "{__typename}" + strings.Repeat(",", 50<<10)})
	res, err := client(t).Do(beyond)
	if err == nil { // else what was not read of it has broken the connection before the answer was read
		assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, res.StatusCode)
		res.Body.Close()
	}
}

// A response's size, to the byte. What is larger is an error that says so, and ends a subscription.
func TestLimitOfResponses(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t)
	p.add("demo", "talk", "anonymous").begin(wire.Paused)
	r := request{Query: `{ conversation(id: "talk") { timeline ` + rowFields + ` } }`}
	size := len(answeredEverywhere(t, s, r))
	front := func(bytes int) *server {
		return serve(t, "--upstream", p.http.URL, "--insecure", fmt.Sprintf("--max-response-bytes=%d", bytes))
	}
	assert.Len(t, answeredEverywhere(t, front(size), r), size)
	small := front(size - 1)
	tooLarge := fmt.Sprintf(`{"errors":[{"message":"the response is larger than %d bytes","extensions":{"code":"PAYLOAD_TOO_LARGE"}}],"data":null}`, size-1)
	for _, req := range []*http.Request{small.newPost(t, mediaResponse, r), small.newPost(t, mediaJSON, r), small.newGet(t, mediaJSON, r)} {
		got := send(t, req)
		assert.Equal(t, http.StatusOK, got.status)
		assert.Equal(t, tooLarge, got.body)
	}
	for _, operation := range []request{r, {Query: timeline("").operation("talk")}} {
		for way, stream := range everyWay(t, front(200), operation) {
			completed, _ := stream.end(t)
			assert.True(t, completed, way)
			assert.Equal(t, 1, stream.count(), way)
			assert.Contains(t, string(stream.message(t, 1)), `"PAYLOAD_TOO_LARGE"`, way)
		}
	}
}

// Connections in all, operations on one of them, and conversations in memory.
func TestLimitsOfNumbers(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t, "--max-connections=4", "--max-operations-per-connection=2", "--max-conversations=2")
	for _, id := range []string{"a", "b", "c"} {
		p.add("demo", id, "anonymous").begin(wire.Paused)
	}
	follow := func(id string) request { return request{Query: chat(`{ status }`).operation(id)} }
	c := dial(t, s)
	a, b := c.run(t, follow("a")), c.run(t, follow("b"))
	a.message(t, 1)
	b.message(t, 1)
	third := c.run(t, follow("a"))
	_, refused := third.end(t)
	assert.Contains(t, string(refused), `"message":"this connection already runs 2 operations"`)
	assert.Contains(t, string(refused), `"RATE_LIMITED"`)

	full := request{Query: `{ conversation(id: "c") { id } }`}
	for _, req := range []*http.Request{s.newPost(t, mediaResponse, full), s.newGet(t, mediaJSON, full)} {
		got := send(t, req)
		assert.Equal(t, http.StatusOK, got.status)
		assert.Equal(t, []string{"RATE_LIMITED"}, codes(parse(t, got.body).Errors))
	}
	for way, stream := range everyWay(t, s, follow("c")) {
		completed, _ := stream.end(t)
		assert.True(t, completed, way)
		assert.Equal(t, []string{"RATE_LIMITED"}, codes(parse(t, string(stream.message(t, 1))).Errors), way)
	}
	dial(t, s)
	dial(t, s)
	eventually(t, patience, func() string { // the streams above have ended by now, or do
		conn, res, err := dialRaw(t, s, "graphql-transport-ws")
		if err == nil {
			conn.Close()
			return "there is room"
		}
		assert.Equal(t, "5", res.Header.Get("Retry-After"))
		return ""
	})
	for _, req := range []*http.Request{s.newPost(t, mediaEvents, follow("a")), s.newGet(t, mediaEvents, follow("a"))} {
		got := send(t, req)
		assert.Equal(t, http.StatusServiceUnavailable, got.status)
		assert.Equal(t, []string{"RATE_LIMITED"}, codes(parse(t, got.body).Errors))
	}
	assert.Equal(t, http.StatusOK, s.post(t, mediaJSON, request{Query: "{__typename}"}).status, "a single answer is no connection")
	assert.Equal(t, 1, a.count(), "whoever is in stays in")
	_, ended, _ := b.look()
	assert.False(t, ended)
}

// body is what a request carries.
func body(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }
