package projection_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// Promise 9: keys are dealt anew when a gap is used up, and nothing but the keys and Change.Reset tells of it.
func TestCrowdedKeysAreDealtAnew(t *testing.T) {
	resets := 0
	rapid.Check(t, func(t *rapid.T) {
		recs := tidyChaos(t)
		if rapid.Bool().Draw(t, "logged") {
			recs = outOfOrder(t, gen.NewRun(t).Logged())
		}
		m, s := model.New(), projection.NewCrowded("")
		for i, rec := range recs {
			m.Apply(rec)
			if c := s.Apply(rec); c.Reset {
				resets++
			}
			if i%4 == 0 || i == len(recs)-1 {
				want := m.View()
				require.Empty(t, model.Diff(want, viewOf(s.Snapshot(), want)), "after record %d", i+1)
			}
		}
	})
	require.Positive(t, resets)
}

func TestCrowdedKeysOnPagedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, ok := gen.NewRun(t).Reopen(t)
		if !ok {
			return
		}
		roomy, crowded := projection.New(""), projection.NewCrowded("")
		for _, rec := range pagedRecords(t, o) {
			roomy.Apply(rec)
			crowded.Apply(rec)
		}
		want := model.Fold(o.Records()) // says only what to ask for
		require.Empty(t, model.Diff(viewOf(roomy.Snapshot(), want), viewOf(crowded.Snapshot(), want)))
	})
}

func TestKeysAtTheEndAreDealtAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := gen.NewRun(t).Live()
		m, s := model.New(), projection.New("")
		for _, rec := range recs {
			if rapid.IntRange(0, 3).Draw(t, "used up") == 3 {
				s.UseUpKeys()
			}
			m.Apply(rec)
			s.Apply(rec)
		}
		want := m.View()
		require.Empty(t, model.Diff(want, viewOf(s.Snapshot(), want)))
	})
}

// outOfOrder shuffles the rows behind the head.
func outOfOrder(t *rapid.T, recs []wire.Record) []wire.Record {
	return append(recs[:1:1], rapid.Permutation(recs[1:]).Draw(t, "order")...)
}
