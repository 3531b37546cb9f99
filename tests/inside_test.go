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

// inside starts a server in this process, put together as `serve` does for whoever is asked for no token, with settings of the
// transport's. It ends with the test.
func inside(t *testing.T, o conversation.Options, settings transport.Options) *server {
	t.Helper()
	hub := conversation.NewHub(o)
	t.Cleanup(hub.Close)
	gate, root := &session.Gate{}, &resolvers.Root{Hub: hub}
	settings.InitTimeout = patience // a machine may be busy
	settings.Upgrade, settings.Init, settings.Stream, settings.Logger = gate.Upgrade, gate.Init, gate.Stream, slog.New(slog.DiscardHandler)
	settings.Share = func(ctx context.Context, field string, arguments map[string]any) (*transport.Seat, error) {
		seat, err := root.Share(ctx, field, arguments)
		if seat == nil {
			return nil, err
		}
		return &transport.Seat{Key: seat.Key, Follow: func() transport.Follower { return seat.Follow() }, Leave: seat.Leave}, nil
	}
	handler, err := transport.New(graph.New(root), settings)
	require.NoError(t, err)
	tally.servers.Add(1)
	mux := http.NewServeMux()
	mux.Handle("/graphql", handler)
	s := httptest.NewServer(mux)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		assert.NoError(t, handler.Shutdown(ctx))
		s.Close()
	})
	return &server{url: s.URL + "/graphql", handler: handler}
}
