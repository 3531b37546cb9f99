package feed

import (
	"slices"

	"inlaygraph/ordered"
	"inlaygraph/wire"
)

type boxKind uint8

const (
	rootBox boxKind = iota
	subagentBox
	repeatBox
	fanOutBox
)

// box is a card in the making: what a card holds and where it stands. The card itself (val) is made when
// the feed is asked for, and only where something moved.
type box struct {
	kind  boxKind
	key   string
	level *level   // the subagent's own; for repeats and fan-outs the one they stand in
	path  []string // of the card's node
	node  string   // its path key

	up    *box // the box whose track holds the card, nil for the root and for a card that was dropped
	track int
	at    uint64 // the card's key in that track

	tracks     []rows
	iterations []int32 // of a repeat, ascending
	activation string  // of a repeat
	region     *region // of a fan-out
	last       bool    // the region's last card

	val     Row
	touched bool // a track moved since val was made
}

// visit is one activation of one node.
type visit struct{ path, activation string }

func (b *box) depth() (n int) {
	for b = b.up; b != nil; b = b.up {
		n++
	}
	return n
}

// put makes row the item under key of a track.
func (b *box) put(tok *ordered.Token, track int, key uint64, row Row) {
	if old, ok := b.tracks[track].Get(key); ok && old == row {
		return
	}
	b.tracks[track].Set(tok, key, row, 0)
	b.touched = true
}

// entry is one item of a track by key: a row, or the box of a card.
type entry struct {
	key uint64
	row Row
	box *box
}

// sync makes a track hold exactly the entries, which ascend by key, and touches only what differs. A card
// that is not made yet keeps its place by a nil row.
func (b *box) sync(tok *ordered.Token, track int, entries []entry) {
	var gone []uint64
	i := 0
	for key := range b.tracks[track].All() {
		for i < len(entries) && entries[i].key < key {
			i++
		}
		if i == len(entries) || entries[i].key != key {
			gone = append(gone, key)
		}
	}
	for _, key := range gone {
		b.tracks[track].Del(tok, key)
		b.touched = true
	}
	for _, e := range entries {
		row := e.row
		if e.box != nil {
			row = e.box.val
		}
		b.put(tok, track, e.key, row)
	}
}

// sameTracks tells whether two boxes hold the same items.
func sameTracks(a, b []rows) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Len() != b[i].Len() {
			return false
		}
		var mine []Row
		for _, r := range a[i].All() {
			mine = append(mine, r)
		}
		j := 0
		for _, r := range b[i].All() {
			if mine[j] != r {
				return false
			}
			j++
		}
	}
	return true
}

// make composes the card as it now is; it returns the old one when nothing moved.
func (c *Composer) make(b *box) Row {
	base := card{key: b.key, path: b.path, nodeName: name(c.shape.node(b.node))}
	base.hasEarlier = c.snap.HasEarlier() && !c.begins(b)
	switch b.kind {
	case subagentBox:
		r := &SubagentRow{card: base, rows: b.tracks[0]}
		if !b.level.node.HideInnerEvents {
			n := c.snap.Counts(b.path)
			r.RunningCount, r.DoneCount, r.FailedCount = &n.Running, &n.Done, &n.Failed
		}
		if n := c.snap.NodeRun(b.path); n != nil {
			r.NodeStatus = &n.Status
		}
		if old, ok := b.val.(*SubagentRow); ok && !b.touched && old.sameAs(r) {
			return old
		}
		return r
	case repeatBox:
		node := c.shape.node(b.node)
		r := &RepeatRow{card: base, Mode: repeatMode(node), tracks: slices.Clone(b.tracks), iterations: b.iterations}
		if r.Mode == RepeatParallel && node.Samples > 0 {
			r.Total = &node.Samples
		}
		if old, ok := b.val.(*RepeatRow); ok && !b.touched && old.hasEarlier == r.hasEarlier {
			return old
		}
		return r
	case fanOutBox:
		r := &FanOutRow{card: base, Join: b.region.Join.Node.Path, tracks: slices.Clone(b.tracks)}
		if b.last {
			r.BranchStatus = c.branchStatus(b.region)
		}
		if old, ok := b.val.(*FanOutRow); ok && !b.touched && old.hasEarlier == r.hasEarlier && slices.Equal(old.BranchStatus, r.BranchStatus) {
			return old
		}
		return r
	}
	return nil
}

func (r *SubagentRow) sameAs(o *SubagentRow) bool {
	return r.hasEarlier == o.hasEarlier && same(r.RunningCount, o.RunningCount) && same(r.DoneCount, o.DoneCount) &&
		same(r.FailedCount, o.FailedCount) && same(r.NodeStatus, o.NodeStatus)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// begins tells whether the card's start is in the window (docs/feed.md, "hasEarlier").
func (c *Composer) begins(b *box) bool {
	switch b.kind {
	case subagentBox:
		return c.starts[b.node] != 0
	case repeatBox:
		return c.visits[visit{b.node, b.activation}]
	}
	start, row := c.starts[b.node], c.snap.FirstRowKey(b.path)
	return start != 0 && start < b.at || row != 0 && row < b.at
}

// branchStatus is where each branch stands, by its entry node.
func (c *Composer) branchStatus(r *region) []BranchStatus {
	out := make([]BranchStatus, len(r.Entries))
	for i, entry := range r.Entries {
		out[i] = BranchUnknown
		if n := c.snap.NodeRun(entry.Node.Path); n != nil {
			switch n.Status {
			case wire.Running:
				out[i] = BranchRunning
			case wire.Completed:
				out[i] = BranchDone
			case wire.Failed, wire.Cancelled:
				out[i] = BranchFailed
			}
		}
	}
	return out
}
