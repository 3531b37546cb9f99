package projection

import "inlaygraph/wire"

// applyPage takes a stretch of the log. Rows earlier than any persisted one so far go where a longer window
// would have had them, before everything (docs/fold.md, "hasEarlier"); the rest as if they came one by one.
func (s *State) applyPage(p *wire.Page) {
	known := s.leastLogged
	for _, r := range p.Rows {
		s.front = known == 0 || r.Seq < known
		s.applyRow(r)
		if s.c.Outcome == Rejected {
			s.c.RowReasons = append(s.c.RowReasons, s.c.Reason)
		}
		s.c.Outcome, s.c.Reason = Applied, ""
	}
	s.closeEarlier()
	s.front, s.frontKey = false, 0
	s.saysEarlier = p.HasEarlier
}

// precede takes a row of an earlier page that a known row repeats. Where the log says both, the page's row
// came first: the known one, which refines it, moves to its place. Where live frames told the known one it
// stays, refined, and the change says so.
func (s *State) precede(known Row, key uint64, b *wire.Body) {
	if !known.Common().logged {
		s.c.Overlap = true
		s.refineLogged(known, key, b)
		return
	}
	s.shut(key, known)
	s.removeRow(key, known)
	sp := s.spineOf(b)
	if _, ok := known.(*UserRow); ok {
		sp = Spine{id: b.ID, at: b.At} // the user's turn has no node
	}
	sp.fill(*known.Common(), known)
	sp.seq, sp.logged = known.Common().seq, true
	if id := known.Common().id; id != "" && id != sp.id {
		sp.rename(id)
	}
	switch r := withSpine(known, sp).(type) {
	case *OutputRow:
		if r.format == 0 {
			r.format = b.Format
		}
		r.Promoted = r.Promoted || b.Promoted
		key = s.keyBySeq(b.Seq)
		s.reopen(key, r)
		s.insertRow(key, r)
	case *ToolCallRow:
		s.cur.pending.del(s.tok, key)
		r.ToolName, r.Input, r.RequiresClientResponse = b.ToolName, b.Input, b.RequiresClientResponse
		s.insertTool(s.keyBySeq(b.Seq), r)
	case *ToolResultRow:
		r.Output = b.Output
		s.insertTool(s.keyBySeq(b.Seq), r)
	default:
		s.insertRow(s.keyBySeq(b.Seq), r)
	}
}

// closeEarlier closes what the page left open and something behind it has closed: the end of the row's
// visit, or of the run.
func (s *State) closeEarlier() {
	var keys []uint64
	for key, o := range s.open {
		if key > s.frontKey {
			continue
		}
		s.c.Overlap = s.c.Overlap || s.continued(key, o.slot)
		if s.closedAll || s.endedAfter(key, o.slot) {
			keys = append(keys, key)
		}
	}
	s.closeRows(keys, true)
}

// endedAfter tells whether the visit that a row belongs to has an end behind it.
func (s *State) endedAfter(key uint64, k slotKey) bool {
	f := s.nodes[k.place]
	if f == nil {
		return false
	}
	for _, x := range f.list[f.after(key):] {
		if x.mark.Kind == MarkEnd && x.mark.activation == k.activation {
			return true
		}
	}
	return false
}

// continued tells whether live frames without an id told of the open output under key while it was not known
// here: they would have refined it.
func (s *State) continued(key uint64, k slotKey) bool {
	if k.place == nil {
		return false
	}
	name := s.row(key).(*OutputRow).Name
	p, _ := s.cur.at.get(k.place.ord)
	for at := range p.exact.from(key + 1) {
		r, ok := s.row(at).(*OutputRow)
		if ok && !r.logged && r.id == "" && r.Name == name && slotOfRow(&r.Spine) == k {
			return true
		}
	}
	return false
}
