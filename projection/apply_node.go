package projection

import (
	"time"

	"inlaygraph/wire"
)

// exit is the last fired edge that leaves a node.
type exit struct {
	key  uint64
	port *string
}

// facts returns the lifecycle facts of a node, making room for them if need be.
func (s *State) facts(pl *Place) *nodeFacts {
	f := s.nodes[pl]
	if f == nil {
		f = &nodeFacts{place: pl}
		s.nodes[pl] = f
	}
	return f
}

// applyNodeStart takes a node's start. A repeated start of the same activation changes nothing
// (docs/fold.md, "NodeRun"); one that only the log has seq and time of takes those over.
func (s *State) applyNodeStart(b *wire.Body, logged bool) {
	pl := s.cur.places.at(b.SubgraphPath, b.NodeID)
	f := s.facts(pl)
	m := &Mark{Kind: MarkStart, logged: logged, place: pl, activation: b.Activation, seq: b.Seq, at: b.At, kind: b.Kind}
	if i := f.find(s.seqs, MarkStart, b); i >= 0 {
		s.repeatFact(f, i, m)
		return
	}
	s.addFact(f, m)
	if !logged && (b.Kind == "llm" || b.Kind == "grounded_answer") {
		s.openPlaceholder(b)
	}
}

// applyNodeEnd takes a node's end: it closes the visit's open rows, and tells status, error and usage.
func (s *State) applyNodeEnd(b *wire.Body, logged bool) {
	pl := s.cur.places.at(b.SubgraphPath, b.NodeID)
	s.closeVisit(visitKey{pl, b.Activation})
	f := s.facts(pl)
	m := &Mark{Kind: MarkEnd, logged: logged, place: pl, activation: b.Activation, seq: b.Seq, at: b.At, status: b.Status, err: b.Error, usage: b.Usage}
	if i := f.find(s.seqs, MarkEnd, b); i >= 0 {
		s.repeatFact(f, i, m)
		return
	}
	s.addFact(f, m)
	s.errorMoved = true
}

// placeMark deals a mark's key and puts it among the entries.
func (s *State) placeMark(m *Mark) uint64 {
	var key uint64
	if m.logged {
		key = s.keyBySeq(m.seq)
	} else {
		key = s.keyAtEnd()
	}
	s.putMark(key, m)
	s.marks++
	return key
}

func (s *State) addFact(f *nodeFacts, m *Mark) {
	f.add(fact{s.placeMark(m), m}, s.stops, s.stopped)
	s.publishNode(f)
}

// repeatFact takes a fact that is known. A live repeat says nothing. A persisted one fills in what is not
// known; one of an earlier page came first, so that the known one is the repeat.
func (s *State) repeatFact(f *nodeFacts, i int, m *Mark) {
	known := f.list[i]
	switch {
	case !m.logged:
		return
	case s.front && known.key > s.frontKey:
		s.c.Overlap = s.c.Overlap || !known.mark.logged && opensTurn(known.mark.kind)
		s.removeMark(known.key, known.mark)
		f.list = slices.Delete(f.list, i, i+1)
		m.fill(known.mark)
		f.list = slices.Insert(f.list, f.after(s.frontKey), fact{s.placeMark(m), m})
	case !s.refineMark(known, m):
		return
	}
	f.refold(s.stops, s.stopped)
	s.publishNode(f)
}

// refineMark fills in what a repeat knows of a fact and the mark does not, and tells whether it was something.
func (s *State) refineMark(known fact, repeat *Mark) bool {
	was := *known.mark
	if known.mark.fill(repeat); was == *known.mark {
		return false
	}
	return true
}

// stopNodes cancels the nodes that a stopped run left running (docs/fold.md, "A stopped run stops its nodes").
func (s *State) stopNodes() {
	s.stopped = true
	for pl := range s.running {
		f := s.nodes[pl]
		f.sum.stop()
		s.publishNode(f)
	}
}

// resume ends a stop: what follows stands behind it.
func (s *State) resume() {
	if s.stopped {
		s.stopped = false
		key := s.keyAtEnd()
		s.putMark(key, &Mark{Kind: MarkRunStop})
		s.stops = append(s.stops, key)
	}
}

// publishNode derives the node's run anew and puts it into the projection.
func (s *State) publishNode(f *nodeFacts) {
	old, _ := s.cur.nodeRuns.get(f.place.ord)
	n := f.sum.nodeRun(f)
	if e, ok := s.exits[f.place]; ok {
		n.ExitedVia = e.port
	}
	s.rollUp(old, n)
	if old != nil && old.order != n.order {
		s.cur.nodeOrder.del(s.tok, old.order)
	}
	if old == nil || old.order != n.order {
		s.cur.nodeOrder.set(s.tok, n.order, f.place, 0)
	}
	s.cur.nodeRuns.set(s.tok, f.place.ord, n, 0)
	if n.Status == wire.Running {
		s.running[f.place] = struct{}{}
	} else {
		delete(s.running, f.place)
	}
	if old != nil && old.sameAs(n) {
		return
	}
	s.mark(Slice{Kind: SliceNode, Path: f.place.key})
	s.runMoved = true
}

// applyEdge counts a traversal. One with a known seq is the same traversal (docs/fold.md, rule 9).
func (s *State) applyEdge(b *wire.Body, logged bool) {
	id := edgeID{from: s.cur.places.at(b.SubgraphPath, b.From), port: b.FromPort, hasPort: b.HasFromPort, to: b.To}
	if b.Seq != 0 {
		if key, known := s.edgeSeqs[edgeSeq{id, b.Seq}]; known {
			if logged {
				s.refineEdge(key, b.At)
			} else {
				s.c.Outcome = Duplicate
			}
			return
		}
	}
	m := &Mark{Kind: MarkEdge, place: id.from, seq: b.Seq, at: b.At, edge: id}
	key := s.markKey(m, logged)
	if b.Seq != 0 {
		s.edgeSeqs[edgeSeq{id, b.Seq}] = key
	}
	was := s.edges[id]
	e := &FiredEdge{SubgraphPath: id.from.SubgraphPath, From: b.From, To: b.To, Count: 1, LastFiredAt: optionalTime(b.At), lastKey: key}
	if b.HasFromPort {
		e.FromPort = &b.FromPort
	}
	if was != nil {
		e.Count += was.Count
		if was.lastKey > key {
			e.lastKey, e.LastFiredAt = was.lastKey, was.LastFiredAt
		}
		s.cur.edges.del(s.tok, was.lastKey)
	}
	s.edges[id] = e
	s.cur.edges.set(s.tok, e.lastKey, e, 0)
	s.runMoved = true
	s.mark(Slice{Kind: SliceNode, Path: id.from.key})
	if x := s.exits[id.from]; key > x.key {
		s.exits[id.from] = exit{key, e.FromPort}
		s.cur.exits.set(s.tok, id.from.ord, e.FromPort, 0)
		if f := s.nodes[id.from]; f != nil && len(f.list) > 0 {
			s.publishNode(f)
		}
	}
}

// refineEdge fills in when a traversal happened, where only the log knows.
func (s *State) refineEdge(key uint64, at time.Time) {
	e, _ := s.cur.entries.get(key)
	m := *e.(*Mark)
	if !m.at.IsZero() || at.IsZero() {
		return
	}
	m.at = at
	s.putMark(key, &m)
	fired := *s.edges[m.edge]
	if fired.lastKey != key {
		return
	}
	fired.LastFiredAt = optionalTime(at)
	s.edges[m.edge] = &fired
	s.cur.edges.set(s.tok, key, &fired, 0)
	s.runMoved = true
	s.mark(Slice{Kind: SliceNode, Path: m.place.key})
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
