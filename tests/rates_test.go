package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// bearing is a request with a token.
func bearing(r *http.Request, token string) *http.Request {
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// limitedRate checks an HTTP answer that says to come later.
func limitedRate(t *testing.T, got answer, says string) {
	t.Helper()
	require.Equal(t, http.StatusTooManyRequests, got.status, got.body)
	assert.Equal(t, []string{"RATE_LIMITED"}, codes(parse(t, got.body).Errors))
	assert.Contains(t, got.body, says)
	after, err := strconv.Atoi(got.header.Get("Retry-After"))
	require.NoError(t, err)
	assert.Positive(t, after)
	assert.Contains(t, got.header.Get("Content-Type"), "json")
}

// A user's operations in a second, over all transports together: 429 with Retry-After by HTTP, `error` on a WebSocket, which
// goes on. Nobody else has less for it, and upstream hears nothing of what was refused.
func TestRateOfOperations(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	ann, bob := p.enrol(t, "ann", "acme", time.Now().Add(time.Hour)), p.enrol(t, "bob", "acme", time.Now().Add(time.Hour))
	again := p.enrol(t, "ann", "acme", time.Now().Add(2*time.Hour))
	p.add("acme", "talk", "ann").begin(wire.Paused)
	// A token every 17 minutes: what a busy machine needs for this test is no time.
	s := p.front(t, "--max-operations-per-second-per-user=1", "--max-operations-burst-per-user=400")
	c := dialWith(t, s, map[string]any{"token": ann})
	followed := c.run(t, request{Query: chat(`{ status }`).operation("talk")})
	followed.message(t, 1)
	// The flood: until the burst is used up.
	eventually(t, patience, func() string {
		if _, refused := c.subscribe(t, "{__typename}").end(t); refused == nil {
			return "everything is let through"
		}
		return ""
	})
	_, from := p.since(0)
	const question = `{ conversation(id: "talk") { id } }`
	tries := 0
	for _, ask := range []func(token string) *http.Request{
		func(token string) *http.Request {
			return bearing(s.newPost(t, mediaJSON, request{Query: question}), token)
		},
		func(token string) *http.Request {
			return bearing(s.newPost(t, mediaResponse, request{Query: question}), token)
		},
		func(token string) *http.Request {
			return bearing(s.newGet(t, mediaJSON, request{Query: question}), token)
		},
		func(token string) *http.Request {
			return bearing(s.newPost(t, mediaEvents, request{Query: timeline("").operation("talk")}), token)
		},
		func(token string) *http.Request {
			return bearing(s.newGet(t, mediaEvents, request{Query: timeline("").operation("talk")}), token)
		},
	} {
		eventually(t, patience, func() string { // one a second is let through, and its streams go on
			tries++
			r := ask([]string{ann, again}[tries%2])
			res, err := client(t).Do(r)
			require.NoError(t, err)
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return "it was let through"
			}
			limitedRate(t, send(t, ask(ann)), "too many operations, try again in 1 s")
			return ""
		})
	}
	asked, _ := p.since(from)
	assert.Less(t, len(asked), tries+1, "upstream is asked for what was let through alone")
	_, refused := c.subscribe(t, question).end(t)
	if refused != nil {
		var errs []responseError
		require.NoError(t, json.Unmarshal(refused, &errs))
		assert.Equal(t, []string{"RATE_LIMITED"}, codes(errs))
	}
	assert.Equal(t, http.StatusOK, send(t, bearing(s.newPost(t, mediaJSON, request{Query: "{__typename}"}), bob)).status)
	_, ended, _ := followed.look()
	assert.False(t, ended, "what was begun goes on")
	eventually(t, patience, func() string { // and after a while there is room again
		if got := send(t, bearing(s.newPost(t, mediaJSON, request{Query: "{__typename}"}), ann)); got.status != http.StatusOK {
			return got.body
		}
		return ""
	})
}

// The runs that a user begins in a minute, each counted; upstream is not asked for more, and everything else goes on.
func TestRateOfSends(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	ann, bob := p.enrol(t, "ann", "acme", time.Now().Add(time.Hour)), p.enrol(t, "bob", "acme", time.Now().Add(time.Hour))
	s := p.front(t, "--max-sends-per-minute-per-user=3")
	const execute = "POST /v1/agents/helper/execute"
	sending := func(n int) request {
		text := "mutation {"
		for i := range n {
			text += fmt.Sprintf(` s%d: send(input: { agentId: "helper", content: "Hello %d" }) { fresh }`, i, i)
		}
		return request{Query: text + " }"}
	}
	ask := func(token string, r request) answer { return send(t, bearing(s.newPost(t, mediaResponse, r), token)) }
	limitedRate(t, ask(ann, sending(4)), "too many sends, try again in 60 s")
	assert.Zero(t, p.count(execute), "all or nothing")
	require.Empty(t, parse(t, ask(ann, sending(3)).body).Errors)
	require.Equal(t, 3, p.count(execute))
	limitedRate(t, ask(ann, sending(1)), "too many sends, try again in")
	limitedRate(t, send(t, bearing(s.newPost(t, mediaEvents, sending(1)), ann)), "too many sends")
	_, refused := dialWith(t, s, map[string]any{"token": ann}).run(t, sending(1)).end(t)
	assert.Contains(t, string(refused), `"RATE_LIMITED"`)
	assert.Equal(t, 3, p.count(execute))
	assert.Empty(t, parse(t, ask(ann, request{Query: `{ conversations { hasMore } }`}).body).Errors)
	assert.Empty(t, parse(t, ask(ann, request{Query: `mutation { topup(amountMicroUsd: 1) { url } }`}).body).Errors)
	require.Empty(t, parse(t, ask(bob, sending(1)).body).Errors)
	assert.Equal(t, 4, p.count(execute))
}

// Where nobody shows a token loopback has no rate: a page on the own machine is not its own attacker.
func TestNoRateOnLoopback(t *testing.T) {
	t.Parallel()
	_, s := openTenancy(t, "--max-operations-per-second-per-user=1", "--max-operations-burst-per-user=1")
	c := dial(t, s)
	for range 50 {
		completed, _ := c.subscribe(t, "{__typename}").end(t)
		require.True(t, completed)
	}
}
