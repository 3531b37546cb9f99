package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gql "github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/wire"
)

// documents keeps those that were validated, so that ten thousand operations of one document are started at once.
type documents map[string]*gql.QueryDocument

func (d documents) Get(_ context.Context, text string) (*gql.QueryDocument, bool) {
	doc, ok := d[text]
	return doc, ok
}

func (d documents) Add(_ context.Context, text string, doc *gql.QueryDocument) { d[text] = doc }

// A plan of ten thousand nodes, a hundred subgraphs of ninety-nine, each node followed by a subscription of its own: what
// one node does wakes whoever follows it or a subgraph around it, and nobody else.
func TestADeltaWakesItsOwnSubscribers(t *testing.T) {
	plan := &wire.Plan{AgentID: "a", AgentVersion: 1}
	for g := range 100 {
		group := fmt.Sprint("g", g)
		plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: []string{group}, Kind: "subgraph"})
		for n := range 99 {
			plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: []string{group, fmt.Sprint("n", n)}, Kind: "llm"})
		}
	}
	require.Len(t, plan.Nodes, 10_000)
	s, live := servePlanned(t, plan)
	s.exec.SetQueryCache(documents{})
	apply(t, live, &wire.Frame{Type: wire.RunStart, Body: wire.Body{ConversationID: "c1", AgentID: "a", AgentVersion: 1}})
	const text = `subscription($path: [ID!]!) { node(conversationId: "c1", path: $path, minIntervalMs: 0) { status content } }`
	follow := func(path []string) (next func() string) {
		list := make([]any, len(path))
		for i, segment := range path {
			list[i] = segment
		}
		next = s.subscribe(text, map[string]any{"path": list})
		require.Equal(t, `{"node":{"status":"IDLE","content":""}}`, next())
		return next
	}
	next := map[string]func() string{}
	for i := range plan.Nodes {
		path := plan.Nodes[i].Path
		next[strings.Join(path, "/")] = follow(path)
	}
	again := follow([]string{"g42", "n7"})

	at := func(g, n string) wire.Spine {
		return wire.Spine{NodeID: n, SubgraphPath: []string{g}, Activation: "x"}
	}
	woken := func(type_ wire.FrameType, body wire.Body) int {
		t.Helper()
		_, n := live.Apply(&wire.Frame{Type: type_, Body: body})
		return n
	}
	delta := wire.Body{Spine: at("g42", "n7"), ID: "m", Content: "word ", HasContent: true}
	require.Equal(t, 3, woken(wire.NodeStart, wire.Body{Spine: at("g42", "n7"), Kind: "llm"}), "two follow the node, one its subgraph")
	for _, next := range []func() string{next["g42/n7"], again} {
		require.Equal(t, `{"node":{"status":"RUNNING","content":""}}`, next())
	}
	require.Equal(t, `{"node":{"status":"IDLE","content":""}}`, next["g42"]())
	for said := 1; said <= 3; said++ {
		require.Equal(t, 3, woken(wire.MessageDelta, delta))
		for _, next := range []func() string{next["g42/n7"], again} {
			require.Equal(t, `{"node":{"status":"RUNNING","content":"`+strings.Repeat("word ", said)+`"}}`, next())
		}
		require.Equal(t, `{"node":{"status":"IDLE","content":"`+strings.Repeat("word ", said)+`"}}`, next["g42"]())
	}
	require.Equal(t, 2, woken(wire.MessageDelta, wire.Body{Spine: at("g42", "n8"), ID: "other", Content: "word ", HasContent: true}))
	require.Zero(t, woken(wire.MessageDelta, wire.Body{Spine: wire.Spine{NodeID: "unplanned"}, ID: "third", Content: "word ", HasContent: true}))
}

// Sixty-four subgraphs in one another, as deep as plans are promised to work: every view on the way down, reached or not.
func TestViewsAtSixtyFourLevels(t *testing.T) {
	const levels = 64
	plan := &wire.Plan{AgentID: "a", AgentVersion: 1}
	var path []string
	for range levels {
		path = append(path[:len(path):len(path)], "g")
		plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: path, Kind: "subgraph", Name: "Level"})
		plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: append(path[:len(path):len(path)], "quiet"), Kind: "llm"})
	}
	plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: append(path[:len(path):len(path)], "n"), Kind: "llm"})
	s, live := servePlanned(t, plan)
	apply(t, live, &wire.Frame{Type: wire.RunStart, Body: wire.Body{ConversationID: "c1", AgentID: "a", AgentVersion: 1}})
	for depth, subgraph := range path {
		apply(t, live, &wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: wire.Spine{NodeID: subgraph, SubgraphPath: path[:depth], Activation: "x"}, Kind: "subgraph"}})
	}
	deepest := wire.Spine{NodeID: "n", SubgraphPath: path, Activation: "x"}
	variables := func(depth int) map[string]any {
		list := []any{}
		for _, segment := range path[:depth] {
			list = append(list, segment)
		}
		return map[string]any{"path": list}
	}
	const fields = `{ path status content rows { path } }`
	next := s.subscribe(`subscription($path: [ID!]!) { node(conversationId: "c1", path: $path, minIntervalMs: 0) `+fields+` }`, variables(1))
	next()
	apply(t, live, &wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: deepest, Kind: "llm"}})
	apply(t, live, &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: deepest, ID: "m", Content: "at the bottom", HasContent: true}})
	assert.Contains(t, next(), `"content":"at the bottom"`, "sixty-four levels above")

	type view struct {
		Path       []string
		Status     string
		Content    string
		Rows       []any
		VisitCount int
	}
	var answer struct {
		Conversation struct {
			Node     view
			Subagent struct {
				RunningCount int
				Children     []view
			}
			Nodes []view
		}
	}
	for depth := 1; depth <= levels; depth++ {
		data := s.query(`query($path: [ID!]!) { conversation(id: "c1") {
			node(path: $path) `+fields+` subagent(path: $path) { ... on OpenSubagentView { runningCount children { path status } } } nodes { path status visitCount content }
		} }`, variables(depth))
		require.NoError(t, json.Unmarshal([]byte(data), &answer))
		c := answer.Conversation
		require.Equal(t, view{Path: path[:depth], Status: "RUNNING", Content: "at the bottom", Rows: []any{}}, c.Node)
		require.Equal(t, levels-depth+1, c.Subagent.RunningCount, "the subgraphs below, and the node")
		require.Len(t, c.Subagent.Children, 1)
		require.Len(t, c.Subagent.Children[0].Path, depth+1)
	}
	nodes := answer.Conversation.Nodes
	require.Len(t, nodes, 2*levels+1)
	for i, node := range nodes[:2*levels] {
		want := view{Path: plan.Nodes[i].Path, Status: "RUNNING", Content: "at the bottom", VisitCount: 1}
		if i%2 == 1 {
			want = view{Path: plan.Nodes[i].Path, Status: "IDLE"}
		}
		require.Equal(t, want, node)
	}
	require.Equal(t, view{Path: append(path[:levels:levels], "n"), Status: "RUNNING", Content: "at the bottom", VisitCount: 1}, nodes[2*levels])
}
