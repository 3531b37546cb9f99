package projection

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// replay applies operations as a client does: text by UTF-16 offset, rows by index.
func replay(t require.TestingT, rows []Row, ops []RowOp) []Row {
	for _, op := range ops {
		switch op := op.(type) {
		case *RowsReset:
			rows = append([]Row{}, op.Rows...)
		case *RowInserted:
			require.LessOrEqual(t, op.Index, len(rows))
			rows = append(rows[:op.Index:op.Index], append([]Row{op.Row}, rows[op.Index:]...)...)
		case *RowReplaced:
			rows = append([]Row{}, rows...)
			rows[op.Index] = op.Row
		case *RowRemoved:
			rows = append(rows[:op.Index:op.Index], rows[op.Index+1:]...)
		case *RowTextAppended:
			rows = append([]Row{}, rows...)
			rows[op.Index] = appendText(t, rows[op.Index], op)
		}
	}
	return rows
}

func appendText(t require.TestingT, row Row, op *RowTextAppended) Row {
	grow := func(s string) string {
		require.Equal(t, len(utf16.Encode([]rune(s))), op.Offset)
		return s + op.Text
	}
	switch r := row.(type) {
	case *AssistantRow:
		c := *r
		if op.Field == FieldContent {
			c.Content = grow(c.Content)
		} else {
			require.Equal(t, FieldReasoning, op.Field)
			c.reasoning = grow(c.reasoning)
		}
		return &c
	case *OutputRow:
		require.Equal(t, FieldValue, op.Field)
		c := *r
		s, ok := c.Value.Text()
		require.True(t, ok)
		c.Value = TextValue(grow(s))
		return &c
	}
	require.Fail(t, "text appended to a row without text")
	return nil
}

func TestJournalForgetsBeyondItsDepth(t *testing.T) {
	s := New("c")
	j := NewJournal(s.Snapshot(), RowSlice{All: true})
	delta := &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: wire.Spine{NodeID: "n"}, ID: "d", Content: "x", HasContent: true}}
	for range 5 * JournalDepth {
		c := s.Apply(delta)
		j.Add(c.Rows)
	}
	require.EqualValues(t, 5*JournalDepth, j.Version())
	ops, ok := j.Since(j.Version() - JournalDepth)
	require.True(t, ok)
	require.Len(t, ops, 1, "appends to one text are joined")
	_, ok = j.Since(0)
	require.False(t, ok)
	_, ok = j.Since(j.Version() + 1)
	require.False(t, ok)
	ops, ok = j.Since(j.Version())
	require.True(t, ok)
	require.Empty(t, ops)
}

// drawInputs is a run as it is read in one of the ways there are, or chaos, and trimmed now and then.
func drawInputs(t *rapid.T) (out []Input) {
	for _, rec := range drawRecords(t) {
		out = append(out, rec)
		if rapid.IntRange(0, 11).Draw(t, "trim") == 11 {
			out = append(out, Trim{Keep: rapid.IntRange(0, 8).Draw(t, "keep")})
		}
	}
	return out
}

func drawRecords(t *rapid.T) []wire.Record {
	kind := rapid.IntRange(0, 4).Draw(t, "records")
	if kind == 0 {
		return gen.Chaos(t)
	}
	run := gen.NewRun(t)
	switch kind {
	case 1:
		return run.Logged()
	case 2, 3:
		if o, ok := run.Reopen(t); ok {
			recs, at := o.Records(), 1+len(o.Window)
			for _, p := range o.Pages {
				at = rapid.IntRange(at, len(recs)).Draw(t, "page at")
				recs = slices.Insert(slices.Clone(recs), at, wire.Record(p))
				at++
			}
			return recs
		}
	}
	return run.Live()
}

// slicesIn are the row slices of the timeline and of every path that the records name.
func slicesIn(recs []Input) []RowSlice {
	paths := map[string][]string{"": {}}
	note := func(b *wire.Body) {
		if path := append(slices.Clone(b.SubgraphPath), b.NodeID); b.NodeID != "" {
			for n := range len(path) + 1 {
				paths[PathKey(path[:n])] = path[:n]
			}
		}
	}
	for _, rec := range recs {
		switch r := rec.(type) {
		case *wire.Frame:
			note(&r.Body)
		case *wire.Row:
			note(&r.Body)
		case *wire.Page:
			for _, row := range r.Rows {
				note(&row.Body)
			}
		}
	}
	out := []RowSlice{{All: true}}
	for _, key := range slices.Sorted(maps.Keys(paths)) {
		out = append(out, RowSlice{Path: paths[key]}, RowSlice{Path: paths[key], Subtree: true})
	}
	return out
}

// follower is a client of row changes: what it has, up to which version, and how seldom it reads.
type follower struct {
	journal *Journal
	plain   *plainJournal
	version uint64
	rows    []Row
	seldom  int
}

// read takes what is missing, and compares it with the slice and with what every move by itself would have told.
func (f *follower) read(t require.TestingT, snap *Snapshot) {
	ops, ok := f.journal.Since(f.version)
	require.True(t, ok)
	want := f.journal.Rows(snap)
	plain := f.plain.ops[f.version:]
	requireSameRows(t, want, replay(t, f.rows, plain))
	requireFewest(t, f.rows, ops, plain)
	f.rows, f.version = replay(t, f.rows, ops), f.journal.Version()
	requireSameRows(t, want, f.rows)
}

// Promise 8: replaying the operations since any version gives the slice, for every slice and however rarely
// the client reads; and no operation is needless.
func TestJournalsReplayToTheSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := drawInputs(t)
		s := New("")
		if rapid.Bool().Draw(t, "crowded") {
			s = NewCrowded("")
		}
		journals, followers := map[Slice]*follower{}, []*follower{}
		for _, rec := range recs {
			c := s.Apply(rec)
			if c.Reset {
				journals, followers = map[Slice]*follower{}, nil
			}
			for slice, j := range journals {
				if c.Has(slice) { // who follows a slice is told of it by its mark alone
					j.plain.add(j.journal, c.Rows)
					j.journal.Add(c.Rows)
				}
			}
			snap := s.Snapshot()
			for _, slice := range slicesIn(recs) {
				if rapid.IntRange(0, 9).Draw(t, "follow") == 9 {
					j := journals[slice.Slice()]
					if j == nil {
						j = &follower{journal: NewJournal(snap, slice), plain: &plainJournal{}}
						journals[slice.Slice()] = j
					}
					seldom := rapid.SampledFrom([]int{1, 3, 20}).Draw(t, "seldom")
					followers = append(followers, &follower{j.journal, j.plain, j.journal.Version(), j.journal.Rows(snap), seldom})
				}
			}
			for _, f := range followers {
				if rapid.IntRange(0, f.seldom).Draw(t, "reads") == f.seldom {
					f.read(t, snap)
				}
			}
		}
		for _, f := range followers {
			f.read(t, s.Snapshot())
		}
	})
}

func requireSameRows(t require.TestingT, want, got []Row) {
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, kindOf(want[i]) == kindOf(got[i]) && sameRow(want[i], got[i]), "row %d: want %+v\ngot %+v", i, want[i], got[i])
	}
}

// Promise 7: the moves of a change, in sequence, lead from the rows before to the rows after; an append is the
// pure growth of one field.
func TestMovesLeadFromRowsToRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := drawInputs(t)
		s := New("")
		rows := map[uint64]Row{}
		for _, rec := range recs {
			c := s.Apply(rec)
			if c.Reset {
				clear(rows)
				for key := range s.cur.rows.All() {
					rows[key] = s.row(key)
				}
				continue
			}
			for _, m := range c.Rows {
				was := rows[m.Key]
				require.Equal(t, m.Kind == MoveInsert, was == nil)
				switch m.Kind {
				case MoveRemove:
					delete(rows, m.Key)
					continue
				case MoveAppend:
					require.NotEmpty(t, m.Text)
					grown := appendText(t, was, &RowTextAppended{Field: m.Field, Offset: m.Offset, Text: m.Text})
					require.True(t, sameRow(grown, m.Row))
				}
				rows[m.Key] = m.Row
			}
			n := 0
			for key := range s.cur.rows.All() {
				requireSameRows(t, []Row{s.row(key)}, []Row{rows[key]})
				n++
			}
			require.Len(t, rows, n)
		}
	})
}

// Promise 10: offsets count UTF-16 units, as a client's strings do, whatever the text is made of.
func TestTextOffsetsAreUTF16Units(t *testing.T) {
	pieces := []string{"a", "é", "e\u0301", "😀", "👩\u200d👩\u200d👧", "\u0301", "\ufffd", "𝒳", "\uffff", "\n", "漢", "\u200f", "\U0010ffff"}
	rapid.Check(t, func(t *rapid.T) {
		s := New("c")
		var content, reasoning, value strings.Builder
		for range rapid.IntRange(1, 40).Draw(t, "deltas") {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(t, "text"), "")
			grows := map[TextField]*strings.Builder{FieldContent: &content, FieldReasoning: &reasoning, FieldValue: &value}
			field := TextField(rapid.IntRange(int(FieldContent), int(FieldValue)).Draw(t, "field"))
			b := wire.Body{ID: "turn", Spine: wire.Spine{NodeID: "n"}}
			kind := wire.MessageDelta
			switch field {
			case FieldContent:
				b.Content, b.HasContent = text, true
			case FieldReasoning:
				b.Reasoning, b.HasReasoning = text, true
			case FieldValue:
				kind, b.ID, b.Name, b.Delta, b.NodeID = wire.OutputDelta, "out", "o", text, "m"
			}
			c := s.Apply(&wire.Frame{Type: kind, Body: b})
			require.Len(t, c.Rows, 1)
			if m := c.Rows[0]; m.Kind == MoveAppend {
				require.Equal(t, field, m.Field)
				require.Equal(t, len(utf16.Encode([]rune(grows[field].String()))), m.Offset)
				require.Equal(t, text, m.Text)
			}
			grows[field].WriteString(text)
		}
		for _, r := range s.Snapshot().Timeline() {
			switch r := r.(type) {
			case *AssistantRow:
				require.Equal(t, content.String(), r.Content)
				require.Equal(t, reasoning.String(), r.reasoning)
			case *OutputRow:
				text, ok := r.Value.Text()
				require.True(t, ok)
				require.Equal(t, value.String(), text)
			}
		}
	})
}
