package gen_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// Promise 1: offsets are contiguous, the log is in order, and every frame that says a seq says that of its row.
func TestRunIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		for i, f := range run.Frames {
			require.Equal(t, int64(i+1), f.Offset)
		}
		for i, row := range run.Log {
			require.Equal(t, int64(i+1), row.Seq)
		}
		for _, f := range run.Frames {
			if f.Seq == 0 {
				continue
			}
			row := run.Log[f.Seq-1]
			require.Equal(t, f.ID, row.ID)
			require.Equal(t, f.Spine, row.Spine)
		}
		require.Len(t, run.Persisted(len(run.Frames)), len(run.Log))
	})
}

// Promise 1: over many runs, every frame and row kind comes up, at every depth, with everything that makes a run odd.
func TestRunReachesEverything(t *testing.T) {
	frames, rows := map[wire.FrameType]int{}, map[wire.RowType]int{}
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		visits := map[string]string{}
		for _, f := range run.Frames {
			frames[f.Type]++
			if len(f.SubgraphPath) >= 3 {
				seen["depth 3"]++
			}
			if f.Iteration > 0 {
				seen["iteration"]++
			}
			if f.Type == wire.NodeStart && f.Activation != "" {
				path := gen.Path(f.Spine)
				if last, again := visits[path]; again && last != f.Activation {
					seen["loop"]++
				} else if again {
					seen["resumed"]++
				}
				visits[path] = f.Activation
			}
			if f.Type == wire.RunEnd && f.Offset < int64(len(run.Frames)) && run.Frames[f.Offset].Type == wire.RunStart {
				seen["retry"]++
			}
		}
		for _, r := range run.Log {
			rows[r.Type]++
		}
		if o, ok := run.Reopen(t); ok {
			if o.Head.LastOffset < int64(len(run.Frames)) {
				seen["reopened amid"]++
			}
			if len(o.Window)+len(o.Pages) > 0 && len(o.Live) > 0 {
				seen["rows and frames"]++
			}
		}
	})
	for f := wire.RunStart; f <= wire.RunEnd; f++ {
		require.Positive(t, frames[f], "frame type %d", f)
	}
	for r := wire.RowUser; r <= wire.RowEdge; r++ {
		require.Positive(t, rows[r], "row type %d", r)
	}
	for _, what := range []string{"depth 3", "iteration", "loop", "resumed", "retry", "reopened amid", "rows and frames"} {
		require.Positive(t, seen[what], "%s: %v", what, seen)
	}
	t.Log(frames, rows, seen)
}

// Promise 2: the pages and the window together are what was persisted, and the live frames follow the head.
func TestReopenCutsWithoutLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		o, ok := run.Reopen(t)
		if !ok {
			return
		}
		whole := o.Whole()
		for i, row := range whole.Window {
			require.Equal(t, int64(i+1), row.Seq)
		}
		require.Equal(t, len(o.Pages) > 0, o.Head.HasEarlier)
		if len(o.Live) > 0 {
			require.Equal(t, o.Head.LastOffset+1, o.Live[0].Offset)
		}
	})
}

// Promise 3: what Noise leaves of the records is what it was given, but for offsets.
func TestNoiseKeepsTheRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := gen.NewRun(t).Live()
		lines := gen.Noise(t, recs)
		i := 0
		for _, line := range lines {
			if i < len(recs) && sameButOffset(recs[i], line.Record) {
				i++
			}
		}
		require.Equal(t, len(recs), i)
	})
}

func sameButOffset(a, b wire.Record) bool {
	f, ok := a.(*wire.Frame)
	g, ok2 := b.(*wire.Frame)
	if !ok || !ok2 {
		return false
	}
	x, y := *f, *g
	x.Offset, y.Offset = 0, 0
	return x.Type == y.Type && x.ID == y.ID && x.Content == y.Content && slices.Equal(x.SubgraphPath, y.SubgraphPath)
}
