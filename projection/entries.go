package projection

import (
	"slices"

	"inlaygraph/wire"
)

// keyAtEnd deals the key of an entry that stands at the end.
func (s *State) keyAtEnd() uint64 {
	key, ok := s.keys.atEnd()
	if !ok {
		s.rekey()
		key, _ = s.keys.atEnd()
	}
	return key
}

// keyBySeq deals the key of a persisted entry without a match: before the first entry with a greater seq,
// else at the end (docs/fold.md, rule 9). One of an earlier page stands before everything but the entries
// that the page put there already, and one that comes back where it stood.
func (s *State) keyBySeq(seq int64) uint64 {
	if s.front() {
		s.page.last = s.keyBefore(s.cur.entries.After(s.page.last))
		s.reveal(s.page.last)
		return s.page.last
	}
	if s.returned() {
		s.page.last = s.keyReturned(seq)
		s.reveal(s.page.last)
		return s.page.last
	}
	return s.keyBefore(s.cur.entries.FirstSeqAbove(seq))
}

// keyBefore deals a key right before that of an entry, at the end when there is none.
func (s *State) keyBefore(next uint64, ok bool) uint64 {
	if !ok {
		return s.keyAtEnd()
	}
	prev, _ := s.cur.entries.Before(next)
	if key, ok := s.keys.between(prev, next); ok {
		return key
	}
	rank := s.cur.entries.Rank(next)
	s.rekey()
	next, _, _ = s.cur.entries.At(rank)
	return s.keyBefore(next, true)
}

// entryKind is what a persisted entry can be matched as.
type entryKind uint8

const (
	kindUser entryKind = iota + 1
	kindAssistant
	kindOutput
	kindCall
	kindResult
	kindStart
	kindEnd
	kindEdge
)

var (
	markKinds = map[MarkKind]entryKind{MarkStart: kindStart, MarkEnd: kindEnd, MarkEdge: kindEdge}
	rowKinds  = map[wire.RowType]entryKind{
		wire.RowUser: kindUser, wire.RowAssistant: kindAssistant, wire.RowOutput: kindOutput,
		wire.RowToolCall: kindCall, wire.RowToolResult: kindResult,
	}
)

func kindOf(r Row) entryKind {
	switch r.(type) {
	case *UserRow:
		return kindUser
	case *AssistantRow:
		return kindAssistant
	case *OutputRow:
		return kindOutput
	case *ToolCallRow:
		return kindCall
	}
	return kindResult
}

// seqKey is a place in the log and a kind. Seqs are unique there; the kind keeps a log that breaks this from
// mixing rows of different kinds up. 0 is no place.
type seqKey int64

func seqKeyOf(seq int64, kind entryKind) seqKey { return seqKey(seq<<4 | int64(kind)) }

// knowSeq remembers which entry has a seq; of several the first in order.
func (s *State) knowSeq(seq int64, kind entryKind, key uint64) {
	if seq == 0 {
		return
	}
	k := seqKeyOf(seq, kind)
	if known, taken := s.seqs[k]; !taken || key < known {
		s.seqs[k] = key
	}
}

func (s *State) forgetSeq(seq int64, kind entryKind, key uint64) {
	if k := seqKeyOf(seq, kind); s.seqs[k] == key {
		delete(s.seqs, k)
	}
}

// bySeq returns the key of the entry of a kind at a place in the log; ok is false when there is none.
func (s *State) bySeq(seq int64, kind entryKind) (key uint64, ok bool) {
	if seq == 0 {
		return 0, false
	}
	key, ok = s.seqs[seqKeyOf(seq, kind)]
	return key, ok
}

func (s *State) putMark(key uint64, m *Mark) {
	if was := s.markAt(key); was != nil {
		s.entryBytes -= markBytes(was)
	}
	s.entryBytes += markBytes(m)
	s.cur.entries.Set(s.tok, key, m, m.seq)
	s.noteReason(key, m)
	if kind, ok := markKinds[m.Kind]; ok {
		s.knowSeq(m.seq, kind, key)
	}
}

// markAt returns the mark under a key, nil when there is none.
func (s *State) markAt(key uint64) *Mark {
	e, _ := s.cur.entries.Get(key)
	m, _ := e.(*Mark)
	return m
}

func (s *State) removeMark(key uint64, m *Mark) {
	s.entryBytes -= markBytes(m)
	s.cur.entries.Del(s.tok, key)
	s.forgetReason(key, m)
	if kind, ok := markKinds[m.Kind]; ok {
		s.forgetSeq(m.seq, kind, key)
	}
	s.marks--
}

// row returns the row under a key.
func (s *State) row(key uint64) Row {
	e, _ := s.cur.entries.Get(key)
	r, _ := e.(Row)
	return r
}

// rowByID returns the row with an id and its key, nil when there is none.
func (s *State) rowByID(id string) (Row, uint64) {
	if id == "" {
		return nil, 0
	}
	key, ok := s.ids[id]
	if !ok {
		return nil, 0
	}
	return s.row(key), key
}

// insertRow puts a new row into the timeline and every slice it belongs to.
func (s *State) insertRow(key uint64, r Row) {
	sp := r.Common()
	s.touchOutputs(nil, r)
	if o, ok := r.(*OutputRow); ok {
		s.checkOutput(o, nil)
	}
	s.entryBytes += rowBytes(r)
	s.cur.entries.Set(s.tok, key, r, sp.seq)
	if sp.id != "" {
		s.ids[sp.id] = key
	}
	s.knowSeq(sp.seq, kindOf(r), key)
	s.eachList(r, func(t *tree[struct{}]) { t.Set(s.tok, key, struct{}{}, 0) })
	s.indexOutput(nil, r, key)
	s.noteReason(key, r)
	s.moved(RowMove{Kind: MoveInsert, Key: key, Row: r})
}

// replaceRow puts another value in a row's place, and tells of it when a reader sees a difference.
func (s *State) replaceRow(key uint64, old, r Row) {
	if s.exchange(key, old, r); !sameRow(old, r) {
		s.moved(RowMove{Kind: MoveReplace, Key: key, Row: r})
	}
}

// growRow puts a value in a row's place that differs only by text at the end of one field.
func (s *State) growRow(key uint64, old, r Row, field TextField, offset int, text string) {
	s.exchange(key, old, r)
	if was, ok := old.(*OutputRow); ok && !sameErrors(was.schemaErrors, r.(*OutputRow).schemaErrors) {
		s.moved(RowMove{Kind: MoveReplace, Key: key, Row: r})
		return
	}
	s.moved(RowMove{Kind: MoveAppend, Key: key, Row: r, Field: field, Offset: offset, Text: text})
}

// exchange puts a row in the place of another and into the indexes, telling nobody.
func (s *State) exchange(key uint64, old, r Row) {
	was, is := old.Common(), r.Common()
	s.touchOutputs(old, r)
	if o, ok := r.(*OutputRow); ok {
		s.checkOutput(o, old)
	}
	s.entryBytes += rowBytes(r) - rowBytes(old)
	s.cur.entries.Set(s.tok, key, r, is.seq)
	if is.id != was.id {
		delete(s.ids, was.id)
		s.ids[is.id] = key
	}
	if is.seq != was.seq {
		s.forgetSeq(was.seq, kindOf(old), key)
		s.knowSeq(is.seq, kindOf(r), key)
	}
	s.indexOutput(old, r, key)
}

// removeRow takes a row out of the timeline: an empty turn is swept away.
func (s *State) removeRow(key uint64, r Row) {
	sp := r.Common()
	s.touchOutputs(r, nil)
	s.entryBytes -= rowBytes(r)
	s.cur.entries.Del(s.tok, key)
	s.forgetReason(key, r)
	if sp.id != "" {
		delete(s.ids, sp.id)
	}
	s.forgetSeq(sp.seq, kindOf(r), key)
	s.eachList(r, func(t *tree[struct{}]) { t.Del(s.tok, key) })
	s.indexOutput(r, nil, key)
	s.moved(RowMove{Kind: MoveRemove, Key: key, Row: r})
}

// eachList calls f with every list of keys that r belongs to.
func (s *State) eachList(r Row, f func(*tree[struct{}])) {
	sp := r.Common()
	f(&s.cur.rows)
	if sp.topLevel() {
		f(&s.cur.top)
		if inTranscript(r) {
			f(&s.cur.transcript)
		}
	}
	if sp.place == nil {
		return
	}
	s.editPlace(sp.place, func(p *placeRows) {
		f(&p.exact)
		if p.deeper {
			f(&p.below)
		}
	})
	for pl := sp.place.Parent; pl != nil; pl = pl.Parent {
		s.editPlace(pl, func(p *placeRows) {
			if !p.deeper { // from here on the subtree has rows that the place itself has not
				p.deeper = true
				for key := range p.exact.All() {
					p.below.Set(s.tok, key, struct{}{}, 0)
				}
			}
			f(&p.below)
		})
	}
}

func (s *State) editPlace(pl *Place, edit func(*placeRows)) {
	p, _ := s.cur.at.Get(pl.ord)
	edit(&p)
	s.cur.at.Set(s.tok, pl.ord, p, 0)
}

// moved records a row's move and marks the slices it belongs to.
func (s *State) moved(m RowMove) {
	s.c.Rows = append(s.c.Rows, m)
	sp := m.Row.Common()
	s.mark(Slice{Kind: SliceTimeline})
	if sp.topLevel() {
		s.mark(Slice{Kind: SliceTopLevel})
		if inTranscript(m.Row) {
			s.mark(Slice{Kind: SliceTranscript})
		}
	}
	if sp.place == nil {
		return
	}
	s.mark(Slice{Kind: SliceRowsAt, Path: sp.place.key})
	for pl := sp.place; pl != nil; pl = pl.Parent {
		s.mark(Slice{Kind: SliceSubtree, Path: pl.key})
	}
}

// mark notes that a slice moved. Few slices are looked through; the many of a page are looked up.
func (s *State) mark(sl Slice) {
	switch n := len(s.c.Slices); {
	case n == 0:
		s.c.Slices = make([]Slice, 0, 8) // as many as a delta marks
	case n < 16:
		if slices.Contains(s.c.Slices, sl) {
			return
		}
	default:
		if len(s.marked) == 0 {
			for _, t := range s.c.Slices {
				s.marked[t] = struct{}{}
			}
		}
		if _, known := s.marked[sl]; known {
			return
		}
		s.marked[sl] = struct{}{}
	}
	s.c.Slices = append(s.c.Slices, sl)
}

// inTranscript tells whether a top-level row is a turn: the transcript is user and assistant rows only.
func inTranscript(r Row) bool {
	switch r.(type) {
	case *UserRow, *AssistantRow:
		return true
	}
	return false
}
