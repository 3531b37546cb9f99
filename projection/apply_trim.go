package projection

import (
	"cmp"
	"maps"
	"slices"
)

// Trim bounds the window: the oldest rows go until Keep are left, and with them the marks of their stretch. Rows that
// something is still expected of are passed over, so that more than Keep may be left (docs/fold.md, "A full window").
// With KeepBytes, which is no bound when 0, they go on going until Held.WindowBytes is no more than that; before any row
// does, the marks before the window are forgotten, and what they say is added up.
//
// It costs O(log n) for each row that goes or is passed over. Whoever trims waits until the window has grown by a fair
// part since the last time: then each row pays for its own going. Forgetting costs that for each mark before the window.
type Trim struct {
	Keep      int
	KeepBytes int64
}

// ConversationInput marks it as something a conversation folds.
func (Trim) ConversationInput() {}

// RowCount returns how many rows the window holds.
func (s *State) RowCount() int { return s.cur.rows.Len() }

// passedRow is a row that a trim left standing in the stretch that it dropped. after is the greatest seq in front of
// it: what comes back with a greater one stands behind it.
type passedRow struct {
	key   uint64
	after int64
}

// trimming is a trim under way.
type trimming struct {
	s       *State
	in      Trim
	gone    int64 // bytes of marks that will be forgotten
	dropped int
	stretch                               // up to the last row dropped
	cloned  map[*map[uint64]*Binding]bool // so that snapshots keep theirs
}

// stretch is what is known of the entries from the log's start to some place.
type stretch struct {
	end    uint64 // the key of the last one
	marks  bool   // there are marks that the window had
	passed []passedRow
	first  int64 // the least seq of what is dropped, 0 for none
	last   int64 // the greatest seq

	// Where in the log what was dropped lies: below a seq, unless that is not known; and if so, in front of the next
	// entry that has a seq.
	below   int64
	unknown bool
	next    bool
}

func (s *State) applyTrim(in Trim) {
	for s.trimOnce(in) { // again, where marks took more than could be known before they were forgotten
	}
}

// trimOnce reports whether it is worth to try again.
func (s *State) trimOnce(in Trim) (again bool) {
	t := &trimming{s: s, in: in, cloned: map[*map[uint64]*Binding]bool{}}
	if t.tooManyBytes() {
		s.forget()
	}
	if !t.tooMany() {
		return false
	}
	t.stretch = stretch{end: s.cur.cut, last: s.through, below: s.heldFrom, unknown: s.trimmed && s.heldFrom == 0}
	t.dropPassed()
	t.dropOldest()
	moved := t.dropped > 0 || t.end > s.cur.cut
	if moved {
		t.finish()
	}
	if t.gone > 0 {
		s.forget()
		t.gone = 0
	}
	return moved && t.tooManyBytes()
}

// tooMany tells whether more has to go.
func (t *trimming) tooMany() bool {
	return t.s.cur.rows.Len() > max(t.in.Keep, 0) || t.tooManyBytes()
}

func (t *trimming) tooManyBytes() bool {
	return t.in.KeepBytes > 0 && t.s.entryBytes-t.gone > t.in.KeepBytes
}

// dropPassed drops rows that stand before the window and that nothing is expected of any longer.
func (t *trimming) dropPassed() {
	t.s.tok = &token{} // the rows stay as they are while they are gone through
	now := t.s.cur
	for key, row := range now.TimelineKeyed() {
		if key > t.end {
			return
		}
		if !t.tooMany() || t.s.waits(key, row) {
			t.passed = append(t.passed, passedRow{key, t.s.passedAfter(key, row)})
			continue
		}
		t.place(t.s, key, row)
		t.drop(key, row)
	}
}

// dropOldest drops rows from the window's start on. Marks behind the last row that it drops stay in the window.
func (t *trimming) dropOldest() {
	t.s.tok = &token{} // the entries stay as they are while they are gone through
	entries := t.s.cur.entries
	x := t.stretch
	for key, e := range entries.From(t.end + 1) {
		if !t.tooMany() {
			return
		}
		row, isRow := e.(Row)
		waits := isRow && t.s.waits(key, row)
		if waits {
			x.passed = append(x.passed, passedRow{key, x.last})
		} else {
			x.place(t.s, key, e)
		}
		x.end, x.last, x.marks = key, max(x.last, seqOf(e)), x.marks || !isRow
		switch {
		case isRow && !waits:
			t.stretch = x
			t.drop(key, row)
		case !isRow && t.tooManyBytes():
			t.stretch = x
			t.gone += markBytes(e.(*Mark))
		}
	}
}

// place notes where in the log an entry lies that is dropped. A turn or an output without a seq is written when it
// closes, so before the end of its visit, and any other row at once.
func (x *stretch) place(s *State, key uint64, e Entry) {
	seq := seqOf(e)
	if seq != 0 {
		x.below, x.next = max(x.below, seq+1), false
		if x.first == 0 || seq < x.first {
			x.first = seq
		}
		return
	}
	switch r := e.(type) {
	case *AssistantRow, *OutputRow:
		end := s.endSeq(key, r.(Row).Common())
		x.below, x.unknown = max(x.below, end), x.unknown || end == 0
	case Row:
		x.next = true
	}
}

// endSeq returns the seq of the end of a row's visit, 0 when that is not known.
func (s *State) endSeq(key uint64, sp *Spine) int64 {
	f := s.nodes[sp.place]
	if f == nil {
		return 0
	}
	if sp.activation != "" {
		if m := f.visits[sp.activation].end.mark; m != nil {
			return m.seq
		}
		return 0
	}
	for _, x := range f.list[f.after(key):] {
		if x.mark.Kind == MarkEnd && x.mark.activation == "" {
			return x.mark.seq
		}
	}
	return 0
}

func seqOf(e Entry) int64 {
	if seq := e.Seq(); seq != nil {
		return *seq
	}
	return 0
}

// passedAfter is the greatest seq in front of a row before the window. One that the log told of since stands by its seq.
func (s *State) passedAfter(key uint64, row Row) int64 {
	i, known := slices.BinarySearchFunc(s.passed, key, func(p passedRow, key uint64) int { return cmp.Compare(p.key, key) })
	if known {
		return s.passed[i].after
	}
	return row.Common().seq
}

// waits tells whether something is still expected of a row.
func (s *State) waits(key uint64, row Row) bool {
	switch r := row.(type) {
	case *AssistantRow:
		return !r.Complete
	case *OutputRow:
		return !r.Complete
	case *ToolCallRow:
		_, pending := s.cur.pending.Get(key)
		return pending
	case *ToolResultRow:
		return s.pairOf(r.ToolCallID).call != 0 // it stands before its call, which would be taken for unanswered
	}
	return false
}

func (t *trimming) drop(key uint64, row Row) {
	stands := MarkKind(0) // for the row from now on
	switch r := row.(type) {
	case *UserRow:
		if !r.marked {
			stands = MarkTurn
		}
	case *AssistantRow:
		t.s.forgetLate(key, r)
	case *OutputRow:
		if t.keepBinding(key, r) {
			stands = MarkBound
		}
	}
	t.s.takeOut(key, row)
	if stands != 0 {
		t.s.putMark(key, &Mark{Kind: stands, seq: row.Common().seq})
	}
	t.dropped++
}

// keepBinding keeps what an output binds, and reports whether it binds anything.
func (t *trimming) keepBinding(key uint64, o *OutputRow) bool {
	sc := t.s.scope(o)
	rows, _ := sc.rows.Get(sc.ord)
	last, _, _ := rows.Last()
	if b := (*sc.kept)[sc.ord]; last != key || b != nil && b.key >= key {
		return false // a later one of the name does
	}
	if !t.cloned[sc.kept] {
		t.cloned[sc.kept] = true
		*sc.kept = cloned(*sc.kept)
	}
	if was := (*sc.kept)[sc.ord]; was != nil {
		t.s.keptBytes -= bindingBytes(was)
		delete(*sc.kept, sc.ord)
	}
	b := o.binding()
	if t.s.stateFull(bindingBytes(b)) {
		return false // the name is unbound
	}
	b.row, b.key = o, key
	t.s.keptBytes += bindingBytes(b)
	(*sc.kept)[sc.ord] = b
	return true
}

// cloned is a copy that may be added to.
func cloned(kept map[uint64]*Binding) map[uint64]*Binding {
	c := make(map[uint64]*Binding, len(kept)+1)
	maps.Copy(c, kept)
	return c
}

// finish leaves the state as one whose window begins behind the stretch.
func (t *trimming) finish() {
	s := t.s
	switch { // what is dropped was folded, and what is earlier was not
	case !s.cur.chat.hasEarlier:
		s.foldedFrom = 1
	case s.foldedFrom == 0:
		s.foldedFrom = t.first
	}
	if t.next {
		key, ok := s.cur.entries.FirstSeqAbove(t.last)
		e, _ := s.cur.entries.Get(key)
		if ok {
			t.below = max(t.below, seqOf(e))
		}
		t.unknown = t.unknown || !ok
	}
	s.trimmed, s.hasFirst, s.passed = true, false, t.passed
	s.through, s.heldFrom = t.last, t.below
	if t.unknown {
		s.heldFrom = 0
	}
	if s.cur.cut = t.end; s.markAt(t.end) == nil {
		s.putMark(t.end, &Mark{Kind: MarkCut})
	}
	s.c.MarksMended = s.c.MarksMended || t.marks
}

// reveal takes into the window what stands at a key or behind it.
func (s *State) reveal(key uint64) {
	if key <= s.cur.cut {
		s.cur.cut = key - 1
		s.c.MarksMended = true
	}
}

// whole ends what a trim began: the window holds all of the log again.
func (s *State) whole() {
	s.trimmed, s.through, s.heldFrom, s.passed = false, 0, 0, nil
	s.reveal(1) // every key is at least that
}
