package platform

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// endpoint is one request of docs/wire.md, "Endpoints", as the tables here go through them.
type endpoint struct {
	op     string
	method string
	uri    string // as it arrives
	body   string // "": none
	stream bool
	good   string // an answer that serves
	ask    func(c *Client, ctx context.Context, auth string) error
}

var endpoints = []endpoint{
	{op: "head", uri: "/v1/conversations/c1", good: headJSON,
		ask: func(c *Client, ctx context.Context, auth string) error { _, err := c.Head(ctx, auth, "c1"); return err }},
	{op: "rows", uri: "/v1/conversations/c1/rows?limit=9", good: `{"rows":[],"has_earlier":false}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			_, _, err := c.Rows(ctx, auth, "c1", upstream.RowsQuery{Limit: 9})
			return err
		}},
	{op: "plan", uri: "/v1/agents/a/versions/3", good: `{"agent_id":"a","agent_version":3}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			_, err := c.Plan(ctx, auth, "a", 3)
			return err
		}},
	{op: "list", uri: "/v1/conversations?agent_id=a%26b&limit=20&offset=40&status=awaiting_client_tool",
		good: `{"conversations":[],"has_more":false}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			_, err := c.List(ctx, auth, upstream.ListQuery{Limit: 20, Offset: 40, AgentID: "a&b", Status: wire.AwaitingClientTool})
			return err
		}},
	{op: "backlinks", uri: "/v1/conversations/c1/tables/leads%2Fold/r%20%C3%A9/backlinks", good: `{"backlinks":[]}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			_, err := c.Backlinks(ctx, auth, "c1", "leads/old", "r é")
			return err
		}},
	{op: "billing/usage", uri: "/v1/billing/usage?from=2026-01-05T09%3A00%3A00Z", good: `{"used_micro_usd":1}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			_, err := c.Get(ctx, auth, url.Values{"from": {"2026-01-05T09:00:00Z"}}, "billing", "usage")
			return err
		}},
	{op: "billing/topup", method: http.MethodPost, uri: "/v1/billing/topup", body: `{"amount_micro_usd":5}`, good: `{"url":"x"}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			_, err := c.Post(ctx, auth, []byte(`{"amount_micro_usd":5}`), "billing", "topup")
			return err
		}},
	{op: "cancel", method: http.MethodPost, uri: "/v1/conversations/c1/cancel",
		ask: func(c *Client, ctx context.Context, auth string) error { return c.Cancel(ctx, auth, "c1") }},
	{op: "stream", uri: "/v1/conversations/c1/stream", stream: true,
		ask: func(c *Client, ctx context.Context, auth string) error {
			return drained(ctx)(c.Stream(ctx, auth, "c1", 0))
		}},
	{op: "execute", method: http.MethodPost, uri: "/v1/agents/a%2Fb/execute", stream: true,
		body: `{"messages":[{"role":"user","content":"hi"}]}`,
		ask: func(c *Client, ctx context.Context, auth string) error {
			return drained(ctx)(c.Execute(ctx, auth, "a/b", hi))
		}},
	{op: "retry", method: http.MethodPost, uri: "/v1/conversations/c1/retry", stream: true,
		ask: func(c *Client, ctx context.Context, auth string) error { return drained(ctx)(c.Retry(ctx, auth, "c1")) }},
}

var hi = &wire.ExecutionInput{Messages: []wire.Message{{Role: wire.User, Content: "hi"}}}

// openers are the three ways to a stream.
var openers = map[string]func(c *Client, ctx context.Context) (upstream.Stream, error){
	"stream":  func(c *Client, ctx context.Context) (upstream.Stream, error) { return c.Stream(ctx, "", "c1", 0) },
	"execute": func(c *Client, ctx context.Context) (upstream.Stream, error) { return c.Execute(ctx, "", "a", hi) },
	"retry":   func(c *Client, ctx context.Context) (upstream.Stream, error) { return c.Retry(ctx, "", "c1") },
}

// drained reads a stream to its end; a clean end is no error.
func drained(ctx context.Context) func(upstream.Stream, error) error {
	return func(s upstream.Stream, err error) error {
		if err != nil {
			return err
		}
		defer s.Close()
		for {
			if _, err := s.Next(ctx); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

// every runs a subtest for each endpoint.
func every(t *testing.T, run func(t *testing.T, e endpoint)) {
	for _, e := range endpoints {
		t.Run(e.op, func(t *testing.T) { run(t, e) })
	}
}

// answerWell answers as the endpoint should.
func (e endpoint) answerWell(w http.ResponseWriter) {
	switch {
	case e.stream:
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		io.WriteString(w, sseOf(1, delta(1, "a")))
	case e.op == "cancel":
		w.WriteHeader(http.StatusAccepted)
	default:
		io.WriteString(w, e.good)
	}
}

// requireError is err as the *upstream.Error that it has to be.
func requireError(t *testing.T, err error) *upstream.Error {
	t.Helper()
	var e *upstream.Error
	require.True(t, errors.As(err, &e), "%v", err)
	return e
}

// What each request looks like: method, place, headers, body.
func TestRequests(t *testing.T) {
	every(t, func(t *testing.T, e endpoint) {
		var got *http.Request
		var body []byte
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			got = r.Clone(context.Background())
			e.answerWell(w)
		}, Options{BaseURL: "/base/", Header: http.Header{
			"x-team": {"blue"}, "Authorization": {"Basic own"}, "Content-Type": {"text/odd"}, "Idempotency-Key": {"one"},
		}})
		require.NoError(t, e.ask(c, t.Context(), "tok"))
		method, accept := http.MethodGet, "application/json"
		if e.method != "" {
			method = e.method
		}
		if e.stream {
			accept = "text/event-stream"
			assert.Equal(t, "identity", got.Header.Get("Accept-Encoding"))
		}
		assert.Equal(t, method, got.Method)
		assert.Equal(t, "/base"+e.uri, got.RequestURI)
		assert.Equal(t, accept, got.Header.Get("Accept"))
		assert.Equal(t, []string{"Bearer tok"}, got.Header["Authorization"])
		assert.Equal(t, []string{"blue"}, got.Header["X-Team"])
		assert.Empty(t, got.Header["Last-Event-Id"])
		assert.Empty(t, got.Header["Idempotency-Key"], "it would let package http send a POST twice")
		assert.Equal(t, e.body, string(body))
		assert.EqualValues(t, len(e.body), got.ContentLength)
		if e.body != "" {
			assert.Equal(t, []string{"application/json"}, got.Header["Content-Type"])
		}

		require.NoError(t, e.ask(c, t.Context(), ""))
		assert.Equal(t, []string{"Basic own"}, got.Header["Authorization"], "without a token the configured header stays")
	})
}

func TestQueries(t *testing.T) {
	asked := ""
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RawQuery + r.Header.Get("Last-Event-ID")
		switch r.URL.Path {
		case "/v1/conversations":
			io.WriteString(w, `{"conversations":[]}`)
		case "/v1/conversations/c1/rows":
			io.WriteString(w, `{"rows":[],"has_earlier":false}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
		}
	}, Options{})
	for want, q := range map[string]upstream.RowsQuery{
		"": {}, "after_seq=3&before_seq=7&limit=20": {BeforeSeq: 7, AfterSeq: 3, Limit: 20},
		"after_seq=0": {FromStart: true}, "after_seq=3": {FromStart: true, AfterSeq: 3},
	} {
		_, _, err := c.Rows(t.Context(), "", "c1", q)
		require.NoError(t, err)
		assert.Equal(t, want, asked)
	}
	for want, q := range map[string]upstream.ListQuery{
		"": {}, "limit=5": {Limit: 5}, "offset=5": {Offset: 5}, "agent_id=a+b": {AgentID: "a b"},
		"status=running": {Status: wire.Running},
	} {
		_, err := c.List(t.Context(), "", q)
		require.NoError(t, err)
		assert.Equal(t, want, asked)
	}
	for after, want := range map[int64]string{0: "", 41: "41"} {
		s, err := c.Stream(t.Context(), "", "c1", after)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		assert.Equal(t, want, asked)
	}
}

// Promise 5 of the package: an id that could name another place asks nothing.
func TestIDsStayInTheirPlace(t *testing.T) {
	asked := ""
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI
		w.WriteHeader(http.StatusGone)
	}, Options{})
	ctx := t.Context()
	asks := map[string]func(id string) error{
		"/v1/conversations/*":                       func(id string) error { _, err := c.Head(ctx, "", id); return err },
		"/v1/conversations/*/rows":                  func(id string) error { _, _, err := c.Rows(ctx, "", id, upstream.RowsQuery{}); return err },
		"/v1/conversations/*/stream":                func(id string) error { _, err := c.Stream(ctx, "", id, 0); return err },
		"/v1/conversations/*/cancel":                func(id string) error { return c.Cancel(ctx, "", id) },
		"/v1/conversations/*/retry":                 func(id string) error { _, err := c.Retry(ctx, "", id); return err },
		"/v1/agents/*/execute":                      func(id string) error { _, err := c.Execute(ctx, "", id, hi); return err },
		"/v1/agents/*/versions/3":                   func(id string) error { _, err := c.Plan(ctx, "", id, 3); return err },
		"/v1/conversations/*/tables/t/r/backlinks":  func(id string) error { _, err := c.Backlinks(ctx, "", id, "t", "r"); return err },
		"/v1/conversations/c1/tables/*/r/backlinks": func(id string) error { _, err := c.Backlinks(ctx, "", "c1", id, "r"); return err },
		"/v1/conversations/c1/tables/t/*/backlinks": func(id string) error { _, err := c.Backlinks(ctx, "", "c1", "t", id); return err },
		"/v1/billing/*":                             func(id string) error { _, err := c.Get(ctx, "", nil, "billing", id); return err },
		"/v1/billing/*/more":                        func(id string) error { _, err := c.Post(ctx, "", []byte("{}"), "billing", id, "more"); return err },
	}
	for place, ask := range asks {
		for _, id := range []string{"", ".", ".."} {
			asked = ""
			assert.ErrorIs(t, ask(id), upstream.NotFound, "%q in %s", id, place)
			assert.Empty(t, asked)
		}
		for id, segment := range map[string]string{
			"a/b": "a%2Fb", "../x": "..%2Fx", "a?b=1#c": "a%3Fb=1%23c", "é 😀\n": "%C3%A9%20%F0%9F%98%80%0A",
			"%2e%2e": "%252e%252e", "\xff\x00": "%FF%00", "...": "...",
		} {
			assert.ErrorIs(t, ask(id), upstream.Gone)
			assert.Equal(t, strings.Replace(place, "*", segment, 1), asked)
		}
	}
}
