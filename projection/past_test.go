package projection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// Promise 8, for a Past: the journal that it begins late says what one says that was there from the start, of the whole
// timeline and of every node, from every number on that it still has.
func TestPastJournal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		run := gen.NewRunOf(r, gen.Style{IDs: true, Seqs: true, Activations: true, Times: true})
		s := New("")
		past := NewPast()
		slices := []RowSlice{{All: true}, {Subtree: true}}
		for _, f := range run.Frames {
			if f.NodeID != "" && len(slices) < 6 {
				slices = append(slices, RowSlice{Path: append(append([]string{}, f.SubgraphPath...), f.NodeID)})
			}
		}
		early := make([]*Journal, len(slices))
		for i, slice := range slices {
			early[i] = NewJournal(s.Snapshot(), slice)
		}
		late := make([]*Journal, len(slices))
		join := rapid.IntRange(0, len(run.Frames)).Draw(r, "join")
		type place struct {
			number   uint64
			versions []uint64
		}
		var places []place
		note := func() {
			p := place{number: past.Version()}
			for _, j := range early {
				p.versions = append(p.versions, j.Version())
			}
			places = append(places, p)
		}
		note()
		for n, f := range run.Frames {
			if n == join {
				for i, slice := range slices {
					late[i] = past.Journal(s.Snapshot(), slice)
				}
			}
			c := s.Apply(f)
			if c.Reset {
				return // who follows keys starts over
			}
			before := past.Version()
			past.Add(c.Rows)
			for i := range slices {
				early[i].Add(c.Rows)
				if late[i] != nil {
					late[i].AddFrom(before, c.Rows)
				}
			}
			note()
		}
		for i, slice := range slices {
			if late[i] == nil {
				late[i] = past.Journal(s.Snapshot(), slice)
			}
			for _, p := range places {
				want, known := early[i].Since(p.versions[i])
				got, ok := late[i].SinceNumber(p.number)
				require.Equal(t, known, ok)
				assert.Equal(t, want, got)
			}
		}
	})
}

// A number from before what is kept is not known, and none is made up.
func TestPastForgets(t *testing.T) {
	s := New("c")
	past := NewPast()
	var early *Journal
	for i := range 5 * JournalDepth {
		c := s.Apply(&wire.Frame{Type: wire.MessageDelta, Offset: int64(i) + 1, Body: wire.Body{
			Spine: wire.Spine{NodeID: "n", Activation: "a"}, ID: "m", Content: "x", HasContent: true,
		}})
		before := past.Version()
		past.Add(c.Rows)
		if early == nil {
			early = past.Journal(s.Snapshot(), RowSlice{All: true})
		} else {
			early.AddFrom(before, c.Rows)
		}
	}
	late := past.Journal(s.Snapshot(), RowSlice{All: true})
	for _, j := range []*Journal{early, late} {
		_, ok := j.SinceNumber(past.Version() - 2*JournalDepth - 1)
		assert.False(t, ok)
		_, ok = j.SinceNumber(0)
		assert.False(t, ok)
		ops, ok := j.SinceNumber(past.Version() - JournalDepth + 1)
		assert.True(t, ok)
		assert.NotEmpty(t, ops)
		ops, ok = j.SinceNumber(past.Version())
		assert.True(t, ok)
		assert.Empty(t, ops)
	}
	assert.LessOrEqual(t, len(past.moves), 2*JournalDepth)
	assert.LessOrEqual(t, len(early.numbers), 2*JournalDepth)
}
