package session

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// timed is a gate whose clock the test moves.
func timed(t *testing.T, open bool, rates Rates) (g *Gate, pass func(time.Duration)) {
	t.Helper()
	g = &Gate{Rates: rates}
	if !open {
		g.Verifier = verifier(t, Options{Secret: secret})
	}
	now := time.Now()
	g.limiters.now = func() time.Time { return now }
	return g, func(d time.Duration) { now = now.Add(d) }
}

// asking is the context of a user, or of an address where there is no token.
func asking(t *testing.T, g *Gate, token, address string) context.Context {
	t.Helper()
	r := requestWith()
	if token != "" {
		r = requestWith("Bearer " + token)
	}
	r.RemoteAddr = address
	ctx, _, err := g.Init(t.Context(), r, nil)
	require.NoError(t, err)
	return ctx
}

// after is what a refusal says about coming again; it must be one.
func after(t *testing.T, err error) time.Duration {
	t.Helper()
	require.Equal(t, coded.RateLimited, coded.CodeOf(err))
	var when interface{ RetryAfter() time.Duration }
	require.ErrorAs(t, err, &when)
	return when.RetryAfter()
}

// Promise 10: the burst at once, then so many a second, each user for itself, whatever the token, address or transport.
func TestRateOfOperations(t *testing.T) {
	g, pass := timed(t, false, Rates{OperationsPerSecond: 5, OperationsBurst: 10})
	ada, again := asking(t, g, tokenOf(t, "acme", "ada"), "192.0.2.1:1"), asking(t, g, sign(t, "HS256", []byte(secret), good(map[string]any{"jti": "2"}), nil), "127.0.0.1:2")
	for n := range 10 {
		require.NoError(t, g.Operation([]context.Context{ada, again}[n%2]), n)
	}
	err := g.Operation(again)
	assert.InDelta(t, 0.2, after(t, err).Seconds(), 0.01)
	assert.EqualError(t, err, "RATE_LIMITED: too many operations, try again in 1 s: try again in 200ms")
	for range 100 { // what is refused uses nothing up
		after(t, g.Operation(ada))
	}
	for _, other := range []string{tokenOf(t, "acme", "bob"), tokenOf(t, "other", "ada")} {
		assert.NoError(t, g.Operation(asking(t, g, other, "192.0.2.1:1")))
	}
	pass(time.Second)
	for range 5 {
		require.NoError(t, g.Operation(ada))
	}
	after(t, g.Operation(ada))
	pass(time.Hour)
	for range 10 {
		require.NoError(t, g.Operation(ada))
	}
	after(t, g.Operation(ada))
	g.Rates.OperationsBurst = 0
	bob := asking(t, g, tokenOf(t, "acme", "carol"), "")
	for range 10 {
		require.NoError(t, g.Operation(bob), "twice the rate by default")
	}
	after(t, g.Operation(bob))
}

// Promise 10: what begins runs is counted one by one, and nothing else.
func TestRateOfSends(t *testing.T) {
	g, pass := timed(t, false, Rates{OperationsPerSecond: 1, SendsPerMinute: 6})
	ada := asking(t, g, tokenOf(t, "acme", "ada"), "")
	for range 50 {
		require.NoError(t, g.Mutation(ada, []string{"cancel", "submitToolResult", "loadEarlier", "topup"}))
	}
	require.NoError(t, g.Mutation(ada, []string{"send", "retry", "send", "cancel"}))
	assert.Equal(t, 10*time.Second, after(t, g.Mutation(ada, []string{"send", "send", "send", "send"})).Round(time.Second), "one of four has no room")
	require.NoError(t, g.Mutation(ada, []string{"send", "send", "send"}))
	assert.ErrorContains(t, g.Mutation(ada, []string{"retry"}), "too many sends, try again in 10 s")
	require.NoError(t, g.Mutation(ada, []string{"cancel"}))
	require.NoError(t, g.Mutation(asking(t, g, tokenOf(t, "acme", "bob"), ""), []string{"send"}))
	assert.Equal(t, time.Minute, after(t, g.Mutation(ada, make7("send"))), "more than there ever are")
	pass(10 * time.Second)
	require.NoError(t, g.Mutation(ada, []string{"send"}))
	after(t, g.Mutation(ada, []string{"send"}))
}

func make7(name string) (all []string) {
	for range 7 {
		all = append(all, name)
	}
	return all
}

// Without a token the address counts, as wide as a household has it, and none on loopback.
func TestRateOfAddresses(t *testing.T) {
	for address, other := range map[string]string{
		"192.0.2.1:1000":      "192.0.2.2:1000",
		"[2001:db8:0:1::1]:1": "[2001:db8:0:2::1]:1",
		"[::ffff:192.0.2.9]:": "192.0.2.8:",
		"nonsense":            "192.0.2.1:1",
	} {
		g, _ := timed(t, true, Rates{OperationsPerSecond: 1, OperationsBurst: 1, SendsPerMinute: 1})
		require.NoError(t, g.Operation(asking(t, g, "", address)))
		after(t, g.Operation(asking(t, g, "", address)))
		require.NoError(t, g.Operation(asking(t, g, "", other)))
		require.NoError(t, g.Mutation(asking(t, g, "", address), []string{"send"}))
		after(t, g.Mutation(asking(t, g, "", address), []string{"send"}))
	}
	g, _ := timed(t, true, Rates{OperationsPerSecond: 1, OperationsBurst: 1, SendsPerMinute: 1})
	require.NoError(t, g.Operation(asking(t, g, "", "192.0.2.1:1")))
	after(t, g.Operation(asking(t, g, "", "192.0.2.1:2")))
	require.NoError(t, g.Operation(asking(t, g, "", "[2001:db8::1]:1")))
	after(t, g.Operation(asking(t, g, "", "[2001:db8::ffff]:1")))
	for range 100 {
		for _, local := range []string{"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"} {
			require.NoError(t, g.Operation(asking(t, g, "", local)))
			require.NoError(t, g.Mutation(asking(t, g, "", local), []string{"send"}))
		}
	}
}

// Without rates nothing is bounded, and nothing is kept.
func TestNoRates(t *testing.T) {
	g, _ := timed(t, false, Rates{})
	ada := asking(t, g, tokenOf(t, "acme", "ada"), "")
	for range 1000 {
		require.NoError(t, g.Operation(ada))
		require.NoError(t, g.Mutation(ada, []string{"send"}))
	}
	assert.Empty(t, g.limiters.known)
	require.NoError(t, g.Operation(t.Context()), "whoever was not let in is not asked")
}

// Promise 10: the table is bounded, and keeps who asked last.
func TestRatesAreBounded(t *testing.T) {
	g, _ := timed(t, true, Rates{OperationsPerSecond: 1, OperationsBurst: 1})
	busy := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	busy.RemoteAddr = "192.0.2.1:1"
	ctx := g.rated(t.Context(), nil, busy)
	require.NoError(t, g.Operation(ctx))
	for n := range 3 * maxRated {
		r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16, n>>8&255, n&255)
		require.NoError(t, g.Operation(g.rated(t.Context(), nil, r)))
		if n%1000 == 0 {
			after(t, g.Operation(ctx))
		}
	}
	assert.Len(t, g.limiters.known, maxRated)
	assert.Equal(t, maxRated, g.limiters.order.Len())
}
