package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

const headJSON = `{"type":"conversation","conversation_id":"c1","agent_id":"a","agent_version":1,"status":"running","last_offset":4}`

// serve answers every request with h, and makes a client of it.
func serve(t *testing.T, h http.HandlerFunc, o Options) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	o.BaseURL = server.URL + o.BaseURL
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		c.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return c
}

func say(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

func TestBaseURL(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://127.0.0.1:9": true, "https://platform.example/base/": true,
		"": false, "ftp://x": false, "http://": false, "/path": false, "http://x?q=1": false, "http://x#f": false, "http://[": false,
	} {
		_, err := New(Options{BaseURL: url})
		assert.Equal(t, ok, err == nil, "%q: %v", url, err)
	}
	_, err := New(Options{BaseURL: "ftp://user:secret@x"})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
}

func TestRequests(t *testing.T) {
	var got *http.Request
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(context.Background())
		switch {
		case strings.HasSuffix(r.URL.Path, "/stream"):
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		case strings.HasSuffix(r.URL.Path, "/rows"):
			io.WriteString(w, `{"rows":[],"has_earlier":false}`)
		default:
			io.WriteString(w, headJSON)
		}
	}, Options{BaseURL: "/base/", Header: http.Header{"x-team": {"blue"}, "Authorization": {"Basic own"}}})
	ctx := t.Context()

	_, err := c.Head(ctx, "tok", "c1")
	require.NoError(t, err)
	assert.Equal(t, "/base/v1/conversations/c1", got.RequestURI)
	assert.Equal(t, "Bearer tok", got.Header.Get("Authorization"))
	assert.Equal(t, "blue", got.Header.Get("X-Team"))

	_, err = c.Head(ctx, "", "c1")
	require.NoError(t, err)
	assert.Equal(t, "Basic own", got.Header.Get("Authorization"), "without a token the configured header stays")

	_, _, err = c.Rows(ctx, "", "c1", upstream.RowsQuery{})
	require.NoError(t, err)
	assert.Equal(t, "/base/v1/conversations/c1/rows", got.RequestURI)
	_, _, err = c.Rows(ctx, "", "c1", upstream.RowsQuery{BeforeSeq: 7, AfterSeq: 3, Limit: 20})
	require.NoError(t, err)
	assert.Equal(t, "after_seq=3&before_seq=7&limit=20", got.URL.RawQuery)

	for after, want := range map[int64]string{0: "", 41: "41"} {
		s, err := c.Stream(ctx, "tok", "c1", after)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		assert.Equal(t, want, got.Header.Get("Last-Event-ID"))
		assert.Equal(t, "text/event-stream", got.Header.Get("Accept"))
		assert.Equal(t, "/base/v1/conversations/c1/stream", got.RequestURI)
	}
}

// Promise 5 of the package.
func TestIDsStayInTheirPlace(t *testing.T) {
	asked := ""
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI
		w.WriteHeader(http.StatusNotFound)
	}, Options{})
	for id, want := range map[string]string{
		"": "", ".": "", "..": "",
		"a/b": "/v1/conversations/a%2Fb", "../x": "/v1/conversations/..%2Fx", "a?b=1#c": "/v1/conversations/a%3Fb=1%23c",
		"é 😀\n": "/v1/conversations/%C3%A9%20%F0%9F%98%80%0A", "%2e%2e": "/v1/conversations/%252e%252e",
	} {
		asked = ""
		_, err := c.Head(t.Context(), "", id)
		assert.ErrorIs(t, err, upstream.NotFound, "%q", id)
		assert.Equal(t, want, asked, "%q", id)
	}
}

// Promise 2 of package upstream: one kind for each refusal, in our own words.
func TestRefusals(t *testing.T) {
	const secret = "do not show me"
	for _, c := range []struct {
		status       int
		head, stream upstream.Kind
	}{
		{401, upstream.Unauthenticated, upstream.Unauthenticated},
		{403, upstream.Forbidden, upstream.Forbidden},
		{404, upstream.NotFound, upstream.CannotReattach},
		{410, upstream.Gone, upstream.Gone},
		{429, upstream.RateLimited, upstream.RateLimited},
		{204, upstream.Unavailable, upstream.Idle},
		{302, upstream.Unavailable, upstream.Unavailable},
		{400, upstream.Unavailable, upstream.Unavailable},
		{500, upstream.Unavailable, upstream.Unavailable},
		{503, upstream.Unavailable, upstream.Unavailable},
	} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(c.status)
			if c.status != 204 {
				fmt.Fprintf(w, `{"error":{"code":"some_code","message":%q}}`, secret)
			}
		}, Options{})
		check := func(op string, want upstream.Kind, err error) {
			var e *upstream.Error
			require.ErrorAs(t, err, &e, "%d", c.status)
			assert.Equal(t, want, e.Kind, "%s %d", op, c.status)
			assert.Equal(t, c.status, e.Status)
			assert.Equal(t, op, e.Op)
			assert.ErrorIs(t, err, want)
			assert.NotContains(t, err.Error(), "some_code")
			assert.NotContains(t, e.LogValue().String(), secret)
			if c.status != 204 {
				assert.Contains(t, e.LogValue().String(), "some_code")
			}
			asked := c.status == 429 || c.status == 503
			assert.Equal(t, asked, e.HasRetryAfter)
			if asked {
				assert.Equal(t, 7*time.Second, e.RetryAfter)
			}
		}
		_, err := client.Head(t.Context(), "", "c1")
		check("head", c.head, err)
		_, _, err = client.Rows(t.Context(), "", "c1", upstream.RowsQuery{})
		check("rows", c.head, err)
		_, err = client.Plan(t.Context(), "", "a", 1)
		check("plan", c.head, err)
		_, err = client.Stream(t.Context(), "", "c1", 0)
		check("stream", c.stream, err)
		assert.Equal(t, c.status == 403 || c.status == 404 || c.status == 410,
			upstream.Hidden(&upstream.Error{Kind: c.head}))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0": 0, " 30 ": 30 * time.Second, "99999999999": maxRetryAfter, "": -1, "soon": -1, "-3": -1, "1.5": -1,
		"Mon, 05 Jan 2026 09:01:00 GMT": time.Minute, "Mon, 05 Jan 2026 08:00:00 GMT": 0,
		"Fri, 05 Jan 2029 09:00:00 GMT": maxRetryAfter,
	} {
		got, ok := retryAfter(value, now)
		assert.Equal(t, want >= 0, ok, "%q", value)
		assert.Equal(t, max(want, 0), got, "%q", value)
	}
}

func TestNonsense(t *testing.T) {
	for name, body := range map[string]string{
		"empty": "", "html": "<html>secret</html>", "list": "[]", "another's": strings.Replace(headJSON, "c1", "c2", 1),
		"no status": `{"type":"conversation","conversation_id":"c1","agent_id":"secret","agent_version":1}`,
		"cut":       headJSON[:60], "too long": headJSON + strings.Repeat(" ", 5000),
	} {
		c := serve(t, say(body), Options{MaxAnswer: 4096})
		_, err := c.Head(t.Context(), "", "c1")
		assert.ErrorIs(t, err, upstream.Unavailable, name)
		var e *upstream.Error
		require.ErrorAs(t, err, &e, name)
		assert.NotContains(t, e.LogValue().String(), "secret", name)
	}
	for _, body := range []string{"", "[]", `{"has_earlier":false}`, `{"rows":{},"has_earlier":false}`} {
		_, _, err := serve(t, say(body), Options{}).Rows(t.Context(), "", "c1", upstream.RowsQuery{})
		assert.ErrorIs(t, err, upstream.Unavailable, body)
	}
}

// Promise 3 of package upstream, for rows.
func TestRowsThatDoNotDecodeAreTold(t *testing.T) {
	c := serve(t, say(`{"rows":[{"type":"user","seq":1,"content":"hi"},{"type":"user","content":"no seq"},`+
		`{"type":"edge","seq":3,"from":"a","to":"b"}],"has_earlier":true}`), Options{})
	page, rejected, err := c.Rows(t.Context(), "", "c1", upstream.RowsQuery{})
	require.NoError(t, err)
	assert.True(t, page.HasEarlier)
	require.Len(t, page.Rows, 2)
	assert.EqualValues(t, 3, page.Rows[1].Seq)
	require.Len(t, rejected, 1)
	assert.Equal(t, wire.ReasonMissing, rejected[0].Reason)
}

func TestAHeadMayBeLongerThanAFrame(t *testing.T) {
	long := strings.TrimSuffix(headJSON, "}") + `,"title":"` + strings.Repeat("x", 4000) + `"}`
	h, err := serve(t, say(long), Options{MaxFrame: 1000}).Head(t.Context(), "", "c1")
	require.NoError(t, err)
	assert.Len(t, h.Title, 4000)
}

// Promise 1 of the package, and the caller's own impatience.
func TestTimeouts(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, headJSON[:20])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, Options{ReadTimeout: 50 * time.Millisecond})
	start := time.Now()
	_, err := c.Head(t.Context(), "", "c1")
	assert.ErrorIs(t, err, upstream.Unavailable)
	assert.Less(t, time.Since(start), 5*time.Second)

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = c.Head(ctx, "", "c1")
	assert.Equal(t, context.DeadlineExceeded, err)
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	c, err := New(Options{BaseURL: "http://" + address})
	require.NoError(t, err)
	_, err = c.Head(t.Context(), "", "c1")
	assert.ErrorIs(t, err, upstream.Unavailable)
	assert.NotContains(t, err.Error(), address)
	_, err = c.Stream(t.Context(), "", "c1", 0)
	assert.ErrorIs(t, err, upstream.Unavailable)
}

// Promise 4 of the package.
func TestNoRedirect(t *testing.T) {
	followed := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer other.Close()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}, Options{})
	_, err := c.Head(t.Context(), "tok", "c1")
	assert.ErrorIs(t, err, upstream.Unavailable)
	assert.False(t, followed)
}

// Promise 1 of package upstream: no token in an error, whatever it looks like.
func TestTokensStayOutOfErrors(t *testing.T) {
	c := serve(t, say(""), Options{})
	for _, token := range []string{"s3cret", "s3cret\nX: y", strings.Repeat("s3cret", 50_000)} {
		_, err := c.Head(t.Context(), token, "c1")
		require.Error(t, err)
		var e *upstream.Error
		require.True(t, errors.As(err, &e))
		assert.NotContains(t, e.LogValue().String(), "s3cret")
	}
}

func TestPlan(t *testing.T) {
	asked := ""
	const body = `{"agent_id":"a/b","agent_version":3,"nodes":[{"path":["x"]}]}`
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI + " " + r.Header.Get("Authorization")
		io.WriteString(w, body)
	}, Options{BaseURL: "/base"})
	plan, err := c.Plan(t.Context(), "tok", "a/b", 3)
	require.NoError(t, err)
	assert.Equal(t, "/base/v1/agents/a%2Fb/versions/3 Bearer tok", asked)
	assert.Equal(t, []wire.PlanNode{{Path: []string{"x"}}}, plan.Nodes)

	for _, id := range []string{"", ".", ".."} {
		asked = ""
		_, err = c.Plan(t.Context(), "", id, 3)
		assert.ErrorIs(t, err, upstream.NotFound)
		assert.Empty(t, asked)
	}
	_, err = c.Plan(t.Context(), "", "a/b", -1)
	assert.ErrorIs(t, err, upstream.NotFound)
	assert.Empty(t, asked)

	for want, bad := range map[string]string{
		"the plan of another agent or version": strings.Replace(body, "a/b", "a", 1),
		"plan of another agent or version":     strings.Replace(body, ":3", ":4", 1),
		"missing_member at nodes[0].path":      strings.Replace(body, "path", "route", 1),
		"invalid_plan at nodes[0].path":        strings.Replace(body, `"x"`, ``, 1),
		"malformed_json":                       "<html>",
		"an answer of more than 4096 bytes":    body + strings.Repeat(" ", 4096),
	} {
		plan, err := serve(t, say(bad), Options{MaxAnswer: 4096}).Plan(t.Context(), "", "a/b", 3)
		assert.Nil(t, plan)
		assert.ErrorIs(t, err, upstream.Unavailable, want)
		var e *upstream.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "plan", e.Op)
		assert.Contains(t, e.LogValue().String(), want)
		assert.NotContains(t, e.Error(), want)
	}
}
