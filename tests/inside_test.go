package tests

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/session"
	"inlaygraph/transport"
)

// inside starts a server in this process, put together as `serve` does for whoever is asked for no token. It ends with
// the test.
func inside(t *testing.T, o conversation.Options) *server {
	t.Helper()
	hub := conversation.NewHub(o)
	t.Cleanup(hub.Close)
	gate := &session.Gate{}
	handler, err := transport.New(graph.New(&resolvers.Root{Hub: hub}), transport.Options{
		Upgrade: gate.Upgrade, Init: gate.Init, Stream: gate.Stream, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/graphql", handler)
	s := httptest.NewServer(mux)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		assert.NoError(t, handler.Shutdown(ctx))
		s.Close()
	})
	return &server{url: s.URL + "/graphql"}
}
