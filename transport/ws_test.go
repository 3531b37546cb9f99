package transport

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Promise 9: a single result is one next, then complete; a stream is as many as it has.
func TestSocketResults(t *testing.T) {
	s := start(t, Options{})
	c := s.connect(t)
	assert.Equal(t, subprotocol, c.ws.Subprotocol())
	c.subscribe("q", `{hello}`)
	c.expect(`{"id":"q","type":"next","payload":{"data":{"hello":"world"}}}`, `{"id":"q","type":"complete"}`)
	c.subscribe("s", `subscription{count(to:3)}`)
	for n := 1; n <= 3; n++ {
		c.expect(fmt.Sprintf(`{"id":"s","type":"next","payload":{"data":{"count":%d}}}`, n))
	}
	c.expect(`{"id":"s","type":"complete"}`)
	c.subscribe("q", `mutation{bump}`) // the id is free again
	c.expect(`{"id":"q","type":"next","payload":{"data":{"bump":1}}}`, `{"id":"q","type":"complete"}`)
	c.send(`{"type":"subscribe","id":"v","payload":{"query":"query A($n:Int){echo(n:$n)} query B{hello}","operationName":"A","variables":{"n":7},"extensions":null}}`)
	c.expect(`{"id":"v","type":"next","payload":{"data":{"echo":"n=7"}}}`, `{"id":"v","type":"complete"}`)
	c.quiet()
}

// Promise 9: what is refused answers one error and nothing else; promise 2: with the right code.
func TestSocketErrors(t *testing.T) {
	s := start(t, Options{})
	s.root.Errors = map[string]error{
		"coded":   coded.New(coded.NotFound, "no such conversation"),
		"plain":   fmt.Errorf("password is hunter2"),
		"failing": coded.New(coded.NotFound, "no such conversation"),
	}
	cases := []struct{ name, query, want string }{
		{"validation", `{nothing}`, `{"id":"1","type":"error","payload":[{"message":"Cannot query field \"nothing\" on type \"Query\".","locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`},
		{"parse", `{`, `{"id":"1","type":"error","payload":[{"message":"Expected Name, found <EOF>","locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_PARSE_FAILED"}}]}`},
		{"empty", ``, `{"id":"1","type":"error","payload":[{"message":"the document is empty","extensions":{"code":"GRAPHQL_PARSE_FAILED"}}]}`},
		{"variable", `query($n:Int!){echo(n:$n)}`, `{"id":"1","type":"error","payload":[{"message":"variable \"$n\": must be defined","locations":[{"line":1,"column":7}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"resolver", `{fail(name:"coded")}`, `{"id":"1","type":"next","payload":{"errors":[{"message":"no such conversation","path":["fail"],"locations":[{"line":1,"column":2}],"extensions":{"code":"NOT_FOUND"}}],"data":{"fail":null}}}`},
		{"internal", `{fail(name:"plain")}`, `{"id":"1","type":"next","payload":{"errors":[{"message":"internal error","path":["fail"],"locations":[{"line":1,"column":2}],"extensions":{"code":"INTERNAL"}}],"data":{"fail":null}}}`},
		{"panic", `{panics}`, `{"id":"1","type":"next","payload":{"errors":[{"message":"internal error","path":["panics"],"locations":[{"line":1,"column":2}],"extensions":{"code":"INTERNAL"}}],"data":{"panics":null}}}`},
		{"subscribe", `subscription{failing}`, `{"id":"1","type":"next","payload":{"errors":[{"message":"no such conversation","path":["failing"],"locations":[{"line":1,"column":14}],"extensions":{"code":"NOT_FOUND"}}]}}`},
	}
	c := s.connect(t)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c.t = t
			c.subscribe("1", tc.query)
			c.expect(tc.want)
			if !strings.Contains(tc.want, `"type":"error"`) {
				c.expect(`{"id":"1","type":"complete"}`)
			}
			c.quiet()
		})
	}
	logs := s.logs.String()
	assert.Contains(t, logs, "password is hunter2")
	assert.Contains(t, logs, "the resolver's secret")
	assert.Contains(t, logs, "resolvers.go", "the stack of the panic")
}

// Promise 9: after a client's complete nothing of that operation is sent, and its resolver is cancelled.
func TestSocketComplete(t *testing.T) {
	s := start(t, Options{})
	c := s.connect(t)
	c.subscribe("1", `subscription{feed(name:"a")}`)
	c.subscribe("2", `subscription{feed(name:"b")}`)
	c.subscribe("3", `{block}`)
	s.running(t, 3)
	s.root.Feed("a").Messages <- "x"
	c.expect(`{"id":"1","type":"next","payload":{"data":{"feed":"x"}}}`)
	c.send(`{"type":"complete","id":"1"}`)
	c.send(`{"type":"complete","id":"3"}`)
	c.send(`{"type":"complete","id":"unknown"}`)
	s.running(t, 1)
	c.quiet()
	s.root.Feed("b").Messages <- "y"
	c.expect(`{"id":"2","type":"next","payload":{"data":{"feed":"y"}}}`)
	c.subscribe("1", `{hello}`)
	c.expect(`{"id":"1","type":"next","payload":{"data":{"hello":"world"}}}`, `{"id":"1","type":"complete"}`)
	c.ws.Close()
	s.running(t, 0)
}

// Promise 10: an equal message in a row is not sent, but for fields whose messages are changes.
func TestSocketRepeats(t *testing.T) {
	s := start(t, Options{ChangeFields: []string{"changes"}})
	c := s.connect(t)
	c.subscribe("v", `subscription{feed(name:"a")}`)
	for _, text := range []string{"x", "x", "y", "x"} {
		s.root.Feed("a").Messages <- text
	}
	close(s.root.Feed("a").Messages)
	for _, text := range []string{"x", "y", "x"} {
		c.expect(`{"id":"v","type":"next","payload":{"data":{"feed":"` + text + `"}}}`)
	}
	c.expect(`{"id":"v","type":"complete"}`)
	c.subscribe("c", `subscription{alias:changes(name:"b")}`)
	for _, text := range []string{"x", "x"} {
		s.root.Feed("b").Messages <- text
		c.expect(`{"id":"c","type":"next","payload":{"data":{"alias":"x"}}}`)
	}
	close(s.root.Feed("b").Messages)
	c.expect(`{"id":"c","type":"complete"}`)
}

// A stream that its resolver ends with an error says so in a last next.
func TestSocketEndsWithError(t *testing.T) {
	s := start(t, Options{})
	c := s.connect(t)
	c.subscribe("1", `subscription{a:feed(name:"a")}`)
	s.root.Feed("a").Messages <- "x"
	s.root.Feed("a").End(coded.New(coded.UpstreamUnavailable, "upstream has been away for 5 minutes"))
	c.expect(`{"id":"1","type":"next","payload":{"data":{"a":"x"}}}`,
		`{"id":"1","type":"next","payload":{"errors":[{"message":"upstream has been away for 5 minutes","path":["a"],"extensions":{"code":"UPSTREAM_UNAVAILABLE"}}]}}`,
		`{"id":"1","type":"complete"}`)
	c.quiet()
}

func TestSocketPingPong(t *testing.T) {
	s := start(t, Options{PingInterval: 20 * time.Millisecond})
	c := s.dial(t, subprotocol)
	c.send(`{"type":"ping"}`) // before the acknowledgement too
	c.expect(`{"type":"pong"}`)
	c.send(`{"type":"pong","payload":{"unsolicited":true}}`)
	c.send(`{"type":"connection_init","payload":{"token":"t"}}`)
	c.expect(`{"type":"connection_ack"}`)
	pings := make(chan string, 1)
	c.ws.SetPingHandler(func(text string) error {
		select {
		case pings <- text:
		default:
		}
		return nil
	})
	pong := make(chan string, 1)
	c.ws.SetPongHandler(func(text string) error { pong <- text; return nil })
	require.NoError(t, c.ws.WriteControl(websocket.PingMessage, []byte("hi"), time.Now().Add(time.Second)))
	time.Sleep(50 * time.Millisecond)
	c.quiet() // reads the control frames on its way
	assert.Equal(t, "", <-pings)
	assert.Equal(t, "hi", <-pong)
}

// A peer that is silent on the wire is disconnected; one that answers pings is not.
func TestSocketDeadPeer(t *testing.T) {
	s := start(t, Options{PingInterval: 50 * time.Millisecond, PeerTimeout: time.Second})
	alive := s.connect(t)
	done := make(chan string)
	go func() {
		_, text, err := alive.ws.ReadMessage()
		done <- fmt.Sprint(string(text), err)
	}()
	dead := s.connect(t)
	dead.subscribe("1", `subscription{feed(name:"a")}`)
	s.running(t, 1)
	begin := time.Now()
	s.running(t, 0)
	assert.Less(t, time.Since(begin), 3*time.Second)
	eventually(t, "one connection", func() bool { return s.Connections() == 1 })
	time.Sleep(500 * time.Millisecond)
	assert.Equal(t, 1, s.Connections())
	alive.send(`{"type":"ping"}`)
	assert.Equal(t, `{"type":"pong"}<nil>`, <-done)
}

// The cap on operations answers RATE_LIMITED and keeps the socket.
func TestSocketOperationCap(t *testing.T) {
	s := start(t, Options{MaxOperationsPerConnection: 3})
	c := s.connect(t)
	for i := range 10 {
		c.subscribe(fmt.Sprint(i), `subscription{feed(name:"a")}`)
	}
	for i := 3; i < 10; i++ {
		c.expect(fmt.Sprintf(`{"id":"%d","type":"error","payload":[{"message":"this connection already runs 3 operations","extensions":{"code":"RATE_LIMITED"}}]}`, i))
	}
	c.send(`{"type":"complete","id":"0"}`)
	c.subscribe("again", `{hello}`)
	c.expect(`{"id":"again","type":"next","payload":{"data":{"hello":"world"}}}`, `{"id":"again","type":"complete"}`)
}

// A response over the limit ends a subscription with an error; ids and payloads of all frame lengths are framed right.
func TestSocketSizes(t *testing.T) {
	s := start(t, Options{MaxResponseBytes: 300_000})
	c := s.connect(t)
	for _, n := range []int{0, 50, 60, 70, 80, 125, 126, 200, 65_400, 65_500, 65_536, 290_000} {
		c.subscribe(`é"\`, fmt.Sprintf(`{bytes(count:%d)}`, n))
		var got struct {
			ID      string
			Payload struct{ Data struct{ Bytes string } }
		}
		require.NoError(t, json.Unmarshal([]byte(c.receive()), &got))
		assert.Equal(t, `é"\`, got.ID)
		assert.Len(t, got.Payload.Data.Bytes, n)
		c.expect(`{"id":"é\"\\","type":"complete"}`)
	}
	c.subscribe("1", `subscription{flood(bytes:300000)}`)
	c.expect(`{"id":"1","type":"next","payload":{"errors":[{"message":"the response is larger than 300000 bytes","extensions":{"code":"PAYLOAD_TOO_LARGE"}}],"data":null}}`,
		`{"id":"1","type":"complete"}`)
	c.subscribe("2", `{invalidText}`)
	c.expect(`{"id":"2","type":"next","payload":{"data":{"invalidText":"a`+"\uFFFD"+`b"}}}`, `{"id":"2","type":"complete"}`)
}
