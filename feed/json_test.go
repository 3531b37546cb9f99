package feed_test

import (
	"encoding/json"

	"inlaygraph/feed"
	"inlaygraph/projection"
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
