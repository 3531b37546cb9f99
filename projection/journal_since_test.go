package projection

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainJournal keeps an operation for each move, as it was when the row moved.
type plainJournal struct{ ops []RowOp }

// add notes moves that j has not added yet.
func (p *plainJournal) add(j *Journal, moves []RowMove) {
	keys, tok := j.keys, &token{}
	for _, m := range moves {
		if !j.has(m.Row) {
			continue
		}
		index := keys.Rank(m.Key)
		switch m.Kind {
		case MoveInsert:
			keys.Set(tok, m.Key, struct{}{}, 0)
			p.ops = append(p.ops, &RowInserted{index, m.Row})
		case MoveReplace:
			p.ops = append(p.ops, &RowReplaced{index, m.Row})
		case MoveAppend:
			p.ops = append(p.ops, &RowTextAppended{index, m.Field, m.Offset, m.Text})
		case MoveRemove:
			keys.Del(tok, m.Key)
			p.ops = append(p.ops, &RowRemoved{index})
		}
	}
}

// spelled is an operation as a document might read it, with hardly a word that is not needed.
func spelled(t require.TestingT, op RowOp) string {
	quoted := func(v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		return string(text)
	}
	row := func(r Row) string {
		switch r := r.(type) {
		case *UserRow:
			return quoted([]any{r.ID(), r.Content})
		case *AssistantRow:
			return quoted([]any{r.ID(), r.Seq(), r.Content, r.Reasoning(), r.Complete})
		case *OutputRow:
			return quoted([]any{r.ID(), r.Seq(), r.Name, json.RawMessage(r.Value.AppendJSON(nil)), r.Status, r.Format(), r.Complete})
		}
		return quoted([]any{r.Common().ID(), r.Seq()})
	}
	switch op := op.(type) {
	case *RowInserted:
		return fmt.Sprintf(`{"index":%d,"row":%s}`, op.Index, row(op.Row))
	case *RowReplaced:
		return fmt.Sprintf(`{"index":%d,"row":%s}`, op.Index, row(op.Row))
	case *RowTextAppended:
		return fmt.Sprintf(`{"index":%d,"field":%d,"offset":%d,"text":%s}`, op.Index, op.Field, op.Offset, quoted(op.Text))
	case *RowRemoved:
		return fmt.Sprintf(`{"index":%d}`, op.Index)
	}
	require.Fail(t, "no operation that a journal gives")
	return ""
}

// requireFewest holds joined operations against the plain ones that lead from the same rows to the same: never more of them,
// never more bytes, and of each row one operation, or one for each of its texts.
func requireFewest(t require.TestingT, rows []Row, joined, plain []RowOp) {
	require.LessOrEqual(t, len(joined), len(plain))
	bytes := func(ops []RowOp) (n int) {
		for _, op := range ops {
			n += len(spelled(t, op))
		}
		return n
	}
	require.LessOrEqual(t, bytes(joined), bytes(plain))

	told := map[int]map[TextField]bool{} // by where the row stood before, or -1 and less for one that came
	places := make([]int, len(rows))
	for i := range places {
		places[i] = i
	}
	tell := func(place int, field TextField) {
		require.False(t, told[place][field] || told[place][0] || field == 0 && len(told[place]) > 0, "a row is told of twice")
		if told[place] == nil {
			told[place] = map[TextField]bool{}
		}
		told[place][field] = true
	}
	for i, op := range joined {
		switch op := op.(type) {
		case *RowInserted:
			places = append(places[:op.Index:op.Index], append([]int{-1 - i}, places[op.Index:]...)...)
			tell(places[op.Index], 0)
		case *RowReplaced:
			tell(places[op.Index], 0)
		case *RowTextAppended:
			require.NotEmpty(t, op.Text)
			tell(places[op.Index], op.Field)
		case *RowRemoved:
			tell(places[op.Index], 0)
			places = append(places[:op.Index:op.Index], places[op.Index+1:]...)
		}
	}
}

// Promise 8: what several moves of rows come to.
func TestSeveralMovesAsOne(t *testing.T) {
	turn := func(content, reasoning string) *AssistantRow {
		return &AssistantRow{Content: content, reasoning: reasoning}
	}
	ended := &AssistantRow{Content: "ended", Complete: true}
	insert := func(key uint64, r Row) RowMove { return RowMove{Kind: MoveInsert, Key: key, Row: r} }
	replace := func(key uint64, r Row) RowMove { return RowMove{Kind: MoveReplace, Key: key, Row: r} }
	remove := func(key uint64) RowMove { return RowMove{Kind: MoveRemove, Key: key, Row: turn("", "")} }
	// grow is an append that leaves content and reasoning as they are given.
	grow := func(key uint64, content, reasoning string, field TextField, text string) RowMove {
		r := turn(content, reasoning)
		return RowMove{MoveAppend, key, r, field, UTF16Len(textOf(r, field)) - UTF16Len(text), text}
	}
	value := func(key uint64, whole, text string) RowMove {
		return RowMove{MoveAppend, key, &OutputRow{Value: TextValue(whole)}, FieldValue, UTF16Len(whole) - UTF16Len(text), text}
	}
	const a, b, c, d = 10, 20, 30, 40 // keys; the rows a, b and c are there
	cases := map[string]struct {
		moves []RowMove
		want  []RowOp
	}{
		"nothing": {nil, []RowOp{}},
		"one of each": {
			[]RowMove{grow(a, "ax", "", FieldContent, "x"), replace(b, ended), remove(c), insert(d, ended)},
			[]RowOp{&RowTextAppended{0, FieldContent, 1, "x"}, &RowReplaced{1, ended}, &RowRemoved{2}, &RowInserted{2, ended}},
		},
		"text of one row": {
			[]RowMove{grow(b, "b😀", "", FieldContent, "😀"), grow(b, "b😀é", "", FieldContent, "é")},
			[]RowOp{&RowTextAppended{1, FieldContent, 1, "😀é"}},
		},
		"text of several rows by turns": {
			[]RowMove{
				grow(b, "b1", "", FieldContent, "1"), grow(a, "a1", "", FieldContent, "1"), value(c, "c1", "1"),
				grow(a, "a12", "", FieldContent, "2"), value(c, "c12", "2"), grow(b, "b12", "", FieldContent, "2"),
			},
			[]RowOp{&RowTextAppended{1, FieldContent, 1, "12"}, &RowTextAppended{0, FieldContent, 1, "12"}, &RowTextAppended{2, FieldValue, 1, "12"}},
		},
		"both texts of a row by turns": {
			[]RowMove{
				grow(a, "a", "r", FieldReasoning, "r"), grow(a, "a1", "r", FieldContent, "1"), grow(a, "a1", "rs", FieldReasoning, "s"),
				grow(a, "a12", "rs", FieldContent, "2"),
			},
			[]RowOp{&RowTextAppended{0, FieldReasoning, 0, "rs"}, &RowTextAppended{0, FieldContent, 1, "12"}},
		},
		"text, then the whole row":            {[]RowMove{grow(a, "a1", "", FieldContent, "1"), replace(a, ended)}, []RowOp{&RowReplaced{0, ended}}},
		"the whole row, then text":            {[]RowMove{replace(a, turn("x", "")), grow(a, "xy", "", FieldContent, "y")}, []RowOp{&RowReplaced{0, turn("xy", "")}}},
		"the whole row again and again":       {[]RowMove{replace(a, turn("x", "")), replace(a, ended)}, []RowOp{&RowReplaced{0, ended}}},
		"a new row that grows and ends":       {[]RowMove{insert(d, turn("", "")), grow(d, "x", "", FieldContent, "x"), replace(d, ended)}, []RowOp{&RowInserted{3, ended}}},
		"a row that comes and goes":           {[]RowMove{insert(d, turn("", "")), grow(d, "x", "", FieldContent, "x"), remove(d)}, []RowOp{}},
		"a row that grows and goes":           {[]RowMove{grow(a, "a1", "", FieldContent, "1"), remove(a)}, []RowOp{&RowRemoved{0}}},
		"a row that goes and comes again":     {[]RowMove{remove(a), insert(a, ended)}, []RowOp{&RowReplaced{0, ended}}},
		"and goes again":                      {[]RowMove{remove(a), insert(a, ended), remove(a)}, []RowOp{&RowRemoved{0}}},
		"a new row, gone, and there again":    {[]RowMove{insert(d, turn("", "")), remove(d), insert(d, ended)}, []RowOp{&RowInserted{3, ended}}},
		"what went counts for those after it": {[]RowMove{remove(a), grow(c, "c1", "", FieldContent, "1"), insert(5, ended)}, []RowOp{&RowRemoved{0}, &RowTextAppended{1, FieldContent, 1, "1"}, &RowInserted{0, ended}}},
		"what came and went does not count": {
			[]RowMove{insert(5, turn("", "")), grow(c, "c1", "", FieldContent, "1"), insert(15, ended), remove(5), grow(b, "b1", "", FieldContent, "1")},
			[]RowOp{&RowTextAppended{2, FieldContent, 1, "1"}, &RowInserted{1, ended}, &RowTextAppended{2, FieldContent, 1, "1"}},
		},
		"text before the row that comes before it": {
			[]RowMove{grow(a, "a1", "", FieldContent, "1"), insert(5, ended), grow(a, "a12", "", FieldContent, "2")},
			[]RowOp{&RowTextAppended{0, FieldContent, 1, "12"}, &RowInserted{0, ended}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			j := NewJournal(New("c").Snapshot(), RowSlice{All: true})
			j.Add([]RowMove{insert(a, turn("a", "")), insert(b, turn("b", "")), insert(c, &OutputRow{Value: TextValue("c")})})
			before := j.Version()
			for _, m := range tc.moves {
				j.Add([]RowMove{m})
			}
			ops, ok := j.Since(before)
			require.True(t, ok)
			require.Equal(t, tc.want, ops)
			again, _ := j.Since(before)
			require.Equal(t, ops, again, "reading changes nothing")
			rest, ok := j.Since(j.Version())
			require.True(t, ok)
			require.Empty(t, rest)
		})
	}
}

// Promise 8: what a journal keeps is bounded, whatever the rows say: of each row that moved lately its present value, and of
// a text that grew no copy.
func TestWhatAJournalKeeps(t *testing.T) {
	j := NewJournal(New("c").Snapshot(), RowSlice{All: true})
	row := &AssistantRow{}
	j.Add([]RowMove{{Kind: MoveInsert, Key: 1, Row: row}})
	for i := range 10 * JournalDepth {
		grown := *row
		grown.Content += strconv.Itoa(i)
		row = &grown
		j.Add([]RowMove{{MoveAppend, 1, row, FieldContent, len(row.Content) - len(strconv.Itoa(i)), strconv.Itoa(i)}})
	}
	require.Equal(t, map[uint64]Row{1: row}, j.rows)
	ops, ok := j.Since(j.Version() - JournalDepth)
	require.True(t, ok)
	require.Len(t, ops, 1)
	require.True(t, strings.HasSuffix(row.Content, ops[0].(*RowTextAppended).Text))

	for i := range 10 * JournalDepth {
		key := uint64(2 + i)
		j.Add([]RowMove{{Kind: MoveInsert, Key: key, Row: row}, {Kind: MoveReplace, Key: key, Row: row}})
		require.LessOrEqual(t, len(j.rows), 2*JournalDepth)
		require.LessOrEqual(t, len(j.moves), 2*JournalDepth)
	}
	require.NotContains(t, j.rows, uint64(1), "its last move is long forgotten")
}

// The row that comes just as the oldest moves are forgotten is there, whatever kind of move brings it; in a Past too.
func TestTheRowAtWhichAJournalForgets(t *testing.T) {
	slice := RowSlice{All: true}
	for _, kind := range []MoveKind{MoveInsert, MoveReplace} {
		empty := New("c").Snapshot()
		j, past := NewJournal(empty, slice), NewPast()
		for key := range uint64(5 * JournalDepth) {
			move := []RowMove{{Kind: MoveInsert, Key: key + 1, Row: &AssistantRow{}}}
			if kind == MoveReplace && key%2 == 1 {
				move = []RowMove{{Kind: MoveReplace, Key: key, Row: &AssistantRow{}}}
			}
			j.Add(move)
			past.Add(move)
			for _, journal := range []*Journal{j, past.Journal(empty, slice)}[:1+key%97/96] {
				ops, ok := journal.Since(journal.Version() - 1)
				require.True(t, ok)
				for _, op := range ops {
					switch op := op.(type) {
					case *RowInserted:
						require.NotNil(t, op.Row)
					case *RowReplaced:
						require.NotNil(t, op.Row)
					}
				}
			}
		}
		require.Len(t, past.rows, len(j.rows))
	}
}

// BenchmarkSince: what one message costs to make, for a client that is so many moves behind.
func BenchmarkSince(b *testing.B) {
	for _, behind := range []int{1, 5, JournalDepth} {
		for _, rows := range []int{1, 10} {
			b.Run(fmt.Sprintf("behind=%d/rows=%d", behind, rows), func(b *testing.B) {
				j := NewJournal(New("c").Snapshot(), RowSlice{All: true})
				content := make([]string, rows)
				for key := range rows {
					j.Add([]RowMove{{Kind: MoveInsert, Key: uint64(key + 1), Row: &AssistantRow{}}})
				}
				for i := range behind {
					content[i%rows] += "word "
					text := content[i%rows]
					j.Add([]RowMove{{MoveAppend, uint64(i%rows + 1), &AssistantRow{Content: text}, FieldContent, len(text) - 5, "word "}})
				}
				b.ReportAllocs()
				for b.Loop() {
					j.Since(j.Version() - uint64(behind))
				}
			})
		}
	}
}
