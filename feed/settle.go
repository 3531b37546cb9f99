package feed

import (
	"slices"

	"inlaygraph/wire"
)

// settle groups and makes what was noted, the innermost first, and reports whether the feed moved.
func (c *Composer) settle() (moved bool) {
	c.regroupAll()
	for _, b := range c.dirty {
		c.enqueue(b, b.depth())
	}
	clear(c.dirty)
	c.dirty = c.dirty[:0]
	for d := len(c.queue) - 1; d >= 0; d-- {
		for _, b := range c.queue[d] {
			b.dirty = false
			b.resume()
			switch {
			case b.kind == rootBox:
				moved, b.touched = b.touched, false
			case b.dropped || b.up == nil: // nowhere in the feed any longer, or not yet
			default:
				b.val, b.touched = c.make(b), false
				b.up.set(c.tok, b.track, b.at, b.val)
				if b.up.touched && !b.up.dirty {
					b.up.dirty = true
					c.enqueue(b.up, d-1)
				}
			}
		}
		clear(c.queue[d])
		c.queue[d] = c.queue[d][:0]
	}
	return moved
}

func (c *Composer) enqueue(b *box, depth int) {
	for len(c.queue) <= depth {
		c.queue = append(c.queue, nil)
	}
	c.queue[depth] = append(c.queue[depth], b)
}

// regroupAll walks over the noted levels anew, the innermost first; a level whose card enters, moves or goes
// takes the one above with it.
func (c *Composer) regroupAll() {
	for len(c.again) > 0 {
		var deepest *level
		for l := range c.again {
			if deepest == nil || l.depth > deepest.depth {
				deepest = l
			}
		}
		delete(c.again, deepest)
		c.compose(deepest)
	}
}

// make composes the card as it now is; it returns the old one when nothing moved.
func (c *Composer) make(b *box) Row {
	base := card{key: b.key, path: b.path, nodeName: name(c.shape.node(b.node))}
	base.hasEarlier = c.snap.HasEarlier() && !c.begins(b)
	switch b.kind {
	case subagentBox:
		return c.subagentRow(b, base)
	case repeatBox:
		return c.repeatRow(b, base)
	}
	return c.fanOutRow(b, base)
}

func (c *Composer) subagentRow(b *box, base card) Row {
	r := &SubagentRow{card: base, rows: b.tracks[0]}
	if !c.shape.node(b.node).HideInnerEvents {
		n := c.snap.Counts(b.path)
		r.RunningCount, r.DoneCount, r.FailedCount = &n.Running, &n.Done, &n.Failed
	}
	if n := c.snap.NodeRun(b.path); n != nil {
		r.NodeStatus = &n.Status
	}
	if old, ok := b.val.(*SubagentRow); ok && !b.touched && old.hasEarlier == r.hasEarlier && same(old.NodeStatus, r.NodeStatus) &&
		same(old.RunningCount, r.RunningCount) && same(old.DoneCount, r.DoneCount) && same(old.FailedCount, r.FailedCount) {
		return old
	}
	return r
}

func (c *Composer) repeatRow(b *box, base card) Row {
	if old, ok := b.val.(*RepeatRow); ok && !b.touched && old.hasEarlier == base.hasEarlier {
		return old
	}
	node := c.shape.node(b.node)
	r := &RepeatRow{card: base, Mode: repeatMode(node), tracks: slices.Clone(b.tracks), iterations: b.iterations}
	if r.Mode == RepeatParallel && node.Samples > 0 {
		r.Total = &node.Samples
	}
	return r
}

func (c *Composer) fanOutRow(b *box, base card) Row {
	var status []BranchStatus
	if b.last {
		status = c.branchStatus(b.region)
	}
	if old, ok := b.val.(*FanOutRow); ok && !b.touched && old.hasEarlier == base.hasEarlier && slices.Equal(old.BranchStatus, status) {
		return old
	}
	return &FanOutRow{card: base, Join: b.region.Join.Node.Path, tracks: slices.Clone(b.tracks), BranchStatus: status}
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// begins tells whether the card's start is in the window (docs/feed.md, rule 16).
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
