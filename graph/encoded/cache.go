package encoded

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inlaygraph/projection"
)

// DefaultBytes is how much a cache keeps unless it is told otherwise: 64 MiB.
const DefaultBytes = 64 << 20

const (
	// maxText is the longest text of a row that is kept, in bytes.
	maxText = 1 << 20
	// entryBytes is what an entry and its row take beside their texts.
	entryBytes = 512
	// maxSelections is how many selections are told from one another, and maxSelection how long one may be, spelled.
	maxSelections, maxSelection = 512, 1 << 10
)

// Cache keeps what was written of rows, and of which selections. Safe for concurrent use.
type Cache struct {
	max int

	mu      sync.Mutex
	texts   *simplelru.LRU[rowKey, keptText]
	bytes   int
	objects *simplelru.LRU[string, any] // *object of a kind of row, by what it spells
	ids     uint64

	hits, misses uint64 // guarded by mu
	lists, plain atomic.Uint64
}

// rowKey names a row's value under a selection. It holds the row, so that no other comes to its place.
type rowKey struct {
	row    *projection.Spine
	object uint64
}

// keptText is what was written of a row. It is never changed.
type keptText struct {
	text  []byte
	bytes int // that go with it
}

// NewCache makes a cache that keeps at most so many bytes: its own, and those of the rows that it may be the last to
// hold. With 0 it keeps nothing, and lists are written all the same.
func NewCache(maxBytes int) *Cache {
	c := &Cache{max: maxBytes}
	// The only error is of a size below one.
	c.texts, _ = simplelru.NewLRU(math.MaxInt, func(_ rowKey, t keptText) { c.bytes -= t.bytes })
	c.objects, _ = simplelru.NewLRU[string, any](maxSelections, nil)
	return c
}

func (c *Cache) get(key rowKey) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.texts.Get(key)
	if ok {
		c.hits++
	} else {
		c.misses++
	}
	return t.text, ok
}

// keep copies text.
func (c *Cache) keep(key rowKey, text []byte, row projection.Row) {
	t := keptText{bytes: len(text) + textBytes(row) + entryBytes}
	if len(text) > maxText || t.bytes > c.max/16 { // one row does not take the place of all others
		return
	}
	t.text = make([]byte, len(text))
	copy(t.text, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts.Contains(key) { // somebody else was faster
		return
	}
	c.texts.Add(key, t)
	c.bytes += t.bytes
	for c.bytes > c.max {
		c.texts.RemoveOldest()
	}
}

// textBytes is what a row's texts take.
func textBytes(row projection.Row) (n int) {
	switch row := row.(type) {
	case *projection.UserRow:
		return len(row.Content)
	case *projection.AssistantRow:
		if r := row.Reasoning(); r != nil {
			n = len(*r)
		}
		return n + len(row.Content)
	case *projection.OutputRow:
		for _, e := range row.SchemaErrors() {
			n += len(e)
		}
		return n + len(row.Value.AppendJSON(nil))
	case *projection.ToolCallRow:
		return len(row.Input)
	case *projection.ToolResultRow:
		return len(row.Output)
	}
	return 0
}

// intern answers with the object that writes the same, if one is known, and else takes this one for it.
func intern[R projection.Row](c *Cache, k *kind[R], o *object[R]) *object[R] {
	text := o.spelled(k)
	if !o.covered || len(text) > maxSelection {
		return o
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.objects.Get(text); ok {
		return known.(*object[R])
	}
	c.ids++
	o.id = c.ids
	c.objects.Add(text, o)
	return o
}

// Stats are what a cache was used for so far, and what it keeps.
type Stats struct {
	// Lists were written by this package, Plain went the plain way.
	Lists, Plain uint64
	// Hits are rows whose text was kept, Misses those that were looked for in vain.
	Hits, Misses uint64
	// Texts is how many are kept now, Bytes what they count for, and Selections how many are told from one another.
	Texts, Bytes, Selections int
}

// Stats counts.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{
		Lists: c.lists.Load(), Plain: c.plain.Load(), Hits: c.hits, Misses: c.misses,
		Texts: c.texts.Len(), Bytes: c.bytes, Selections: c.objects.Len(),
	}
}
