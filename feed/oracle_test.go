package feed_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// follow folds records into the model, into a composer kept up to date, and now and then into one made from scratch,
// and compares the three. What a feed said at one moment it still says later, and a card that comes out as it was is
// the same object.
func follow(t require.TestingT, plan *wire.Plan, inputs []projection.Input) {
	index, err := wire.NewPlanIndex(plan)
	require.NoError(t, err)
	shape := feed.NewShape(index)
	m, s := model.New(), projection.New("")
	version := plan.AgentVersion
	pin, modelPin := &feed.Pin{AgentID: plan.AgentID, AgentVersion: &version}, &model.Pin{AgentID: plan.AgentID, AgentVersion: &version}
	told := string(plan.AppendJSON(nil)) + "\n"
	var kept *feed.Composer
	for i, in := range inputs {
		told += show(in) + "\n"
		fail := func(what, how string) {
			require.Fail(t, what, "after record %d:\n%s\nrecords:\n%s", i+1, how, told)
		}
		last := i == len(inputs)-1
		sampled := i%6 == 0 || last // comparing costs as much as the conversation is long
		var before *feed.Feed
		var was string
		if sampled && kept != nil {
			before = kept.Feed()
			was = dump(before)
		}
		if trim, ok := in.(projection.Trim); ok {
			m.Trim(trim.Keep)
		} else {
			m.Apply(in.(wire.Record))
		}
		change := s.Apply(in)
		snap := s.Snapshot()
		moved := false
		switch mode, _ := feed.Guard(pin, snap.Conversation(), shape); {
		case mode == feed.Composed && kept == nil:
			kept = feed.NewComposer(shape, snap)
		case kept != nil:
			moved = kept.Apply(snap, &change)
		}
		if !sampled {
			continue
		}
		scratch := feed.Compose(snap, pin, shape)
		if i%24 == 0 || last {
			if diff := model.SameFeed(m.Feed(plan, modelPin), jsonFeed(scratch)); diff != "" {
				fail("the feed differs from the model", diff)
			}
		}
		if kept == nil {
			continue
		}
		after := kept.Feed()
		is := dump(after)
		if is != dump(scratch) {
			fail("the kept feed differs from one made from scratch", model.Diff(jsonFeed(scratch), jsonFeed(after)))
		}
		if before == nil {
			continue
		}
		if is != was && !moved {
			fail("the feed moved unsaid", model.Diff(jsonFeed(before), jsonFeed(after)))
		}
		if dump(before) != was {
			fail("a feed was changed that had been handed out", was+dump(before))
		}
		if again := remade(before, after); again != "" {
			fail("a card is another object that says the same", again)
		}
	}
}

// remade names a card of both feeds that says the same of the same rows in both and is not the same object; "" when
// there is none.
func remade(before, after *feed.Feed) string {
	old := map[string]feed.Composite{}
	for _, card := range cards(before.Rows()) {
		old[card.Key()] = card
	}
	for _, card := range cards(after.Rows()) {
		if was := old[card.Key()]; was != nil && was != card && dumpCard(was) == dumpCard(card) &&
			slices.Equal(leaves([]feed.Row{was}), leaves([]feed.Row{card})) {
			return dumpCard(card)
		}
	}
	return ""
}

func show(in projection.Input) string {
	switch r := in.(type) {
	case *wire.Frame:
		return string(r.AppendJSON(nil))
	case *wire.Row:
		return string(r.AppendJSON(nil))
	case *wire.Head:
		return string(r.AppendJSON(nil))
	case *wire.Page:
		return string(r.AppendJSON(nil))
	}
	return fmt.Sprintf("%T%+v", in, in)
}

// trimmed puts trims of the window between the records.
func trimmed(t *rapid.T, recs []wire.Record) (out []projection.Input) {
	trims := rapid.IntRange(0, 2).Draw(t, "trims") == 2
	for _, rec := range recs {
		out = append(out, rec)
		if trims && rapid.IntRange(0, 7).Draw(t, "trim") == 7 {
			out = append(out, projection.Trim{Keep: rapid.IntRange(0, 12).Draw(t, "keep")})
		}
	}
	return out
}

// Promises 1, 3 and 4, against an independent reading, on runs of generated agents.
func TestFeedAgreesWithTheModelOnPlannedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, run := gen.Planned(t)
		follow(t, plan, trimmed(t, run.Live()))
	})
}

// The same on runs that the plan describes only in part.
func TestFeedAgreesWithTheModelOnOtherPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		follow(t, gen.PlanOf(t, run), trimmed(t, run.Live()))
	})
}

// The same in windows, with earlier pages.
func TestFeedAgreesWithTheModelInWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, run := gen.Planned(t)
		reopened, ok := run.Reopen(t)
		if !ok {
			t.Skip("nothing to reopen")
		}
		inputs := []projection.Input{reopened.Head}
		for _, r := range reopened.Window {
			inputs = append(inputs, r)
		}
		for _, page := range reopened.Pages { // before the live frames, which may repeat what they hold
			inputs = append(inputs, page)
		}
		live := []wire.Record{}
		for _, f := range reopened.Live {
			live = append(live, f)
		}
		follow(t, plan, append(inputs, trimmed(t, live)...))
	})
}

// The same on ill-formed conversations.
func TestFeedAgreesWithTheModelOnChaos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := gen.ChaosWithPlan(t)
		follow(t, plan, trimmed(t, gen.Tidy(recs)))
	})
}
