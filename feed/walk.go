package feed

import (
	"strconv"

	"inlaygraph/projection"
)

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
		f = &firing{named: map[visit]int{}}
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
	parts := []string{r.id, it.path, it.activation}
	f.named[it.visit()]++
	if n := f.named[it.visit()]; n > 1 { // the same visit came again behind a boundary
		parts = append(parts, strconv.Itoa(n))
	}
	f.open = c.open(l, &box{
		kind: fanOutBox, key: c.key("fan-out", parts...), path: r.Source.Node.Path, node: r.Source.Key, region: r, last: true,
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

// drop takes a row out of what it stands in, and reports whether that was all: not where a card began with the row,
// nor where it may have mattered to what stands behind it.
func (c *Composer) drop(l *level, key uint64, r projection.Row) bool {
	b, track := c.spots[key].box, c.spots[key].track
	it := l.item(key, r)
	p := c.shape.parts[it.path]
	began := b != l.box && key == b.at || l.up != nil && key == l.at
	alone := b.kind == repeatBox && b.list(track).Len() == 1
	held := b.kind == fanOutBox && key < l.lastUser
	closed := p != nil && len(p.closes) > 0 // it parts cards, or shows where one began
	if began || alone || held || closed || it.user {
		return false
	}
	b.list(track).Del(c.tok, key)
	b.touched = true
	b.hold(&it, -1)
	c.touch(b)
	return true
}
