package transport

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Promise 6: one test per reason of the table; the table has no code twice.
func TestCloseReasons(t *testing.T) {
	seen := map[int]bool{}
	for _, r := range closeReasons {
		assert.False(t, seen[r.code], r.code)
		seen[r.code] = true
		assert.LessOrEqual(t, len(r.text), maxCloseText)
	}
	long := closeMalformed.saying(strings.Repeat("é", 100)).frame()
	assert.Len(t, long, 2+2+122, "cut at a whole character")
}

func TestCloseCodes(t *testing.T) {
	const ack = `{"type":"connection_init"}`
	cases := []struct {
		name string
		send []string
		code int
		text string
	}{
		{"not JSON", []string{`{`}, 4400, "message is not a JSON object"},
		{"an array", []string{`[]`}, 4400, "message is not a JSON object"},
		{"null", []string{`null`}, 4400, "message is not a JSON object"},
		{"no type", []string{`{}`}, 4400, "message has no type"},
		{"type of another type", []string{`{"type":1}`}, 4400, "message has no type"},
		{"type in another case", []string{`{"Type":"ping"}`}, 4400, "message has no type"},
		{"unknown type", []string{`{"type":"start"}`}, 4400, "message has an unknown type"},
		{"the server's type", []string{`{"type":"next","id":"1"}`}, 4400, "message has an unknown type"},
		{"not UTF-8", []string{"{\"type\":\"ping\xff\"}"}, 4400, "message is not UTF-8"},
		{"payload of init", []string{`{"type":"connection_init","payload":[]}`}, 4400, "connection_init message has a payload that is not an object"},
		{"payload of ping", []string{`{"type":"ping","payload":"x"}`}, 4400, "ping message has a payload that is not an object"},
		{"subscribe without id", []string{ack, `{"type":"subscribe","payload":{"query":"{hello}"}}`}, 4400, "subscribe message has no id"},
		{"subscribe with empty id", []string{ack, `{"type":"subscribe","id":"","payload":{"query":"{hello}"}}`}, 4400, "subscribe message has no id"},
		{"subscribe with a long id", []string{ack, `{"type":"subscribe","id":"` + strings.Repeat("x", 257) + `","payload":{"query":"{hello}"}}`}, 4400, "subscribe message has an id that is too long"},
		{"complete without id", []string{ack, `{"type":"complete"}`}, 4400, "complete message has no id"},
		{"subscribe without payload", []string{ack, `{"type":"subscribe","id":"1"}`}, 4400, "subscribe message: the request is not a JSON object"},
		{"subscribe without query", []string{ack, `{"type":"subscribe","id":"1","payload":{}}`}, 4400, "subscribe message: query is missing"},
		{"subscribe with bad variables", []string{ack, `{"type":"subscribe","id":"1","payload":{"query":"{hello}","variables":[]}}`}, 4400, "subscribe message: variables must be an object"},
		{"subscribe before init", []string{`{"type":"subscribe","id":"1","payload":{"query":"{hello}"}}`}, 4401, "Unauthorized"},
		{"no init", nil, 4408, "Connection initialisation timeout"},
		{"no init but pings", []string{`{"type":"ping"}`}, 4408, "Connection initialisation timeout"},
		{"duplicate id", []string{ack, `{"type":"subscribe","id":"a","payload":{"query":"{block}"}}`, `{"type":"subscribe","id":"a","payload":{"query":"{hello}"}}`}, 4409, "Subscriber for a already exists"},
		{"second init", []string{ack, ack}, 4429, "Too many initialisation requests"},
		{"too large", []string{ack, `{"type":"ping","payload":{"x":"` + strings.Repeat("x", 5000) + `"}}`, ack}, 1009, "Message too large"},
	}
	s := start(t, Options{InitTimeout: 500 * time.Millisecond, MaxRequestBytes: 5000})
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := s.dial(t, subprotocol)
			for _, text := range tc.send {
				c.send(text)
			}
			c.expectClose(tc.code, tc.text)
			eventually(t, "connection gone", func() bool { return s.Connections() == 0 })
		})
	}
	t.Run("binary", func(t *testing.T) {
		c := s.dial(t, subprotocol)
		require.NoError(t, c.ws.WriteMessage(websocket.BinaryMessage, []byte(ack)))
		c.expectClose(4400, "message is binary")
	})
	t.Run("protocol error", func(t *testing.T) {
		c := s.connect(t)
		_, err := c.ws.NetConn().Write([]byte{finalBit | 0x3, 0x80, 0, 0, 0, 0})
		require.NoError(t, err)
		c.expectClose(1002, "bad opcode 3")
	})
}

// Without the subprotocol the upgrade is answered, so that the reason can be said.
func TestCloseSubprotocol(t *testing.T) {
	s := start(t, Options{})
	s.dial(t).expectClose(4406, "Subprotocol not acceptable")
	s.dial(t, "graphql-ws").expectClose(4406, "Subprotocol not acceptable")
	c := s.dial(t, "graphql-ws", subprotocol)
	assert.Equal(t, subprotocol, c.ws.Subprotocol())
}

// A client's close is answered with its own code, and ends what it ran.
func TestCloseByClient(t *testing.T) {
	s := start(t, Options{})
	c := s.connect(t)
	c.subscribe("1", `subscription{feed(name:"a")}`)
	s.running(t, 1)
	require.NoError(t, c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, "bye"), time.Now().Add(time.Second)))
	c.expectClose(1000, "")
	s.running(t, 0)
}

type sessionKey struct{}

// Options.Init decides who is asking; its errors close with the codes of the table.
func TestInit(t *testing.T) {
	errs := map[string]error{
		"bad":     coded.New(coded.Unauthenticated, "the token is not valid"),
		"many":    coded.New(coded.RateLimited, "too many connections of this user"),
		"away":    coded.New(coded.UpstreamUnavailable, "the keys cannot be read"),
		"unknown": errors.New("secret of the key store"),
	}
	ended := make(chan string, 10)
	s := start(t, Options{Init: func(ctx context.Context, r *http.Request, payload json.RawMessage) (context.Context, time.Time, error) {
		var p struct{ Token string }
		if err := json.Unmarshal(payload, &p); err != nil && payload != nil {
			return nil, time.Time{}, err
		}
		if err := errs[p.Token]; err != nil {
			return nil, time.Time{}, err
		}
		context.AfterFunc(ctx, func() { ended <- p.Token })
		return context.WithValue(ctx, sessionKey{}, p.Token), time.Time{}, nil
	}})
	cases := []struct {
		token, text string
		code        int
	}{
		{"bad", "the token is not valid", 4403},
		{"many", "too many connections of this user", 1013},
		{"away", "the keys cannot be read", 1013},
		{"unknown", "Internal error", 1011},
	}
	for _, tc := range cases {
		t.Run(tc.token, func(t *testing.T) {
			c := s.dial(t, subprotocol)
			c.send(`{"type":"connection_init","payload":{"token":"` + tc.token + `"}}`)
			c.expectClose(tc.code, tc.text)
		})
	}
	assert.Contains(t, s.logs.String(), "secret of the key store")
	c := s.dial(t, subprotocol)
	c.send(`{"type":"connection_init","payload":{"token":"good"}}`)
	c.expect(`{"type":"connection_ack"}`)
	c.subscribe("1", `{hello}`)
	c.receive()
	c.ws.Close()
	assert.Equal(t, "good", <-ended, "the session's context ends with its connection")
}

// Promise 13: expiry closes with 4403, and a stalled client is reset within the grace.
func TestExpiry(t *testing.T) {
	const lifetime, grace = 500 * time.Millisecond, 300 * time.Millisecond
	s := start(t, Options{ExpiryGrace: grace, WriteTimeout: time.Minute, CloseTimeout: 20 * time.Second,
		Init: func(ctx context.Context, _ *http.Request, _ json.RawMessage) (context.Context, time.Time, error) {
			return ctx, time.Now().Add(lifetime), nil
		}})
	begin := time.Now()
	c := s.connect(t)
	c.subscribe("1", `subscription{feed(name:"a")}`)
	c.expectClose(4403, "The session has expired")
	assert.GreaterOrEqual(t, time.Since(begin), lifetime)
	s.running(t, 0)

	begin = time.Now()
	stall(t, s)
	s.running(t, 1)
	eventually(t, "the stalled connection is reset", func() bool { return s.Connections() == 0 })
	assert.Less(t, time.Since(begin), lifetime+grace+time.Second)
}

// Drain: 1012 on every socket, none is let in after it, and nothing is left.
func TestDrain(t *testing.T) {
	s := start(t, Options{CloseTimeout: 200 * time.Millisecond})
	var clients []*client
	for range 20 {
		c := s.connect(t)
		c.subscribe("1", `subscription{feed(name:"a")}`)
		clients = append(clients, c)
	}
	stall(t, s)
	s.running(t, 21)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	begin := time.Now()
	require.NoError(t, s.Shutdown(ctx))
	assert.Less(t, time.Since(begin), 2*time.Second, "a stalled client does not hold the drain")
	for _, c := range clients {
		c.expectClose(1012, "Service restart")
	}
	s.running(t, 0)
	_, resp, err := (&websocket.Dialer{Subprotocols: []string{subprotocol}}).Dial("ws"+strings.TrimPrefix(s.url, "http"), nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	assert.Equal(t, http.StatusOK, s.post(t, `{hello}`).status, "single results are the HTTP server's to drain")
}

// Shutdown drops what does not end in time.
func TestDrainKills(t *testing.T) {
	s := start(t, Options{CloseTimeout: time.Minute, WriteTimeout: time.Minute})
	stall(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
	assert.Zero(t, s.Connections())
}

// Options.Upgrade refuses by HTTP, before there is a WebSocket, and its context is the connection's.
func TestUpgradeHook(t *testing.T) {
	s := start(t, Options{
		Upgrade: func(ctx context.Context, r *http.Request) (context.Context, error) {
			if r.Header.Get("Authorization") == "" {
				return nil, coded.New(coded.RateLimited, "too many connections of this user")
			}
			return context.WithValue(ctx, sessionKey{}, "u1"), nil
		},
		Init: func(ctx context.Context, _ *http.Request, _ json.RawMessage) (context.Context, time.Time, error) {
			if ctx.Value(sessionKey{}) != "u1" {
				return nil, time.Time{}, coded.New(coded.Unauthenticated, "no user")
			}
			return ctx, time.Time{}, nil
		},
	})
	dialer := websocket.Dialer{Subprotocols: []string{subprotocol}}
	_, resp, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(s.url, "http"), http.Header{"Authorization": {"x"}})
	require.NoError(t, err)
	defer ws.Close()
	c := &client{t, ws}
	c.send(`{"type":"connection_init"}`)
	c.expect(`{"type":"connection_ack"}`)
}

// A panic in a hook ends its own connection or request, and is logged.
func TestPanics(t *testing.T) {
	s := start(t, Options{Init: func(context.Context, *http.Request, json.RawMessage) (context.Context, time.Time, error) {
		panic("secret of the hook")
	}})
	c := s.dial(t, subprotocol)
	c.send(`{"type":"connection_init"}`)
	c.expectClose(1011, "Internal error")
	got := s.post(t, "{hello}")
	assert.Equal(t, 500, got.status)
	assert.Equal(t, `{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]}`, got.body)
	assert.Contains(t, s.logs.String(), "secret of the hook")
	assert.Contains(t, s.logs.String(), "ws_close_test.go")
}
