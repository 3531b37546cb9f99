package feed

import (
	"cmp"
	"slices"

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

	// firstMark is the first start or end at or below the level's path; at is the first evidence of any kind, and
	// so where the level above has its card. 0 for none.
	firstMark, at uint64

	// What the walk over the level's items has come to.
	boxes    map[string]*box // its repeats and fan-outs, by key
	repeats  map[visit]*box
	firings  map[*region]*firing
	tail     uint64 // the last item's key
	lastUser uint64 // the last user row's key
}

// firing is what a region's cards have come to.
type firing struct {
	open  *box // takes members; nil when the next one opens another card
	last  *box
	named map[visit]int // how many cards opened with a visit
}

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

// evident notes evidence of a level, and so of those around it (docs/feed.md, rule 3).
func (c *Composer) evident(l *level, key uint64) {
	for ; l.up != nil && (l.at == 0 || key < l.at); l = l.up {
		entered := l.at == 0
		l.at = key
		if entered && key > l.up.tail {
			c.take(l.up, l.card())
		} else {
			c.regroup(l.up)
		}
	}
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

// compose walks over the level anew: something came or went that is not at its end.
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
