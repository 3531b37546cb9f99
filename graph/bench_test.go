package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/session"
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
			ctx := session.With(graphql.StartOperationTrace(b.Context()), ann)
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

// BenchmarkNodes executes a query of the views of 10,000 nodes, none of them reached, or all of them reached and each
// having said 200 bytes; and beside it, in turns, it marshals the same data: as structs, and as what its reader decodes.
func BenchmarkNodes(b *testing.B) {
	b.Run("idle", func(b *testing.B) { benchmarkNodes(b, func(*conversation.Live, wire.Spine) {}) })
	b.Run("reached", func(b *testing.B) {
		benchmarkNodes(b, func(live *conversation.Live, at wire.Spine) {
			live.Apply(&wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: at, Kind: "llm"}})
			live.Apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{
				Spine: at, ID: "m" + at.NodeID, Content: strings.Repeat("The otters are well.", 10), HasContent: true,
			}})
			live.Apply(&wire.Frame{Type: wire.NodeEnd, Body: wire.Body{Spine: at, Status: wire.Completed}})
		})
	})
}

func benchmarkNodes(b *testing.B, reach func(*conversation.Live, wire.Spine)) {
	const text = `{ conversation(id: "c1") { nodes { path nodeId name status visitCount kind content } } }`
	plan := &wire.Plan{AgentID: "a", AgentVersion: 1}
	for i := range 10_000 {
		name := fmt.Sprintf("node%d", i)
		plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: []string{name}, Kind: "llm", Name: "Node " + name})
	}
	s, live := servePlanned(b, plan)
	live.Apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{ConversationID: "c1", AgentID: "a", AgentVersion: 1}})
	for i := range plan.Nodes {
		reach(live, wire.Spine{NodeID: plan.Nodes[i].Path[0], Activation: "x"})
	}
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

	var query, structs, values []time.Duration
	since := func(start time.Time, each *[]time.Duration) time.Time {
		now := time.Now()
		*each = append(*each, now.Sub(start))
		return now
	}
	for b.Loop() {
		start := time.Now()
		s.query(text, nil)
		start = since(start, &query)
		_, err := json.Marshal(typed)
		start = since(start, &structs)
		require.NoError(b, err)
		_, err = json.Marshal(decoded)
		since(start, &values)
		require.NoError(b, err)
	}
	b.ReportMetric(0, "ns/op") // of all three
	b.ReportMetric(median(query), "ns/query")
	b.ReportMetric(median(query)/median(structs), "x-structs")
	b.ReportMetric(median(query)/median(values), "x-decoded")
}

func median(each []time.Duration) float64 {
	slices.Sort(each)
	return float64(each[len(each)/2])
}
