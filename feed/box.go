package feed

import (
	"iter"
	"slices"

	"inlaygraph/ordered"
)

type boxKind uint8

const (
	rootBox boxKind = iota
	subagentBox
	repeatBox
	fanOutBox
)

// box is a card in the making: what a card holds and where it stands. The card itself (val) is made when a change
// settles, and only where something moved.
type box struct {
	kind boxKind
	key  string
	path []string // of the card's node
	node string   // its path key

	up    *box // whose track holds the card; nil for the root, and for a subagent without evidence
	track int
	at    uint64 // the card's key in that track: its first item's

	tracks     []rows
	iterations []int32 // of a repeat, ascending: one for each track
	activation string  // of a repeat
	region     *region // of a fan-out
	last       bool    // the region's last card
	held       map[visit]int

	val     Row
	touched bool // a track moved since val was made
	dirty   bool // val is to be made anew, or looked at
	dropped bool // another grouping has no such card
	was     *box // the same card in the grouping before, which goes on if it held the same
}

// visit is one activation of one node. An activation names a visit of one path, so that the path counts too.
type visit struct{ path, activation string }

// item is what stands in a level, or in a card: a row or a card.
type item struct {
	key        uint64
	row        Row
	box        *box
	path       string // of its node; "" for a row that takes no part in grouping
	activation string // a fan-out card has its first item's, a subagent's card none
	iteration  int32
	user       bool
}

// counts tells whether regions take notice of the item: a row says by its activation that it is of a visit.
func (it *item) counts() bool { return it.box != nil || it.activation != "" }

func (it *item) visit() visit { return visit{it.path, it.activation} }

func (b *box) depth() (n int) {
	for b = b.up; b != nil; b = b.up {
		n++
	}
	return n
}

// list returns one list of the box. track is a branch of a fan-out, an iteration of a repeat, which is made
// room for if need be, and 0 elsewhere.
func (b *box) list(track int) *rows {
	if b.kind == repeatBox {
		i, known := slices.BinarySearch(b.iterations, int32(track))
		if !known { // cards that were made share the old slices
			b.iterations = slices.Insert(slices.Clone(b.iterations), i, int32(track))
			b.tracks = slices.Insert(slices.Clone(b.tracks), i, rows{})
		}
		track = i
	}
	return &b.tracks[track]
}

// set makes row the item under key of a track.
func (b *box) set(tok *ordered.Token, track int, key uint64, row Row) {
	list := b.list(track)
	if old, ok := list.Get(key); ok && old == row {
		return
	}
	list.Set(tok, key, row, 0)
	b.touched = true
}

// hold counts n more of an item's visit in a fan-out, and in those around it.
func (b *box) hold(it *item, n int) {
	if it.activation == "" {
		return
	}
	v := it.visit()
	for ; b != nil && b.kind == fanOutBox; b = b.up {
		if b.held[v] += n; b.held[v] == 0 {
			delete(b.held, v)
		}
	}
}

// resume lets a card go on as the one that it was before the level was grouped anew, if it holds the same, so that
// readers keep the same object.
func (b *box) resume() {
	w := b.was
	if w == nil {
		return
	}
	b.was, b.touched = nil, true
	if slices.EqualFunc(w.tracks, b.tracks, sameList) {
		b.val, b.touched = w.val, w.touched
	}
}

// sameList tells whether two lists read alike: the same rows under the same keys, which name those without an id,
// and the same cards, wherever their evidence now stands.
func sameList(a, b rows) bool {
	if a.Len() != b.Len() {
		return false
	}
	next, stop := iter.Pull2(b.All())
	defer stop()
	for key, r := range a.All() {
		otherKey, other, _ := next()
		if _, isCard := r.(Composite); r != other || key != otherKey && !isCard {
			return false
		}
	}
	return true
}
