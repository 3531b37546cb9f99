package graph_test

import (
	"encoding/json"
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

// BenchmarkNodes executes a query of the views of 10,000 nodes, and beside it marshals the same data: as structs, and as
// what its reader decodes.
func BenchmarkNodes(b *testing.B) {
	const text = `{ conversation(id: "c1") { nodes { path nodeId name status visitCount kind content } } }`
	plan := &wire.Plan{AgentID: "a", AgentVersion: 1}
	for i := range 10_000 {
		name := fmt.Sprintf("node%d", i)
		plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: []string{name}, Kind: "llm", Name: "Node " + name})
	}
	s, live := servePlanned(b, plan)
	live.Apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{ConversationID: "c1", AgentID: "a", AgentVersion: 1}})
	answer := []byte(s.query(text, nil))
	var typed struct {
		Conversation struct {
			Nodes []struct {
				Path       []string `json:"path"`
				NodeID     string   `json:"nodeId"`
				Name       *string  `json:"name"`
				Status     string   `json:"status"`
				VisitCount int      `json:"visitCount"`
				Kind       *string  `json:"kind"`
				Content    string   `json:"content"`
			} `json:"nodes"`
		} `json:"conversation"`
	}
	require.NoError(b, json.Unmarshal(answer, &typed))
	require.Len(b, typed.Conversation.Nodes, len(plan.Nodes))
	var decoded any
	require.NoError(b, json.Unmarshal(answer, &decoded))

	b.Run("query", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.query(text, nil)
		}
	})
	marshal := func(v any) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := json.Marshal(v)
				require.NoError(b, err)
			}
		}
	}
	b.Run("marshal structs", marshal(typed))
	b.Run("marshal decoded", marshal(decoded))
}
