package projection

import (
	"slices"

	"inlaygraph/wire"
)

// applyPage takes a stretch of the log. Rows earlier than any persisted one so far go where a longer window
// would have had them, before everything (docs/fold.md, "hasEarlier"); the rest as if they came one by one.
func (s *State) applyPage(p *wire.Page) {
	known := s.leastLogged
	s.paging = true
	for _, r := range p.Rows {
		s.front = known == 0 || r.Seq < known
		s.applyRow(r)
		if s.c.Outcome == Rejected {
			s.c.RowReasons = append(s.c.RowReasons, s.c.Reason)
		}
		s.c.Outcome, s.c.Reason = Applied, ""
	}
	s.closeEarlier()
	s.front, s.frontKey, s.paging = false, 0, false
	clear(s.frontEnds)
	for f := range s.unsummed {
		s.addUp(f)
	}
	clear(s.unsummed)
	s.saysEarlier = p.HasEarlier
}

// precede takes a row of an earlier page that a known row repeats. Where live frames told the known one it stays,
// refined, and the change says so. Where the log says both, the page's row came first: the known one, which refined
// it, moves to its place, if an even earlier row has not brought it there.
func (s *State) precede(known Row, key uint64, b *wire.Body) {
	switch {
	case !known.Common().logged:
		s.c.Overlap = true
		s.refineLogged(known, key, b)
		return
	case key <= s.frontKey:
		sp := *known.Common()
		sp.fill(s.spineOf(b), known)
		s.replaceRow(key, known, withSpine(known, sp))
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
		if s.reopen(key, r); !r.Complete {
			s.open[key].settled = true
		}
		s.insertRow(key, r)
	case *ToolCallRow:
		if _, waits := s.cur.pending.Get(key); waits {
			s.cur.pending.Del(s.tok, key)
			s.mark(Slice{Kind: SlicePendingTools})
		}
		r.ToolName, r.Input, r.RequiresClientResponse = b.ToolName, b.Input, b.RequiresClientResponse
		s.insertTool(s.keyBySeq(b.Seq), r)
	case *ToolResultRow:
		r.Output = b.Output
		s.insertTool(s.keyBySeq(b.Seq), r)
	default:
		s.insertRow(s.keyBySeq(b.Seq), r)
	}
}

// closeEarlier closes what the page opened and something behind it has closed: the end of the row's visit, or of
// the run.
func (s *State) closeEarlier() {
	var keys []uint64
	for key, o := range s.open {
		r, ok := s.row(key).(*OutputRow) // no persisted row of another kind is open
		if !ok || o.settled || key > s.frontKey {
			continue
		}
		s.c.Overlap = s.c.Overlap || s.continued(key, r, o.slot)
		if s.closedAll || s.endedBehind(visitKey{o.slot.place, o.slot.activation}) {
			keys = append(keys, key)
		}
	}
	s.closeRows(keys, true)
}

// endedBehind tells whether a visit has an end behind the page.
func (s *State) endedBehind(v visitKey) bool {
	f := s.nodes[v.place]
	if f == nil {
		return false
	}
	if v.activation != "" {
		return f.visits[v.activation].end.mark != nil && !s.frontEnds[v]
	}
	return slices.ContainsFunc(f.list[f.after(s.frontKey):], func(x fact) bool {
		return x.mark.Kind == MarkEnd && x.mark.activation == ""
	})
}

// continued tells whether live frames without an id told of an open output while it was not known here: they
// would have refined it.
func (s *State) continued(key uint64, open *OutputRow, k slotKey) bool {
	if k.place == nil {
		return false
	}
	p, _ := s.cur.at.Get(k.place.ord)
	for at := range p.exact.From(key + 1) {
		r, ok := s.row(at).(*OutputRow)
		if ok && !r.logged && r.id == "" && r.Name == open.Name && slotOfRow(&r.Spine) == k {
			return true
		}
	}
	return false
}
