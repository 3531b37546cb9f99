package projection

import "sync"

// symbols gives each distinct name a small ordinal, so that persistent trees can be keyed by it. The
// owner adds, readers of snapshots look up: it only grows, and an ordinal never changes its meaning.
type symbols[K comparable] struct {
	mu   sync.RWMutex
	ord  map[K]uint64
	name []K
}

func newSymbols[K comparable]() *symbols[K] { return &symbols[K]{ord: map[K]uint64{}} }

// add returns the ordinal of k, giving it one if need be.
func (y *symbols[K]) add(k K) uint64 {
	if n, ok := y.find(k); ok {
		return n
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	n := uint64(len(y.name))
	y.ord[k] = n
	y.name = append(y.name, k)
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
