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
	gate, root := &session.Gate{}, &resolvers.Root{Hub: hub}
	handler, err := transport.New(graph.New(root), transport.Options{
		Upgrade: gate.Upgrade, Init: gate.Init, Stream: gate.Stream, Logger: slog.New(slog.DiscardHandler),
		Share: func(ctx context.Context, field string, arguments map[string]any) (*transport.Seat, error) {
			seat, err := root.Share(ctx, field, arguments)
			if seat == nil {
				return nil, err
			}
			return &transport.Seat{Key: seat.Key, Follow: func() transport.Follower { return seat.Follow() }, Leave: seat.Leave}, nil
		},
	})
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
	return &server{url: s.URL + "/graphql"}
}
