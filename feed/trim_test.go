package feed_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// Promise 4 while the window is trimmed and what was dropped is loaded again: what is kept up to date is what is made
// from scratch; and with everything back, it is the feed of the window that was never trimmed.
func TestFeedOfATrimmedWindow(t *testing.T) { feedOfATrimmedWindow(t, false) }

// The same in a window that is trimmed to bytes, where the facts before it are forgotten: what is loaded again comes
// without them.
func TestFeedOfAWindowOfBytes(t *testing.T) { feedOfATrimmedWindow(t, true) }

func feedOfATrimmedWindow(t *testing.T, bytes bool) {
	back := 0
	rapid.Check(t, func(t *rapid.T) {
		agent := gen.NewAgent(t)
		plan := agent.Plan
		run := agent.RunOf(t, gen.Style{IDs: true, Seqs: true, Activations: rapid.IntRange(0, 5).Draw(t, "activations") < 5, Times: true})
		index, err := wire.NewPlanIndex(plan)
		require.NoError(t, err)
		shape, pin := feed.NewShape(index), &feed.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
		whole, s := projection.New(""), projection.New("")
		head, told := run.Head(len(run.Frames)), rapid.IntRange(1, len(run.Log)).Draw(t, "told")
		whole.Apply(head)
		s.Apply(head)
		kept := feed.NewComposer(shape, s.Snapshot())
		apply := func(in projection.Input) {
			before := kept.Feed()
			was := dump(before)
			change := s.Apply(in)
			moved := kept.Apply(s.Snapshot(), &change)
			is := dump(kept.Feed())
			require.Equal(t, dump(feed.Compose(s.Snapshot(), pin, shape)), is)
			require.True(t, moved || is == was, "the feed moved unsaid")
			require.Equal(t, was, dump(before), "what was handed out stays as it was")
		}
		for i, row := range run.Log {
			if whole.Apply(row); i >= told {
				apply(row)
			} else if i == told-1 {
				apply(&wire.Page{Rows: run.Log[:told]})
			}
			if rapid.IntRange(0, 9).Draw(t, "trim") == 9 {
				trim := projection.Trim{Keep: rapid.IntRange(0, 12).Draw(t, "keep")}
				if bytes {
					trim = projection.Trim{Keep: len(run.Log), KeepBytes: rapid.Int64Range(1, 1<<13).Draw(t, "bytes")}
				}
				apply(trim)
			}
		}
		for s.Snapshot().HasEarlier() {
			least, _ := s.Seqs()
			size := rapid.IntRange(1, int(least)-1).Draw(t, "page")
			apply(&wire.Page{Rows: run.Log[int(least)-1-size : least-1], HasEarlier: size < int(least)-1})
			back++
		}
		if !bytes {
			require.Equal(t, dump(feed.Compose(whole.Snapshot(), pin, shape)), dump(kept.Feed()))
		}
	})
	require.Positive(t, back)
}

// Rules 15 and 16 in a window that is trimmed: a card goes on without what it began with and says so, under the key of
// what it then begins with, and goes with its last row.
func TestCardsOfATrimmedWindow(t *testing.T) {
	s := told(t, planned(t, family), "start:k.1 k.1 start:l.2 l.2 start:l2.3 l2.3 start:g.4 start:g/n.5 g/n.5 g/n.5 start:v.6 v.6.1 m.7")
	const whole = "k.1 k[l.2 l2.3 g{g/n.5 g/n.5'} | v(1: v.6.1)] m.7"
	require.Equal(t, whole, s.shown())
	key := cards(s.kept.Feed().Rows())[0].Key()
	for _, trim := range []struct {
		keep  int
		shown string
		same  bool // the fan-out's key
	}{
		{7, whole, true},
		{6, "k[l.2 l2.3 g{g/n.5 g/n.5'} | v(1: v.6.1)]* m.7", true}, // the source is gone
		{4, "k[g{g/n.5 g/n.5'} | v(1: v.6.1)]* m.7", false},
		{3, "k[g{g/n.5'}* | v(1: v.6.1)]* m.7", false}, // g's start is gone with its first row
		{2, "k[ | v(1: v.6.1)]* m.7", false},
		{1, "m.7", false},
		{0, "", false},
	} {
		s.apply(projection.Trim{Keep: trim.keep})
		require.Equal(t, trim.shown, s.shown())
		all := cards(s.kept.Feed().Rows())
		require.Equal(t, trim.same, len(all) > 0 && all[0].Key() == key)
	}
}
