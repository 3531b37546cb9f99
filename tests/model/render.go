package model

import (
	"fmt"
	"slices"
)

// render makes the rows of a list.
func (c *composer) render(list []*item) []FeedItem {
	items := []FeedItem{}
	for _, it := range list {
		if it.row != nil {
			items = append(items, FeedItem{Row: rowView(it.row), of: it.row})
			continue
		}
		items = append(items, FeedItem{Card: c.card(it)})
	}
	return items
}

func (c *composer) card(it *item) *Card {
	above := it.path[:len(it.path)-1]
	card := &Card{Key: fmt.Sprintf("%q card %d", it.name, it.number), NodeID: it.path[len(above)], named: c.all[it.name]}
	if len(above) > 0 {
		card.SubgraphPath = list(above)
	}
	if n := planNode(c.plan, it.path); n != nil {
		card.NodeName = text(n.Name)
	}
	for _, track := range it.tracks {
		card.Tracks = append(card.Tracks, c.render(track))
	}
	for first := it; first != nil; first = first.firstItem() {
		card.first = first.row
	}
	started := false
	switch {
	case it.region != nil:
		card.Type = "fan-out"
		card.Join = it.region.Join
		if it.last {
			for _, b := range it.region.Branches {
				card.BranchStatus = append(card.BranchStatus, branchStatus[c.status(b.Entry)])
			}
		}
		started = c.sourceBefore(it)
	case it.stamps != nil:
		card.Type = "repeat"
		card.Mode, card.Iterations, card.Done = c.mode(it.path), it.stamps, len(it.tracks)
		if n := planNode(c.plan, it.path); n.Kind == "ensemble" {
			card.Total = absent(n.Samples)
		}
		started = c.started(it.path, it.activation)
	default:
		card.Type = "subagent"
		card.Rows = c.render(it.inner)
		card.NodeStatus = text(c.status(it.path))
		if !planNode(c.plan, it.path).HideInnerEvents {
			card.RunningCount, card.DoneCount, card.FailedCount = c.counts(it.path)
		}
		started = c.started(it.path, "")
	}
	card.HasEarlier = c.s.hasEarlier() && !started
	return card
}

var branchStatus = map[string]string{"": "UNKNOWN", "RUNNING": "RUNNING", "COMPLETED": "DONE", "FAILED": "FAILED", "CANCELLED": "FAILED"}

// status is a node's own, "" when it has no run.
func (c *composer) status(path []string) string {
	for _, n := range c.runs {
		if slices.Equal(n.Path, path) {
			return n.Status
		}
	}
	return ""
}

// counts rolls up the strict descendants in the run projection.
func (c *composer) counts(path []string) (running, done, failed *int) {
	running, done, failed = new(int), new(int), new(int)
	for _, n := range c.runs {
		if len(n.Path) <= len(path) || !hasPrefix(n.Path, path) {
			continue
		}
		switch n.Status {
		case "RUNNING":
			*running++
		case "COMPLETED":
			*done++
		default:
			*failed++
		}
	}
	return running, done, failed
}

// started says whether the window has a start of the path, with the activation unless that is "".
func (c *composer) started(path []string, activation string) bool {
	return c.s.first(func(e *entry) bool {
		return e.kind == startMark && !e.gone && slices.Equal(pathOf(e.Spine), path) && (activation == "" || e.Activation == activation)
	}) != nil
}

// sourceBefore says whether a start or a row of a fan-out's source stands before its first item.
func (c *composer) sourceBefore(it *item) bool {
	for _, e := range c.s.entries[:it.place] {
		if (e.kind == startMark && !e.gone || e.durable()) && slices.Equal(pathOf(e.Spine), it.region.Source) {
			return true
		}
	}
	return false
}
