package projection

import "strings"

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
	ops     []RowOp
	version uint64 // of the last operation: how many there were since the journal began
}

// NewJournal returns the journal of a slice from snap on, at version 0.
func NewJournal(snap *Snapshot, slice RowSlice) *Journal {
	j := &Journal{slice: slice, path: PathKey(slice.Path), tok: &token{}}
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

// Version is the number of the last operation.
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
	index := j.keys.Rank(m.Key)
	var op RowOp
	switch m.Kind {
	case MoveInsert:
		j.keys.Set(j.tok, m.Key, struct{}{}, 0)
		op = &RowInserted{index, m.Row}
	case MoveReplace:
		op = &RowReplaced{index, m.Row}
	case MoveAppend:
		op = &RowTextAppended{index, m.Field, m.Offset, m.Text}
	case MoveRemove:
		j.keys.Del(j.tok, m.Key)
		op = &RowRemoved{index}
	}
	if len(j.ops) >= 2*JournalDepth {
		n := copy(j.ops, j.ops[len(j.ops)-JournalDepth:])
		clear(j.ops[n:])
		j.ops = j.ops[:n]
	}
	j.ops = append(j.ops, op)
	j.version++
}

// Since returns the operations after a version, several appends to one text joined into one. ok is false
// when the journal no longer has them, or never did.
func (j *Journal) Since(version uint64) (ops []RowOp, ok bool) {
	behind := j.version - version
	if version > j.version || behind > uint64(len(j.ops)) {
		return nil, false
	}
	ops = []RowOp{}
	for tail := j.ops[uint64(len(j.ops))-behind:]; len(tail) > 0; {
		op, n := joined(tail)
		ops, tail = append(ops, op), tail[n:]
	}
	return ops, true
}

// joined is the first of some operations and those that append to the same text right after it, as one, and
// how many they were.
func joined(ops []RowOp) (op RowOp, n int) {
	first, isText := ops[0].(*RowTextAppended)
	if !isText {
		return ops[0], 1
	}
	for n = 1; n < len(ops); n++ {
		next, isText := ops[n].(*RowTextAppended)
		if !isText || next.Index != first.Index || next.Field != first.Field {
			break
		}
	}
	if n == 1 {
		return first, 1
	}
	var text strings.Builder
	for _, op := range ops[:n] {
		text.WriteString(op.(*RowTextAppended).Text)
	}
	return &RowTextAppended{first.Index, first.Field, first.Offset, text.String()}, n
}
