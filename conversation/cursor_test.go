package conversation

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

// Promise 7: a cursor is read as it was written.
func TestCursorRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	for _, version := range []uint64{0, 1, 127, 128, 1 << 40, math.MaxUint64} {
		c := cursor{newJournalID(), version}
		assert.Equal(t, c, parseCursor(c.String()))
		assert.False(t, seen[c.journal])
		seen[c.journal] = true
	}
}

// FuzzCursor: whatever a client sends as a cursor, it is read as none or as exactly what it spells, and a
// subscription with it begins with a reset or with operations that are really there.
func FuzzCursor(f *testing.F) {
	l := NewLive(conv)
	journals := l.Changes(everything, "", 0)
	defer journals.Close()
	first, err := journals.Next(f.Context())
	require.NoError(f, err)
	for range 3 {
		l.Apply(token("n", "x"))
	}
	id := parseCursor(first.Cursor).journal
	for _, seed := range []string{
		"", "AAAA", first.Cursor, "not base64 !", strings.Repeat("A", 23), strings.Repeat("_", 40), "\x00\xff",
		cursor{id, 2}.String(), cursor{id, 4}.String(), cursor{id, math.MaxUint64}.String(), cursor{strings.Repeat("x", 12), 0}.String(),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p := parseCursor(s); p != (cursor{}) {
			require.Equal(t, s, p.String())
			require.Len(t, p.journal, journalIDBytes)
		}
		c := l.Changes(everything, s, 0)
		defer c.Close()
		m, err := c.Next(t.Context())
		require.NoError(t, err)
		if p := parseCursor(s); p.journal != id || p.version > 3 {
			require.Len(t, m.Ops, 1)
			require.IsType(t, &projection.RowsReset{}, m.Ops[0])
		}
		require.NotEqual(t, cursor{}, parseCursor(m.Cursor))
	})
}
