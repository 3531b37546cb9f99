package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/session"
)

// soon is an error that says when to come again.
type soon struct{ after time.Duration }

func (e soon) Error() string             { return "soon" }
func (e soon) RetryAfter() time.Duration { return e.after }

const tooFast = `{"errors":[{"message":"too fast","extensions":{"code":"RATE_LIMITED"}}]}`

// Options.Operation is asked once for each request, before its document is looked at, and refuses by HTTP 429.
func TestOperationHook(t *testing.T) {
	asked, refusal := 0, error(nil)
	s := start(t, Options{Operation: func(context.Context) error { asked++; return refusal }})
	for n, ask := range []func() reply{
		func() reply { return s.post(t, "{hello}") },
		func() reply { return s.post(t, "{") },
		func() reply { return s.do(t, "GET", "/?query={hello}", "") },
		func() reply { return s.post(t, "{hello}", "Accept", acceptSSE) },
		func() reply { return s.post(t, "subscription{count(to:1)}", "Accept", acceptSSE) },
		func() reply { return s.do(t, "GET", "/?query=subscription{count(to:1)}", "", "Accept", acceptSSE) },
	} {
		refusal = nil
		assert.Equal(t, 200, ask().status)
		assert.Equal(t, 2*n+1, asked)
		for after, header := range map[time.Duration]string{0: "5", time.Millisecond: "1", 20 * time.Second: "20", 20*time.Second + 1: "21"} {
			refusal = coded.Wrap(coded.RateLimited, "too fast", soon{after})
			if after == 0 {
				refusal = coded.New(coded.RateLimited, "too fast")
			}
			asked = 2*n + 1
			got := ask()
			assert.Equal(t, http.StatusTooManyRequests, got.status)
			assert.Equal(t, header, got.header.Get("Retry-After"))
			assert.Equal(t, tooFast, got.body)
			assert.Equal(t, 2*n+2, asked)
		}
	}
	refusal = errors.New("secret")
	assert.Equal(t, `{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]}`, s.post(t, "{hello}").body)
}

// On a WebSocket the refused operation alone gets an error, whatever its document is, and what runs goes on.
func TestOperationHookOnWebSocket(t *testing.T) {
	left := 2
	s := start(t, Options{Operation: func(context.Context) error {
		if left--; left < 0 {
			return coded.Wrap(coded.RateLimited, "too fast", soon{time.Second})
		}
		return nil
	}})
	c := s.connect(t)
	c.subscribe("1", `subscription{changes(name:"a")}`)
	s.running(t, 1)
	c.subscribe("2", "{hello}")
	c.expect(`{"id":"2","type":"next","payload":{"data":{"hello":"world"}}}`, `{"id":"2","type":"complete"}`)
	for n := range 200 {
		c.subscribe(fmt.Sprint(n+3), []string{"{hello}", "{", `mutation{bump}`, `subscription{feed(name:"b")}`}[n%4])
	}
	for n := range 200 {
		c.expect(fmt.Sprintf(`{"id":"%d","type":"error","payload":[{"message":"too fast","extensions":{"code":"RATE_LIMITED"}}]}`, n+3))
	}
	s.root.Feed("a").Messages <- "still"
	c.expect(`{"id":"1","type":"next","payload":{"data":{"changes":"still"}}}`)
	c.subscribe("1", "{hello}")
	c.expectClose(4409, "Subscriber for 1 already exists")
}

// Options.Mutation is asked with the root fields of a mutation that is good in itself, and of nothing else.
func TestMutationHook(t *testing.T) {
	var asked [][]string
	refusal := error(nil)
	s := start(t, Options{Mutation: func(_ context.Context, fields []string) error { asked = append(asked, fields); return refusal }})
	c := s.connect(t)
	for _, query := range []string{"{hello}", "mutation{nope}", "query{bump}", "mutation($n:Int!){bump}"} {
		s.post(t, query)
	}
	assert.Equal(t, 405, s.do(t, "GET", "/?query=mutation{bump}", "").status)
	assert.Empty(t, asked)
	const query = "mutation{bump a:bump bump ...F ...{b:bump}}fragment F on Mutation{c:bump a:bump}"
	four := []string{"bump", "bump", "bump", "bump"}
	s.post(t, query)
	s.post(t, query, "Accept", acceptSSE)
	c.subscribe("1", query)
	c.expect(`{"id":"1","type":"next","payload":{"data":{"bump":9,"a":10,"c":11,"b":12}}}`, `{"id":"1","type":"complete"}`)
	assert.Equal(t, [][]string{four, four, four}, asked)

	refusal = coded.Wrap(coded.RateLimited, "too fast", soon{7 * time.Second})
	for _, accept := range []string{mediaJSON, mediaResponse, acceptSSE} {
		got := s.post(t, query, "Accept", accept)
		assert.Equal(t, http.StatusTooManyRequests, got.status)
		assert.Equal(t, "7", got.header.Get("Retry-After"))
		assert.Equal(t, tooFast, got.body)
	}
	c.subscribe("2", query)
	c.expect(`{"id":"2","type":"error","payload":[{"message":"too fast","extensions":{"code":"RATE_LIMITED"}}]}`)
	refusal = nil
	assert.Equal(t, `{"data":{"bump":13}}`, s.post(t, "mutation{bump}").body, "what was refused was not done")
}

// With a real gate: one user's flood is refused on every transport at once, and costs another user nothing.
func TestGateRates(t *testing.T) {
	const burst = 12
	gate := &session.Gate{Rates: session.Rates{OperationsPerSecond: 1, OperationsBurst: burst}}
	s := gated(t, gate, 0, Options{})
	ada, bob := inAnHour(t, "ada"), inAnHour(t, "bob")
	c := s.dial(t, subprotocol)
	c.send(initWith(ada))
	c.expect(ack)
	begin := time.Now()
	let := 0
	for n := range 40 {
		c.subscribe(fmt.Sprint(n), "{hello}")
		if said := c.receive(); said == fmt.Sprintf(`{"id":"%d","type":"next","payload":{"data":{"hello":"world"}}}`, n) {
			c.expect(fmt.Sprintf(`{"id":"%d","type":"complete"}`, n))
			let++
		} else {
			require.Contains(t, said, `"type":"error"`)
			require.Contains(t, said, `"too many operations, try again in 1 s","extensions":{"code":"RATE_LIMITED"}`)
		}
		if s.post(t, "{hello}", "Authorization", "Bearer "+ada).status == 200 {
			let++
		}
		require.Equal(t, 200, s.post(t, "{hello}", "Authorization", "Bearer "+bob).status, "bob's own %d", n)
		if n == burst-3 {
			break
		}
	}
	assert.GreaterOrEqual(t, let, burst)
	assert.LessOrEqual(t, let, burst+1+int(time.Since(begin).Seconds()))
	c.quiet()
}
