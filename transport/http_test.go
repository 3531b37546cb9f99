package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

func TestNegotiate(t *testing.T) {
	cases := []struct {
		accept string
		json   string
		sse    bool
		prefer bool
	}{
		{"", mediaJSON, false, false},
		{"*/*", mediaJSON, false, false},
		{"application/*", mediaJSON, false, false},
		{"application/json", mediaJSON, false, false},
		{"application/json; charset=utf-8", mediaJSON, false, false},
		{"application/json; charset=latin1", "", false, false},
		{"APPLICATION/JSON", mediaJSON, false, false},
		{mediaResponse, mediaResponse, false, false},
		{mediaResponse + ", application/json;q=0.9", mediaResponse, false, false},
		{mediaResponse + ";q=0.5, application/json", mediaJSON, false, false},
		{"application/json, " + mediaResponse, mediaResponse, false, false},
		{mediaResponse + ", application/json, text/event-stream, multipart/mixed", mediaResponse, true, false},
		{"text/event-stream", "", true, true},
		{"text/event-stream, */*;q=0.1", mediaJSON, true, true},
		{"text/*", "", false, false},
		{"text/html", "", false, false},
		{"application/json;q=0", "", false, false},
		{"application/json;q=0, */*", "", false, false},
		{"application/json;q=2", "", false, false},
		{"image/png, text/html;q=0.9, */*;q=0.8", mediaJSON, false, false},
		{";;;, application/json", mediaJSON, false, false},
	}
	for _, tc := range cases {
		t.Run(tc.accept, func(t *testing.T) {
			r := &http.Request{Header: http.Header{}}
			if tc.accept != "" {
				r.Header.Set("Accept", tc.accept)
			}
			a := negotiate(r)
			assert.Equal(t, tc.json, a.json)
			assert.Equal(t, tc.sse, a.sse())
			assert.Equal(t, tc.prefer, a.preferSSE())
		})
	}
}

// Promise 4: statuses and media types.
func TestHTTPStatus(t *testing.T) {
	s := start(t, Options{MaxRequestBytes: 1000})
	s.root.Errors = map[string]error{"gone": coded.New(coded.NotFound, "no such conversation")}
	const contentJSON = "application/json"
	query := func(text string) string { return `{"query":` + fmt.Sprintf("%q", text) + `}` }
	cases := []struct {
		name, method, path, body, content, accept string
		status                                    int
		media, want                               string
	}{
		{"query", "POST", "/", query("{hello}"), contentJSON, "", 200, mediaJSON, `{"data":{"hello":"world"}}`},
		{"query in the new type", "POST", "/", query("{hello}"), contentJSON, mediaResponse, 200, mediaResponse, `{"data":{"hello":"world"}}`},
		{"mutation", "POST", "/", query("mutation{bump}"), "application/json;charset=UTF-8", "", 200, mediaJSON, `{"data":{"bump":1}}`},
		{"GET", "GET", "/?query={hello}", "", "", "", 200, mediaJSON, `{"data":{"hello":"world"}}`},
		{"GET with everything", "GET", "/?operationName=B&variables=" + url.QueryEscape(`{"n":3}`) + "&extensions={}&query=" + url.QueryEscape("query A{hello} query B($n:Int){echo(n:$n)}"), "", "", "", 200, mediaJSON, `{"data":{"echo":"n=3"}}`},
		{"resolver error", "POST", "/", query(`{fail(name:"gone")}`), contentJSON, mediaResponse, 200, mediaResponse, `{"errors":[{"message":"no such conversation","path":["fail"],"locations":[{"line":1,"column":2}],"extensions":{"code":"NOT_FOUND"}}],"data":{"fail":null}}`},
		{"parse, new type", "POST", "/", query("{"), contentJSON, mediaResponse, 400, mediaResponse, "GRAPHQL_PARSE_FAILED"},
		{"parse", "POST", "/", query("{"), contentJSON, "", 200, mediaJSON, "GRAPHQL_PARSE_FAILED"},
		{"validation, new type", "POST", "/", query("{x}"), contentJSON, mediaResponse, 400, mediaResponse, "GRAPHQL_VALIDATION_FAILED"},
		{"validation", "POST", "/", query("{x}"), contentJSON, "", 200, mediaJSON, "GRAPHQL_VALIDATION_FAILED"},
		{"coercion", "POST", "/", query("query($n:Int!){echo(n:$n)}"), contentJSON, "", 200, mediaJSON, "BAD_USER_INPUT"},
		{"too complex", "POST", "/", query("{" + numbered(31, "a#:hello ") + "}"), contentJSON, "", 400, mediaJSON, "BAD_USER_INPUT"},
		{"unknown operation", "POST", "/", `{"query":"query A{hello}","operationName":"B"}`, contentJSON, mediaResponse, 400, mediaResponse, "no operation of the name"},
		{"not acceptable", "POST", "/", query("{hello}"), contentJSON, "text/html", 406, mediaJSON, "the answer can be"},
		{"subscription", "POST", "/", query("subscription{count(to:1)}"), contentJSON, "", 406, mediaJSON, "a subscription needs Accept: text/event-stream"},
		{"subscription by GET", "GET", "/?query=subscription{count(to:1)}", "", "", "", 406, mediaJSON, "a subscription needs"},
		{"PUT", "PUT", "/", query("{hello}"), contentJSON, "", 405, mediaJSON, "PUT is not supported"},
		{"mutation by GET", "GET", "/?query=mutation{bump}", "", "", "", 405, mediaJSON, "a mutation needs POST"},
		{"mutation by GET as SSE", "GET", "/?query=mutation{bump}", "", "", "text/event-stream", 405, mediaJSON, "a mutation needs POST"},
		{"form", "POST", "/", "query={hello}", "application/x-www-form-urlencoded", "", 415, mediaJSON, "a POST needs Content-Type"},
		{"multipart", "POST", "/", "--x--", "multipart/form-data; boundary=x", "", 415, mediaJSON, "a POST needs Content-Type"},
		{"text", "POST", "/", query("{hello}"), "text/plain", "", 415, mediaJSON, "a POST needs Content-Type"},
		{"no content type", "POST", "/", query("{hello}"), "", "", 415, mediaJSON, "a POST needs Content-Type"},
		{"another charset", "POST", "/", query("{hello}"), "application/json; charset=utf-16", "", 415, mediaJSON, "a POST needs Content-Type"},
		{"empty body", "POST", "/", "", contentJSON, "", 400, mediaJSON, "not a JSON object"},
		{"malformed", "POST", "/", `{"query":`, contentJSON, mediaResponse, 400, mediaResponse, "not a JSON object"},
		{"trailing", "POST", "/", query("{hello}") + "{}", contentJSON, "", 400, mediaJSON, "not a JSON object"},
		{"null", "POST", "/", `null`, contentJSON, "", 400, mediaJSON, "must be a JSON object"},
		{"batch", "POST", "/", "[" + query("{hello}") + "]", contentJSON, "", 400, mediaJSON, "batched requests are not supported"},
		{"another case", "POST", "/", `{"Query":"{hello}"}`, contentJSON, "", 400, mediaJSON, "query is missing"},
		{"persisted query", "POST", "/", `{"extensions":{"persistedQuery":{"version":1}}}`, contentJSON, "", 400, mediaJSON, "PersistedQueryNotSupported"},
		{"too large", "POST", "/", query(strings.Repeat(" ", 1000)), contentJSON, mediaResponse, 413, mediaResponse, "PAYLOAD_TOO_LARGE"},
		{"GET without query", "GET", "/", "", "", "", 400, mediaJSON, "query is missing"},
		{"empty query", "POST", "/", query(""), contentJSON, mediaResponse, 400, mediaResponse, "the document is empty"},
		{"GET with an escape that is none", "GET", "/?query=%zz", "", "", "", 400, mediaJSON, "the URL's parameters can't be read"},
		{"GET with a semicolon", "GET", "/?query={hello};x", "", "", "", 400, mediaJSON, "the URL's parameters can't be read"},
		{"GET with two queries", "GET", "/?query={hello}&query={me{id}}", "", "", "", 400, mediaJSON, "more than once"},
		{"GET with bad variables", "GET", "/?query={hello}&variables=[]", "", "", "", 400, mediaJSON, "variables must be an object"},
		{"panic", "POST", "/", query("{panics}"), contentJSON, mediaResponse, 200, mediaResponse, `"data":{"panics":null}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var headers []string
			if tc.content != "" {
				headers = append(headers, "Content-Type", tc.content)
			}
			if tc.accept != "" {
				headers = append(headers, "Accept", tc.accept)
			}
			got := s.do(t, tc.method, tc.path, tc.body, headers...)
			assert.Equal(t, tc.status, got.status, got.body)
			assert.Equal(t, tc.media+"; charset=utf-8", got.header.Get("Content-Type"))
			assert.Contains(t, got.body, tc.want)
			assert.Contains(t, strings.Join(got.header.Values("Vary"), ","), "Accept")
			assert.Equal(t, "no-store", got.header.Get("Cache-Control"))
			if tc.status >= 400 {
				assert.NotContains(t, got.body, `"data"`)
			}
			if tc.status == 405 {
				assert.Contains(t, got.header.Get("Allow"), "POST")
			}
		})
	}
	assert.Contains(t, s.do(t, "POST", "/", "{}", "Content-Type", contentJSON, "Content-Encoding", "gzip").body, "not encoded")
	// Bodies of unknown length are held to the limit too.
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url, struct{ *strings.Reader }{strings.NewReader(query(strings.Repeat(" ", 1000)))})
	require.NoError(t, err)
	req.ContentLength = -1
	req.Header.Set("Content-Type", contentJSON)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 413, resp.StatusCode)
}

// Options.Init by HTTP: the errors table.
func TestHTTPSession(t *testing.T) {
	var refusal error
	var expiry time.Time
	s := start(t, Options{Init: func(ctx context.Context, r *http.Request, payload json.RawMessage) (context.Context, time.Time, error) {
		assert.Nil(t, payload)
		return ctx, expiry, refusal
	}})
	for code, status := range map[coded.Code]int{coded.Unauthenticated: 401, coded.Forbidden: 403, coded.RateLimited: 429, coded.UpstreamUnavailable: 503} {
		refusal = coded.New(code, "no")
		got := s.post(t, "{hello}")
		assert.Equal(t, status, got.status)
		assert.Equal(t, `{"errors":[{"message":"no","extensions":{"code":"`+string(code)+`"}}]}`, got.body)
	}
	refusal = fmt.Errorf("secret")
	got := s.post(t, "{hello}")
	assert.Equal(t, 500, got.status)
	assert.Equal(t, `{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]}`, got.body)
	// Whoever was let in past the session's time, by a leeway, gets an answer and no stream.
	refusal, expiry = nil, time.Now().Add(-time.Second)
	assert.Equal(t, 200, s.post(t, "{hello}").status)
	for _, query := range []string{"{hello}", "subscription{count(to:1)}", "{nope}"} {
		got = s.post(t, query, "Accept", acceptSSE)
		assert.Equal(t, 401, got.status)
		assert.Equal(t, "Bearer", got.header.Get("WWW-Authenticate"))
		assert.Equal(t, `{"errors":[{"message":"the session has expired","extensions":{"code":"UNAUTHENTICATED"}}]}`, got.body)
	}
}

// Promise 12: a client that leaves cancels its query.
func TestHTTPClientLeaves(t *testing.T) {
	s := start(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", s.url, strings.NewReader(`{"query":"{block}"}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	done := make(chan error)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		done <- err
	}()
	s.running(t, 1)
	cancel()
	assert.ErrorIs(t, <-done, context.Canceled)
	s.running(t, 0)
}

// The deadline of an answer does not stand for the next request on its connection.
func TestHTTPKeepAlive(t *testing.T) {
	s := start(t, Options{WriteTimeout: 100 * time.Millisecond})
	assert.Equal(t, 200, s.post(t, "{hello}").status)
	time.Sleep(150 * time.Millisecond)
	big := s.post(t, "{bytes(count:1000000)}")
	assert.Equal(t, 200, big.status)
	assert.Greater(t, len(big.body), 1_000_000)
}

// Promise 5: foreign, null and look-alike origins are refused on every path in.
func TestOrigins(t *testing.T) {
	cases := []struct {
		origin string
		allow  []string
		want   bool
	}{
		{"http://SELF", nil, true},
		{"https://SELF", nil, true},
		{"null", nil, false},
		{"http://SELF.evil.example", nil, false},
		{"http://evil-SELF", nil, false},
		{"http://SELF@evil.example", nil, false},
		{"http://evil.example", nil, false},
		{"http://SELF/path", nil, false},
		{"file://SELF", nil, false},
		{"", nil, false},
		{"http://OTHERPORT", nil, false},
		{"http://HOST", nil, false},
		{"http://SELF.", nil, false},
		{"http://xSELF", nil, false},
		{"http://user@SELF", nil, false},
		{"http://user:word@SELF", nil, false},
		{"http://SELF?", nil, false},
		{"http://SELF#", nil, false},
		{"http://SELF/", nil, false},
		{"http://SELF, http://SELF", nil, false},
		{" http://SELF", nil, true}, // a header's space is no part of it
		{"//SELF", nil, false},
		{"SELF", nil, false},
		{"ws://SELF", nil, false},
		{"javascript://SELF", nil, false},
		{"HTTP://SELF", nil, true}, // no browser spells it so
		{"NULL", nil, false},
		{"https://app.example.com", []string{"https://app.example.com"}, true},
		{"https://APP.example.com", []string{"https://app.example.com/"}, true},
		{"http://app.example.com", []string{"https://app.example.com"}, false},
		{"https://app.example.com.evil.example", []string{"https://app.example.com"}, false},
		{"https://app.example.com:8443", []string{"https://app.example.com"}, false},
		{"https://any.example", []string{"*"}, true},
		{"null", []string{"*"}, false},
		{"https://app.example.com.", []string{"https://app.example.com"}, false},
		{"https://xapp.example.com", []string{"https://app.example.com"}, false},
		{"https://x.app.example.com", []string{"https://app.example.com"}, false},
		{"https://app.example.com:443", []string{"https://app.example.com"}, false},
		{"https://app.example.com@evil.example", []string{"https://app.example.com"}, false},
		{"https://app.example.com%2eevil.example", []string{"https://app.example.com"}, false},
		{"https://аpp.example.com", []string{"https://app.example.com"}, false}, // the first letter is Cyrillic
		{"https://any.example/x", []string{"*"}, false},
		{"chrome-extension://abc", []string{"*"}, false},
	}
	for _, tc := range cases {
		t.Run(tc.origin+fmt.Sprint(tc.allow), func(t *testing.T) {
			s := start(t, Options{AllowOrigins: tc.allow})
			host, port, err := net.SplitHostPort(s.address())
			require.NoError(t, err)
			origin := strings.NewReplacer("SELF", s.address(), "OTHERPORT", host+":1"+port[1:]+"0", "HOST", host).Replace(tc.origin)
			status := func(want int) int {
				if tc.want {
					return want
				}
				return http.StatusForbidden
			}
			got := s.post(t, "{hello}", "Origin", origin)
			assert.Equal(t, status(200), got.status)
			if !tc.want {
				assert.Contains(t, got.body, "FORBIDDEN")
				assert.Empty(t, got.header.Get("Access-Control-Allow-Origin"))
			} else {
				assert.Equal(t, strings.TrimSpace(origin), got.header.Get("Access-Control-Allow-Origin"))
				assert.Equal(t, "Retry-After", got.header.Get("Access-Control-Expose-Headers"))
				assert.Empty(t, got.header.Get("Access-Control-Allow-Credentials"))
			}
			preflight := s.do(t, "OPTIONS", "/", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
			assert.Equal(t, status(204), preflight.status)
			socket := s.do(t, "GET", "/", "", "Origin", origin, "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "12")
			assert.Equal(t, status(400), socket.status, "the version is looked at after the origin")
			stream := s.post(t, "subscription{count(to:1)}", "Origin", origin, "Accept", "text/event-stream")
			assert.Equal(t, status(200), stream.status)
		})
	}
	s := start(t, Options{})
	assert.Equal(t, 403, s.post(t, "{hello}", "Origin", s.url, "Origin", "http://evil.example").status)
	assert.Equal(t, 200, s.post(t, "{hello}").status)
}

// A foreign host over loopback is refused where it is asked for, with an Origin or without, on every path in.
func TestHosts(t *testing.T) {
	checked, free := start(t, Options{CheckHost: true, AllowOrigins: []string{"https://app.example.com", "http://dev.example:5173"}}), start(t, Options{})
	for host, allowed := range map[string]bool{
		"SELF": true, "localhost:8080": true, "LOCALHOST": true, "a.localhost:1": true, "127.0.0.1": true, "[::1]:80": true, "192.0.2.1:80": true, "localhost.": true,
		"app.example.com": true, "App.Example.com": true, "dev.example:5173": true,
		"evil.example": false, "evil.example:8080": false, "dev.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "evillocalhost": false,
	} {
		for _, s := range []*server{checked, free} {
			ask := func(method, path, body string, header http.Header) int {
				req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
				require.NoError(t, err)
				req.Header = header
				req.Host = strings.ReplaceAll(host, "SELF", s.address())
				resp, err := http.DefaultClient.Do(req)
				require.NoError(t, err)
				resp.Body.Close()
				return resp.StatusCode
			}
			status := func(good int) int {
				if s == checked && !allowed {
					return http.StatusForbidden
				}
				return good
			}
			own := "http://" + strings.ReplaceAll(host, "SELF", s.address())
			assert.Equal(t, status(200), ask("GET", "/?query={hello}", "", http.Header{}), host)
			assert.Equal(t, status(200), ask("POST", "/", `{"query":"{hello}"}`, http.Header{"Content-Type": {mediaJSON}, "Origin": {own}}), host)
			assert.Equal(t, status(200), ask("POST", "/", `{"query":"{hello}"}`, http.Header{"Content-Type": {mediaJSON}, "Accept": {acceptSSE}}), host)
			assert.Equal(t, status(400), ask("GET", "/", "", http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"12"}}), host)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, opts := range map[string]Options{
		"MaxTokens":    {MaxTokens: -1},
		"WriteTimeout": {WriteTimeout: -1},
		"PeerTimeout":  {PeerTimeout: time.Second},
		"AllowOrigins": {AllowOrigins: []string{"app.example.com"}},
		"a path":       {AllowOrigins: []string{"https://app.example.com/x"}},
	} {
		_, err := opts.withDefaults()
		assert.Error(t, err, name)
	}
}
