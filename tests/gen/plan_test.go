package gen_test

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

func pinOf(plan *wire.Plan) *model.Pin {
	return &model.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
}

// Promises 5, 6 and 7: every plan is valid, and so are the records beside it.
func TestPlansAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.NoError(t, gen.PlanOf(t, gen.NewRun(t)).Validate())
		plan, run := gen.Planned(t)
		require.NoError(t, plan.Validate())
		for _, rec := range append(run.Live(), run.Logged()...) {
			requireRoundTrip(t, rec)
		}
		plan, recs := gen.ChaosWithPlan(t)
		require.NoError(t, plan.Validate())
		for _, rec := range recs {
			requireRoundTrip(t, rec)
		}
	})
}

// tally counts what comes up in feeds.
type tally map[string]int

// look counts one feed, and what its plan has that is odd.
func (n tally) look(plan *wire.Plan, f *model.Feed) {
	n["feeds"]++
	n[f.Mode]++
	fired := map[string]int{}
	once := map[string]bool{}
	see := func(what string) {
		if !once[what] {
			once[what] = true
			n[what]++
		}
	}
	for _, c := range cards(f.Rows, "") {
		see(c.in + c.Type)
		if c.HasEarlier {
			see(c.Type + " with an earlier part")
		} else if f.HasEarlier {
			see(c.Type + " whole in a window")
		}
		switch c.Type {
		case "subagent":
			if len(c.Rows) == 0 {
				see("empty subagent")
			}
			if c.RunningCount == nil {
				see("black box")
				if len(c.Rows) > 0 {
					see("black box that tells")
				}
			}
			if c.NodeStatus == nil {
				see("subagent of unknown status")
			}
		case "repeat":
			if c.Iterations[len(c.Iterations)-1] > len(c.Iterations) {
				see("sparse repeat")
			}
		case "fan-out":
			n.lookAtFanOut(c.Card, see)
			region := fmt.Sprint(c.SubgraphPath, c.NodeID, c.Join)
			if fired[region]++; fired[region] == 2 {
				see("fired twice")
			} else if fired[region] == 3 {
				see("fired three times")
			}
		}
	}
	for i, it := range f.Rows {
		if it.Row != nil && it.Row.SubgraphPath != nil && f.Mode == model.Composed {
			see("flat leftover")
		}
		if it.Card != nil && it.Card.Type == "fan-out" && i+1 < len(f.Rows) && f.Rows[i+1].Card != nil && f.Rows[i+1].Card.Type == "fan-out" {
			see("two fan-outs in a row")
		}
		if i > 0 && i+1 < len(f.Rows) && it.Row != nil && it.Row.Type == "user" &&
			f.Rows[i-1].Card != nil && f.Rows[i+1].Card != nil && f.Rows[i-1].Card.Type+f.Rows[i+1].Card.Type == "fan-outfan-out" {
			see("a user row between firings")
		}
	}
	if overlaps(plan) {
		see("regions that overlap")
	}
}

func (n tally) lookAtFanOut(c *model.Card, see func(string)) {
	full := 0
	for _, track := range c.Tracks {
		if len(track) > 0 {
			full++
		}
	}
	if full > 1 {
		see("several tracks")
	}
	if full < len(c.Tracks) {
		see("empty track")
	}
	for _, status := range c.BranchStatus {
		see("branch " + status)
	}
	if c.BranchStatus == nil {
		see("earlier firing")
	}
}

// carded is a card and the kind of card it stands in.
type carded struct {
	*model.Card
	in string
}

func cards(items []model.FeedItem, in string) []carded {
	var all []carded
	for _, it := range items {
		if it.Card == nil {
			continue
		}
		all = append(all, carded{it.Card, in})
		within := it.Card.Type + " / "
		for _, track := range it.Card.Tracks {
			all = append(all, cards(track, within)...)
		}
		all = append(all, cards(it.Card.Rows, within)...)
	}
	return all
}

// overlaps says whether two regions share a member and neither's nodes all are members of the other.
func overlaps(plan *wire.Plan) bool {
	nodes := func(r *wire.PlanRegion) []string {
		all := []string{fmt.Sprint(r.Source)}
		for _, b := range r.Branches {
			for _, m := range b.Members {
				all = append(all, fmt.Sprint(m))
			}
		}
		return all
	}
	for i := range plan.Regions {
		for j := range plan.Regions[:i] {
			a, b := nodes(&plan.Regions[i]), nodes(&plan.Regions[j])
			in := func(all []string) func(string) bool {
				return func(id string) bool { return !slices.Contains(all, id) }
			}
			shared := slices.ContainsFunc(a[1:], func(id string) bool { return slices.Contains(b[1:], id) })
			if shared && slices.ContainsFunc(a, in(b[1:])) && slices.ContainsFunc(b, in(a[1:])) {
				return true
			}
		}
	}
	return false
}

// goesOn says whether some fan-out card has an item before and an item after a user row of the timeline.
func goesOn(v *model.View, f *model.Feed) bool {
	place := map[string]int{}
	var users []int
	for i, r := range v.Timeline {
		if r.ID != nil {
			place[*r.ID] = i
		}
		if r.Type == "user" {
			users = append(users, i)
		}
	}
	for _, c := range cards(f.Rows, "") {
		low, high := len(v.Timeline), -1
		for _, track := range c.Tracks {
			for _, it := range track {
				if it.Row == nil || it.Row.ID == nil || c.Type != "fan-out" {
					continue
				}
				low, high = min(low, place[*it.Row.ID]), max(high, place[*it.Row.ID])
			}
		}
		if slices.ContainsFunc(users, func(at int) bool { return low < at && at < high }) {
			return true
		}
	}
	return false
}

var alwaysReached = []string{
	"COMPOSED", "fan-out", "subagent", "repeat", "fan-out / fan-out", "fan-out / subagent", "fan-out / repeat",
	"subagent / fan-out", "subagent / repeat", "several tracks", "empty track", "empty subagent", "black box",
	"fired twice", "fired three times", "earlier firing", "a user row between firings", "regions that overlap", "sparse repeat",
	"branch RUNNING", "branch DONE", "branch FAILED", "branch UNKNOWN", "flat leftover",
}

// Promise 6: what makes a feed hard really happens, and often.
func TestPlannedRunsReachEverything(t *testing.T) {
	seen := tally{}
	for range 3 {
		rapid.Check(t, func(t *rapid.T) {
			plan, run := gen.Planned(t)
			recs := run.Live()
			if o, ok := run.Reopen(t); ok && rapid.Bool().Draw(t, "reopened") {
				recs = o.Records()
			}
			if rapid.Bool().Draw(t, "cut") {
				recs = recs[:1+len(recs)*3/4]
			}
			seen.fold(plan, recs)
		})
	}
	for _, what := range append([]string{
		"fan-out with an earlier part", "repeat with an earlier part", "subagent with an earlier part",
		"fan-out whole in a window", "repeat whole in a window", "subagent whole in a window", "black box that tells", "subagent / subagent", "goes on after a user row",
	}, alwaysReached...) {
		require.Positive(t, seen[what], "%s never happened: %v", what, seen)
	}
	for _, what := range []string{"fan-out", "fan-out / fan-out", "fan-out / subagent", "fan-out / repeat", "fired twice", "several tracks"} {
		require.Greater(t, seen[what]*12, seen["feeds"], "%s is rare: %v", what, seen)
	}
	t.Log(seen)
}

// Promises 5 and 7.
func TestOtherPlansReachEverything(t *testing.T) {
	ofRuns, chaos := tally{}, tally{}
	for range 3 {
		rapid.Check(t, func(t *rapid.T) {
			run := gen.NewRun(t)
			ofRuns.fold(gen.PlanOf(t, run), run.Live())
			chaos.fold(gen.ChaosWithPlan(t))
		})
	}
	for _, what := range alwaysReached {
		require.Positive(t, chaos[what], "%s never happened: %v", what, chaos)
	}
	for _, what := range []string{"COMPOSED", "fan-out", "subagent", "repeat", "fan-out / subagent", "subagent / fan-out", "fired twice", "regions that overlap", "flat leftover"} {
		require.Positive(t, ofRuns[what], "%s never happened: %v", what, ofRuns)
	}
	require.Positive(t, chaos[model.FlatGuarded])
	t.Log(ofRuns)
	t.Log(chaos)
}

func (n tally) fold(plan *wire.Plan, recs []wire.Record) {
	m := model.New()
	for _, rec := range recs {
		m.Apply(rec)
	}
	f := m.Feed(plan, pinOf(plan))
	n.look(plan, f)
	if goesOn(m.View(), f) {
		n["goes on after a user row"]++
	}
}
