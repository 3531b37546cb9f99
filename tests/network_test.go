package tests

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// freeAddress is a loopback address that nobody listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// answering503 is an upstream that answers everything with the status that the channel holds.
func answering503(t *testing.T, status chan int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		now := <-status
		status <- now
		refuse(w, now)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// keyFiles are a certificate for loopback that signs itself, and its key.
func keyFiles(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	folder := t.TempDir()
	certFile, keyFile = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	parsed, err := x509.ParseCertificate(cert)
	require.NoError(t, err)
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return certFile, keyFile, roots
}

// Requests, WebSockets and event streams over TLS, HTTP/2 included, and a drain of them.
func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, roots := keyFiles(t)
	s := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile)
	require.True(t, strings.HasPrefix(s.url, "https://"), s.url)
	for _, second := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: second}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		res, err := client.Do(s.newPost(t, mediaJSON, request{Query: demoChat}))
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		require.NoError(t, err)
		assert.JSONEq(t, `{"data":{"conversation":{"id":"demo-chat"}}}`, string(body))
		assert.Equal(t, map[bool]int{false: 1, true: 2}[second], res.ProtoMajor)

		res, err = client.Do(s.newPost(t, mediaEvents, request{Query: chat(`{ status }`).operation("demo-chat")}))
		require.NoError(t, err)
		defer res.Body.Close()
		first := make([]byte, 64)
		n, err := io.ReadAtLeast(res.Body, first, len(":\n\nevent: next"))
		require.NoError(t, err)
		assert.Contains(t, string(first[:n]), "event: next")
	}
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, TLSClientConfig: &tls.Config{RootCAs: roots}}
	conn, _, err := dialer.DialContext(t.Context(), strings.Replace(s.url, "https", "wss", 1), nil)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "connection_init"}))
	_, ack, err := conn.ReadMessage()
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"connection_ack"}`, string(ack))

	plain, err := http.Get(strings.Replace(s.base(), "https", "http", 1) + "/healthz")
	require.NoError(t, err)
	plain.Body.Close()
	assert.Equal(t, http.StatusBadRequest, plain.StatusCode)
	old := &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS11}
	_, err = tls.Dial("tcp", strings.TrimPrefix(s.base(), "https://"), old)
	assert.Error(t, err)

	assert.Equal(t, 0, s.stop(t))
	_, _, err = conn.ReadMessage()
	assert.True(t, websocket.IsCloseError(err, websocket.CloseServiceRestart), "%v", err)
}

// What a proxy says is believed of one that is trusted: whose page may use the API, and which id a request has.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args   []string
		status int
		id     string
	}{
		"trusted": {[]string{"--trusted-proxy", "127.0.0.0/8"}, http.StatusOK, "from-the-proxy"},
		"another": {[]string{"--trusted-proxy", "10.0.0.0/8"}, http.StatusForbidden, ""},
		"nobody":  {nil, http.StatusForbidden, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, append(tc.args, "--log-level", "debug")...)
			r := s.newPost(t, mediaJSON, request{Query: `{ nothing }`})
			r.Header.Set("Origin", "https://app.example.com")
			r.Header.Set("X-Forwarded-Host", "app.example.com")
			r.Header.Set("X-Forwarded-Proto", "https")
			r.Header.Set("X-Forwarded-For", "203.0.113.9")
			r.Header.Set("X-Request-Id", "from-the-proxy")
			res, err := client(t).Do(r)
			require.NoError(t, err)
			res.Body.Close()
			assert.Equal(t, tc.status, res.StatusCode)
			assert.Equal(t, len(tc.args) == 0, get(t, s.base()+"/metrics").status == http.StatusOK, "a proxy would show metrics to everybody")
			if tc.id != "" {
				assert.Equal(t, tc.id, res.Header.Get("X-Request-Id"))
				eventually(t, patience, func() string {
					for _, line := range logLines(t, s.stderr.String()) {
						if line["msg"] == "operation" && line["request"] == tc.id && line["client"] == "203.0.113.9" && line["level"] == "INFO" {
							return ""
						}
					}
					return "no line of the operation"
				})
			} else {
				assert.Regexp(t, `^[0-9a-f]{16}$`, res.Header.Get("X-Request-Id"))
			}
		})
	}
}

// logLines are the lines of a log, which are JSON each.
func logLines(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			var members map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &members), line)
			all = append(all, members)
		}
	}
	return all
}

// What must be in no log and in no trace, wherever it was said.
const (
	saidByUser     = "canary-of-the-user-51c2"
	saidByTool     = "canary-of-a-tool-77ab"
	saidByUpstream = "canary-of-upstream-09fe"
)

// collector takes traces, and keeps what came as it came.
type collector struct {
	url string

	mu   sync.Mutex
	text bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, _ = io.Copy(&c.text, r.Body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

func (c *collector) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// Logs at their loudest and traces of everything, over a session in which all kinds of content go by and upstream fails with
// more of it: none of it is in either. Every line of an operation has its request, and what upstream is asked for it is part
// of its trace.
func TestNoContentInLogsAndTraces(t *testing.T) {
	t.Parallel()
	traces := newCollector(t)
	p := newTenancy(t)
	var mu sync.Mutex
	parents := map[string]bool{} // ids of traces that upstream was asked in
	inner := p.http.Config.Handler
	p.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if parts := strings.Split(r.Header.Get("Traceparent"), "-"); len(parts) == 4 {
			mu.Lock()
			parents[parts[1]] = true
			mu.Unlock()
		}
		inner.ServeHTTP(w, r)
	})
	s := start(t, []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + traces.url, "OTEL_BSP_SCHEDULE_DELAY=50", "INLAY_JWT_SECRET=" + jwtSecret,
	}, "serve", "--listen", "127.0.0.1:0", "--upstream", p.http.URL, "--log-level", "debug", "--upstream-header", "X-Key="+secretly)
	ann := p.enrol(t, "ann", "acme", time.Now().Add(time.Hour))
	c := p.add("acme", "talk", "ann").begin(wire.AwaitingClientTool)
	d := &driven{p: p, s: s, ann: ann}

	m := dialWith(t, s, map[string]any{"token": ann}).subscribe(t, "subscription Watch "+strings.TrimPrefix(timeline("").operation("talk"), "subscription "))
	m.message(t, 1)
	d.do(t, ann, `query Look { conversation(id: "talk") { timeline { id ... on UserRow { content } } } }`)
	p.answer(execute, 500, `{"error":{"code":"broken","message":"`+saidByUpstream+`"}}`)
	d.fails(t, ann, answering("talk", "call1", `"`+saidByTool+`"`), "UPSTREAM_UNAVAILABLE")
	d.fails(t, ann, sending("", saidByUser, ""), "UPSTREAM_UNAVAILABLE")
	p.answer("GET /v1/conversations", 500, `{"error":{"code":"`+saidByUpstream+` in words","message":"`+saidByUpstream+`"}}`)
	d.fails(t, ann, `{ conversations { hasMore } }`, "UPSTREAM_UNAVAILABLE")
	p.answer("GET /v1/conversations/gone", 503, saidByUpstream)
	d.fails(t, ann, `{ conversation(id: "gone") { id } }`, "UPSTREAM_UNAVAILABLE")
	d.fails(t, ann, `{ conversation(id: "talk") { toolCall(toolCallId: "`+saidByUser+`") { nothing } } }`, "GRAPHQL_VALIDATION_FAILED")
	s.ask(t, ann[:len(ann)-4]+"AAAA", whoAsks)
	c.say(pausing(wire.Paused))
	eventually(t, patience, func() string {
		for _, span := range []string{"subscription timeline", "query conversation", "mutation send", "mutation submitToolResult", "upstream head", "upstream execute", "Watch", "inlaygraph"} {
			if !strings.Contains(traces.String(), span) {
				return "no span with " + span
			}
		}
		return ""
	})
	assert.Equal(t, 0, s.stop(t))

	mu.Lock()
	defer mu.Unlock()
	assert.NotEmpty(t, parents)
	for id := range parents {
		raw, err := hex.DecodeString(id)
		require.NoError(t, err)
		assert.Contains(t, traces.String(), string(raw), "a trace that upstream was asked in was sent")
	}
	sent, log := traces.String(), s.stderr.String()
	for _, canary := range []string{saidByUser, saidByTool, saidByUpstream, secretly, ann, ann[len(ann)-20:], jwtSecret} {
		assert.NotContains(t, log, canary)
		assert.NotContains(t, sent, canary)
	}
	assert.Equal(t, strings.Count(sent, "subscription timeline"), 1, "one span, not one for each value")
	operations := map[any]int{}
	for _, line := range logLines(t, log) {
		if line["msg"] == "operation" {
			operations[line["code"]]++
			assert.NotEmpty(t, line["request"])
			assert.NotEmpty(t, line["trace"])
			assert.Equal(t, "127.0.0.1", line["client"])
		}
		if line["msg"] == "upstream unavailable" {
			assert.NotEmpty(t, line["request"])
			assert.NotEmpty(t, line["session"])
		}
	}
	assert.Equal(t, map[any]int{"": 2, "UPSTREAM_UNAVAILABLE": 4, "GRAPHQL_VALIDATION_FAILED": 1}, operations)
}
