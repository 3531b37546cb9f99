package projection

import (
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// Replay applies operations as a client does: text by UTF-16 offset, rows by index.
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
	for range 5 * JournalDepth {
		c := s.Apply(delta("d", "x"))
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
