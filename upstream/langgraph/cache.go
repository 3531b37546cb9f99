package langgraph

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps what was read a short while ago, at most so much of it. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu   sync.Mutex
	lru  *simplelru.LRU[K, cached[V]]
	keep time.Duration
}

type cached[V any] struct {
	value V
	until time.Time
}

func newCache[K comparable, V any](size int, keep time.Duration) *cache[K, V] {
	lru, err := simplelru.NewLRU[K, cached[V]](size, nil)
	if err != nil {
		panic(err) // the size is a constant of ours
	}
	return &cache[K, V]{lru: lru, keep: keep}
}

func (c *cache[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.lru.Get(key)
	if !ok || time.Now().After(kept.until) {
		return value, false
	}
	return kept.value, true
}

func (c *cache[K, V]) put(key K, value V) { c.putFor(key, value, c.keep) }

func (c *cache[K, V]) putFor(key K, value V, keep time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Add(key, cached[V]{value, time.Now().Add(keep)})
}
