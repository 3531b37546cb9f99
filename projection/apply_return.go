package projection

import (
	"slices"

	"inlaygraph/wire"
)

// returned tells whether the row in hand is of a stretch that a trim dropped. It was folded when it was first told, and
// what it did then stands: it comes back to be read, and nothing is counted, closed or asked for again.
func (s *State) returned() bool { return s.page != nil && s.page.returned }

// applyReturned takes a row that comes back. Of the facts of a run the marks are still there; one that is not found among
// them could not be known again, and was counted all the same.
func (s *State) applyReturned(r *wire.Row) {
	if rowKinds[r.Type] != 0 {
		s.applyLoggedRow(r)
		return
	}
	key := s.factKey(r)
	if key == 0 {
		return
	}
	m := s.markAt(key)
	if m.Kind == MarkEdge {
		s.repeatEdge(key, s.edgeMark(&r.Body, true))
	} else {
		f := s.nodes[m.place]
		s.repeatFact(f, f.indexOf(key), newFact(m.Kind, m.place, &r.Body, true))
	}
	if m.seq == 0 || m.seq >= r.Seq { // not where a later row of the log repeats it
		s.comeBack(key)
	}
}

// factKey returns the key of the start, end or edge that a row of the log repeats; 0 for none, and for other rows.
func (s *State) factKey(r *wire.Row) uint64 {
	b := &r.Body
	if r.Type == wire.RowEdge {
		key, known := s.bySeq(b.Seq, kindEdge)
		if known && s.markAt(key).edge == s.edge(b) {
			return key
		}
		return 0
	}
	kind, ok := factKinds[r.Type]
	if !ok {
		return 0
	}
	if f := s.nodes[s.cur.places.at(b.SubgraphPath, b.NodeID)]; f != nil {
		if i := f.find(s, kind, b); i >= 0 {
			return f.list[i].key
		}
	}
	return 0
}

var factKinds = map[wire.RowType]MarkKind{wire.RowNodeStart: MarkStart, wire.RowNodeEnd: MarkEnd}

// entriesAhead returns for each row the known entry that it, or the first behind it that does, repeats; 0 for none. An entry
// that an earlier row of the log told stands before it.
func (s *State) entriesAhead(rows []*wire.Row) []uint64 {
	ahead, next := make([]uint64, len(rows)), uint64(0)
	for i, r := range slices.Backward(rows) {
		key := s.factKey(r)
		if rowKinds[r.Type] != 0 {
			_, key, _ = s.matchLogged(r.Type, &r.Body)
		}
		if e, ok := s.cur.entries.Get(key); ok && (e.Seq() == nil || *e.Seq() >= r.Seq) {
			next = key
		}
		ahead[i] = next
	}
	return ahead
}

// returnKnown takes a row that comes back and repeats a known one: of an earlier page, or passed over, or told
// again since. Only what the log says later than the known row refines it.
func (s *State) returnKnown(known Row, key uint64, b *wire.Body) {
	was := known.Common()
	switch {
	case was.seq > b.Seq && key > s.page.last:
		s.takeOut(key, known)
		s.insertMoved(known, b)
		return
	case was.seq != 0 && was.seq < b.Seq:
		s.refineLogged(known, key, b)
	default:
		s.refineSpine(known, key, b)
	}
	s.comeBack(key)
}

// comeBack notes that the page told of an entry that is there.
func (s *State) comeBack(key uint64) {
	if s.page.start == 0 || key < s.page.start {
		s.page.last = max(s.page.last, key)
		s.reveal(key)
	}
}

// keyReturned deals the key of a row that comes back: before the first entry of the dropped stretch that has a greater
// seq; where none has, before the next entry that the page tells of. In any case it stands behind what the page told of so
// far, on its side of each row that was passed over, and before what the window held already.
func (s *State) keyReturned(seq int64) uint64 {
	entries := s.cur.entries
	low, limits := s.page.last, []uint64{s.page.start}
	if i := slices.IndexFunc(s.passed, func(p passedRow) bool { return p.after >= seq }); i >= 0 {
		limits = append(limits, s.passed[i].key)
	}
	for _, p := range s.passed {
		if p.after < seq {
			low = max(low, p.key)
		}
	}
	next, ok := entries.FirstSeqAbove(seq)
	outside := !ok || s.page.start != 0 && next >= s.page.start
	if outside {
		limits = append(limits, s.page.ahead[s.page.row])
	}
	if ok && next <= low || outside && low == s.page.last && low != 0 {
		next, ok = entries.After(low)
	}
	for _, limit := range limits {
		if limit > low && (!ok || next > limit) {
			next, ok = limit, true
		}
	}
	return s.keyBefore(next, ok)
}

// returnOutput says how an output that comes back stands to what was kept of its name. If it is the output that was
// kept, the row says it from now on; any other is older.
func (s *State) returnOutput(key uint64, o *OutputRow) {
	sc := s.scope(o)
	b := (*sc.kept)[sc.ord]
	if b == nil || b.row == nil {
		return
	}
	s.touchOutputs(o)
	*sc.kept = cloned(*sc.kept)
	if o.id != "" && b.row.id == o.id || o.seq != 0 && b.row.seq == o.seq {
		s.keptBytes -= bindingBytes(b)
		delete(*sc.kept, sc.ord)
		return
	}
	c := *b
	c.key = max(c.key, key)
	(*sc.kept)[sc.ord] = &c
}
