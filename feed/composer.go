package feed

import (
	"inlaygraph/ordered"
	"inlaygraph/projection"
)

// Composer keeps the composed feed of one conversation under one plan. It starts from a snapshot and is
// fed every Change since, by whoever applies the inputs.
type Composer struct {
	shape *Shape
	snap  *projection.Snapshot
	tok   *ordered.Token // of what a Feed shares
	own   *ordered.Token // of what no Feed sees

	root   *level
	places map[*projection.Place]*level // the deepest level at or around a place
	spots  map[uint64]spot              // where each row stands, by its key

	again map[*level]bool // levels to be walked over anew
	dirty []*box          // whose cards are to be made anew
	queue [][]*box        // the same by depth, while a change settles

	starts map[string]uint64 // path key -> the first start mark's key
	visits map[visit]bool    // activations whose start is in the window
}

// spot is where a row stands.
type spot struct {
	box   *box
	track int
}

// NewComposer composes a snapshot from scratch.
func NewComposer(shape *Shape, snap *projection.Snapshot) *Composer {
	c := &Composer{shape: shape, own: &ordered.Token{}}
	c.rebuild(snap)
	return c
}

// rebuild starts over and reports whether the feed moved. Cards that come out as they were stay the same objects.
func (c *Composer) rebuild(snap *projection.Snapshot) (moved bool) {
	before := c.root
	c.snap, c.tok = snap, &ordered.Token{}
	c.spots, c.again, c.dirty = map[uint64]spot{}, map[*level]bool{}, nil
	c.starts, c.visits = map[string]uint64{}, map[visit]bool{}
	c.root = newLevel(nil, "", &box{kind: rootBox, tracks: make([]rows, 1)})
	c.places = map[*projection.Place]*level{}
	for key, e := range snap.Entries() {
		switch e := e.(type) {
		case projection.Row:
			c.insert(key, e)
		case *projection.Mark:
			c.mark(key, e)
		}
	}
	if before != nil {
		c.root.follow(before)
		c.touch(c.root.box) // it may have lost all that it held
	}
	return c.settle()
}

// Apply follows a change of the conversation, snap being the snapshot after it. It reports whether the feed moved.
func (c *Composer) Apply(snap *projection.Snapshot, change *projection.Change) (moved bool) {
	moved = change.Has(projection.Slice{Kind: projection.SliceHasEarlier})
	if change.Reset || change.MarksMended {
		return c.rebuild(snap) || moved
	}
	c.snap = snap
	for _, m := range change.Marks {
		c.mark(m.Key, m.Mark)
	}
	for _, m := range change.Rows {
		c.row(m)
	}
	for _, s := range change.Slices {
		if s.Kind == projection.SliceNode {
			c.nodeMoved(s.Path)
		}
	}
	if moved {
		c.root.each(c.touch)
	}
	return c.settle() || moved
}

// rows are the feed's top-level items as they stand. They stay as they are when the composer goes on.
func (c *Composer) rows() rows {
	c.tok = &ordered.Token{}
	return c.root.box.tracks[0]
}

// levelAt is the deepest level at or around a place, as far as the plan knows its subgraphs.
func (c *Composer) levelAt(pl *projection.Place) *level {
	if pl == nil || pl.Parent == nil {
		return c.root
	}
	if known := c.places[pl]; known != nil {
		return known
	}
	l := c.levelAt(pl.Parent)
	if c.shape.subgraph(pl.Key()) { // then so is all that is around it: plans are whole
		l = c.below(l, pl)
	}
	c.places[pl] = l
	return l
}

// below makes the level of a subgraph. Nothing shows it before there is evidence of it.
func (c *Composer) below(up *level, pl *projection.Place) *level {
	key := pl.Key()
	l := newLevel(up, key, &box{
		kind: subagentBox, key: c.key("subagent", key), path: pl.Path, node: key, tracks: make([]rows, 1),
	})
	up.children[key] = l
	return l
}

// levelOf is the level that a row stands in. What has no node stands at the top.
func (c *Composer) levelOf(r projection.Row) *level {
	pl := r.Common().Place()
	if pl == nil {
		return c.root
	}
	return c.levelAt(pl.Parent)
}

// mark takes a lifecycle fact: a start or an end is evidence of every subgraph at or above it.
func (c *Composer) mark(key uint64, m *projection.Mark) {
	pl := m.Place()
	if pl == nil || m.Kind != projection.MarkStart && m.Kind != projection.MarkEnd {
		return
	}
	if m.Kind == projection.MarkStart {
		c.start(key, pl, m.Activation())
	}
	l := c.levelAt(pl)
	c.evident(l, key)
	for ; l.up != nil && (l.firstMark == 0 || key < l.firstMark); l = l.up {
		l.firstMark = key
	}
}

// start notes a node's start, and lets the cards that begin with it be looked at. (A subagent's is looked at
// whenever its node moved.)
func (c *Composer) start(key uint64, pl *projection.Place, activation string) {
	v := visit{pl.Key(), activation}
	first := c.starts[pl.Key()]
	if first != 0 && first < key && (activation == "" || c.visits[v]) {
		return
	}
	if first == 0 || key < first {
		c.starts[pl.Key()] = key
	}
	c.visits[v] = true
	if !c.snap.HasEarlier() {
		return
	}
	for _, b := range c.levelAt(pl.Parent).boxes {
		if b.node == pl.Key() {
			c.touch(b)
		}
	}
}

// row follows the move of one row.
func (c *Composer) row(m projection.RowMove) {
	l := c.levelOf(m.Row)
	switch m.Kind {
	case projection.MoveInsert:
		c.insert(m.Key, m.Row)
	case projection.MoveRemove:
		old, known := l.rows.Get(m.Key)
		l.rows.Del(c.own, m.Key)
		if !known || c.again[l] || !c.drop(l, m.Key, old) {
			c.regroup(l)
		}
		delete(c.spots, m.Key)
	default:
		old, known := l.rows.Get(m.Key)
		l.rows.Set(c.own, m.Key, m.Row, 0)
		if !known || c.again[l] || !sameStamps(old, m.Row) {
			c.regroup(l)
			return
		}
		s := c.spots[m.Key]
		s.box.set(c.tok, s.track, m.Key, m.Row.(Row))
		c.touch(s.box)
	}
}

// insert takes a new row.
func (c *Composer) insert(key uint64, r projection.Row) {
	l := c.levelOf(r)
	l.rows.Set(c.own, key, r, 0)
	if key < l.tail {
		c.regroup(l)
		return
	}
	c.take(l, l.item(key, r))
	c.evident(l, key)
}

// sameStamps tells whether two values of a row are grouped alike.
func sameStamps(a, b projection.Row) bool {
	x, y := a.Common(), b.Common()
	return same(x.Activation(), y.Activation()) && same(x.Iteration(), y.Iteration())
}

// regroup notes that a level must be walked over anew.
func (c *Composer) regroup(l *level) { c.again[l] = true }

// touch notes that a card must be looked at when the change settles.
func (c *Composer) touch(b *box) {
	if !b.dirty {
		b.dirty = true
		c.dirty = append(c.dirty, b)
	}
}

// nodeMoved lets the cards that tell of a node's run be looked at: those of its subgraphs, and the latest of
// the regions that it is a branch's entry of.
func (c *Composer) nodeMoved(path string) {
	pl := c.snap.PlaceByKey(path)
	for l := c.levelAt(pl); l.up != nil; l = l.up {
		c.touch(l.box)
	}
	for _, r := range c.shape.entries[path] {
		if f := c.levelAt(pl.Parent).firings[r]; f != nil {
			c.touch(f.last)
		}
	}
}
