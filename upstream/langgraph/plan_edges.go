package langgraph

import (
	"slices"
	"strings"

	"inlaygraph/wire"
)

// shape is one graph of the nest, as far as its edges tell.
type shape struct {
	path  []string
	nodes []string // in plan order
	out   map[string][]arc
	in    map[string][]arc
	enter map[string]bool // nodes that the graph may begin with
	leave map[string]bool // nodes that it may end with
}

// arc is an edge of a shape.
type arc struct {
	from, to    string
	conditional bool
	label       string
}

// shapeOf finds or makes the shape of a subgraph, the root for no path.
func (d *drawing) shapeOf(path []string) *shape {
	key := wire.PathKey(path)
	s := d.graph[key]
	if s == nil {
		s = &shape{
			path: slices.Clone(path), out: map[string][]arc{}, in: map[string][]arc{},
			enter: map[string]bool{}, leave: map[string]bool{},
		}
		d.graph[key] = s
		d.order = append(d.order, s)
	}
	return s
}

// place puts the drawn edges where they belong. A drawn graph is flat: an edge into a subgraph is drawn to the node it
// begins with, one out of it from the node it ends with. Such an edge belongs to the graph that both its ends are in.
func (d *drawing) place() {
	d.graph, d.seen = map[string]*shape{}, map[string]bool{}
	d.shapeOf(nil)
	for i := range d.plan.Nodes {
		path := d.plan.Nodes[i].Path
		s := d.shapeOf(path[:len(path)-1])
		s.nodes = append(s.nodes, path[len(path)-1])
	}
	for _, e := range d.drawn {
		d.bounds(e)
	}
	for _, e := range d.drawn {
		d.inner(e)
	}
}

// common is how many of the enclosing subgraphs two nodes share.
func common(a, b []string) int {
	n := 0
	for n < len(a)-1 && n < len(b)-1 && a[n] == b[n] {
		n++
	}
	return n
}

// bounds notes where subgraphs are entered and left.
func (d *drawing) bounds(e drawnEdge) {
	n := common(e.from, e.to)
	for depth := n + 1; depth < len(e.from); depth++ {
		d.shapeOf(e.from[:depth]).leave[e.from[depth]] = true
	}
	for depth := n + 1; depth < len(e.to); depth++ {
		d.shapeOf(e.to[:depth]).enter[e.to[depth]] = true
	}
	s := d.shapeOf(e.from[:n])
	if e.from[n] == startNode {
		s.enter[e.to[n]] = true
	}
	if e.to[n] == endNode {
		s.leave[e.from[n]] = true
	}
}

// inner puts an edge into its graph.
func (d *drawing) inner(e drawnEdge) {
	n := d.depth(e)
	from, to := e.from[n], e.to[n]
	switch {
	case from == startNode, to == endNode:
		return
	case from == endNode, to == startNode:
		d.note("an edge out of an end, or into a beginning")
		return
	}
	for _, end := range [][]string{e.from[:n+1], e.to[:n+1]} {
		if _, drawn := d.at[wire.PathKey(end)]; !drawn {
			d.note("an edge of %s: nothing of it is drawn", strings.Join(end, "/"))
			return
		}
	}
	s := d.shapeOf(e.from[:n])
	a := arc{from: from, to: to, conditional: e.conditional, label: e.label}
	if a.conditional && a.label == "" {
		a.label = to // the server leaves out a label that is the target's name
	}
	key := wire.PathKey([]string{wire.PathKey(s.path), from, to, a.label})
	if a.conditional {
		key += "?"
	}
	if d.seen[key] {
		return
	}
	d.seen[key] = true
	s.add(a)
	d.plan.Edges = append(d.plan.Edges, wire.PlanEdge{
		SubgraphPath: s.path, From: from, FromPort: a.label, HasFromPort: a.conditional, To: to,
	})
}

// depth is in how many subgraphs an edge is. A way of a subgraph back to itself is drawn inside it, from its end to its
// beginning, or to what its beginning leads to where that is not drawn. The server draws a beginning whenever something
// else inside leads to the same node, so that nothing else looks like it; and an end likewise.
func (d *drawing) depth(e drawnEdge) int {
	n := common(e.from, e.to)
	for ; n > 0; n-- {
		from, to, s := e.from[n], e.to[n], d.shapeOf(e.from[:n])
		around := from == endNode || to == startNode ||
			s.enter[to] && !d.drawnAt(e.to[:n], startNode) || s.leave[from] && !d.drawnAt(e.from[:n], endNode)
		if !around || from == startNode || to == endNode {
			break
		}
	}
	return n
}

func (d *drawing) drawnAt(path []string, end string) bool {
	return d.ends[wire.PathKey(append(slices.Clone(path), end))]
}

func (s *shape) add(a arc) {
	s.out[a.from] = append(s.out[a.from], a)
	s.in[a.to] = append(s.in[a.to], a)
}
