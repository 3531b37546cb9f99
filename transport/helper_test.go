package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlaygraph/transport/internal/testgql"
)

// Promise 12: no goroutine is left when the tests of this package are over.
func TestMain(m *testing.M) {
	if os.Getenv(readersAddress) != "" {
		runReaders()
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must happen at once.
const patience = 15 * time.Second

// server is a running Handler over real sockets.
type server struct {
	*Handler
	root *testgql.Root
	url  string
	logs *logBuffer
}

type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// start serves the test schema until the test ends, and then drains it, which must succeed.
func start(t testing.TB, opts Options) *server {
	t.Helper()
	return serve(t, &testgql.Root{}, opts)
}

func serve(t testing.TB, root *testgql.Root, opts Options) *server {
	t.Helper()
	s := &server{root: root, logs: &logBuffer{}}
	opts.Logger = slog.New(slog.NewTextHandler(s.logs, nil))
	var err error
	s.Handler, err = New(testgql.NewExecutableSchema(s.root.Config()), opts)
	require.NoError(t, err)
	web := httptest.NewUnstartedServer(s.Handler)
	web.Listener = Listener(web.Listener)
	web.Start()
	s.url = web.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
		web.CloseClientConnections()
		web.Close()
		http.DefaultClient.CloseIdleConnections()
		s.running(t, 0)
	})
	return s
}

// client is a WebSocket client that fails its test on anything unexpected.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

func (s *server) dial(t testing.TB, protocols ...string) *client {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: protocols}
	ws, resp, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), nil)
	require.NoError(t, err)
	resp.Body.Close()
	t.Cleanup(func() { ws.Close() })
	return &client{t, ws}
}

// connect dials and is acknowledged.
func (s *server) connect(t testing.TB) *client {
	t.Helper()
	c := s.dial(t, subprotocol)
	c.send(`{"type":"connection_init"}`)
	c.expect(`{"type":"connection_ack"}`)
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	require.NoError(c.t, c.ws.WriteMessage(websocket.TextMessage, []byte(text)))
}

func (c *client) subscribe(id, query string) {
	c.t.Helper()
	text, err := json.Marshal(map[string]any{"type": "subscribe", "id": id, "payload": map[string]any{"query": query}})
	require.NoError(c.t, err)
	c.send(string(text))
}

func (c *client) receive() string {
	c.t.Helper()
	require.NoError(c.t, c.ws.SetReadDeadline(time.Now().Add(patience)))
	kind, text, err := c.ws.ReadMessage()
	require.NoError(c.t, err)
	require.Equal(c.t, websocket.TextMessage, kind)
	return string(text)
}

func (c *client) expect(texts ...string) {
	c.t.Helper()
	for _, want := range texts {
		require.Equal(c.t, want, c.receive())
	}
}

// expectClose reads until the connection is closed, which it must be for this reason. Messages before it must be none
// of those that nobody asked for: they are returned.
func (c *client) expectClose(code int, text string) {
	c.t.Helper()
	require.NoError(c.t, c.ws.SetReadDeadline(time.Now().Add(patience)))
	for {
		_, _, err := c.ws.ReadMessage()
		if err == nil {
			continue
		}
		var closed *websocket.CloseError
		require.ErrorAs(c.t, err, &closed)
		require.Equal(c.t, code, closed.Code, closed.Text)
		require.Equal(c.t, text, closed.Text)
		return
	}
}

// quiet proves that nothing else was written: a ping of the protocol is answered next.
func (c *client) quiet() {
	c.t.Helper()
	c.send(`{"type":"ping","payload":{"quiet":true}}`)
	c.expect(`{"type":"pong","payload":{"quiet":true}}`)
}

// reply is an HTTP answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

func (s *server) do(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return reply{resp.StatusCode, resp.Header, string(text)}
}

func (s *server) post(t testing.TB, query string, headers ...string) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	require.NoError(t, err)
	return s.do(t, http.MethodPost, "/", string(body), append([]string{"Content-Type", "application/json"}, headers...)...)
}

// eventually waits for what another goroutine is about to do.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, patience, time.Millisecond, what)
}

func (s *server) running(t testing.TB, n int64) {
	t.Helper()
	eventually(t, "running resolvers", func() bool { return s.root.Running.Load() == n })
}

// address is where the server listens.
func (s *server) address() string { return strings.TrimPrefix(s.url, "http://") }

// dialSlow is a connection with a small receive buffer, for peers that do not read.
func (s *server) dialSlow(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.address())
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	t.Cleanup(func() { conn.Close() })
	return conn
}
