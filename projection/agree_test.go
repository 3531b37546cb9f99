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

// Promise 2: what the fold says of a well-formed run, told live, is what the model says after every frame.
func TestFoldAgreesWithTheModelOnLiveRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, gen.NewRun(t).Live(), rapid.Bool().Draw(t, "every")) })
}

func TestFoldAgreesWithTheModelOnLoggedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, gen.NewRun(t).Logged(), rapid.Bool().Draw(t, "every")) })
}

func TestFoldAgreesWithTheModelOnReopenedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, ok := gen.NewRun(t).Reopen(t)
		if !ok {
			return
		}
		agree(t, o.Records(), rapid.Bool().Draw(t, "every"))
	})
}

// pagedRecords puts the pages of a reopened run, the latest first, anywhere behind its head.
func pagedRecords(t *rapid.T, o *gen.Reopened) []wire.Record {
	recs := o.Records()
	at := 1 + len(o.Window)
	for _, p := range o.Pages {
		at = rapid.IntRange(at, len(recs)).Draw(t, "page at")
		recs = append(recs[:at:at], append([]wire.Record{p}, recs[at:]...)...)
		at++
	}
	return recs
}

func TestFoldAgreesWithTheModelOnPagedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, ok := gen.NewRun(t).Reopen(t)
		if !ok {
			return
		}
		agree(t, pagedRecords(t, o), rapid.Bool().Draw(t, "every"))
	})
}

func TestNoiseChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := gen.NewRun(t).Live()
		s := projection.New("")
		for _, line := range gen.Noise(t, recs) {
			switch {
			case line.Record != nil:
				s.Apply(line.Record)
			case line.Offset > 0:
				s.Apply(projection.Skipped{Offset: line.Offset})
			}
		}
		want := model.Fold(recs)
		require.Empty(t, model.Diff(want, viewOf(s.Snapshot(), want)))
	})
}
