package transport

import (
	"bytes"

	"inlaygraph/coded"
)

// serve reads once and gives what is new to everybody, or with all false only to those who wait for their first message.
func (g *group) serve(all bool) {
	serving := g.gather(all)
	if len(serving) == 0 {
		return
	}
	if g.changes {
		g.serveChanges(serving, all)
	} else {
		g.serveValue(serving, all)
	}
	clear(serving)
}

// gather begins a turn: it lists the members that it serves, all of whom joined before anything is read.
func (g *group) gather(all bool) []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serving = g.serving[:0]
	for _, m := range g.members {
		if all || m.shown == nil {
			g.serving = append(g.serving, m)
		}
	}
	return g.serving
}

// read encodes what the follower has put on the channel, nil when the group is over with that.
func (g *group) read() *result {
	g.engine.stats.executions.Add(1)
	payload, last, err := g.run.Next(g.ctx)
	switch {
	case g.ctx.Err() != nil: // everybody has left
		return nil
	case err != nil:
		g.conclude(nil)
		return nil
	case last && g.changes && g.run.long: // which is of those alone who stand there
		g.run.done = false
		return &result{payload: payload, tooLong: true}
	case last:
		g.failedWith(g.run.code)
		g.conclude(payload)
		return nil
	}
	return &result{payload: payload}
}

// serveValue gives the value as it stands. What did not move since it was read is not read again for those who join.
func (g *group) serveValue(members []*member, all bool) {
	if g.current == nil || all || g.follower.Moved() {
		g.follower.Read("")
		value := g.read()
		if value == nil {
			return
		}
		if g.current == nil || !bytes.Equal(g.current.payload, value.payload) {
			g.current = value
		}
	}
	var had *result
	same := false // as what had says
	for _, m := range members {
		if m.shown != had {
			had = m.shown
			same = had != nil && bytes.Equal(had.payload, g.current.payload)
		}
		if !same {
			m.shown = g.current
			m.box.put(m, g.current)
		}
	}
}

// serveChanges gives every member what changed since where it stands, encoded once for all who stand there: for those who
// follow that is one place, and another for those who joined or caught up since the last turn.
func (g *group) serveChanges(members []*member, all bool) {
	var others map[string][]*member
	together := members[:0]
	for _, m := range members {
		switch {
		case m.missed && m.box.isFull(m):
			// It says when it can catch up.
		case m.shown != nil && m.position == g.position:
			together = append(together, m)
		default:
			if others == nil {
				others = map[string][]*member{}
			}
			others[m.position] = append(others[m.position], m)
		}
	}
	if len(together) > 0 {
		position, ok := g.serveSince(g.position, together)
		if !ok {
			return
		}
		g.position = position
	}
	most := 0
	for since, members := range others {
		position, ok := g.serveSince(since, members)
		if !ok {
			return
		}
		if all && len(together) == 0 && len(members) > most {
			g.position, most = position, len(members)
		}
	}
}

// someChange stands for the latest change that a member was given: the text of it is needed no longer, and may be long.
var someChange = &result{}

// serveSince gives members what changed since where they all stand, and returns where that leaves them; where that is too
// long for a message they are expelled. It reports false when the group is over.
func (g *group) serveSince(since string, members []*member) (position string, ok bool) {
	position = g.follower.Read(since)
	change := g.read()
	if change == nil {
		return "", false
	}
	if change.tooLong {
		g.expel(members, coded.PayloadTooLarge, change.payload)
		return since, !g.closed
	}
	for _, m := range members {
		if position == since && m.shown != nil { // nothing did
			m.missed = false
			continue
		}
		if m.missed = !m.box.add(m, change); !m.missed {
			m.shown, m.position = someChange, position
		}
	}
	return position, true
}
