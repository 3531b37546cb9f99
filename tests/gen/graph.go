package gen

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// node is one node of an agent graph; a subgraph's inner graph may be shared with other nodes.
type node struct {
	id, kind string
	inner    *graph
	blackBox bool
}

type graph struct{ nodes []*node }

// newGraph draws a graph with subgraphs at most so deep. Inner node ids repeat from graph to graph.
func newGraph(t *rapid.T, depth int) *graph {
	g := &graph{}
	var reusable *graph
	for i := range between(t, "nodes", 1, 4) {
		n := &node{id: fmt.Sprintf("n%d", i+1)}
		kinds := []string{"llm", "llm", "grounded_answer", "ensemble", "for_each_llm", "router", "tool", "join"}
		if depth > 0 {
			kinds = append(kinds, "subgraph", "subgraph", "subgraph")
		}
		if n.kind = pick(t, "kind", kinds...); n.kind == "subgraph" {
			if reusable == nil || !chance(t, "reuse", 50) {
				reusable = newGraph(t, depth-1)
			}
			n.inner, n.blackBox = reusable, chance(t, "black box", 15)
		}
		g.nodes = append(g.nodes, n)
	}
	return g
}

// Path is the absolute path of a spine as one string, for maps.
func Path(s wire.Spine) string {
	return strings.Join(append(slices.Clone(s.SubgraphPath), s.NodeID), "/")
}
