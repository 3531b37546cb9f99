package ordered

import (
	"iter"
	"slices"
	"sort"
)

// width is the most items a leaf, or children an inner node, may hold. 32 keeps a path copy under 2 KB
// at any length the window allows.
const width = 32

// Token owns the nodes that may be changed in place. A snapshot hands the current token over to the past
// and the state takes a new one, so that whatever the snapshot can reach is copied before it is changed.
// It must not be zero-sized: two pointers to zero-sized variables may be equal.
type Token struct{ _ byte }

// Tree is an ordered list: items under ascending uint64 keys, counted so that an item's index and the
// item at an index are found in O(log n), and carrying the greatest seq below each node. It is
// persistent: copying the struct is a snapshot, provided that later changes use another token.
type Tree[V any] struct{ root *node[V] }

type node[V any] struct {
	owner *Token
	keys  []uint64 // leaf: the items' keys; inner: the least key under each child at or below its true one
	vals  []V      // leaf only
	seqs  []int64  // leaf: the items' seqs, nil while all are 0
	kids  []*node[V]
	count int
	max   int64 // the greatest seq below
}

func (n *node[V]) leaf() bool { return n.kids == nil }

// mine returns n itself when tok owns it, else a copy that tok owns.
func (n *node[V]) mine(tok *Token) *node[V] {
	if n.owner == tok {
		return n
	}
	c := &node[V]{owner: tok, count: n.count, max: n.max, keys: roomy(n.keys)}
	if n.leaf() {
		c.vals = roomy(n.vals)
		if n.seqs != nil {
			c.seqs = roomy(n.seqs)
		}
	} else {
		c.kids = roomy(n.kids)
	}
	return c
}

// roomy returns a copy of list with room for a few more, and never for more than a node takes.
func roomy[E any](list []E) []E {
	return append(make([]E, 0, min(width+1, len(list)+4)), list...)
}

// insert puts e at i, growing within what a node takes.
func insert[E any](list []E, i int, e E) []E {
	if len(list) == cap(list) {
		list = append(make([]E, 0, min(width+1, 2*len(list)+2)), list...)
	}
	return slices.Insert(list, i, e)
}

// child returns the index of the child that holds, or would hold, key.
func (n *node[V]) child(key uint64) int {
	i := sort.Search(len(n.keys), func(i int) bool { return n.keys[i] > key })
	return max(i-1, 0)
}

func (n *node[V]) measure() {
	n.max = 0
	if n.leaf() {
		n.count = len(n.keys)
		for _, s := range n.seqs {
			n.max = max(n.max, s)
		}
		return
	}
	n.count = 0
	for _, k := range n.kids {
		n.count += k.count
		n.max = max(n.max, k.max)
	}
}

// Len returns the number of items.
func (t Tree[V]) Len() int {
	if t.root == nil {
		return 0
	}
	return t.root.count
}

// MaxSeq returns the greatest seq of an item, 0 for none.
func (t Tree[V]) MaxSeq() int64 {
	if t.root == nil {
		return 0
	}
	return t.root.max
}

// Get returns the item under key.
func (t Tree[V]) Get(key uint64) (v V, ok bool) {
	n := t.root
	if n == nil {
		return v, false
	}
	for !n.leaf() {
		n = n.kids[n.child(key)]
	}
	if i, found := slices.BinarySearch(n.keys, key); found {
		return n.vals[i], true
	}
	return v, false
}

// Set puts v under key, replacing what was there. seq is the item's seq, 0 for none.
func (t *Tree[V]) Set(tok *Token, key uint64, v V, seq int64) {
	if t.root == nil {
		t.root = &node[V]{owner: tok}
	}
	left, right := t.root.set(tok, key, v, seq)
	if right == nil {
		t.root = left
		return
	}
	t.root = &node[V]{owner: tok, keys: []uint64{left.keys[0], right.keys[0]}, kids: []*node[V]{left, right}}
	t.root.measure()
}

func (n *node[V]) set(tok *Token, key uint64, v V, seq int64) (left, right *node[V]) {
	n = n.mine(tok)
	if !n.leaf() {
		i := n.child(key)
		count, most := n.kids[i].count, n.kids[i].max
		l, r := n.kids[i].set(tok, key, v, seq)
		n.kids[i] = l
		n.keys[i] = min(n.keys[i], key)
		if r != nil {
			n.kids = insert(n.kids, i+1, r)
			n.keys = insert(n.keys, i+1, r.keys[0])
			i++
		} else if l.count == count && l.max == most {
			return n, nil
		}
		return n.split(tok, i)
	}
	i, found := slices.BinarySearch(n.keys, key)
	if found && (n.seqs == nil && seq == 0 || n.seqs != nil && n.seqs[i] == seq) {
		n.vals[i] = v
		return n, nil
	}
	if !found {
		n.keys = insert(n.keys, i, key)
		n.vals = insert(n.vals, i, v)
		if n.seqs != nil {
			n.seqs = insert(n.seqs, i, 0)
		}
	}
	n.vals[i] = v
	if seq != 0 && n.seqs == nil {
		n.seqs = make([]int64, len(n.keys), cap(n.keys))
	}
	if n.seqs != nil {
		n.seqs[i] = seq
	}
	return n.split(tok, i)
}

// split halves a node that has outgrown width. One that grew at its end stays full, since lists grow by
// appending. at is where it grew.
func (n *node[V]) split(tok *Token, at int) (left, right *node[V]) {
	if len(n.keys) <= width {
		n.measure()
		return n, nil
	}
	if at < len(n.keys)-1 {
		at = len(n.keys) / 2
	}
	r := &node[V]{owner: tok}
	n.keys, r.keys = cut(n.keys, at)
	if n.leaf() {
		n.vals, r.vals = cut(n.vals, at)
		if n.seqs != nil {
			n.seqs, r.seqs = cut(n.seqs, at)
		}
	} else {
		n.kids, r.kids = cut(n.kids, at)
	}
	n.measure()
	r.measure()
	return n, r
}

// cut splits a list in two; what was cut off is forgotten by the first.
func cut[E any](list []E, at int) (left, right []E) {
	right = roomy(list[at:])
	clear(list[at:])
	return list[:at], right
}

// Del removes the item under key.
func (t *Tree[V]) Del(tok *Token, key uint64) {
	if _, ok := t.Get(key); !ok {
		return
	}
	t.root = t.root.del(tok, key)
	for t.root != nil && !t.root.leaf() && len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
	}
}

// Del returns nil for a node that it emptied. Nodes may run low: deletions are rare and appends refill.
func (n *node[V]) del(tok *Token, key uint64) *node[V] {
	n = n.mine(tok)
	if n.leaf() {
		i, _ := slices.BinarySearch(n.keys, key)
		n.keys = slices.Delete(n.keys, i, i+1)
		n.vals = slices.Delete(n.vals, i, i+1)
		if n.seqs != nil {
			n.seqs = slices.Delete(n.seqs, i, i+1)
		}
	} else {
		i := n.child(key)
		if k := n.kids[i].del(tok, key); k != nil {
			n.kids[i] = k
		} else {
			n.kids = slices.Delete(n.kids, i, i+1)
			n.keys = slices.Delete(n.keys, i, i+1)
		}
	}
	if len(n.keys) == 0 {
		return nil
	}
	n.measure()
	return n
}

// Rank returns how many items stand before key.
func (t Tree[V]) Rank(key uint64) int {
	n, r := t.root, 0
	if n == nil {
		return 0
	}
	for !n.leaf() {
		i := n.child(key)
		for _, k := range n.kids[:i] {
			r += k.count
		}
		n = n.kids[i]
	}
	i, _ := slices.BinarySearch(n.keys, key)
	return r + i
}

// At returns the item that so many others stand before.
func (t Tree[V]) At(rank int) (key uint64, v V, ok bool) {
	n := t.root
	if n == nil || rank < 0 || rank >= n.count {
		return 0, v, false
	}
	for !n.leaf() {
		i := 0
		for ; rank >= n.kids[i].count; i++ {
			rank -= n.kids[i].count
		}
		n = n.kids[i]
	}
	return n.keys[rank], n.vals[rank], true
}

// Last returns the item with the greatest key.
func (t Tree[V]) Last() (key uint64, v V, ok bool) {
	n := t.root
	if n == nil {
		return 0, v, false
	}
	for !n.leaf() {
		n = n.kids[len(n.kids)-1]
	}
	i := len(n.keys) - 1
	return n.keys[i], n.vals[i], true
}

// Before returns the greatest key below key.
func (t Tree[V]) Before(key uint64) (uint64, bool) {
	for k := range t.Descend(key) {
		return k, true
	}
	return 0, false
}

// After returns the least key above key.
func (t Tree[V]) After(key uint64) (uint64, bool) {
	for k := range t.From(key + 1) {
		return k, true
	}
	return 0, false
}

// FirstSeqAbove returns the first key, in order, whose item has a seq greater than seq.
func (t Tree[V]) FirstSeqAbove(seq int64) (uint64, bool) {
	n := t.root
	if n == nil || n.max <= seq {
		return 0, false
	}
	for !n.leaf() {
		i := slices.IndexFunc(n.kids, func(k *node[V]) bool { return k.max > seq })
		n = n.kids[i]
	}
	i := slices.IndexFunc(n.seqs, func(s int64) bool { return s > seq })
	return n.keys[i], true
}

// All yields the items in order.
func (t Tree[V]) All() iter.Seq2[uint64, V] { return t.From(0) }

// From yields the items whose key is at least key, in order.
func (t Tree[V]) From(key uint64) iter.Seq2[uint64, V] {
	return func(yield func(uint64, V) bool) {
		if t.root != nil {
			t.root.ascend(key, yield)
		}
	}
}

func (n *node[V]) ascend(key uint64, yield func(uint64, V) bool) bool {
	if n.leaf() {
		i, _ := slices.BinarySearch(n.keys, key)
		for ; i < len(n.keys); i++ {
			if !yield(n.keys[i], n.vals[i]) {
				return false
			}
		}
		return true
	}
	for i := n.child(key); i < len(n.kids); i++ {
		if !n.kids[i].ascend(key, yield) {
			return false
		}
	}
	return true
}

// Descend yields the items whose key is below key, the last first.
func (t Tree[V]) Descend(key uint64) iter.Seq2[uint64, V] {
	return func(yield func(uint64, V) bool) {
		if t.root != nil {
			t.root.descend(key, yield)
		}
	}
}

func (n *node[V]) descend(key uint64, yield func(uint64, V) bool) bool {
	if n.leaf() {
		i, _ := slices.BinarySearch(n.keys, key)
		for i--; i >= 0; i-- {
			if !yield(n.keys[i], n.vals[i]) {
				return false
			}
		}
		return true
	}
	for i := n.child(key); i >= 0; i-- {
		if !n.kids[i].descend(key, yield) {
			return false
		}
	}
	return true
}
