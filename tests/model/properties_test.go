package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

func facts(t require.TestingT, v *model.View, times bool) *model.Facts {
	f, err := model.FactsOf(v, times)
	require.NoError(t, err)
	return f
}

// docs/fold.md, "Parity": the live frames and the log of a run say the same.
func TestLiveFoldEqualsLogFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		live, logged := model.Fold(run.Live()), model.Fold(run.Logged())
		require.Empty(t, model.Diff(facts(t, live, true), facts(t, logged, true)))
		require.Empty(t, model.Diff(live.Chat.Tables, logged.Chat.Tables), "the working set has the tables")
		require.Empty(t, model.Diff(live.Chat.PendingTools, logged.Chat.PendingTools))
	})
}

// docs/fold.md, "hasEarlier": a window, and the pages before it, give what the whole log gives; and what the
// window does not hold, the working set does.
func TestWindowAndPagesEqualWholeWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, ok := gen.NewRun(t).Reopen(t)
		if !ok {
			return
		}
		m := model.New()
		for _, rec := range o.Records() {
			require.False(t, m.Apply(rec).Gap)
		}
		whole := model.Fold(o.Whole().Records())
		require.Empty(t, model.Diff(whole.Chat.Bindings, m.View().Chat.Bindings))
		require.Empty(t, model.Diff(whole.Chat.SubagentBindings, m.View().Chat.SubagentBindings))
		require.Empty(t, model.Diff(whole.Chat.Tables, m.View().Chat.Tables))
		require.Empty(t, model.Diff(whole.Chat.Status, m.View().Chat.Status))
		for _, page := range o.Pages {
			require.Equal(t, model.Applied, m.Apply(page).Result)
		}
		require.Empty(t, model.Diff(whole, m.View()))
	})
}

// docs/wire.md, "The conversation head": whoever reattaches after last_offset misses nothing.
func TestReopenedRunEqualsLiveRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		o, ok := run.Reopen(t)
		if !ok {
			return
		}
		live, reopened := model.Fold(run.Live()), model.Fold(o.Whole().Records())
		require.Empty(t, model.Diff(facts(t, live, false), facts(t, reopened, false)))
		require.Empty(t, model.Diff(live.Chat.Tables, reopened.Chat.Tables))
	})
}

// Noise changes nothing but the counts.
func TestNoiseChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		recs := run.Live()
		switch rapid.IntRange(0, 2).Draw(t, "read") {
		case 1:
			recs = run.Logged()
		case 2:
			if o, ok := run.Reopen(t); ok {
				recs = o.Records()
			}
		}
		noisy := model.New()
		for _, line := range gen.Noise(t, recs) {
			switch {
			case line.Record != nil:
				require.False(t, noisy.Apply(line.Record).Gap)
			case line.Offset > 0:
				noisy.Skip(line.Offset)
			}
		}
		require.Empty(t, model.Diff(model.Fold(recs), noisy.View()))
	})
}

// Folding on after looking changes nothing: the model keeps no derived state.
func TestViewIsOnlyLooking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := gen.Chaos(t)
		looked := model.New()
		for _, rec := range recs {
			looked.Apply(rec)
			looked.View()
		}
		require.Empty(t, model.Diff(model.Fold(recs), looked.View()))
	})
}

// Whatever comes, the timeline keeps what docs/fold.md says of every timeline.
func TestChaosKeepsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := model.New()
		v := m.View()
		for _, rec := range gen.Chaos(t) {
			before := v
			out := m.Apply(rec)
			v = m.View()
			if _, page := rec.(*wire.Page); out.Result != model.Applied && !page {
				require.Empty(t, model.Diff(before, v), "nothing is half applied")
			}
			ids, calls := map[string]bool{}, map[string]bool{}
			for _, r := range v.Timeline {
				if r.ID != nil {
					require.False(t, ids[*r.ID], "two rows with id %s", *r.ID)
					ids[*r.ID] = true
				}
				if r.ToolCallID != "" {
					require.False(t, calls[r.Type+r.ToolCallID], "two rows of one call")
					calls[r.Type+r.ToolCallID] = true
				}
				if r.Type == "assistant" && r.Complete {
					require.True(t, *r.Content != "" || r.Reasoning != nil, "a complete turn without text")
				}
				if r.Type == "user" {
					require.Nil(t, r.Path)
				}
			}
			if s := v.Chat.Status; s == "FAILED" || s == "CANCELLED" {
				for _, n := range v.Run.Nodes {
					require.NotEqual(t, "RUNNING", n.Status, "a stopped run stops its nodes")
				}
			}
		}
	})
}
