package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPathKey(t *testing.T) {
	assert.Equal(t, "", PathKey(nil))
	rapid.Check(t, func(t *rapid.T) {
		segments := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "ab", "\x01a", "\x00", strings.Repeat("x", 200)}), 0, 3)
		a, b := segments.Draw(t, "a"), segments.Draw(t, "b")
		require.Equal(t, strings.Join(a, "/") == strings.Join(b, "/") && len(a) == len(b), PathKey(a) == PathKey(b))
		require.Equal(t, PathKey(append(a[:len(a):len(a)], b...)), PathKey(a)+PathKey(b))
	})
}

// Promise 14.
func TestPlanIndex(t *testing.T) {
	p, err := DecodePlan([]byte(`{"agent_id":"a","agent_version":2,
		"nodes":[{"path":["r","x"]},{"path":["box"],"hide_inner_events":true},{"path":["r"],"name":"R"},{"path":["one"],"kind":"subgraph"},{"path":["llm"],"kind":"llm"}],
		"edges":[{"from":"r","to":"one"},{"subgraph_path":["r"],"from":"x","to":"x"},{"from":"r","from_port":"p","to":"box"}],
		"outputs":[{"name":"o"},{"name":"o","subgraph_path":["r"]},{"name":"q","subgraph_path":["r"]}],
		"tables":[{"name":"t"}],"tools":[{"name":"t","requires_client_response":true}]}`))
	require.NoError(t, err)
	x, err := NewPlanIndex(p)
	require.NoError(t, err)
	assert.Same(t, p, x.Plan())

	r, inner := x.Node(PathKey([]string{"r"})), x.Node(PathKey([]string{"r", "x"}))
	assert.Same(t, &p.Nodes[2], r.Node)
	assert.Equal(t, 2, r.Ordinal)
	assert.Equal(t, []*IndexedNode{inner}, r.Children)
	assert.Same(t, r, inner.Parent)
	assert.Same(t, x.Root(), r.Parent)
	assert.Nil(t, x.Root().Node)
	assert.Len(t, x.Root().Children, 4)
	assert.Equal(t, []*PlanEdge{&p.Edges[0], &p.Edges[2]}, r.Edges)
	assert.Equal(t, []*PlanEdge{&p.Edges[1]}, inner.Edges)
	assert.Equal(t, []*PlanOutput{&p.Outputs[1], &p.Outputs[2]}, r.Outputs)
	assert.Same(t, &p.Outputs[0], x.Output("", "o"))
	assert.Same(t, &p.Outputs[1], x.Output(r.Key, "o"))
	assert.Nil(t, x.Output("", "q"))
	assert.Same(t, &p.Tables[0], x.Table("t"))
	assert.Same(t, &p.Tools[0], x.Tool("t"))
	assert.Nil(t, x.Table("x"))
	assert.Nil(t, x.Tool("x"))

	for _, key := range []string{"", "r", PathKey([]string{"r", "y"})} {
		assert.Nil(t, x.Node(key), "%q", key)
	}
	assert.Same(t, x.Root(), x.Level(""))
	for id, subgraph := range map[string]bool{"r": true, "box": true, "one": true, "llm": false, "nobody": false} {
		assert.Equal(t, subgraph, x.Level(PathKey([]string{id})) != nil, id)
	}
}

// Promise 14: inner regions before outer ones, else plan order.
func TestRegionsInnermostFirst(t *testing.T) {
	for _, c := range []struct {
		name    string
		regions []PlanRegion
		order   []int
		around  string // of each region in plan order, those that enclose it
	}{
		{"one after the other", []PlanRegion{region("a d", "b", "c"), region("d g", "e", "f")}, []int{0, 1}, "|"},
		{"nested, outer first", []PlanRegion{region("a h", "b c d e", "f"), region("b e", "c", "d")}, []int{1, 0}, "|0"},
		{"nested, inner first", []PlanRegion{region("b e", "c", "d"), region("a h", "b c d e", "f")}, []int{0, 1}, "1|"},
		{"its join is outside", []PlanRegion{region("a h", "b c d", "f"), region("b h", "c", "d")}, []int{1, 0}, "|0"},
		{"its source is outside", []PlanRegion{region("a h", "c d", "f"), region("a h", "c", "d")}, []int{0, 1}, "|"},
		{"in two branches", []PlanRegion{region("a h", "b c", "d"), region("b e", "c", "d")}, []int{0, 1}, "|"},
		{"in two that do not nest", []PlanRegion{region("a i", "b c d e f", "g"), region("c f", "d", "e"), region("b f", "c d e", "h")}, []int{1, 0, 2}, "|0,2|"},
		{"three deep", []PlanRegion{region("a i", "b c d e f h", "g"), region("b f", "c d e", "h"), region("c f", "d", "e")}, []int{2, 1, 0}, "|0|0,1"},
		{"overlapping", []PlanRegion{region("a h", "b c d", "f"), region("b h", "d", "f"), region("a h", "e g", "f")}, []int{0, 1, 2}, "||"},
		{"overlapping an inner one that stands behind", []PlanRegion{region("b h", "d f", "g"), region("c e", "d", "i"), region("a h", "c d e i")}, []int{0, 1, 2}, "|2|"},
		{"overlapping an outer one", []PlanRegion{region("a h", "c d e i"), region("b h", "e f", "g"), region("c e", "d", "i")}, []int{2, 0, 1}, "||0"},
		{"no order does", []PlanRegion{region("a h", "c d e i"), region("b h", "d f", "g"), region("c e", "d", "i")}, []int{2, 0, 1}, "||0"},
		{"the same twice", []PlanRegion{region("a d", "b", "c"), region("a d", "b", "c")}, []int{0, 1}, "|"},
	} {
		p := &Plan{AgentID: "a", Nodes: nodesOf("a b c d e f g h i"), Regions: c.regions}
		x, err := NewPlanIndex(p)
		require.NoError(t, err, c.name)
		var order []int
		around := make([]string, len(c.regions))
		for _, r := range x.Root().Regions {
			order = append(order, r.Ordinal)
			var all []string
			for _, outer := range r.Enclosing {
				all = append(all, string(rune('0'+outer.Ordinal)))
			}
			around[r.Ordinal] = strings.Join(all, ",")
			assert.Same(t, &p.Regions[r.Ordinal], r.Region)
			assert.Same(t, x.Node(PathKey(r.Region.Source)), r.Source)
			assert.Same(t, x.Node(PathKey(r.Region.Join)), r.Join)
			assert.Same(t, x.Root(), r.Parent)
			assert.Len(t, r.Entries, len(r.Region.Branches))
			for b, branch := range r.Region.Branches {
				for _, member := range branch.Members {
					got, ok := r.Branch(PathKey(member))
					assert.True(t, ok && got == b)
				}
			}
			_, ok := r.Branch(r.Source.Key)
			assert.False(t, ok)
		}
		assert.Equal(t, c.order, order, c.name)
		assert.Equal(t, c.around, strings.Join(around, "|"), c.name)
	}
}
