package feed

import (
	"cmp"
	"slices"
	"strconv"

	"inlaygraph/ordered"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// level is one subgraph of the plan that has evidence of having run, or the root: its own rows, its
// subagents, and the cards composed of them.
type level struct {
	key      string // path key
	path     []string
	node     *wire.PlanNode // nil for the root
	up       *level
	children map[string]*level
	rows     ordered.Tree[projection.Row]
	// firstMark is the first start or end at or below the level's path, 0 for none.
	firstMark uint64
	at        uint64          // where the level above has its card, 0 for nowhere
	box       *box            // the subagent's card, or the root's list
	boxes     map[string]*box // the repeats and fan-outs of the level, by key
}

// evidence is where the level's card stands: the first mark at or below its path, or its first row.
func (l *level) evidence() uint64 {
	first := l.firstMark
	earlier := func(key uint64) {
		if key != 0 && (first == 0 || key < first) {
			first = key
		}
	}
	if key, ok := l.rows.After(0); ok {
		earlier(key)
	}
	for _, child := range l.children {
		earlier(child.at)
	}
	return first
}

// item is what the passes over a level move around.
type item struct {
	entry
	path       string // of its node; "" for what takes no part in grouping
	activation string
	user       bool
	inner      *region        // of a fan-out card
	held       map[visit]bool // what the card holds, at any depth
}

// compose groups the level's rows and subagents anew (docs/feed.md, "Composing level P").
func (c *Composer) compose(l *level) {
	old := l.boxes
	for _, b := range old {
		delete(c.dirty, b)
	}
	l.boxes = map[string]*box{}
	items := c.repeats(l, c.items(l), old)
	for _, r := range c.shape.regions[l.key] {
		items = c.fanOut(l, r, items, old)
	}
	c.place(l.box, 0, items)
	c.dirty[l.box] = true
	l.at = l.evidence()
}

// add takes a new card into the level. Where it holds what the card with its key held before, it goes on as
// that card, so that readers keep the same object.
func (c *Composer) add(l *level, b *box, old map[string]*box) {
	l.boxes[b.key] = b
	c.dirty[b] = true
	was := old[b.key]
	if was != nil && was.kind == b.kind && sameTracks(was.tracks, b.tracks) && slices.Equal(was.iterations, b.iterations) {
		b.val, b.touched = was.val, was.touched
	}
}

// items are the level's rows and subagents in timeline order.
func (c *Composer) items(l *level) []*item {
	items := make([]*item, 0, l.rows.Len()+len(l.children))
	for key, row := range l.rows.All() {
		it := &item{entry: entry{key: key, row: row.(Row)}}
		_, it.user = row.(*projection.UserRow)
		if pl := row.Common().Place(); pl != nil && pl.Parent.Key() == l.key {
			it.path = pl.Key()
			if a := row.Common().Activation(); a != nil {
				it.activation = *a
			}
		}
		items = append(items, it)
	}
	for _, child := range l.children {
		if child.at != 0 {
			items = append(items, &item{entry: entry{key: child.at, box: child.box}, path: child.key})
		} else {
			child.box.up = nil
		}
	}
	slices.SortFunc(items, func(a, b *item) int { return cmp.Compare(a.key, b.key) })
	return items
}

// repeats groups the rows of repeatable nodes by activation and iteration.
func (c *Composer) repeats(l *level, items []*item, old map[string]*box) []*item {
	type group struct {
		item   *item
		tracks map[int32][]*item
	}
	groups := map[visit]*group{}
	out := items[:0]
	var order []*group
	for _, it := range items {
		node := c.shape.node(it.path)
		var iteration *int32
		if it.row != nil && it.path != "" {
			iteration = it.row.(projection.Row).Common().Iteration()
		}
		if repeatMode(node) == 0 || iteration == nil || it.activation == "" {
			out = append(out, it)
			continue
		}
		v := visit{it.path, it.activation}
		g := groups[v]
		if g == nil {
			b := &box{
				kind: repeatBox, level: l, key: c.key("repeat", it.path, it.activation), activation: it.activation,
				path: node.Path, node: it.path,
			}
			g = &group{&item{entry: entry{key: it.key, box: b}, path: it.path, activation: it.activation}, map[int32][]*item{}}
			groups[v] = g
			order = append(order, g)
			out = append(out, g.item)
		}
		g.tracks[*iteration] = append(g.tracks[*iteration], it)
	}
	for _, g := range order {
		b := g.item.box
		for iteration := range g.tracks {
			b.iterations = append(b.iterations, iteration)
		}
		slices.Sort(b.iterations)
		b.tracks = make([]rows, len(b.iterations))
		for i, iteration := range b.iterations {
			c.place(b, i, g.tracks[iteration])
		}
		c.add(l, b, old)
	}
	return out
}

// fanOut groups the members of one region, firing by firing.
func (c *Composer) fanOut(l *level, r *region, items []*item, old map[string]*box) []*item {
	var (
		out        []*item
		open, last *item
		tracks     = map[*item][][]*item{}
		order      []*item
		afterUser  bool
		taken      = map[string]bool{}
	)
	for _, it := range items {
		if it.user {
			afterUser = true
		}
		branch, member := c.branch(r, it)
		if it.inner == nil && r.closers[it.path] && (it.activation != "" || it.box != nil) {
			open = nil
		}
		if !member {
			out = append(out, it)
			continue
		}
		if open == nil || afterUser && !open.held[it.visit()] {
			open = c.newFanOut(l, r, it, taken)
			last, afterUser = open, false
			tracks[open] = make([][]*item, len(r.Entries))
			order = append(order, open)
			out = append(out, open)
		}
		tracks[open][branch] = append(tracks[open][branch], it)
		open.hold(it)
	}
	for _, card := range order {
		b := card.box
		b.last = card == last
		b.tracks = make([]rows, len(r.Entries))
		for i, track := range tracks[card] {
			c.place(b, i, track)
		}
		c.add(l, b, old)
	}
	return out
}

// branch tells which branch of r an item is a member of.
func (c *Composer) branch(r *region, it *item) (int, bool) {
	switch {
	case it.inner != nil:
		return r.branchOf(it.inner)
	case it.path == "" || it.box == nil && it.activation == "":
		return 0, false
	}
	return r.Branch(it.path)
}

// visit is the activation that an item is of: a fan-out card is of its first item's, a subagent's card of none.
// An activation names a visit of one path, so that the path counts too.
func (it *item) visit() visit { return visit{it.path, it.activation} }

// hold takes what an item brings into a card.
func (it *item) hold(member *item) {
	if member.activation != "" {
		it.held[member.visit()] = true
	}
	for v := range member.held {
		it.held[v] = true
	}
}

// newFanOut opens a card at its first item's place. taken are the keys of the region's cards so far.
func (c *Composer) newFanOut(l *level, r *region, first *item, taken map[string]bool) *item {
	key := c.key("fan-out", r.id, first.path, first.activation)
	for n := 2; taken[key]; n++ { // the same activation came again behind a boundary
		key = c.key("fan-out", r.id, first.path, first.activation, strconv.Itoa(n))
	}
	taken[key] = true
	b := &box{kind: fanOutBox, level: l, key: key, region: r, path: r.Source.Node.Path, node: r.Source.Key}
	return &item{entry: entry{key: first.key, box: b}, path: first.path, activation: first.activation, inner: r, held: map[visit]bool{}}
}

// place makes items the content of a box's track and notes where each stands.
func (c *Composer) place(b *box, track int, items []*item) {
	entries := make([]entry, len(items))
	for i, it := range items {
		entries[i] = it.entry
		if it.box != nil {
			it.box.up, it.box.track, it.box.at = b, track, it.key
		} else {
			c.spots[it.key] = spot{b, track}
		}
	}
	b.sync(c.tok, track, entries)
}
