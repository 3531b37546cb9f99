package projection

import "math"

// What the tests in package projection_test may do and see beyond the exported.

// TakenSince tells whether an edge fired since the node's latest start, as branches do.
func TakenSince(n *NodeRun, e *FiredEdge) bool { return n == nil || e.lastKey > n.startKey }

// WasSubgraph tells whether a node ever ran as a subgraph.
func WasSubgraph(n *NodeRun) bool { return n.subgraphKey != 0 }

// NewCrowded is New with hardly any room between keys, so that they are dealt anew again and again.
func NewCrowded(id string) *State {
	s := New(id)
	s.keys.steps = keySteps{end: 3, front: 2, up: 1, down: 1}
	return s
}

// UseUpKeys leaves no room behind the last key.
func (s *State) UseUpKeys() { s.keys.last = math.MaxUint64 }

// MarkCount is how many marks are kept.
func (s *State) MarkCount() int { return s.cur.entries.Len() - s.cur.rows.Len() }

// Droppable is how many rows a trim could still drop.
func (s *State) Droppable() (n int) {
	for key, row := range s.cur.TimelineKeyed() {
		if !s.waits(key, row) {
			n++
		}
	}
	return n
}

// Names is how many entries the greatest of the indexes has.
func (s *State) Names() int {
	n := max(len(s.ids), len(s.seqs), len(s.open), len(s.slots), len(s.late), len(s.stops), len(s.reasons), len(s.missing), len(s.passed))
	n = max(n, s.cur.tools.len(), s.cur.names.len(), s.cur.inners.len(), s.cur.tableIDs.len(), len(s.cur.places.key), len(s.edges))
	for _, f := range s.nodes {
		n = max(n, len(f.list), len(f.visits))
	}
	for _, x := range s.tables {
		n = max(n, len(x.stamps))
	}
	return n
}
