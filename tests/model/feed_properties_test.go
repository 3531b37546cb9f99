package model_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// conversation is a plan and what happened, told in some way.
func conversation(t *rapid.T) (*wire.Plan, []wire.Record) {
	var plan *wire.Plan
	var run *gen.Run
	switch rapid.IntRange(0, 3).Draw(t, "kind of conversation") {
	case 0:
		run = gen.NewRun(t)
		plan = gen.PlanOf(t, run)
	case 1:
		return gen.ChaosWithPlan(t)
	default:
		plan, run = gen.Planned(t)
	}
	if o, ok := run.Reopen(t); ok && rapid.Bool().Draw(t, "reopened") {
		recs := o.Records()
		for _, page := range o.Pages {
			recs = append(recs, page)
		}
		return plan, recs
	}
	return plan, run.Live()
}

func pinOf(plan *wire.Plan) *model.Pin {
	return &model.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
}

// leaves are the durable rows of a feed, depth-first, as JSON.
func leaves(t require.TestingT, items []model.FeedItem) []string {
	var rows []string
	for _, it := range items {
		if it.Card == nil {
			b, err := it.Row.MarshalJSON()
			require.NoError(t, err)
			rows = append(rows, string(b))
			continue
		}
		for _, track := range it.Card.Tracks {
			rows = append(rows, leaves(t, track)...)
		}
		rows = append(rows, leaves(t, it.Card.Rows)...)
	}
	return rows
}

// docs/feed.md, "The guard": nothing is dropped and nothing doubled, whatever the mode.
func TestFeedsHoldTheTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := conversation(t)
		m := model.New()
		for _, rec := range recs {
			m.Apply(rec)
		}
		var timeline, top []model.FeedItem
		for _, r := range m.View().Timeline {
			timeline = append(timeline, model.FeedItem{Row: r})
			if r.SubgraphPath == nil {
				top = append(top, model.FeedItem{Row: r})
			}
		}
		composed, guarded, unpinned := m.Feed(plan, pinOf(plan)), m.Feed(nil, pinOf(plan)), m.Feed(plan, nil)
		require.Equal(t, model.FlatGuarded, guarded.Mode)
		require.Equal(t, model.FlatUnpinned, unpinned.Mode)
		require.Equal(t, leaves(t, timeline), leaves(t, guarded.Rows))
		require.Equal(t, leaves(t, top), leaves(t, unpinned.Rows))
		want, got := leaves(t, timeline), leaves(t, composed.Rows)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got)
		for _, f := range []*model.Feed{composed, guarded, unpinned} {
			require.Empty(t, model.SameFeed(f, f))
		}
		requireCards(t, composed)
	})
}

// requireCards holds what docs/feed.md says of every card.
func requireCards(t *rapid.T, f *model.Feed) {
	lastOf := map[string]*model.Card{}
	for _, c := range cards(f) {
		if c.HasEarlier {
			require.True(t, f.HasEarlier)
		}
		switch c.Type {
		case "fan-out":
			require.NotEmpty(t, slices.Concat(c.Tracks...), "a card needs at least one item")
			if c.BranchStatus != nil {
				require.Len(t, c.BranchStatus, len(c.Tracks))
			}
		case "repeat":
			require.Len(t, c.Tracks, c.Done)
			require.True(t, slices.IsSorted(c.Iterations))
			for i, track := range c.Tracks {
				require.NotEmpty(t, track, "no empty tracks")
				for _, it := range track {
					require.Equal(t, c.Iterations[i], *it.Row.Iteration)
					require.NotNil(t, it.Row.Activation)
				}
			}
		case "subagent":
			key := fmt.Sprint(c.SubgraphPath, c.NodeID)
			require.Nil(t, lastOf[key], "a subagent stands once")
			lastOf[key] = c
			for _, it := range c.Rows {
				if it.Row != nil {
					require.Equal(t, c.NodeID, it.Row.SubgraphPath[len(c.SubgraphPath)])
				}
			}
		}
	}
}

// docs/feed.md, "Keys": unique, and kept while the run goes on and when earlier rows are loaded.
func TestKeysAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := conversation(t)
		m := model.New()
		before := m.Feed(plan, pinOf(plan))
		for _, rec := range recs {
			m.Apply(rec)
			after := m.Feed(plan, pinOf(plan))
			require.Empty(t, model.KeptKeys(before, before, after, after))
			before = after
		}
	})
}

// Loading what is before a window gives the feed and the views of the whole window.
func TestPagesGiveTheFeedOfTheWholeWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, run := gen.Planned(t)
		o, ok := run.Reopen(t)
		if !ok {
			return
		}
		m, whole := model.New(), model.New()
		for _, rec := range o.Records() {
			m.Apply(rec)
		}
		for _, rec := range o.Whole().Records() {
			whole.Apply(rec)
		}
		for _, page := range o.Pages {
			m.Apply(page)
		}
		require.Empty(t, model.SameFeed(m.Feed(plan, pinOf(plan)), whole.Feed(plan, pinOf(plan))))
		require.Empty(t, model.Diff(m.Nodes(plan), whole.Nodes(plan)))
	})
}

// Planned runs are well formed: the log says of them what the frames say.
func TestPlannedRunsKeepParity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, run := gen.Planned(t)
		live, logged := model.Fold(run.Live()), model.Fold(run.Logged())
		require.Empty(t, model.Diff(facts(t, live, true), facts(t, logged, true)))
		if o, ok := run.Reopen(t); ok {
			require.Empty(t, model.Diff(facts(t, live, false), facts(t, model.Fold(o.Whole().Records()), false)))
		}
	})
}
