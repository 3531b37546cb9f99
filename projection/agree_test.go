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

// Promise 2: the fold says of a run what the naive model says, in whatever way the run is told and after every
// record of it, older servers' runs included.
func TestFoldAgreesWithTheModelOnLiveRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, gen.NewRun(t).Live(), often(t)) })
}

func TestFoldAgreesWithTheModelOnLoggedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, gen.NewRun(t).Logged(), often(t)) })
}

func TestFoldAgreesWithTheModelOnReopenedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if o, ok := gen.NewRun(t).Reopen(t); ok {
			agree(t, o.Records(), often(t))
		}
	})
}

func TestFoldAgreesWithTheModelOnChaos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, tidyChaos(t), true) })
}

// often draws whether to compare after every record: a long run is mostly compared at its end.
func often(t *rapid.T) bool { return rapid.IntRange(0, 3).Draw(t, "compare after every record") == 3 }

func factsOf(t require.TestingT, v *model.View, times bool) *model.Facts {
	f, err := model.FactsOf(v, times)
	require.NoError(t, err)
	return f
}

// foldedView is what the fold says of records, about all that the model knows of them.
func foldedView(recs []wire.Record) *model.View {
	s := projection.New("")
	for _, rec := range recs {
		s.Apply(rec)
	}
	return viewOf(s.Snapshot(), model.Fold(recs))
}

// Promise 2, docs/fold.md, "Parity": the live frames and the log of a run say the same.
func TestLiveFoldEqualsLogFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		live, logged := foldedView(run.Live()), foldedView(run.Logged())
		require.Empty(t, model.Diff(factsOf(t, live, true), factsOf(t, logged, true)))
		require.Empty(t, model.Diff(live.Chat.Tables, logged.Chat.Tables), "the working set has the tables")
		require.Empty(t, model.Diff(live.Chat.PendingTools, logged.Chat.PendingTools))
	})
}

// Promise 2, docs/wire.md, "The conversation head": whoever reattaches after last_offset misses nothing.
func TestReopenedFoldEqualsLiveFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		if o, ok := run.Reopen(t); ok {
			live, reopened := foldedView(run.Live()), foldedView(o.Whole().Records())
			require.Empty(t, model.Diff(factsOf(t, live, false), factsOf(t, reopened, false)))
			require.Empty(t, model.Diff(live.Chat.Tables, reopened.Chat.Tables))
		}
	})
}

// Promise 3: lines that are no records, repeats, and what contradicts change nothing.
func TestNoiseChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		recs := run.Live()
		switch rapid.IntRange(0, 2).Draw(t, "read") {
		case 1:
			recs = run.Logged()
		case 2:
			if o, ok := run.Reopen(t); ok {
				recs = pagedRecords(t, o)
			}
		}
		quiet, noisy := projection.New(""), projection.New("")
		for _, rec := range recs {
			quiet.Apply(rec)
		}
		for _, line := range gen.Noise(t, recs) {
			switch {
			case line.Record != nil:
				require.Zero(t, noisy.Apply(line.Record).Lost)
			case line.Offset > 0:
				noisy.Apply(projection.Skipped{Offset: line.Offset})
			}
		}
		asked := model.Fold(recs)
		require.Empty(t, model.Diff(viewOf(quiet.Snapshot(), asked), viewOf(noisy.Snapshot(), asked)))
	})
}
