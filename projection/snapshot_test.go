package projection_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// drawInputs is a run as it is read in one of the ways there are, or chaos, driven or not.
func drawInputs(t *rapid.T) []projection.Input {
	recs := gen.Chaos(t)
	if kind := rapid.IntRange(0, 3).Draw(t, "records"); kind > 0 {
		run := gen.NewRun(t)
		recs = run.Live()
		if o, ok := run.Reopen(t); ok && kind > 1 {
			recs = pagedRecords(t, o)
		}
	}
	return driven(t, recs)
}

// Promise 4: whatever is applied later, a snapshot reads as it did.
func TestSnapshotsAreImmutable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type past struct {
			snap *projection.Snapshot
			read map[projection.Slice]string
		}
		var pasts []past
		w, s := newWatch(), projection.New("")
		if rapid.Bool().Draw(t, "crowded") {
			s = projection.NewCrowded("")
		}
		inputs := drawInputs(t)
		for _, in := range inputs {
			w.see(in) // all names at once: a snapshot may be asked for what came later
		}
		for _, in := range inputs {
			s.Apply(in)
			if rapid.IntRange(0, 4).Draw(t, "snapshot") == 4 {
				snap := s.Snapshot()
				pasts = append(pasts, past{snap, w.slicesOf(snap)})
			}
		}
		for i, p := range pasts {
			for slice, is := range w.slicesOf(p.snap) {
				require.Equal(t, p.read[slice], is, "snapshot %d, %+v", i, slice)
			}
		}
	})
}

// Promise 4: any number of goroutines may read snapshots while the owner goes on. -race watches.
func TestSnapshotsAreReadWhileTheOwnerGoesOn(t *testing.T) {
	inputs := rapid.Custom(drawInputs)
	for seed := range 10 {
		in := inputs.Example(seed)
		w := newWatch()
		for _, i := range in {
			w.see(i)
		}
		handed := make(chan *projection.Snapshot)
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				var kept []*projection.Snapshot
				for snap := range handed {
					kept = append(kept, snap)
					for _, s := range kept[max(0, len(kept)-3):] {
						w.slicesOf(s)
					}
				}
			})
		}
		s := projection.New("")
		for _, i := range in {
			s.Apply(i)
			snap := s.Snapshot()
			select {
			case handed <- snap:
			default: // every reader is busy: on it goes
			}
		}
		close(handed)
		readers.Wait()
		require.NotNil(t, s.Snapshot().Run())
	}
}

// Promise 1: the same inputs give the same states and changes.
func TestFoldIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, one, two := newWatch(), projection.New(""), projection.New("")
		for _, in := range drawInputs(t) {
			w.see(in)
			a, b := one.Apply(in), two.Apply(in)
			require.ElementsMatch(t, a.Slices, b.Slices)
			require.Equal(t, len(a.Rows), len(b.Rows))
			for i := range a.Rows {
				require.Equal(t, show1(a.Rows[i]), show1(b.Rows[i]))
			}
			require.Equal(t, []any{a.Outcome, a.Reason, a.RowReasons, a.Lost, a.Overlap, a.OtherOpener}, []any{b.Outcome, b.Reason, b.RowReasons, b.Lost, b.Overlap, b.OtherOpener})
		}
		require.Equal(t, w.slicesOf(one.Snapshot()), w.slicesOf(two.Snapshot()))
	})
}

func show1(m projection.RowMove) []any {
	return []any{m.Kind, m.Key, rowOf(m.Row), m.Field, m.Offset, m.Text}
}

// Promise 3: an input that is rejected or dropped changes nothing but what is known of offsets.
func TestWhatIsNotTakenChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, s := newWatch(), projection.New("")
		for _, in := range driven(t, gen.Chaos(t)) {
			w.see(in)
			before := w.slicesOf(s.Snapshot())
			c := s.Apply(in)
			if _, page := in.(*wire.Page); c.Outcome == projection.Applied || page {
				continue
			}
			require.Empty(t, c.Rows)
			require.Empty(t, c.Slices)
			require.Empty(t, c.Marks)
			require.Equal(t, before, w.slicesOf(s.Snapshot()))
		}
	})
}

// Promise 1: what becomes of an input after it was applied is nobody's concern.
func TestInputsAreNotKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, one, two := newWatch(), projection.New(""), projection.New("")
		for _, in := range drawInputs(t) {
			w.see(in)
			again := copied(t, in)
			one.Apply(in)
			two.Apply(again)
			scribble(again)
		}
		require.Equal(t, w.slicesOf(one.Snapshot()), w.slicesOf(two.Snapshot()))
	})
}

// copied is an input of its own, as the decoder makes it.
func copied(t require.TestingT, in projection.Input) projection.Input {
	switch r := in.(type) {
	case *wire.Page:
		p := &wire.Page{HasEarlier: r.HasEarlier}
		for _, row := range r.Rows {
			p.Rows = append(p.Rows, copied(t, row).(*wire.Row))
		}
		return p
	case *wire.Frame, *wire.Row, *wire.Head:
		rec, err := wire.Decode([]byte(show(r)))
		require.NoError(t, err)
		return rec
	}
	return in
}

// scribble overwrites what an input is made of, but for errors and usages, which nobody changes.
func scribble(in projection.Input) {
	body := func(b *wire.Body) {
		for i := range b.SubgraphPath {
			b.SubgraphPath[i] = "scribble"
		}
		*b = wire.Body{ID: "scribble", Content: "scribble", FromPort: "scribble", Key: "scribble"}
	}
	switch r := in.(type) {
	case *wire.Frame:
		body(&r.Body)
	case *wire.Row:
		body(&r.Body)
	case *wire.Page:
		for _, row := range r.Rows {
			body(&row.Body)
		}
	case *wire.Head:
		if ws := r.WorkingSet; ws != nil {
			for _, b := range ws.SubagentBindings {
				clear(b.Path)
			}
			clear(ws.Bindings)
			clear(ws.SubagentBindings)
			for _, table := range ws.Tables {
				clear(table.Rows)
			}
		}
		*r = wire.Head{}
	}
}
