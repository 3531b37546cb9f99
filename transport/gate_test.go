package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/session"
)

// The rules of docs/service.md ("Sessions") over real sockets, with a real Gate.

var gateSecret = []byte("a secret of more than thirty-two bytes")

// gated serves behind a Gate.
func gated(t *testing.T, gate *session.Gate, leeway time.Duration, opts Options) *server {
	t.Helper()
	var err error
	gate.Verifier, err = session.NewVerifier(t.Context(), session.Options{Secret: gateSecret, Leeway: leeway})
	require.NoError(t, err)
	opts.Upgrade, opts.Init, opts.Stream = gate.Upgrade, gate.Init, gate.Stream
	opts.Operation, opts.Mutation = gate.Operation, gate.Mutation
	return start(t, opts)
}

func tokenOf(t *testing.T, user string, until time.Time) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"tenant": "acme", "sub": user, "exp": until.Unix()}).SignedString(gateSecret)
	require.NoError(t, err)
	return text
}

// inAnHour is a token that outlives its test.
func inAnHour(t *testing.T, user string) string { return tokenOf(t, user, time.Now().Add(time.Hour)) }

// upgrade asks for a WebSocket. The status is the answer's when it is refused.
func (s *server) upgrade(t *testing.T, headers http.Header) (*client, *http.Response) {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{subprotocol}}
	ws, resp, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), headers)
	if err != nil {
		require.ErrorIs(t, err, websocket.ErrBadHandshake)
		return nil, resp
	}
	t.Cleanup(func() { ws.Close() })
	return &client{t, ws}, nil
}

func authorization(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

func initWith(token string) string {
	return `{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`
}

const ack = `{"type":"connection_ack"}`

// A socket's token comes with connection_init or with the upgrade; a bad one at the upgrade is HTTP 401, else 4403.
func TestGateWebSocket(t *testing.T) {
	s := gated(t, &session.Gate{}, 0, Options{})
	for name, message := range map[string]string{
		"Authorization": initWith(inAnHour(t, "ada")),
		"authorization": `{"type":"connection_init","payload":{"authorization":"bearer ` + inAnHour(t, "ada") + `"}}`,
		"token":         `{"type":"connection_init","payload":{"token":"` + inAnHour(t, "ada") + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := s.dial(t, subprotocol)
			c.send(message)
			c.expect(ack)
			c.subscribe("1", "{hello}")
			c.expect(`{"id":"1","type":"next","payload":{"data":{"hello":"world"}}}`, `{"id":"1","type":"complete"}`)
		})
	}
	c, _ := s.upgrade(t, authorization(inAnHour(t, "ada")))
	c.send(`{"type":"connection_init"}`)
	c.expect(ack)
	for message, text := range map[string]string{
		`{"type":"connection_init"}`:                   "a token is needed",
		`{"type":"connection_init","payload":{"x":1}}`: "a token is needed",
		initWith("x"): "the token is not valid",
		initWith(tokenOf(t, "ada", time.Now().Add(-time.Hour))): "the token is not valid",
		initWith(inAnHour(t, "ada") + `","token":"x`):           "the token is not valid",
	} {
		c := s.dial(t, subprotocol)
		c.send(message)
		c.expectClose(4403, text)
	}
	c, _ = s.upgrade(t, authorization(inAnHour(t, "ada")))
	c.send(initWith(inAnHour(t, "bob")))
	c.expectClose(4403, "the tokens of the upgrade and of connection_init are not of one user")
	for _, bad := range []http.Header{authorization("x"), {"Authorization": {"Basic eDp5"}}, {"Authorization": {"Bearer a", "Bearer b"}}} {
		_, resp := s.upgrade(t, bad)
		assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
		assert.Equal(t, "Bearer", resp.Header.Get("WWW-Authenticate"))
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, `{"errors":[{"message":"the token is not valid","extensions":{"code":"UNAUTHENTICATED"}}]}`, string(body))
	}
	assert.NotContains(t, s.logs.String(), "eyJ")
}

// POST, GET and event streams: 401 without a good token, in the header alone.
func TestGateHTTP(t *testing.T) {
	s := gated(t, &session.Gate{}, 0, Options{})
	bearer := "Bearer " + inAnHour(t, "ada")
	assert.Equal(t, 200, s.post(t, "{hello}", "Authorization", bearer).status)
	assert.Equal(t, 200, s.do(t, "GET", "/?query={hello}", "", "Authorization", bearer).status)
	assert.Equal(t, "200", strings.Fields(s.raw(t, bearer, `{"query":"subscription{count(to:1)}"}`))[1])
	needed, bad := `{"errors":[{"message":"a token is needed","extensions":{"code":"UNAUTHENTICATED"}}]}`, `{"errors":[{"message":"the token is not valid","extensions":{"code":"UNAUTHENTICATED"}}]}`
	for _, got := range []struct {
		reply
		want string
	}{
		{s.post(t, "{hello}"), needed},
		{s.post(t, "subscription{count(to:1)}", "Accept", acceptSSE), needed},
		{s.do(t, "GET", "/?query={hello}&access_token="+inAnHour(t, "ada"), ""), needed},
		{s.post(t, "{hello}", "Authorization", bearer+"x"), bad},
		{s.post(t, "{hello}", "Authorization", bearer, "Authorization", bearer), bad},
		{s.post(t, "{hello}", "Authorization", "Bearer "+tokenOf(t, "ada", time.Now().Add(-time.Hour))), bad},
	} {
		assert.Equal(t, 401, got.status)
		assert.Equal(t, "Bearer", got.header.Get("WWW-Authenticate"))
		assert.Equal(t, got.want, got.body)
	}
}

// raw posts for an event stream on a connection of its own and reads the answer's first line.
func (s *server) raw(t *testing.T, authorization, body string) string {
	t.Helper()
	line, err := bufio.NewReader(s.slowStream(t, authorization, body)).ReadString('\n')
	require.NoError(t, err)
	return line
}

// slowStream posts for an event stream and reads nothing.
func (s *server) slowStream(t *testing.T, authorization, body string) net.Conn {
	t.Helper()
	conn := s.dialSlow(t)
	req, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {acceptSSE}, "Authorization": {authorization}}
	require.NoError(t, req.Write(conn))
	return conn
}

// Sockets and streams of a user count: 429 where the token came with the request, else 1013. Single requests do not,
// and what has ended, or was refused for another reason, does not either.
func TestGateCap(t *testing.T) {
	s := gated(t, &session.Gate{MaxConnections: 2}, 0, Options{MaxConnections: 3})
	ada := inAnHour(t, "ada")
	for range 5 { // refused after the hook: not WebSocket's version, and no subprotocol
		got := s.do(t, "GET", "/", "", "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "12", "Authorization", "Bearer "+ada)
		require.Equal(t, 400, got.status)
	}
	var first, second *client
	eventually(t, "both places are free", func() bool {
		if first == nil {
			first, _ = s.upgrade(t, authorization(ada))
		}
		return first != nil
	})
	eventually(t, "the other one too", func() bool {
		second, _ = s.upgrade(t, authorization(ada))
		return second != nil
	})
	second.send(`{"type":"connection_init"}`)
	second.expect(ack)

	_, resp := s.upgrade(t, authorization(ada))
	assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
	assert.Equal(t, "5", resp.Header.Get("Retry-After"))
	c := s.dial(t, subprotocol)
	c.send(initWith(ada))
	c.expectClose(1013, "too many connections of this user")
	eventually(t, "it is gone", func() bool { return s.Connections() == 2 })
	for _, query := range []string{"subscription{count(to:1)}", "{hello}", "{nope}"} {
		got := s.post(t, query, "Authorization", "Bearer "+ada, "Accept", acceptSSE)
		assert.Equal(t, http.StatusTooManyRequests, got.status)
		assert.Equal(t, `{"errors":[{"message":"too many connections of this user","extensions":{"code":"RATE_LIMITED"}}]}`, got.body)
	}
	assert.Equal(t, 200, s.post(t, "{hello}", "Authorization", "Bearer "+ada).status)
	assert.Equal(t, 200, s.post(t, "{hello}", "Authorization", "Bearer "+ada, "Accept", "application/json, text/event-stream;q=0.5").status)
	assert.Equal(t, 200, s.post(t, "{hello}", "Authorization", "Bearer "+inAnHour(t, "bob"), "Accept", acceptSSE).status)

	first.ws.Close()
	eventually(t, "a stream has room", func() bool {
		return s.post(t, "subscription{count(to:1)}", "Authorization", "Bearer "+ada, "Accept", acceptSSE).status == 200
	})
	for range 5 { // each ends before the next
		eventually(t, "the stream before has ended", func() bool {
			return s.post(t, "subscription{count(to:1)}", "Authorization", "Bearer "+ada, "Accept", acceptSSE).status == 200
		})
	}
	second.quiet()
}

// A refused upgrade gives its place back, whoever refuses it.
func TestGateCapAndServerCap(t *testing.T) {
	gate := &session.Gate{MaxConnections: 1}
	s := gated(t, gate, 0, Options{MaxConnections: 1})
	c := s.dial(t, subprotocol)
	c.send(initWith(inAnHour(t, "bob")))
	c.expect(ack)
	for range 3 {
		eventually(t, "503 and not 429", func() bool {
			_, resp := s.upgrade(t, authorization(inAnHour(t, "ada")))
			return resp.StatusCode == http.StatusServiceUnavailable
		})
	}
	c.ws.Close()
	eventually(t, "room", func() bool {
		c, _ := s.upgrade(t, authorization(inAnHour(t, "ada")))
		return c != nil
	})
}

// Whoever comes within the leeway, after exp, gets an answer and no stream.
func TestGateLeeway(t *testing.T) {
	s := gated(t, &session.Gate{}, 30*time.Second, Options{})
	late := tokenOf(t, "ada", time.Now().Add(-10*time.Second))
	assert.Equal(t, 200, s.post(t, "{hello}", "Authorization", "Bearer "+late).status)
	assert.Equal(t, 401, s.post(t, "subscription{count(to:1)}", "Authorization", "Bearer "+late, "Accept", acceptSSE).status)
	c := s.dial(t, subprotocol)
	c.send(initWith(late))
	c.expectClose(4403, "The session has expired")
	c, _ = s.upgrade(t, authorization(late))
	c.send(`{"type":"connection_init"}`)
	c.expectClose(4403, "The session has expired")
	tooLate := tokenOf(t, "ada", time.Now().Add(-40*time.Second))
	assert.Equal(t, 401, s.post(t, "{hello}", "Authorization", "Bearer "+tooLate).status)
}

// Promise 13 with the seconds of a real token: what is being sent ends at exp, and nothing is written 2 s later.
func TestGateExpiry(t *testing.T) {
	const grace, slack = 2 * time.Second, time.Second // slack is the machine's
	s := gated(t, &session.Gate{}, 30*time.Second, Options{WriteTimeout: time.Minute, CloseTimeout: 20 * time.Second})
	until := time.Now().Add(1500 * time.Millisecond).Truncate(time.Second)
	if time.Until(until) < 500*time.Millisecond {
		until = until.Add(time.Second)
	}
	token := tokenOf(t, "ada", until)
	flood := `subscription{flood(bytes:50000)}`

	quiet, reading := s.dial(t, subprotocol), s.dial(t, subprotocol)
	for _, c := range []*client{quiet, reading} {
		c.send(initWith(token))
		c.expect(ack)
	}
	quiet.subscribe("1", `subscription{feed(name:"a")}`)
	reading.subscribe("1", flood)
	stalledSocket := s.dialSlow(t)
	dialer := websocket.Dialer{Subprotocols: []string{subprotocol}, NetDial: func(string, string) (net.Conn, error) { return stalledSocket, nil }}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), authorization(token))
	require.NoError(t, err)
	stalled := &client{t, ws}
	stalled.send(`{"type":"connection_init"}`)
	stalled.expect(ack)
	stalled.subscribe("1", flood)
	s.slowStream(t, "Bearer "+token, `{"query":"`+flood+`"}`)
	body, err := json.Marshal(map[string]string{"query": flood})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {acceptSSE}, "Authorization": {"Bearer " + token}}
	events, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer events.Body.Close()
	s.running(t, 5)
	require.True(t, time.Now().Before(until), "the machine was too slow to set the test up")

	ended := make(chan string, 1)
	go func() { // the stream that is read ends with the reason, and complete
		tail, buf := "", make([]byte, 64<<10)
		for {
			n, err := events.Body.Read(buf)
			if tail += string(buf[:n]); len(tail) > 1_000 {
				tail = tail[len(tail)-1_000:]
			}
			if err != nil {
				ended <- tail
				return
			}
		}
	}()
	reading.expectClose(4403, "The session has expired")
	assert.WithinRange(t, time.Now(), until, until.Add(grace+slack))
	quiet.expectClose(4403, "The session has expired")
	select {
	case tail := <-ended:
		gone := `{"errors":[{"message":"the session has expired","extensions":{"code":"UNAUTHENTICATED"}}]}`
		assert.True(t, strings.HasSuffix(tail, "event: next\ndata: "+gone+"\n\nevent: complete\ndata:\n\n"), tail)
	case <-time.After(patience):
		t.Fatal("the stream goes on")
	}
	assert.WithinRange(t, time.Now(), until, until.Add(grace+slack))
	eventually(t, "the stalled ones are reset", func() bool { return s.Connections() == 0 })
	assert.Less(t, time.Since(until), grace+slack)
	s.running(t, 0)
	assert.NotContains(t, s.logs.String(), token)
}

// Without a verifier everybody is anonymous, whatever they send, and resolvers find the session.
func TestGateAnonymous(t *testing.T) {
	gate := &session.Gate{MaxConnections: 1}
	who := make(chan *session.Session, 4)
	s := start(t, Options{Upgrade: gate.Upgrade, Stream: gate.Stream,
		Init: func(ctx context.Context, r *http.Request, payload json.RawMessage) (context.Context, time.Time, error) {
			ctx, until, err := gate.Init(ctx, r, payload)
			who <- session.From(ctx)
			return ctx, until, err
		}})
	assert.Equal(t, 200, s.post(t, "{hello}", "Authorization", "Bearer x").status)
	for range 3 {
		c, _ := s.upgrade(t, authorization("x"))
		c.send(initWith("y"))
		c.expect(ack)
	}
	for range cap(who) {
		session := <-who
		assert.True(t, session.IsAnonymous())
		assert.Empty(t, session.Token())
	}
}

// A hook of streams refuses by HTTP, before there is a stream.
func TestStreamHook(t *testing.T) {
	var refusal error
	asked := 0
	s := start(t, Options{Stream: func(context.Context) error { asked++; return refusal }})
	assert.Equal(t, 200, s.post(t, "subscription{count(to:1)}", "Accept", acceptSSE).status)
	assert.Equal(t, 200, s.post(t, "{hello}").status)
	assert.Equal(t, 1, asked)
	for code, status := range map[coded.Code]int{coded.RateLimited: 429, coded.Unauthenticated: 401, coded.UpstreamUnavailable: 503} {
		refusal = coded.New(code, "no")
		got := s.post(t, "subscription{count(to:1)}", "Accept", acceptSSE)
		assert.Equal(t, status, got.status)
		assert.Equal(t, "application/json; charset=utf-8", got.header.Get("Content-Type"))
		assert.Equal(t, `{"errors":[{"message":"no","extensions":{"code":"`+string(code)+`"}}]}`, got.body)
	}
	assert.Zero(t, s.Connections())
}
