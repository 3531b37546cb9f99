package platform

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
)

// Every request is told with what it asks for and what came of it, and carries what the observer adds.
func TestObserve(t *testing.T) {
	type told struct {
		op     string
		status int
	}
	var all []told
	seen := ""
	o := Options{ReadTimeout: 50 * time.Millisecond, IdleTimeout: 50 * time.Millisecond, Observe: func(_ context.Context, op string, header http.Header) func(int) {
		header.Set("Traceparent", "from "+op)
		return func(status int) { all = append(all, told{op, status}) }
	}}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Get("Traceparent")
		w.WriteHeader(http.StatusTeapot)
	}, o)
	every(t, func(t *testing.T, e endpoint) {
		all = nil
		require.Error(t, e.ask(c, t.Context(), "token"))
		assert.Equal(t, []told{{e.op, http.StatusTeapot}}, all)
		assert.Equal(t, "from "+e.op, seen)
	})
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) { hang(r) }, o)
	all = nil
	require.Error(t, silent.Reach(t.Context()))
	assert.Equal(t, []told{{"reach", 0}}, all)
}

// A refusal is an answer; a server in trouble, or none, is not.
func TestReach(t *testing.T) {
	for status, ok := range map[int]bool{200: true, 204: true, 302: true, 401: true, 404: true, 429: true, 500: false, 502: false, 503: false} {
		var asked string
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.String() + r.Header.Get("Authorization")
			w.WriteHeader(status)
		}, Options{BaseURL: "/base"})
		err := c.Reach(t.Context())
		assert.Equal(t, ok, err == nil, status)
		assert.Equal(t, "/base/v1/conversations?limit=1", asked)
		if !ok {
			assert.ErrorIs(t, err, upstream.Unavailable)
		}
	}
	away, err := New(Options{BaseURL: "http://127.0.0.1:1"})
	require.NoError(t, err)
	assert.ErrorIs(t, away.Reach(t.Context()), upstream.Unavailable)
}
