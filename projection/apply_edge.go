package projection

import "inlaygraph/wire"

// edgeID is an edge's semantic identity.
type edgeID struct {
	from    *Place
	port    string
	hasPort bool
	to      string
}

// edgeFacts are what is known of one edge.
type edgeFacts struct {
	id    edgeID // never changes: marks point at it
	fired *FiredEdge
}

// exit is the last fired edge that leaves a node.
type exit struct {
	key  uint64
	port *string
}

// edge returns the facts of the edge that b names, making room for them if need be.
func (s *State) edge(b *wire.Body) *edgeFacts {
	id := edgeID{from: s.cur.places.at(b.SubgraphPath, b.From), port: b.FromPort, hasPort: b.HasFromPort, to: b.To}
	f := s.edges[id]
	if f == nil {
		f = &edgeFacts{id: id}
		s.edges[id] = f
		s.edgeBytes += int64(edgeCost + len(id.port) + len(id.to))
	}
	return f
}

// edgeMark makes the mark of a traversal.
func (s *State) edgeMark(b *wire.Body, logged bool) *Mark {
	f := s.edge(b)
	return &Mark{Kind: MarkEdge, logged: logged, place: f.id.from, seq: b.Seq, at: b.At, edge: f}
}

// applyEdge counts a traversal. One with a known seq is the same traversal (docs/fold.md, rule 9).
func (s *State) applyEdge(b *wire.Body, logged bool) {
	m := s.edgeMark(b, logged)
	f := m.edge
	if key, found := s.bySeq(b.Seq, kindEdge); found && s.markAt(key).edge == f {
		s.repeatEdge(key, m)
		return
	}
	key := s.placeMark(m)
	e := &FiredEdge{
		SubgraphPath: f.id.from.SubgraphPath, From: f.id.from.NodeID, To: f.id.to, Count: 1, LastFiredAt: m.At(),
		lastKey: key, fromKey: f.id.from.key,
	}
	if f.id.hasPort {
		e.FromPort = &f.id.port
	}
	if was := f.fired; was != nil {
		e.Count += was.Count
		if was.lastKey > key {
			e.lastKey, e.LastFiredAt = was.lastKey, was.LastFiredAt
		}
	}
	s.publishEdge(f, e)
	if key > s.exits[f.id.from].key {
		s.leave(f.id.from, exit{key, e.FromPort})
	}
}

// publishEdge puts an edge into the projection.
func (s *State) publishEdge(f *edgeFacts, e *FiredEdge) {
	if f.fired != nil {
		s.cur.edges.Del(s.runTok, f.fired.lastKey)
	}
	f.fired = e
	s.cur.edges.Set(s.runTok, e.lastKey, e, 0)
	s.runMoved = true
	s.mark(Slice{Kind: SliceNode, Path: f.id.from.key})
}

// leave notes the port by which a node was left last.
func (s *State) leave(pl *Place, x exit) {
	s.exits[pl] = x
	s.cur.exits.Set(s.tok, pl.ord, x.port, 0)
	if f := s.nodes[pl]; f != nil && f.known() {
		s.nodeMoved(f, true)
	}
}

// repeatEdge takes a traversal that is known, as repeatFact does.
func (s *State) repeatEdge(key uint64, m *Mark) {
	known := s.markAt(key)
	switch {
	case !m.logged:
		s.c.Outcome = Duplicate
	case s.precedes(key):
		last := m.edge.fired.lastKey == key || s.exits[m.place].key == key
		s.removeMark(key, known)
		m.fill(known)
		if s.placeMark(m); last {
			s.refireEdge(m.edge)
		}
	case known.at.IsZero() && !m.at.IsZero():
		c := *known
		c.at = m.at
		s.putMark(key, &c)
		if fired := *m.edge.fired; fired.lastKey == key {
			fired.LastFiredAt = c.At()
			s.publishEdge(m.edge, &fired)
		}
	}
}

// refireEdge finds an edge's last firing and its node's last exit anew, after one of them moved.
func (s *State) refireEdge(f *edgeFacts) {
	exited := false
	for key, e := range s.cur.entries.Descend(^uint64(0)) {
		m, ok := e.(*Mark)
		if !ok || m.Kind != MarkEdge || m.place != f.id.from {
			continue
		}
		if !exited {
			exited = true
			s.leave(m.place, exit{key, m.edge.fired.FromPort})
		}
		if m.edge == f {
			fired := *f.fired
			fired.lastKey, fired.LastFiredAt = key, m.At()
			s.publishEdge(f, &fired)
			return
		}
	}
}
