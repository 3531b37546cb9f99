package projection

import (
	"slices"

	"inlaygraph/wire"
)

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
	f := s.facts(s.cur.places.at(b.SubgraphPath, b.NodeID))
	if f.forgot(MarkStart, b.Activation) {
		return
	}
	m := newFact(MarkStart, f.place, b, logged)
	if i := f.find(s, MarkStart, b); i >= 0 {
		s.repeatFact(f, i, m)
		return
	}
	s.addFact(f, m)
	if !logged && prefills(b.Kind) {
		s.openPlaceholder(b)
	}
}

// prefills tells whether a node of this kind opens with a placeholder (docs/fold.md, rule 2).
func prefills(kind string) bool { return kind == "llm" || kind == "grounded_answer" }

// applyNodeEnd takes a node's end: it closes the visit's open rows, and tells status, error and usage.
func (s *State) applyNodeEnd(b *wire.Body, logged bool) {
	pl := s.cur.places.at(b.SubgraphPath, b.NodeID)
	s.closeVisit(visitKey{pl, b.Activation})
	f := s.facts(pl)
	if f.forgot(MarkEnd, b.Activation) {
		return
	}
	m := newFact(MarkEnd, pl, b, logged)
	if i := f.find(s, MarkEnd, b); i >= 0 {
		s.repeatFact(f, i, m)
		return
	}
	s.addFact(f, m)
}

// newFact makes the mark of a node's start or end.
func newFact(kind MarkKind, pl *Place, b *wire.Body, logged bool) *Mark {
	m := &Mark{Kind: kind, logged: logged, place: pl, activation: b.Activation, seq: b.Seq, at: b.At}
	if kind == MarkStart {
		m.kind = b.Kind
	} else {
		m.status, m.err, m.usage = b.Status, b.Error, b.Usage
	}
	return m
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
	if key > s.cur.cut {
		s.c.Marks = append(s.c.Marks, MarkMove{key, m})
	}
	return key
}

func (s *State) addFact(f *nodeFacts, m *Mark) {
	summed := f.add(fact{s.placeMark(m), m}, s.stops, s.stopped)
	s.nodeMoved(f, summed)
}

// nodeMoved publishes a node's run after one of its facts moved, which are added up anew unless the sum has it
// already. While a page is folded that waits for its last row.
func (s *State) nodeMoved(f *nodeFacts, summed bool) {
	if s.page != nil {
		s.page.told[f] = struct{}{}
		return
	}
	if !summed {
		f.refold(s.stops, s.stopped)
	}
	s.publishNode(f)
}

// repeatFact takes a fact that is known. A live repeat says nothing; a persisted one fills in what is not
// known. One of an earlier page came first: it takes the place of the known one, which is then the repeat.
func (s *State) repeatFact(f *nodeFacts, i int, m *Mark) {
	known := f.list[i]
	switch {
	case !m.logged:
		return
	case s.precedes(known.key):
		s.c.Overlap = s.c.Overlap || !known.mark.logged && prefills(known.mark.kind)
		s.removeMark(known.key, known.mark)
		s.c.MarksMended = true
		f.list = slices.Delete(f.list, i, i+1)
		m.fill(known.mark)
		x := fact{s.placeMark(m), m}
		f.list = slices.Insert(f.list, f.after(x.key), x)
		f.note(x)
	default:
		c := *known.mark
		if c.fill(m); c == *known.mark {
			return
		}
		s.putMark(known.key, &c)
		f.list[i].mark = &c
		f.note(f.list[i])
		s.c.MarksMended = s.c.MarksMended || c.activation != known.mark.activation
	}
	s.nodeMoved(f, false)
}

// fill takes over what m could not say and a repeat of it can. What is known stays: a repeat adds no usage
// and changes no status.
func (m *Mark) fill(repeat *Mark) {
	if m.seq == 0 {
		m.seq = repeat.seq
	}
	if m.at.IsZero() {
		m.at = repeat.at
	}
	if m.activation == "" {
		m.activation = repeat.activation
	}
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
		key := s.keyAtEnd() // first: should keys be dealt anew, the nodes are derived with the stop still on
		s.stopped = false
		s.putMark(key, &Mark{Kind: MarkRunStop})
		s.stops = append(s.stops, key)
	}
}

// publishNode derives the node's run anew and puts it into the projection.
func (s *State) publishNode(f *nodeFacts) {
	old, _ := s.cur.nodeRuns.Get(f.place.ord)
	n := f.sum.nodeRun(f)
	if e, ok := s.exits[f.place]; ok {
		n.ExitedVia = e.port
	}
	s.rollUp(old, n)
	if old != nil && old.order != n.order {
		s.cur.nodeOrder.Del(s.runTok, old.order)
	}
	if old == nil || old.order != n.order {
		s.cur.nodeOrder.Set(s.runTok, n.order, f.place, 0)
	}
	s.cur.nodeRuns.Set(s.runTok, f.place.ord, n, 0)
	if n.Status == wire.Running {
		s.running[f.place] = struct{}{}
	} else {
		delete(s.running, f.place)
	}
	switch {
	case old == nil || !old.sameAs(n):
		s.mark(Slice{Kind: SliceNode, Path: f.place.key})
		s.markAbove(f.place)
		s.runMoved = true
	case old.order != n.order || old.evidence != n.evidence || old.subgraphKey != n.subgraphKey:
		s.reordered = append(s.reordered, f.place)
	}
}

// markAbove marks that a node run below every one of these moved.
func (s *State) markAbove(pl *Place) {
	for pl = pl.Parent; pl != nil; pl = pl.Parent {
		s.mark(Slice{Kind: SliceBelow, Path: pl.key})
	}
}
