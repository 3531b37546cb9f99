package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"inlaygraph/ordered"
	"inlaygraph/projection"
)

// Composer keeps the composed feed of one conversation under one plan. It starts from a snapshot and is
// fed every Change since, by whoever applies the inputs.
type Composer struct {
	shape *Shape
	snap  *projection.Snapshot
	tok   *ordered.Token

	root   *level
	levels map[string]*level // by path key
	spots  map[uint64]spot   // where each row stands
	dirty  map[*box]bool     // whose cards must be made anew
	again  map[*level]bool   // levels to be grouped anew

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
	c := &Composer{shape: shape}
	c.rebuild(snap)
	return c
}

func (c *Composer) rebuild(snap *projection.Snapshot) {
	c.snap, c.tok = snap, &ordered.Token{}
	c.spots, c.dirty, c.again = map[uint64]spot{}, map[*box]bool{}, map[*level]bool{}
	c.starts, c.visits = map[string]uint64{}, map[visit]bool{}
	c.root = &level{path: []string{}, children: map[string]*level{}, boxes: map[string]*box{}}
	c.root.box = &box{kind: rootBox, level: c.root, tracks: make([]rows, 1)}
	c.levels = map[string]*level{"": c.root}
	for key, e := range snap.Entries() {
		switch e := e.(type) {
		case projection.Row:
			l := c.levelOf(e)
			l.rows.Set(c.tok, key, e, 0)
			c.regroup(l)
		case *projection.Mark:
			c.mark(key, e)
		}
	}
	c.settle()
}

// Apply follows a change of the conversation, snap being the snapshot after it. It reports whether the feed moved.
func (c *Composer) Apply(snap *projection.Snapshot, change *projection.Change) (moved bool) {
	if change.Reset || change.MarksMended {
		c.rebuild(snap)
		return true
	}
	c.snap = snap
	for _, m := range change.Marks {
		c.mark(m.Key, m.Mark)
	}
	for _, m := range change.Rows {
		c.row(m)
	}
	for _, s := range change.Slices {
		switch s.Kind {
		case projection.SliceNode:
			c.nodeMoved(s.Path)
		case projection.SliceHasEarlier:
			c.each(func(b *box) { c.dirty[b] = true })
		}
	}
	return c.settle()
}

// Rows are the feed's top-level items as they stand. They stay as they are when the composer goes on.
func (c *Composer) rows() rows {
	c.tok = &ordered.Token{}
	return c.root.box.tracks[0]
}

// child returns the level of a plan subgraph below l, making it if need be; nil when the plan has none there.
func (c *Composer) child(l *level, segment string) *level {
	path := append(append(make([]string, 0, len(l.path)+1), l.path...), segment)
	key := projection.PathKey(path)
	if known := c.levels[key]; known != nil {
		return known
	}
	node := c.shape.subgraph(key)
	if node == nil {
		return nil
	}
	below := &level{key: key, path: path, node: node, up: l, children: map[string]*level{}, boxes: map[string]*box{}}
	below.box = &box{kind: subagentBox, level: below, key: c.key("subagent", key), path: path, node: key, tracks: make([]rows, 1)}
	l.children[segment] = below
	c.levels[key] = below
	return below
}

// levelOf is the deepest level that encloses a row, as far as the plan knows its subgraphs.
func (c *Composer) levelOf(r projection.Row) *level {
	l := c.root
	pl := r.Common().Place()
	if pl == nil {
		return l
	}
	if known := c.levels[pl.Parent.Key()]; known != nil {
		return known
	}
	for _, segment := range pl.SubgraphPath {
		below := c.child(l, segment)
		if below == nil {
			return l
		}
		l = below
	}
	return l
}

// mark takes a lifecycle fact: it is evidence of every subgraph at or above it.
func (c *Composer) mark(key uint64, m *projection.Mark) {
	pl := m.Place()
	if pl == nil || m.Kind != projection.MarkStart && m.Kind != projection.MarkEnd {
		return
	}
	if m.Kind == projection.MarkStart {
		if first := c.starts[pl.Key()]; first == 0 || key < first {
			c.starts[pl.Key()] = key
			c.startMoved(pl)
		}
		if v := (visit{pl.Key(), m.Activation()}); m.Activation() != "" && !c.visits[v] {
			c.visits[v] = true
			c.startMoved(pl)
		}
	}
	l := c.root
	for _, segment := range pl.Path {
		below := c.child(l, segment)
		if below == nil {
			return
		}
		if below.firstMark == 0 || key < below.firstMark {
			below.firstMark = key
			c.regroup(below)
		}
		l = below
	}
}

// startMoved lets the cards that begin with a node's start be made anew; it matters only in a window.
func (c *Composer) startMoved(pl *projection.Place) {
	if !c.snap.HasEarlier() {
		return
	}
	if l := c.levels[pl.Key()]; l != nil {
		c.dirty[l.box] = true
	}
	if l := c.levels[pl.Parent.Key()]; l != nil {
		for _, b := range l.boxes {
			c.dirty[b] = true
		}
	}
}

// row follows the move of one row.
func (c *Composer) row(m projection.RowMove) {
	l := c.levelOf(m.Row)
	switch m.Kind {
	case projection.MoveInsert:
		l.rows.Set(c.tok, m.Key, m.Row, 0)
		c.regroup(l)
	case projection.MoveRemove:
		l.rows.Del(c.tok, m.Key)
		delete(c.spots, m.Key)
		c.regroup(l)
	default:
		old, _ := l.rows.Get(m.Key)
		l.rows.Set(c.tok, m.Key, m.Row, 0)
		if c.again[l] || old == nil || !sameStamps(old, m.Row) {
			c.regroup(l)
			return
		}
		s := c.spots[m.Key]
		s.box.put(c.tok, s.track, m.Key, m.Row.(Row))
		c.dirty[s.box] = true
	}
}

// sameStamps tells whether two values of a row are grouped alike.
func sameStamps(a, b projection.Row) bool {
	x, y := a.Common(), b.Common()
	return same(x.Activation(), y.Activation()) && same(x.Iteration(), y.Iteration())
}

// regroup notes that a level must be grouped anew.
func (c *Composer) regroup(l *level) { c.again[l] = true }

// nodeMoved lets the cards that tell of a node's run be made anew.
func (c *Composer) nodeMoved(path string) {
	pl := c.snap.PlaceByKey(path)
	if l := c.levels[path]; l != nil {
		c.dirty[l.box] = true
	}
	for up := pl.Parent; up != nil; up = up.Parent {
		if l := c.levels[up.Key()]; l != nil {
			c.dirty[l.box] = true
		}
	}
	for _, r := range c.shape.entries[path] {
		if l := c.levels[pl.Parent.Key()]; l != nil {
			for _, b := range l.boxes {
				if b.region == r && b.last {
					c.dirty[b] = true
				}
			}
		}
	}
}

func (c *Composer) each(f func(*box)) {
	for _, l := range c.levels {
		f(l.box)
		for _, b := range l.boxes {
			f(b)
		}
	}
}

// settle groups and makes what was noted, the innermost first, and reports whether the feed moved.
func (c *Composer) settle() (moved bool) {
	c.regroupAll()
	byDepth := map[int][]*box{}
	deepest := 0
	for b := range c.dirty {
		d := b.depth()
		byDepth[d] = append(byDepth[d], b)
		deepest = max(deepest, d)
	}
	for d := deepest; d >= 0; d-- {
		for _, b := range byDepth[d] {
			if b.kind == rootBox {
				moved = moved || b.touched
				b.touched = false
				continue
			}
			if b.up == nil { // a subgraph without evidence any longer, or a card that was dropped
				continue
			}
			b.val = c.make(b)
			b.touched = false
			was := b.up.touched
			b.up.put(c.tok, b.track, b.at, b.val)
			if b.up.touched && !was && !c.dirty[b.up] {
				c.dirty[b.up] = true
				byDepth[d-1] = append(byDepth[d-1], b.up)
			}
		}
	}
	clear(c.dirty)
	return moved
}

// regroupAll groups the noted levels anew, the innermost first; a level whose card enters, moves or goes
// takes the one above with it.
func (c *Composer) regroupAll() {
	for len(c.again) > 0 {
		deepest := 0
		for l := range c.again {
			deepest = max(deepest, len(l.path))
		}
		for l := range c.again {
			if len(l.path) < deepest {
				continue
			}
			delete(c.again, l)
			was := l.at
			c.compose(l)
			if l.at != was && l.up != nil {
				c.again[l.up] = true
			}
		}
	}
}

// key is a card's key: opaque, unique across conversations, of what identifies the card and nothing else.
func (c *Composer) key(kind string, parts ...string) string {
	return hash(append([]string{"card", c.snap.ID(), kind}, parts...)...)
}

// hash is an opaque name that begins with the first part and that other parts would not have.
func hash(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	return parts[0] + "~" + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15])
}
