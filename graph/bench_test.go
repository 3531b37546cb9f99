package graph_test

import (
	"fmt"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/wire"
)

// BenchmarkTimeline executes a query of a whole timeline, six fields a row.
func BenchmarkTimeline(b *testing.B) {
	for _, rows := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			hub := conversation.NewHub(conversation.Options{})
			defer hub.Close()
			live := conversation.NewLive("c1")
			hub.Adopt(live)
			for i := range rows {
				live.Apply(&wire.Frame{Type: wire.UserMessage, Body: wire.Body{ID: fmt.Sprintf("u%d", i), Content: "How are the otters?"}})
			}
			exec := executor.New(graph.New(&resolvers.Root{Hub: hub}))
			ctx := graphql.StartOperationTrace(b.Context())
			const text = `{ conversation(id: "c1") { timeline { type id seq path at ... on UserRow { content } } } }`
			b.ReportAllocs()
			for b.Loop() {
				op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: text})
				require.Empty(b, errs)
				next, ctx := exec.DispatchOperation(ctx, op)
				require.Empty(b, next(ctx).Errors)
			}
		})
	}
}
