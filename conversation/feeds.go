package conversation

import (
	"strconv"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// pinned is the feed under one pin while somebody follows it.
type pinned struct {
	pin       *feed.Pin
	mode      feed.Mode
	reason    *string
	composer  *feed.Composer // in mode Composed
	followers int
}

// pinKey spells a pin; "" is none.
func pinKey(pin *feed.Pin) string {
	if pin == nil {
		return ""
	}
	version := "-"
	if pin.AgentVersion != nil {
		version = strconv.Itoa(*pin.AgentVersion)
	}
	return version + " " + pin.AgentID
}

// feedSlice is what a follower of a pin's feed reads.
func feedSlice(pin *feed.Pin) projection.Slice {
	return projection.Slice{Kind: projection.SliceFeed, Name: pinKey(pin)}
}

// pinLocked counts a follower of a pin's feed, composing it for the first.
func (l *Live) pinLocked(pin *feed.Pin) {
	key := pinKey(pin)
	p := l.feeds[key]
	if p == nil {
		p = &pinned{pin: pin}
		l.feeds[key] = p
		l.view = nil // the next view shows it
		p.guard(l.viewLocked().snap, l.plans)
	}
	p.followers++
}

func (l *Live) unpinLocked(pin *feed.Pin) {
	key := pinKey(pin)
	if p := l.feeds[key]; p != nil {
		if p.followers--; p.followers == 0 {
			delete(l.feeds, key)
		}
	}
}

// guard decides the mode anew, and composes from scratch where it is to be composed. It reports whether a
// follower sees a difference for it.
func (p *pinned) guard(snap *projection.Snapshot, plans *plans) (moved bool) {
	shape := plans.shape(snap.Plan())
	mode, reason := feed.Guard(p.pin, snap.Conversation(), shape)
	moved = mode != p.mode || mode == feed.Composed || reason != nil && *reason != *p.reason
	p.mode, p.reason, p.composer = mode, reason, nil
	if mode == feed.Composed {
		p.composer = feed.NewComposer(shape, snap)
	}
	return moved
}

// feedsMoved lets every followed feed take a change in, and returns the slices of those that moved.
func (l *Live) feedsMoved(c *projection.Change) (moved []projection.Slice) {
	has := func(kind projection.SliceKind) bool { return c.Has(projection.Slice{Kind: kind}) }
	regard := has(projection.SliceConversation) || has(projection.SlicePlan)
	for key, p := range l.feeds {
		snap := l.viewLocked().snap
		move := has(projection.SliceHasEarlier)
		if regard {
			move = p.guard(snap, l.plans) || move
		}
		switch {
		case regard && p.mode == feed.Composed: // from scratch, the change included
		case p.mode == feed.Composed:
			move = p.composer.Apply(snap, c) || move
		case p.mode == feed.FlatGuarded:
			move = move || has(projection.SliceTimeline)
		default:
			move = move || has(projection.SliceTopLevel)
		}
		if move {
			moved = append(moved, projection.Slice{Kind: projection.SliceFeed, Name: key})
		}
	}
	return moved
}

// readLocked is the view as it is handed out: with the followed feeds as they stand.
func (l *Live) readLocked() *Conversation {
	view := l.viewLocked()
	if view.feeds == nil && len(l.feeds) > 0 {
		view.feeds = make(map[string]*feed.Feed, len(l.feeds))
		for key, p := range l.feeds {
			if p.mode == feed.Composed {
				view.feeds[key] = p.composer.Feed()
			} else {
				view.feeds[key] = feed.Flat(p.mode, p.reason, view.snap)
			}
		}
	}
	return view
}

// feed is the feed under a pin: one that is followed, else one composed from scratch.
func (c *Conversation) feed(pin *feed.Pin) *feed.Feed {
	if f := c.feeds[pinKey(pin)]; f != nil {
		return f
	}
	return feed.Compose(c.snap, pin, c.plans.shape(c.snap.Plan()))
}

// planUnder is the plan that a view under a pin reads: the conversation's own without a pin, none under one
// that does not hold.
func (c *Conversation) planUnder(pin *feed.Pin) *wire.PlanIndex {
	own := c.snap.Plan()
	if pin == nil {
		return own
	}
	if mode, _ := feed.Guard(pin, c.snap.Conversation(), c.plans.shape(own)); mode != feed.Composed {
		return nil
	}
	return own
}

// Feed is the conversation's rows under a pin (docs/feed.md).
func (c *ChatSnapshot) Feed(pin *feed.Pin) *feed.Feed { return c.of.feed(pin) }

// Plan is the plan of the conversation's own agent version, nil while unknown.
func (c *Conversation) Plan() *wire.Plan {
	if own := c.snap.Plan(); own != nil {
		return own.Plan()
	}
	return nil
}

// Node is the view of one path.
func (c *Conversation) Node(path []string, pin *feed.Pin) *projection.NodeView {
	return c.snap.NodeView(path, c.planUnder(pin))
}

// Nodes are the views of every node of the plan, then of every other node that ran.
func (c *Conversation) Nodes(pin *feed.Pin) []*projection.NodeView {
	return c.snap.NodeViews(c.planUnder(pin))
}

// Subagent is the view of one subgraph.
func (c *Conversation) Subagent(path []string, pin *feed.Pin) projection.SubagentView {
	return c.snap.SubagentView(path, c.planUnder(pin))
}
