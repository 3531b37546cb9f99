package projection_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// Promise 12: a trim to bytes keeps all but rows too, though it adds up the facts before the window and forgets them, and
// counts none twice that is loaded again; no more is left than it was told, but for what nothing can be done about.
func TestATrimToBytesKeepsTheRest(t *testing.T) {
	forgotten, dropped, loaded := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRunOf(t, gen.Style{IDs: true, Times: true, Seqs: rapid.Bool().Draw(t, "seqs"), Activations: rapid.Bool().Draw(t, "activations")})
		w := &windowed{t: t, lastRef: map[string]int{}, whole: projection.New(""), trimmed: projection.New("")}
		if rapid.Bool().Draw(t, "crowded") {
			w.trimmed = projection.NewCrowded("")
		}
		recs := run.Live()
		if rapid.Bool().Draw(t, "logged") {
			recs = run.Logged()
		}
		for i, rec := range recs {
			switch r := rec.(type) {
			case *wire.Frame:
				w.lastRef[r.ID], w.lastRef[r.MessageID] = i, i
			case *wire.Row:
				w.lastRef[r.ID] = i
			}
		}
		for i, rec := range recs {
			w.apply(rec)
			switch rapid.IntRange(0, 7).Draw(t, "then") {
			case 7:
			case 6: // what was dropped is loaded again
				rows := run.Log
				if f, ok := rec.(*wire.Frame); ok {
					rows = run.Persisted(int(f.Offset))
				}
				if least, _ := w.trimmed.Seqs(); least > 0 && least <= int64(len(rows))+1 && w.trimmed.Snapshot().HasEarlier() {
					w.load(rows)
					loaded++
				}
				continue
			default:
				continue
			}
			keep := rapid.Int64Range(1, 1<<13).Draw(t, "bytes")
			w.story = append(w.story, fmt.Sprint("trim to bytes ", keep))
			marks := w.trimmed.MarkCount()
			c := w.trimmed.Apply(projection.Trim{Keep: 1 << 20, KeepBytes: keep})
			forgotten += max(0, marks-w.trimmed.MarkCount())
			dropped += len(c.Rows)
			for _, m := range c.Rows {
				if id := m.Row.Common().ID(); id == nil || w.lastRef[*id] > i {
					return // it is spoken of again
				}
			}
			w.kept()
			if w.trimmed.Held().WindowBytes > keep {
				require.Zero(t, w.trimmed.Droppable())
			}
		}
	})
	require.Positive(t, forgotten)
	require.Positive(t, dropped)
	require.Positive(t, loaded)
}

// Promise 12: a run that goes on for ever takes no more memory for each visit, and still says how many there were.
func TestVisitsAreAddedUp(t *testing.T) {
	for name, activation := range map[string]bool{"with activations": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := projection.New("c")
			const visits, bound = 20_000, 100_000
			for i := range visits {
				b := wire.Body{Spine: wire.Spine{NodeID: "loop"}}
				if activation {
					b.Activation = fmt.Sprint("visit ", i)
				}
				start, end, edge := b, b, wire.Body{From: "loop", To: "loop"}
				start.Kind, end.Status, end.Usage = "code", wire.Completed, &wire.Usage{PromptTokens: 2}
				s.Apply(&wire.Frame{Type: wire.NodeStart, Body: start})
				s.Apply(&wire.Frame{Type: wire.NodeEnd, Body: end})
				s.Apply(&wire.Frame{Type: wire.EdgeFired, Body: edge})
				if s.Held().WindowBytes > bound {
					s.Apply(projection.Trim{Keep: 100, KeepBytes: bound * 9 / 10})
				}
				require.LessOrEqual(t, s.Held().WindowBytes, int64(bound))
			}
			s.CheckInvariants(t)
			run := s.Snapshot().Run()
			require.Len(t, run.Nodes, 1)
			require.Equal(t, visits, run.Nodes[0].VisitCount)
			require.EqualValues(t, 2*visits, run.Nodes[0].Usage.PromptTokens)
			require.Equal(t, visits, run.Edges[0].Count)
			require.True(t, s.Snapshot().HasEarlier())
			require.Less(t, s.MarkCount(), 1000)
		})
	}
}
