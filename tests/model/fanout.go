package model

import (
	"fmt"
	"slices"

	"inlaygraph/wire"
)

// fanOut is step 3 for one region: a walk over the list with one open card at a time.
func (c *composer) fanOut(r *wire.PlanRegion, list []*item) []*item {
	var out []*item
	var open, last *item
	var afterUser bool // a user row came after the open card had opened
	for _, it := range list {
		if it.row != nil && it.row.kind == userRow {
			afterUser = true
		}
		if c.closes(r, it) {
			open = nil
		}
		branch := memberOf(r, it)
		if branch < 0 {
			out = append(out, it)
			continue
		}
		if open == nil || afterUser && !open.holds(it) {
			open = &item{place: it.place, path: r.Source, region: r, tracks: make([][]*item, len(r.Branches))}
			c.call(open, fmt.Sprintf("fan-out %d from %s", c.number(r), it.identity()))
			out = append(out, open)
			last, afterUser = open, false
		}
		open.tracks[branch] = append(open.tracks[branch], it)
	}
	if last != nil {
		last.last = true
	}
	return out
}

func (c *composer) number(r *wire.PlanRegion) int {
	for i := range c.plan.Regions {
		if r == &c.plan.Regions[i] {
			return i
		}
	}
	return -1
}

// isItem: a row without an activation is evidence of nothing, and stays flat.
func (it *item) isItem() bool { return it.row == nil || it.activation != "" }

// memberOf is the branch whose member an item is, -1 when it is none.
func memberOf(r *wire.PlanRegion, it *item) int {
	if !it.isItem() || it.path == nil {
		return -1
	}
	paths := [][]string{it.path}
	if it.region != nil {
		paths = append(paths, members(it.region)...)
	}
	return branchOf(r, paths)
}

// closes says whether an item is of the source or the join, of this region or of one that encloses it.
// Choice: a fan-out card is no item of its source: what closes is met in the list itself, not inside a card.
func (c *composer) closes(r *wire.PlanRegion, it *item) bool {
	if !it.isItem() || it.region != nil || it.path == nil {
		return false
	}
	for i := range c.plan.Regions {
		o := &c.plan.Regions[i]
		if (o == r || encloses(o, r)) && (slices.Equal(o.Source, it.path) || slices.Equal(o.Join, it.path)) {
			return true
		}
	}
	return false
}

// visited is the visit that an item is of: of a fan-out card, its first item's. A subagent's card holds all visits
// of its node and is of none. Choice: an activation is a visit of one path, so the path counts too.
func (it *item) visited() (path []string, activation string) {
	if it.region != nil {
		return it.firstItem().visited()
	}
	return it.path, it.activation
}

func (it *item) firstItem() *item {
	var first *item
	for _, track := range it.tracks {
		for _, o := range track {
			if first == nil || o.place < first.place {
				first = o
			}
		}
	}
	return first
}

// holds says whether an open card has an item of the same visit already, at any depth of inner fan-outs.
func (it *item) holds(member *item) bool {
	path, activation := member.visited()
	if activation == "" {
		return false
	}
	for _, track := range it.tracks {
		for _, o := range track {
			if o.region != nil && o.holds(member) || o.activation == activation && slices.Equal(o.path, path) {
				return true
			}
		}
	}
	return false
}

// identity is what a card is named after that opens with this item.
func (it *item) identity() string {
	switch {
	case it.region != nil:
		return it.firstItem().identity()
	case it.activation == "": // a subagent
		return joined(it.path)
	}
	return joined(it.path) + " in " + it.activation
}
