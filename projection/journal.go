package projection

import (
	"slices"
	"strings"
)

// RowOp is one operation on an ordered list of rows: a *RowsReset, *RowInserted, *RowTextAppended,
// *RowReplaced or *RowRemoved. Operations apply in sequence.
type RowOp interface{ IsRowOp() }

// RowsReset replaces the whole list.
type RowsReset struct{ Rows []Row }

// RowInserted puts a row at an index.
type RowInserted struct {
	Index int
	Row   Row
}

// RowTextAppended adds text at the end of one field of the row at an index. Offset is how many UTF-16
// units the field already has; an absent field has 0.
type RowTextAppended struct {
	Index  int
	Field  TextField
	Offset int
	Text   string
}

// RowReplaced puts another value in the place of the row at an index.
type RowReplaced struct {
	Index int
	Row   Row
}

// RowRemoved takes the row at an index out.
type RowRemoved struct{ Index int }

// IsRowOp seals the union.
func (*RowsReset) IsRowOp() {}

// IsRowOp seals the union.
func (*RowInserted) IsRowOp() {}

// IsRowOp seals the union.
func (*RowTextAppended) IsRowOp() {}

// IsRowOp seals the union.
func (*RowReplaced) IsRowOp() {}

// IsRowOp seals the union.
func (*RowRemoved) IsRowOp() {}

// JournalDepth is how many of a slice's latest operations a journal keeps at least (docs/fold.md, "rowChanges").
const JournalDepth = 1000

// RowSlice is the part of the timeline that a journal follows.
type RowSlice struct {
	// All: the whole timeline. Otherwise the rows exactly at Path, or with Subtree at and below it.
	All     bool
	Path    []string
	Subtree bool
}

// Slice is the slice that moves when the rows do.
func (r RowSlice) Slice() Slice {
	switch {
	case r.All:
		return Slice{Kind: SliceTimeline}
	case r.Subtree:
		return Slice{Kind: SliceSubtree, Path: PathKey(r.Path)}
	}
	return Slice{Kind: SliceRowsAt, Path: PathKey(r.Path)}
}

// Journal turns the moves of rows into operations on one slice and keeps the latest. It starts from a
// snapshot and is fed every Change since; its owner is whoever applies the inputs.
type Journal struct {
	slice   RowSlice
	path    string
	keys    tree[struct{}]
	tok     *token
	moves   []move
	rows    map[uint64]Row // those of the moves that are still there, as they stand now
	version uint64         // of the last move: how many there were since the journal began

	// Of a journal that a Past began: the numbers of the moves, and the one up to which they are not kept.
	numbers []uint64
	since   uint64
}

// move is a RowMove as it is kept. The row is kept once for all its moves, and a text that grew is read off its end.
type move struct {
	key    uint64
	kind   MoveKind
	field  TextField
	offset int // of an append, in UTF-16 units
	bytes  int // of an append: how much came
}

// NewJournal returns the journal of a slice from snap on, at version 0.
func NewJournal(snap *Snapshot, slice RowSlice) *Journal {
	j := &Journal{slice: slice, path: PathKey(slice.Path), tok: &token{}, rows: map[uint64]Row{}}
	if slice.All {
		j.keys = snap.rows
	} else {
		j.keys = snap.keysAt(slice.Path, slice.Subtree)
	}
	return j
}

// Rows is what the journal's slice holds in snap.
func (j *Journal) Rows(snap *Snapshot) []Row {
	if j.slice.All {
		return snap.Timeline()
	}
	return snap.RowsAt(j.slice.Path, j.slice.Subtree)
}

// Version is the number of the last move.
func (j *Journal) Version() uint64 { return j.version }

func (j *Journal) has(r Row) bool {
	pl := r.Common().place
	switch {
	case j.slice.All:
		return true
	case pl == nil:
		return false
	case j.slice.Subtree:
		// A segment is spelled with its length, so that only a path at or below j.path begins like it.
		return strings.HasPrefix(pl.key, j.path)
	}
	return pl.key == j.path
}

// Add records what a change did to the slice. Work is in proportion to the moves, not to the list.
func (j *Journal) Add(moves []RowMove) {
	for _, m := range moves {
		if j.has(m.Row) {
			j.add(m)
		}
	}
}

func (j *Journal) add(m RowMove) {
	switch m.Kind {
	case MoveInsert:
		j.keys.Set(j.tok, m.Key, struct{}{}, 0)
	case MoveRemove:
		j.keys.Del(j.tok, m.Key)
	}
	if len(j.moves) >= 2*JournalDepth { // before the row of this move is there, which no move is of yet
		j.forget(len(j.moves) - JournalDepth)
	}
	if m.Kind == MoveRemove {
		delete(j.rows, m.Key)
	} else {
		j.rows[m.Key] = m.Row
	}
	j.moves = append(j.moves, move{m.Key, m.Kind, m.Field, m.Offset, len(m.Text)})
	j.version++
}

// forget drops the first n moves, and the rows that no other move is of.
func (j *Journal) forget(n int) {
	j.moves = j.moves[:copy(j.moves, j.moves[n:])]
	rows := make(map[uint64]Row, len(j.rows))
	for _, m := range j.moves {
		if r, here := j.rows[m.key]; here {
			rows[m.key] = r
		}
	}
	j.rows = rows
}

// Since returns the fewest operations that lead from a version to now: one for each row that moved, whatever happened to it
// in between, or two where both texts of a turn grew. A row that came and went leaves none. ok is false when the journal no
// longer has what moved, or never did.
func (j *Journal) Since(version uint64) (ops []RowOp, ok bool) {
	behind := j.version - version
	if version > j.version || behind > uint64(len(j.moves)) {
		return nil, false
	}
	moves := j.moves[uint64(len(j.moves))-behind:]
	ops = []RowOp{}
	keys, tok := j.before(moves)
	for _, s := range sums(moves) {
		index := keys.Rank(s.key)
		switch s.kind {
		case MoveInsert:
			keys.Set(tok, s.key, struct{}{}, 0)
			ops = append(ops, &RowInserted{index, j.rows[s.key]})
		case MoveReplace:
			ops = append(ops, &RowReplaced{index, j.rows[s.key]})
		case MoveRemove:
			keys.Del(tok, s.key)
			ops = append(ops, &RowRemoved{index})
		case MoveAppend:
			for _, g := range s.grown {
				if g.bytes > 0 {
					text := textOf(j.rows[s.key], g.field)
					ops = append(ops, &RowTextAppended{index, g.field, g.offset, text[len(text)-g.bytes:]})
				}
			}
		}
	}
	return ops, true
}

// before is the slice as it stood before some moves, the latest of all.
func (j *Journal) before(moves []move) (tree[struct{}], *token) {
	keys, tok := j.keys, &token{}
	for _, m := range slices.Backward(moves) {
		switch m.kind {
		case MoveInsert:
			keys.Del(tok, m.key)
		case MoveRemove:
			keys.Set(tok, m.key, struct{}{}, 0)
		}
	}
	return keys, tok
}

// sum is what several moves of one row come to.
type sum struct {
	key   uint64
	kind  MoveKind // 0: nothing
	grown [2]growth
}

// growth is what was added to a field: the two that a row may have, in the order in which they grew first.
type growth struct {
	field         TextField
	offset, bytes int
}

// sums adds up moves by row, in the order in which the rows moved first. That order keeps every index from being greater
// than it was when the row moved.
func sums(moves []move) []sum {
	var list []sum
	at := map[uint64]int{}
	for _, m := range moves {
		i, moved := at[m.key]
		if !moved {
			i = len(list)
			at[m.key] = i
			list = append(list, sum{key: m.key, kind: m.kind})
		}
		s := &list[i]
		switch {
		case m.kind == MoveAppend && s.kind == MoveAppend:
			s.grow(m)
		case m.kind == MoveAppend || !moved:
			// The row as it stands now says it all.
		case m.kind == MoveRemove && s.kind == MoveInsert:
			s.kind = 0
			delete(at, m.key)
		case m.kind == MoveRemove:
			s.kind = MoveRemove
		case s.kind != MoveInsert: // it was there before, and is there now
			s.kind = MoveReplace
		}
	}
	return list
}

func (s *sum) grow(m move) {
	g := &s.grown[0]
	if g.bytes > 0 && g.field != m.field {
		g = &s.grown[1]
	}
	if g.bytes == 0 {
		g.field, g.offset = m.field, m.offset
	}
	g.bytes += m.bytes
}

// textOf is the text of a row's field.
func textOf(row Row, field TextField) string {
	switch r := row.(type) {
	case *AssistantRow:
		if field == FieldReasoning {
			return r.reasoning
		}
		return r.Content
	case *OutputRow:
		text, _ := r.Value.Text()
		return text
	}
	return ""
}
