package feed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// A feed in the model's terms, by way of JSON.

type object = map[string]any

func jsonFeed(f *feed.Feed) object {
	o := object{
		"mode": []string{"", "COMPOSED", "FLAT_GUARDED", "FLAT_UNPINNED"}[f.Mode], "reason": f.Reason,
		"rows": jsonRows(f.Rows(), false), "hasEarlier": f.HasEarlier,
	}
	entries := []object{}
	for _, e := range f.Entries() {
		entries = append(entries, object{
			"key": e.Key, "parent": e.Parent, "track": e.Track, "iteration": e.Iteration, "index": e.Index, "row": jsonRow(e.Row, true),
		})
	}
	o["entries"] = entries
	return o
}

func jsonRows(rows []feed.Row, bare bool) []object {
	out := []object{}
	for _, r := range rows {
		out = append(out, jsonRow(r, bare))
	}
	return out
}

func jsonTracks(tracks [][]feed.Row) [][]object {
	out := [][]object{}
	for _, t := range tracks {
		out = append(out, jsonRows(t, false))
	}
	return out
}

var nodeWords = map[wire.Status]string{wire.Running: "RUNNING", wire.Completed: "COMPLETED", wire.Failed: "FAILED", wire.Cancelled: "CANCELLED"}

func jsonRow(row feed.Row, bare bool) object {
	o := object{"type": row.Type()}
	card := func(key string, name, id *string, path []string, earlier bool) {
		o["key"], o["nodeName"], o["nodeId"], o["hasEarlier"] = key, name, id, earlier
		o["subgraphPath"] = path
	}
	switch r := row.(type) {
	case *feed.FanOutRow:
		card(r.Key(), r.NodeName(), r.NodeID(), r.SubgraphPath(), r.HasEarlier())
		o["join"] = r.Join
		if r.BranchStatus == nil {
			o["branchStatus"] = nil
		} else {
			words := []string{}
			for _, s := range r.BranchStatus {
				words = append(words, []string{"", "UNKNOWN", "RUNNING", "DONE", "FAILED"}[s])
			}
			o["branchStatus"] = words
		}
		if !bare {
			o["tracks"] = jsonTracks(r.Tracks())
		}
	case *feed.SubagentRow:
		card(r.Key(), r.NodeName(), r.NodeID(), r.SubgraphPath(), r.HasEarlier())
		o["runningCount"], o["doneCount"], o["failedCount"] = r.RunningCount, r.DoneCount, r.FailedCount
		o["nodeStatus"] = nil
		if r.NodeStatus != nil {
			o["nodeStatus"] = nodeWords[*r.NodeStatus]
		}
		if !bare {
			o["rows"] = jsonRows(r.Rows(), false)
		}
	case *feed.RepeatRow:
		card(r.Key(), r.NodeName(), r.NodeID(), r.SubgraphPath(), r.HasEarlier())
		o["mode"], o["done"], o["total"] = []string{"", "PARALLEL", "SEQUENTIAL"}[r.Mode], r.Done(), r.Total
		if !bare {
			o["tracks"] = jsonTracks(r.Tracks())
		}
	default:
		return jsonDurable(row.(projection.Row))
	}
	return o
}

func jsonDurable(row projection.Row) object {
	sp := row.Common()
	o := object{
		"type": row.Type(), "id": sp.ID(), "seq": sp.Seq(), "nodeId": sp.NodeID(), "subgraphPath": sp.SubgraphPath(), "path": sp.Path(),
		"activation": sp.Activation(), "iteration": sp.Iteration(), "at": sp.At(),
	}
	switch r := row.(type) {
	case *projection.UserRow:
		o["content"] = r.Content
	case *projection.AssistantRow:
		o["content"], o["reasoning"], o["complete"] = r.Content, r.Reasoning(), r.Complete
	case *projection.OutputRow:
		o["name"], o["value"], o["complete"] = r.Name, json.RawMessage(r.Value.AppendJSON(nil)), r.Complete
		o["status"] = []string{"", "BUILDING", "FINAL"}[r.Status]
		o["format"] = nil
		if f := r.Format(); f != nil {
			o["format"] = []string{"", "TEXT", "MARKDOWN", "CODE", "HTML", "LIST"}[*f]
		}
	case *projection.ToolCallRow:
		o["toolCallId"], o["toolName"], o["input"], o["requiresClientResponse"] = r.ToolCallID, r.ToolName, r.Input, r.RequiresClientResponse
	case *projection.ToolResultRow:
		o["toolCallId"], o["output"] = r.ToolCallID, r.Output
	}
	return o
}

// follow folds records into the model, into a composer kept up to date, and into one made from scratch after
// every record, and compares the three.
func follow(t require.TestingT, plan *wire.Plan, recs []wire.Record) {
	index, err := wire.NewPlanIndex(plan)
	require.NoError(t, err)
	shape := feed.NewShape(index)
	m, s := model.New(), projection.New("")
	version := plan.AgentVersion
	pin, modelPin := &feed.Pin{AgentID: plan.AgentID, AgentVersion: &version}, &model.Pin{AgentID: plan.AgentID, AgentVersion: &version}
	var kept *feed.Composer
	told := string(plan.AppendJSON(nil)) + "\n"
	for i, rec := range recs {
		told += show(rec) + "\n"
		m.Apply(rec)
		change := s.Apply(rec)
		snap := s.Snapshot()
		var before object
		sampled := i%6 == 0 || i == len(recs)-1
		if kept != nil && sampled {
			before = jsonFeed(kept.Feed())
		}
		moved := kept == nil || kept.Apply(snap, &change)
		if !sampled { // comparing costs as much as the conversation is long
			continue
		}
		want := m.Feed(plan, modelPin)
		scratch := feed.Compose(snap, pin, shape)
		if diff := model.SameFeed(want, jsonFeed(scratch)); diff != "" {
			require.Fail(t, "the feed differs from the model", "after record %d:\n%s\nrecords:\n%s", i+1, diff, told)
		}
		if scratch.Mode != feed.Composed {
			continue
		}
		if kept == nil {
			kept = feed.NewComposer(shape, snap)
		} else if same := model.Diff(before, jsonFeed(kept.Feed())); !moved && same != "" {
			require.Fail(t, "the feed moved unsaid", "after record %d:\n%s\nrecords:\n%s", i+1, same, told)
		}
		if diff := model.Diff(jsonFeed(scratch), jsonFeed(kept.Feed())); diff != "" {
			require.Fail(t, "the kept feed differs from one made from scratch", "after record %d:\n%s\nrecords:\n%s", i+1, diff, told)
		}
	}
}

func show(rec wire.Record) string {
	switch r := rec.(type) {
	case *wire.Frame:
		return string(r.AppendJSON(nil))
	case *wire.Row:
		return string(r.AppendJSON(nil))
	case *wire.Head:
		return string(r.AppendJSON(nil))
	case *wire.Page:
		return string(r.AppendJSON(nil))
	}
	return ""
}

// Promises 1, 3 and 4, against an independent reading, on runs of generated agents.
func TestFeedAgreesWithTheModelOnPlannedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, run := gen.Planned(t)
		follow(t, plan, run.Live())
	})
}

// The same on runs that the plan describes only in part.
func TestFeedAgreesWithTheModelOnOtherPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		follow(t, gen.PlanOf(t, run), run.Live())
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
		recs := []wire.Record{reopened.Head}
		for _, r := range reopened.Window {
			recs = append(recs, r)
		}
		for _, page := range reopened.Pages { // before the live frames, which may repeat what they hold
			recs = append(recs, page)
		}
		for _, f := range reopened.Live {
			recs = append(recs, f)
		}
		follow(t, plan, recs)
	})
}

// The same on ill-formed conversations.
func TestFeedAgreesWithTheModelOnChaos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := gen.ChaosWithPlan(t)
		follow(t, plan, gen.Tidy(recs))
	})
}
