package telemetry

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
)

const (
	sentTrace = "0af7651916cd43dd8448eb211c80319c"
	sentSpan  = "00-" + sentTrace + "-b7ad6b7169203331-01"
)

// seen is what stands behind Front sees of a request.
type seen struct {
	request *Request
	remote  string
	host    string
	trace   string
	headers http.Header
}

func front(t *testing.T, trusted []string, peer string, headers map[string]string) (seen, http.Header) {
	t.Helper()
	proxies, err := ParseProxies(trusted)
	require.NoError(t, err)
	var s seen
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://inner.example/graphql", nil)
	r.RemoteAddr = peer
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	proxies.Front(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s = seen{RequestOf(r.Context()), r.RemoteAddr, r.Host, "", r.Header}
		if span := trace.SpanContextFromContext(r.Context()); span.IsValid() {
			s.trace = span.TraceID().String()
		}
	})).ServeHTTP(w, r)
	return s, w.Header()
}

// Promise 6: what is believed, of whom.
func TestForwardedHeaders(t *testing.T) {
	all := map[string]string{
		"X-Forwarded-For": "6.6.6.6, 203.0.113.9, 10.0.0.2", "X-Forwarded-Host": "app.example.com:443", "X-Forwarded-Proto": "https",
		"X-Request-Id": "from-the-proxy", "Traceparent": sentSpan,
	}
	for name, c := range map[string]struct {
		trusted []string
		peer    string
		headers map[string]string
		client  string
		host    string
		id      string
		trace   string
	}{
		"nobody is trusted":   {nil, "10.0.0.1:4000", all, "10.0.0.1", "inner.example", "", ""},
		"another is trusted":  {[]string{"10.0.0.0/30"}, "203.0.113.7:4000", all, "203.0.113.7", "inner.example", "", ""},
		"trusted":             {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", all, "203.0.113.9", "app.example.com", "from-the-proxy", sentTrace},
		"by address":          {[]string{"10.0.0.1"}, "10.0.0.1:4000", all, "10.0.0.2", "app.example.com", "from-the-proxy", sentTrace},
		"mapped to IPv6":      {[]string{"10.0.0.0/8"}, "[::ffff:10.0.0.1]:4000", all, "203.0.113.9", "app.example.com", "from-the-proxy", sentTrace},
		"IPv6":                {[]string{"fd00::/8"}, "[fd00::1]:4000", map[string]string{"X-Forwarded-For": "2001:db8::7"}, "2001:db8::7", "inner.example", "", ""},
		"all are proxies":     {[]string{"0.0.0.0/0"}, "10.0.0.1:4000", all, "6.6.6.6", "app.example.com", "from-the-proxy", sentTrace},
		"no headers":          {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", nil, "10.0.0.1", "inner.example", "", ""},
		"nonsense":            {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", map[string]string{"X-Forwarded-For": "<script>", "X-Request-Id": "a b\tc", "Traceparent": "1"}, "10.0.0.1", "inner.example", "", ""},
		"a long id":           {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", map[string]string{"X-Request-Id": strings.Repeat("x", 129)}, "10.0.0.1", "inner.example", "", ""},
		"hosts of a chain":    {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", map[string]string{"X-Forwarded-Host": "evil.example, app.example.com"}, "10.0.0.1", "app.example.com", "", ""},
		"another port stays":  {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", map[string]string{"X-Forwarded-Host": "app.example.com:8443", "X-Forwarded-Proto": "https"}, "10.0.0.1", "app.example.com:8443", "", ""},
		"a port of addresses": {[]string{"10.0.0.0/8"}, "10.0.0.1:4000", map[string]string{"X-Forwarded-For": "203.0.113.9:5123"}, "203.0.113.9", "inner.example", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, answered := front(t, c.trusted, c.peer, c.headers)
			assert.Equal(t, c.client, s.request.Client)
			assert.Equal(t, c.host, s.host)
			assert.Equal(t, c.trace, s.trace)
			if c.id != "" {
				assert.Equal(t, c.id, s.request.ID)
			} else {
				assert.Regexp(t, `^[0-9a-f]{16}$`, s.request.ID)
			}
			assert.Equal(t, s.request.ID, answered.Get("X-Request-Id"))
			if strings.HasSuffix(name, "is trusted") {
				assert.Empty(t, s.headers, "as good as not there")
				assert.Equal(t, c.peer, s.remote)
			}
		})
	}
}

func TestProxiesThatAreNone(t *testing.T) {
	for _, text := range []string{"", "10.0.0.0/33", "proxy.example", "10.0.0"} {
		_, err := ParseProxies([]string{"10.0.0.0/8", text})
		assert.ErrorContains(t, err, "is no CIDR", text)
	}
}

// Promise 5: what a request is known by goes where something is done for it, and nothing else of it does.
func TestCarry(t *testing.T) {
	type own struct{}
	from, cancel := context.WithCancel(context.WithValue(withRequest(t.Context(), &Request{ID: "r1"}), own{}, "its own"))
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	from = trace.ContextWithSpanContext(from, span)
	to := Carry(t.Context(), from)
	cancel()
	assert.NoError(t, to.Err())
	assert.Equal(t, "r1", RequestOf(to).ID)
	assert.Equal(t, span, trace.SpanContextFromContext(to))
	assert.Nil(t, to.Value(own{}))
	assert.Nil(t, RequestOf(Carry(t.Context(), t.Context())))
}
