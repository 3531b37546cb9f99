package feed

import (
	"cmp"
	"slices"
	"strconv"

	"inlaygraph/ordered"
	"inlaygraph/projection"
)

// level is one subgraph of the plan, or the root: its own rows, its subagents, and what they are grouped into.
type level struct {
	key      string // path key
	depth    int
	up       *level
	children map[string]*level // by path key
	rows     ordered.Tree[projection.Row]
	box      *box // the subagent's card, or the root's list

	// firstMark is the first start or end at or below the level's path, at the first evidence of any kind and so
	// where the level above has its card; 0 for none.
	firstMark, at uint64

	// What the walk over the level's items has come to.
	boxes    map[string]*box // its repeats and fan-outs, by key
	repeats  map[visit]*box
	firings  map[*region]*firing
	tail     uint64 // the last item's key
	lastUser uint64 // the last user row's key
}

// firing is what a region's cards have come to: the one that takes members, and the latest.
type firing struct{ open, last *box }

func newLevel(up *level, key string, b *box) *level {
	l := &level{key: key, up: up, children: map[string]*level{}, box: b}
	if up != nil {
		l.depth = up.depth + 1
	}
	l.restart()
	return l
}

// restart lets the walk begin anew.
func (l *level) restart() {
	l.boxes, l.repeats, l.firings = map[string]*box{}, map[visit]*box{}, map[*region]*firing{}
	l.tail, l.lastUser = 0, 0
}

// item is a row of the level as the walk takes it. A row that lies deeper, in something that is no subgraph of
// the plan, has no node here.
func (l *level) item(key uint64, r projection.Row) item {
	it := item{key: key, row: r.(Row)}
	_, it.user = r.(*projection.UserRow)
	sp := r.Common()
	if pl := sp.Place(); pl != nil && pl.Parent.Key() == l.key {
		it.path = pl.Key()
		if a := sp.Activation(); a != nil {
			it.activation = *a
		}
		if n := sp.Iteration(); n != nil {
			it.iteration = *n
		}
	}
	return it
}

// take lets the level go on by one item, which stands behind all others (docs/feed.md, rules 6 to 13).
func (c *Composer) take(l *level, it item) {
	l.tail = it.key
	if it.user {
		l.lastUser = it.key
	}
	if repeatMode(c.shape.node(it.path)) != 0 && it.activation != "" && it.iteration != 0 {
		card, opened := c.repeat(l, &it)
		c.put(card, int(it.iteration), &it)
		if !opened {
			return
		}
		it = item{key: it.key, box: card, path: it.path, activation: it.activation}
	}
	if p := c.shape.parts[it.path]; p != nil && it.counts() {
		for _, r := range p.closes {
			if f := l.firings[r]; f != nil {
				f.open = nil
			}
		}
		for r, branch := p.home, p.branch; r != nil; r, branch = r.outer, r.outerBranch {
			card, opened := c.fanOut(l, r, &it)
			c.put(card, branch, &it)
			if !opened {
				return
			}
			it = item{key: it.key, box: card, path: it.path, activation: it.activation}
		}
	}
	c.put(l.box, 0, &it)
}

// repeat finds the card of a visit of a repeatable node, or opens it.
func (c *Composer) repeat(l *level, it *item) (card *box, opened bool) {
	v := it.visit()
	if b := l.repeats[v]; b != nil {
		return b, false
	}
	l.repeats[v] = c.open(l, &box{
		kind: repeatBox, key: c.key("repeat", v.path, v.activation), path: c.shape.node(v.path).Path, node: v.path, activation: v.activation,
	})
	return l.repeats[v], true
}

// fanOut finds the card of a region that takes a member, or opens one.
func (c *Composer) fanOut(l *level, r *region, it *item) (card *box, opened bool) {
	f := l.firings[r]
	if f == nil {
		f = &firing{}
		l.firings[r] = f
	}
	// After a user row only the visits that the card holds go on in it.
	if f.open != nil && (l.lastUser < f.open.at || f.open.held[it.visit()] > 0) {
		return f.open, false
	}
	if f.last != nil {
		f.last.last = false
		c.touch(f.last)
	}
	key := c.key("fan-out", r.id, it.path, it.activation)
	for n := 2; l.boxes[key] != nil; n++ { // the same visit came again behind a boundary
		key = c.key("fan-out", r.id, it.path, it.activation, strconv.Itoa(n))
	}
	f.open = c.open(l, &box{
		kind: fanOutBox, key: key, path: r.Source.Node.Path, node: r.Source.Key, region: r, last: true,
		tracks: make([]rows, len(r.Entries)), held: map[visit]int{},
	})
	f.last = f.open
	return f.open, true
}

// open takes a new card into the level.
func (c *Composer) open(l *level, b *box) *box {
	l.boxes[b.key] = b
	c.touch(b)
	return b
}

// put makes an item the one under its key in a track, and notes where it stands.
func (c *Composer) put(b *box, track int, it *item) {
	row := it.row
	if it.box != nil {
		it.box.up, it.box.track, it.box.at = b, track, it.key
		row = it.box.val // nil until it is made: the place is kept
		c.touch(it.box)
	} else {
		c.spots[it.key] = spot{b, track}
	}
	b.set(c.tok, track, it.key, row)
	b.hold(it, 1)
	c.touch(b)
}

// drop takes a row out of what it stands in, and reports whether that was enough: it is not where items behind the
// row were grouped by it, or a card began with it.
func (c *Composer) drop(l *level, key uint64, r projection.Row) bool {
	b, track := c.spots[key].box, c.spots[key].track
	it := l.item(key, r)
	p := c.shape.parts[it.path]
	switch {
	case key == l.at && l.up != nil, b != l.box && key == b.at, it.user, p != nil && len(p.closes) > 0 && it.counts(),
		b.kind == repeatBox && b.list(track).Len() == 1, b.kind == fanOutBox && l.lastUser > key:
		return false
	}
	b.list(track).Del(c.tok, key)
	b.touched = true
	b.hold(&it, -1)
	c.touch(b)
	return true
}

// evident notes evidence of a level, and so of those around it.
func (c *Composer) evident(l *level, key uint64) {
	for ; l.up != nil && (l.at == 0 || key < l.at); l = l.up {
		entered := l.at == 0
		l.at = key
		if entered && c.follows(l.up, key) {
			c.take(l.up, l.card())
		} else {
			c.regroup(l.up)
		}
	}
}

// follows tells whether an item goes behind all that the level's walk has met.
func (c *Composer) follows(l *level, key uint64) bool { return key > l.tail && !c.again[l] }

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

// compose walks over the level anew.
func (c *Composer) compose(l *level) {
	items := make([]item, 0, l.rows.Len()+len(l.children))
	for key, row := range l.rows.All() {
		items = append(items, l.item(key, row))
	}
	for _, child := range l.children {
		if child.at != 0 {
			items = append(items, child.card())
		} else {
			child.box.up = nil
		}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.key, b.key) })

	old := &level{box: &box{}, boxes: l.boxes}
	*old.box = *l.box
	for _, b := range old.boxes {
		b.dropped = true
	}
	l.restart()
	l.box.tracks = make([]rows, 1)
	for _, it := range items {
		c.take(l, it)
	}
	l.goOn(old)
	c.touch(l.box)
	if at := l.evidence(); at != l.at {
		l.at = at
		if l.up != nil {
			c.regroup(l.up)
		}
	}
}

// goOn lets the level's cards go on as those of another grouping.
func (l *level) goOn(old *level) {
	l.box.was = old.box
	for key, b := range l.boxes {
		b.was = old.boxes[key]
	}
}

// follow lets all cards of the level go on as those before.
func (l *level) follow(old *level) {
	l.goOn(old)
	for key, child := range l.children {
		if was := old.children[key]; was != nil {
			child.follow(was)
		}
	}
}

// each calls f with every card of the level, at any depth, and with what lists them.
func (l *level) each(f func(*box)) {
	f(l.box)
	for _, b := range l.boxes {
		f(b)
	}
	for _, child := range l.children {
		child.each(f)
	}
}

// card is the level's card as an item of the level above.
func (l *level) card() item { return item{key: l.at, box: l.box, path: l.key} }
