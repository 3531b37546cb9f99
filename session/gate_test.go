package session

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// requestWith is a request with the values of its Authorization headers.
func requestWith(authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	for _, value := range authorization {
		r.Header.Add("Authorization", value)
	}
	return r
}

// tokenOf is a good token of a user.
func tokenOf(t *testing.T, tenant, user string) string {
	t.Helper()
	return sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"tenant": tenant, "sub": user}), nil)
}

func gate(t *testing.T, most int) *Gate {
	t.Helper()
	return &Gate{Verifier: verifier(t, Options{Secret: secret}), MaxConnections: most, Logger: slog.New(slog.DiscardHandler)}
}

// A POST, a GET or an event stream is who its one Authorization header says.
func TestGateRequests(t *testing.T) {
	g := gate(t, 0)
	token := tokenOf(t, "acme", "ada")
	ctx, until, err := g.Init(t.Context(), requestWith("Bearer "+token), nil)
	require.NoError(t, err)
	s := From(ctx)
	assert.Equal(t, `"ada" of "acme"`, s.String())
	assert.Equal(t, token, s.Token())
	assert.Equal(t, s.ExpiresAt, until)
	for _, tc := range []struct {
		message       string
		authorization []string
	}{
		{"a token is needed", nil},
		{"the token is not valid", []string{"Bearer " + token + "x"}},
		{"the token is not valid", []string{"Bearer " + token, "Bearer " + token}},
	} {
		_, _, err := g.Init(t.Context(), requestWith(tc.authorization...), nil)
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
		assert.ErrorContains(t, err, tc.message)
	}
	// A payload is a WebSocket's alone.
	_, _, err = g.Init(t.Context(), requestWith(), json.RawMessage(`{"token":"`+token+`"}`))
	assert.ErrorContains(t, err, "a token is needed")
}

// Promise 6: the payload's token counts, and must be of the upgrade's user.
func TestGateSockets(t *testing.T) {
	ada, again, bob, foreign := tokenOf(t, "acme", "ada"), sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"jti": "2"}), nil), tokenOf(t, "acme", "bob"), tokenOf(t, "other", "ada")
	for _, tc := range []struct{ name, upgrade, payload, want, refusal string }{
		{"payload", "", `{"Authorization":"Bearer ` + ada + `"}`, ada, ""},
		{"upgrade", ada, ``, ada, ""},
		{"upgrade with another payload", ada, `{"x":1}`, ada, ""},
		{"both the same", ada, `{"token":"` + ada + `"}`, ada, ""},
		{"both of one user", ada, `{"token":"` + again + `"}`, again, ""},
		{"neither", "", ``, "", "a token is needed"},
		{"another user", ada, `{"token":"` + bob + `"}`, "", "not of one user"},
		{"another tenant", ada, `{"token":"` + foreign + `"}`, "", "not of one user"},
		{"a bad one in the payload", ada, `{"token":"x"}`, "", "the token is not valid"},
		{"something else in the payload", ada, `{"token":5}`, "", "the token is not valid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g, r := gate(t, 1), requestWith()
			if tc.upgrade != "" {
				r = requestWith("Bearer " + tc.upgrade)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx, err := g.Upgrade(ctx, r)
			require.NoError(t, err)
			assert.Nil(t, From(ctx), "nobody is identified before connection_init")
			ctx, until, err := g.Init(ctx, r, json.RawMessage(tc.payload))
			if tc.refusal != "" {
				assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
				assert.ErrorContains(t, err, tc.refusal)
				assert.Nil(t, ctx)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, From(ctx).Token())
			assert.Equal(t, until, From(ctx).ExpiresAt)
		})
	}
	_, err := gate(t, 1).Upgrade(t.Context(), requestWith("Bearer x"))
	assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
	_, err = gate(t, 1).Upgrade(t.Context(), requestWith("Basic x"))
	assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
}

// Promise 7: without a verifier nothing is asked, looked at or kept, and nobody has a cap.
func TestGateAnonymous(t *testing.T) {
	g := &Gate{MaxConnections: 1}
	for range 100 {
		r := requestWith("Bearer x", "Basic y")
		ctx, err := g.Upgrade(t.Context(), r)
		require.NoError(t, err)
		ctx, until, err := g.Init(ctx, r, json.RawMessage(`{"token":5}`))
		require.NoError(t, err)
		assert.True(t, From(ctx).IsAnonymous())
		assert.Empty(t, From(ctx).Token())
		assert.True(t, until.IsZero())
		require.NoError(t, g.Stream(ctx))
	}
}

// socket is a WebSocket of a user, whose token comes with the upgrade or with connection_init.
func socket(ctx context.Context, g *Gate, token string, atUpgrade bool) error {
	r, payload := requestWith(), json.RawMessage(`{"token":"`+token+`"}`)
	if atUpgrade {
		r = requestWith("Bearer " + token)
	}
	ctx, err := g.Upgrade(ctx, r)
	if err != nil {
		return err
	}
	_, _, err = g.Init(ctx, r, payload)
	return err
}

func stream(ctx context.Context, g *Gate, token string) error {
	ctx, _, err := g.Init(ctx, requestWith("Bearer "+token), nil)
	if err != nil {
		return err
	}
	return g.Stream(ctx)
}

// Promise 8: sockets and streams of a user count together, once each, and others' do not.
func TestGateCap(t *testing.T) {
	g := gate(t, 3)
	ada, bob, foreign := tokenOf(t, "acme", "ada"), tokenOf(t, "acme", "bob"), tokenOf(t, "other", "ada")
	ctx, leave := context.WithCancel(t.Context())
	require.NoError(t, socket(ctx, g, ada, true))
	require.NoError(t, socket(t.Context(), g, ada, false))
	require.NoError(t, stream(t.Context(), g, ada))
	full := func() {
		t.Helper()
		for _, err := range []error{socket(t.Context(), g, ada, true), socket(t.Context(), g, ada, false), stream(t.Context(), g, ada)} {
			assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
			assert.EqualError(t, err, "RATE_LIMITED: too many connections of this user")
		}
	}
	full()
	for range 10 {
		_, _, err := g.Init(t.Context(), requestWith("Bearer "+ada), nil)
		require.NoError(t, err, "a single request is no connection")
	}
	require.NoError(t, socket(t.Context(), g, bob, true))
	require.NoError(t, socket(t.Context(), g, foreign, false))
	leave()
	require.Eventually(t, func() bool { return stream(t.Context(), g, ada) == nil }, 10*time.Second, time.Millisecond)
	full()
	assert.Equal(t, coded.Unauthenticated, coded.CodeOf(g.Stream(t.Context())), "a stream of nobody")
}

// Promise 8, raced: never more than the cap, and all places are free when all have left.
func TestGateCapRaced(t *testing.T) {
	const most, callers = 5, 50
	g := gate(t, most)
	token := tokenOf(t, "acme", "ada")
	ctx, leave := context.WithCancel(t.Context())
	var in sync.WaitGroup
	results := make(chan error, callers)
	for n := range callers {
		in.Go(func() { results <- socket(ctx, g, token, n%2 == 0) })
	}
	in.Wait()
	close(results)
	let := 0
	for err := range results {
		if err == nil {
			let++
		} else {
			assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
		}
	}
	assert.Equal(t, most, let)
	leave()
	require.Eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.held) == 0
	}, 10*time.Second, time.Millisecond)
	assert.Equal(t, 50, DefaultMaxConnections)
}

// Promise 4: the log has the reason, and not the token.
func TestGateLog(t *testing.T) {
	var log bytes.Buffer
	g := gate(t, 0)
	g.Logger = slog.New(slog.NewTextHandler(&log, nil))
	token := sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"exp": 1}), nil)
	_, _, err := g.Init(t.Context(), requestWith("Bearer "+token), nil)
	require.Error(t, err)
	assert.Contains(t, log.String(), `msg="token refused" reason="it has expired"`)
	quotesNothing(t, err, token)
	assert.NotContains(t, log.String(), token[:8])
	log.Reset()
	_, _, err = g.Init(t.Context(), requestWith(), nil)
	require.Error(t, err)
	assert.Empty(t, log.String())
}
