package projection

import "sync"

// symbols gives each distinct name a small ordinal, so that persistent trees can be keyed by it. The
// owner adds, readers of snapshots look up: it only grows, and an ordinal never changes its meaning.
type symbols[K comparable] struct {
	mu     sync.RWMutex
	ord    map[K]uint64
	name   map[uint64]K
	next   uint64
	length func(K) int
	bytes  int // what they count for; the owner's own
}

func newSymbols[K comparable](length func(K) int) *symbols[K] {
	return &symbols[K]{ord: map[K]uint64{}, name: map[uint64]K{}, length: length}
}

func stringBytes(s string) int { return len(s) }

// add returns the ordinal of k, giving it one if need be.
func (y *symbols[K]) add(k K) uint64 {
	if n, ok := y.find(k); ok {
		return n
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	n := y.next
	y.next++
	y.ord[k] = n
	y.name[n] = k
	y.bytes += nameCost + y.length(k)
	return n
}

// find returns the ordinal of k, if it has one.
func (y *symbols[K]) find(k K) (uint64, bool) {
	y.mu.RLock()
	defer y.mu.RUnlock()
	n, ok := y.ord[k]
	return n, ok
}

// of returns what stands behind an ordinal.
func (y *symbols[K]) of(n uint64) K {
	y.mu.RLock()
	defer y.mu.RUnlock()
	return y.name[n]
}

// len is how many names there are; the owner's own.
func (y *symbols[K]) len() int { return len(y.name) }

// without returns symbols that have only the names that still have a use, under the same ordinals. Snapshots go on
// with the ones they have.
func (y *symbols[K]) without(gone func(ord uint64) bool) *symbols[K] {
	z := newSymbols(y.length)
	z.next = y.next
	for n, k := range y.name {
		if !gone(n) {
			z.ord[k], z.name[n] = n, k
			z.bytes += nameCost + z.length(k)
		}
	}
	return z
}
