package projection

import (
	"slices"

	"inlaygraph/wire"
)

// paging is a page of the log while it is folded.
type paging struct {
	// front: the row in hand is earlier than any persisted one before the page. It goes where a longer window would
	// have had it: before everything that was there.
	front bool
	// returned: it is of a stretch that a trim dropped.
	returned bool

	start uint64   // where the window began before the page, 0 when it was empty
	last  uint64   // the last entry that the page put or found in front of that, 0 before the first
	ahead []uint64 // by row that comes back: the first known entry that it or one behind it in the page repeats, 0 for none
	row   int      // the row in hand

	opened []uint64                // outputs that it put in front and left open
	ended  map[visitKey]bool       // of the visits that its open outputs are of: those that had an end before the page
	told   map[*nodeFacts]struct{} // nodes that it told of, to be added up once it is folded
}

// front tells whether the row in hand is one that a page puts before everything.
func (s *State) front() bool { return s.page != nil && s.page.front }

// precedes tells whether the row in hand comes before a known entry, which was there before the page.
func (s *State) precedes(key uint64) bool { return s.front() && key > s.page.last }

// applyPage takes a stretch of the log. Rows earlier than any persisted one so far go before everything
// (docs/fold.md, "hasEarlier"); the rest are taken as if they came one by one.
func (s *State) applyPage(p *wire.Page) {
	folded, held, trimmed := s.foldedFrom, s.heldFrom, s.trimmed
	s.page = &paging{ended: s.endedVisits(p), told: map[*nodeFacts]struct{}{}}
	s.page.start, _ = s.cur.entries.After(s.cur.cut)
	for i, r := range p.Rows {
		front := folded == 0 || r.Seq < folded
		returned := trimmed && !front && (held == 0 || r.Seq < held)
		if returned && !s.page.returned {
			s.page.last = 0 // what came before it went before everything
			s.page.ahead = s.entriesAhead(p.Rows)
		}
		s.page.front, s.page.returned, s.page.row = front, returned, i
		s.applyRow(r)
		if s.c.Outcome == Rejected {
			s.c.RowReasons = append(s.c.RowReasons, s.c.Reason)
		}
		s.c.Outcome, s.c.Reason = Applied, ""
	}
	s.closeOpened()
	s.windowGrew(p)
	told := s.page.told
	s.page = nil
	for f := range told {
		s.nodeMoved(f, false)
	}
	s.saysEarlier = p.HasEarlier
}

// windowGrew takes what a page says of the stretch that trims dropped.
func (s *State) windowGrew(p *wire.Page) {
	switch {
	case !s.trimmed:
		return
	case !p.HasEarlier:
		s.whole()
		return
	case len(p.Rows) > 0 && (s.heldFrom == 0 || p.Rows[0].Seq < s.heldFrom):
		s.heldFrom = p.Rows[0].Seq
		s.through = s.heldFrom - 1
	}
	s.passed = slices.DeleteFunc(s.passed, func(p passedRow) bool { return p.key > s.cur.cut })
}

// reopenLogged is reopen for a row as the log has it; a page notes what it leaves open in front.
func (s *State) reopenLogged(key uint64, r *OutputRow) {
	s.reopen(key, r)
	if s.front() && key <= s.page.last && !r.Complete {
		s.page.opened = insertKey(s.page.opened, key)
	}
}

// endedVisits returns the visits of a page's open outputs that have an end already. It stands behind the page.
func (s *State) endedVisits(p *wire.Page) map[visitKey]bool {
	ended := map[visitKey]bool{}
	for _, r := range p.Rows {
		if r.Type != wire.RowOutput || r.Complete {
			continue
		}
		k := s.slotOf(&r.Body)
		if f := s.nodes[k.place]; f != nil && f.ended(k.activation) {
			ended[visitKey{k.place, k.activation}] = true
		}
	}
	return ended
}

// closeOpened closes the outputs of the page that something behind it has closed: the end of their visit, or a word
// of the run that closes all.
func (s *State) closeOpened() {
	keys := slices.DeleteFunc(s.page.opened, func(key uint64) bool {
		o := s.open[key]
		if o == nil {
			return true
		}
		s.c.Overlap = s.c.Overlap || s.continued(key, o.slot)
		return !s.closedAll && !s.page.ended[visitKey{o.slot.place, o.slot.activation}]
	})
	s.closeRows(keys, true)
}

// continued tells whether live frames without an id told of an open output while it was not known here: they
// would have refined it.
func (s *State) continued(key uint64, k slotKey) bool {
	if k.place == nil {
		return false
	}
	name := s.row(key).(*OutputRow).Name
	p, _ := s.cur.at.Get(k.place.ord)
	for at := range p.exact.From(key + 1) {
		r, ok := s.row(at).(*OutputRow)
		if ok && !r.logged && r.id == "" && r.Name == name && slotOfRow(&r.Spine) == k {
			return true
		}
	}
	return false
}

// precede takes a row of an earlier page that a known row repeats. Where live frames told the known one it stays,
// refined, and the change says so. Where the log says both, the page's row came first: the known one, which refined
// it, moves to its place, if an even earlier row has not brought it there.
func (s *State) precede(known Row, key uint64, b *wire.Body) {
	was := known.Common()
	switch {
	case !was.logged:
		s.c.Overlap = true
		s.refineLogged(known, key, b)
	case s.precedes(key):
		s.takeOut(key, known)
		s.insertMoved(known, b)
	default:
		s.refineSpine(known, key, b)
	}
}

// takeOut takes a row out whole.
func (s *State) takeOut(key uint64, r Row) {
	if isTool(r) {
		s.removeTool(key, r)
		return
	}
	s.shut(key, r)
	s.removeRow(key, r)
}

// insertMoved puts a known row where an earlier one of the log has it: opened as b says, and refined as it was. A tool
// row is never refined.
func (s *State) insertMoved(known Row, b *wire.Body) {
	was := known.Common()
	sp := s.spineOf(b)
	if _, ok := known.(*UserRow); ok {
		sp = newUserRow(b).Spine
	}
	sp.fill(*was, known)
	sp.seq, sp.logged = was.seq, true
	if was.id != "" && was.id != sp.id {
		sp.rename(was.id)
	}
	key := s.keyBySeq(b.Seq)
	switch r := withSpine(known, sp).(type) {
	case *OutputRow:
		if r.format == 0 {
			r.format = b.Format
		}
		r.Promoted = r.Promoted || b.Promoted
		s.reopen(key, r)
		s.insertRow(key, r)
	case *ToolCallRow:
		r.ToolName, r.Input, r.RequiresClientResponse = b.ToolName, b.Input, b.RequiresClientResponse
		s.insertTool(key, r)
	case *ToolResultRow:
		r.Output = b.Output
		s.insertTool(key, r)
	default:
		s.insertRow(key, r)
	}
}
