package projection_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// trimmedRecords is a conversation without pages of rows, and after each of its records how many rows to keep, -1 for
// all.
func trimmedRecords(t *rapid.T) (recs []wire.Record, keep []int) {
	recs = tidyChaos(t)
	if kind := rapid.IntRange(0, 3).Draw(t, "records"); kind > 0 {
		run := gen.NewRun(t)
		recs = run.Live()
		if kind == 2 {
			recs = run.Logged()
		}
		if o, ok := run.Reopen(t); ok && kind == 3 {
			recs = o.Records()
		}
	}
	for range recs {
		n := -1
		if rapid.IntRange(0, 5).Draw(t, "trim") == 5 {
			n = rapid.IntRange(0, 8).Draw(t, "keep")
		}
		keep = append(keep, n)
	}
	return recs, keep
}

// Promise 12: a trimmed window is what the model makes of it, whatever comes behind it.
func TestTrimAgreesWithTheModel(t *testing.T) {
	dropped := 0
	rapid.Check(t, func(t *rapid.T) {
		m, s := model.New(), projection.New("")
		if rapid.Bool().Draw(t, "crowded") {
			s = projection.NewCrowded("")
		}
		recs, keep := trimmedRecords(t)
		var told []string
		check := func() {
			s.CheckInvariants(t)
			want := m.View()
			if diff := model.Diff(want, viewOf(s.Snapshot(), want)); diff != "" {
				require.Fail(t, "the fold differs from the model", "%s\nrecords:\n%s", diff, join(told))
			}
		}
		for i, rec := range recs {
			told = append(told, show(rec))
			out, c := m.Apply(rec), s.Apply(rec)
			require.Equal(t, outcomeOf(out), changeOf(&c), "after\n%s", join(told))
			if i%3 == 0 || i == len(recs)-1 {
				check()
			}
			if keep[i] < 0 {
				continue
			}
			told = append(told, fmt.Sprint("trim to ", keep[i]))
			before := s.RowCount()
			m.Trim(keep[i])
			s.Apply(projection.Trim{Keep: keep[i]})
			dropped += before - s.RowCount()
			check()
		}
	})
	require.Positive(t, dropped)
}

// windowed is a conversation told twice, whole and with a window that is trimmed and loaded again as it goes.
type windowed struct {
	t              *rapid.T
	lastRef        map[string]int // by id: the last record that names it
	whole, trimmed *projection.State
	story          []string
	exact          bool // both are told by the log alone
}

// kept holds what a trim keeps against what it was cut from: all but rows.
func (w *windowed) kept() {
	w.trimmed.CheckInvariants(w.t)
	was, is := w.whole.Snapshot(), w.trimmed.Snapshot()
	want, got := chatOf(was), chatOf(is)
	want.HasEarlier, got.HasEarlier = false, false
	wantRun, gotRun := runOf(was.Run()), runOf(is.Run())
	wantRun.HasEarlier, gotRun.HasEarlier = false, false
	if diff := model.Diff([]any{want, wantRun}, []any{got, gotRun}); diff != "" {
		require.Fail(w.t, "a trim lost something", "%s\n%s", diff, join(w.story))
	}
	rows := was.Timeline()
	for _, r := range is.Timeline() {
		i := 0
		for ; i < len(rows) && !sameFact(rows[i], r); i++ {
		}
		if i == len(rows) {
			require.Fail(w.t, "a row out of order, or another", "%s\n%s", told([]projection.Row{r}), join(w.story))
		}
		if w.exact {
			rows = rows[i+1:]
		}
	}
}

// sameFact tells whether two rows are one, as its seq and time may be known in one place alone.
func sameFact(a, b projection.Row) bool {
	one, two := rowOf(a), rowOf(b)
	one.Seq, two.Seq, one.At, two.At = nil, nil, nil, nil
	return model.Diff(one, two) == ""
}

func (w *windowed) apply(rec wire.Record) {
	w.story = append(w.story, show(rec))
	w.whole.Apply(rec)
	w.trimmed.Apply(rec)
	w.kept()
}

// trim trims the one of the two, and reports whether all that it dropped is never spoken of again.
func (w *windowed) trim(i int) bool {
	before := w.trimmed.Snapshot().Timeline()
	keep := rapid.IntRange(0, 8).Draw(w.t, "keep")
	w.story = append(w.story, fmt.Sprint("trim to ", keep))
	c := w.trimmed.Apply(projection.Trim{Keep: keep})
	require.Len(w.t, c.Rows, len(before)-w.trimmed.RowCount())
	for _, m := range c.Rows {
		if id := m.Row.Common().ID(); id == nil || w.lastRef[*id] > i {
			return false
		}
	}
	if len(c.Rows) > 0 {
		require.True(w.t, w.trimmed.Snapshot().HasEarlier())
	}
	w.kept()
	return true
}

// load loads a page in front of what the window holds.
func (w *windowed) load(rows []*wire.Row) (more bool) {
	least, _ := w.trimmed.Seqs()
	end := 0
	for end < len(rows) && (least == 0 || rows[end].Seq < least) {
		end++
	}
	size := rapid.IntRange(min(1, end), end).Draw(w.t, "page")
	page := &wire.Page{Rows: rows[end-size : end], HasEarlier: size < end}
	w.story = append(w.story, show(page))
	c := w.trimmed.Apply(page)
	require.Empty(w.t, c.RowReasons)
	require.False(w.t, c.Overlap)
	w.kept()
	return page.HasEarlier
}

// Promise 12: a trim keeps all but rows, and the pages that it dropped bring them back.
func TestWhatATrimDroppedComesBack(t *testing.T) {
	finished := 0
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRunOf(t, gen.Style{IDs: true, Times: true, Seqs: rapid.Bool().Draw(t, "seqs"), Activations: rapid.Bool().Draw(t, "activations")})
		w := &windowed{t: t, lastRef: map[string]int{}, whole: projection.New(""), trimmed: projection.New("")}
		if rapid.Bool().Draw(t, "crowded") {
			w.trimmed = projection.NewCrowded("")
		}
		recs := run.Live()
		switch rapid.IntRange(0, 2).Draw(t, "told") {
		case 1:
			w.exact = true
			rows := rapid.IntRange(0, len(run.Log)).Draw(t, "window")
			recs = append([]wire.Record{run.Head(len(run.Frames)), &wire.Page{Rows: run.Log[:rows]}}, run.Logged()[1+rows:]...)
		case 2:
			if o, ok := run.Reopen(t); ok {
				o = o.Whole()
				recs = []wire.Record{o.Head, &wire.Page{Rows: o.Window}}
				for _, f := range o.Live {
					recs = append(recs, f)
				}
			}
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
				if !w.trim(i) {
					return
				}
			case 6:
				rows := run.Log
				if f, ok := rec.(*wire.Frame); ok {
					rows = run.Persisted(int(f.Offset))
				}
				// What was dropped is long written.
				if least, _ := w.trimmed.Seqs(); least > 0 && least <= int64(len(rows))+1 && w.trimmed.Snapshot().HasEarlier() {
					w.load(rows)
				}
			}
		}
		finished++
		if !w.trimmed.Snapshot().HasEarlier() {
			return
		}
		for w.load(run.Log) {
		}
		one, two := w.whole.Snapshot(), w.trimmed.Snapshot()
		require.Equal(t, one.HasEarlier(), two.HasEarlier())
		asked := model.Fold(recs)
		want, got := viewOf(one, asked), viewOf(two, asked)
		if w.exact {
			require.Empty(t, model.Diff(want, got), "%s", join(w.story))
			require.Equal(t, entriesOf(one), entriesOf(two), "%s", join(w.story))
		} else if diff := model.Diff(factsOf(t, want, false), factsOf(t, got, false)); diff != "" {
			require.Fail(t, "the facts differ", "%s\n%s", diff, join(w.story))
		}
		require.Equal(t, marksIn(one), marksIn(two), "every start, end and edge is in the window again")
	})
	require.Positive(t, finished)
}

// entriesOf are the rows and marks of the log in their order.
func entriesOf(s *projection.Snapshot) (all []string) {
	for _, e := range s.Entries() {
		switch e := e.(type) {
		case *projection.Mark:
			if e.Place() != nil {
				all = append(all, fmt.Sprint("mark ", e.Kind, " of ", e.Place().Path, " ", seqText(e)))
			}
		case projection.Row:
			all = append(all, fmt.Sprint(e.Type(), " ", seqText(e)))
		}
	}
	return all
}

func seqText(e projection.Entry) string {
	if seq := e.Seq(); seq != nil {
		return fmt.Sprint(*seq)
	}
	return "-"
}

func marksIn(s *projection.Snapshot) (n int) {
	for _, e := range s.Entries() {
		if m, ok := e.(*projection.Mark); ok && m.Place() != nil {
			n++
		}
	}
	return n
}
