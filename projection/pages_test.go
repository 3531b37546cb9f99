package projection_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// pagedRecords puts the pages of a reopened run, the latest first, anywhere behind its window: before, amid and
// after its live frames.
func pagedRecords(t *rapid.T, o *gen.Reopened) []wire.Record {
	recs, at := o.Records(), 1+len(o.Window)
	for _, p := range o.Pages {
		at = rapid.IntRange(at, len(recs)).Draw(t, "page at")
		recs = slices.Insert(slices.Clone(recs), at, wire.Record(p))
		at++
	}
	return recs
}

// agreeUntilOverlap folds the records into both and compares everything after each of them, or after the last,
// until a page repeats what live frames told; from then on the facts are compared, at the end.
func agreeUntilOverlap(t require.TestingT, recs []wire.Record, every bool) (overlap bool) {
	m, s := model.New(), projection.New("")
	var told []string
	for i, rec := range recs {
		told = append(told, show(rec))
		m.Apply(rec)
		c := s.Apply(rec)
		s.CheckInvariants(t)
		overlap = overlap || c.Overlap
		if overlap || !every && i < len(recs)-1 {
			continue
		}
		want := m.View()
		if diff := model.Diff(want, viewOf(s.Snapshot(), want)); diff != "" {
			require.Fail(t, "the fold differs from the model", "after record %d:\n%s\nrecords:\n%s", i+1, diff, join(told))
		}
	}
	if overlap {
		want := m.View()
		if diff := model.Diff(factsOf(t, want, false), factsOf(t, viewOf(s.Snapshot(), want), false)); diff != "" {
			require.Fail(t, "the facts differ", "%s\nrecords:\n%s", diff, join(told))
		}
	}
	return overlap
}

// Promise 2: a window and the pages before it, whenever they come, are the longer window; unless a page repeats
// what live frames told, and then the facts are the same in the end.
func TestFoldAgreesWithTheModelOnPagedRuns(t *testing.T) {
	runs, overlaps := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		o, ok := gen.NewRun(t).Reopen(t)
		if !ok {
			return
		}
		runs++
		if agreeUntilOverlap(t, pagedRecords(t, o), often(t)) {
			overlaps++
		}
	})
	require.Less(t, overlaps, 1+runs/4, "overlaps are the exception")
}

// A log may hold a row more than once: an output that was set again, a node that started again. The first
// stands, the later ones refine it, whichever page brings which.
func TestPagesOfALogThatRepeatsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRunOf(t, gen.Style{IDs: true, Seqs: true, Activations: true, Times: true})
		rows := []*wire.Row{}
		for _, r := range run.Log {
			c := *r
			rows = append(rows, &c)
			if len(rows) > 0 && rapid.IntRange(0, 3).Draw(t, "repeats") == 3 {
				again := *rows[rapid.IntRange(0, len(rows)-1).Draw(t, "which")]
				if again.Type == wire.RowOutput {
					again.Value, again.Complete = `"set again"`, rapid.Bool().Draw(t, "complete")
				}
				if again.Type == wire.RowAssistant || again.Type == wire.RowUser {
					again.Content += " again"
				}
				rows = append(rows, &again)
			}
		}
		for i, r := range rows {
			r.Seq = int64(i + 1)
		}
		recs := []wire.Record{run.Head(len(run.Frames))}
		for end := len(rows); end > 0; { // the latest page first
			size := rapid.IntRange(1, end).Draw(t, "page")
			recs = append(recs, &wire.Page{Rows: rows[end-size : end], HasEarlier: size < end})
			end -= size
		}
		require.False(t, agreeUntilOverlap(t, recs, true), "nothing was live")
	})
}

// Edges that live frames told before the log did are counted once, and fired when the log says.
func TestPagesOfEdgesThatWereLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []*wire.Row
		var live []*wire.Frame
		for i := range rapid.IntRange(1, 12).Draw(t, "edges") {
			node := rapid.SampledFrom([]string{"a", "b"})
			b := wire.Body{From: node.Draw(t, "from"), To: node.Draw(t, "to"), Seq: int64(i + 1)}
			if b.HasFromPort = rapid.Bool().Draw(t, "port"); b.HasFromPort {
				b.FromPort = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "port")
			}
			rows = append(rows, &wire.Row{Type: wire.RowEdge, Body: b})
			if rapid.Bool().Draw(t, "was live") {
				live = append(live, &wire.Frame{Type: wire.EdgeFired, Body: b})
			}
		}
		start := &wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: wire.Spine{NodeID: "a", Activation: "v"}, Kind: "router"}}
		recs := []wire.Record{start}
		for _, f := range live {
			recs = append(recs, f)
		}
		for end := len(rows); end > 0; {
			size := rapid.IntRange(1, end).Draw(t, "page")
			recs = append(recs, &wire.Page{Rows: rows[end-size : end]})
			end -= size
		}
		require.False(t, agreeUntilOverlap(t, recs, true), "a repeated edge leaves no trace")
	})
}
