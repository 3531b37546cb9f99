package encoded

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inlaygraph/projection"
)

// DefaultBytes is how much a cache keeps unless it is told otherwise: 64 MiB.
const DefaultBytes = 64 << 20

const (
	// maxText is the longest text of a row that is kept, in bytes.
	maxText = 1 << 20
	// entryBytes is what an entry takes beside its text.
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

// rowKey names a row's value under a selection, by the place that the row has in memory. It does not hold the row: whether
// the one that was there is still the same, the text's own pointer knows.
type rowKey struct {
	row    uintptr
	object uint64
}

func keyOf(row *projection.Spine, object uint64) rowKey {
	return rowKey{uintptr(unsafe.Pointer(row)), object} // only compared
}

// keptText is what was written of a row. It is never changed.
type keptText struct {
	text []byte
	row  weak.Pointer[projection.Spine] // nil once the row is gone, whatever comes to its place
	gone runtime.Cleanup                // takes the text out then
}

// NewCache makes a cache that keeps at most so many bytes. With 0 it keeps nothing, and lists are written all the same.
func NewCache(maxBytes int) *Cache {
	c := &Cache{max: maxBytes}
	// The only error is of a size below one.
	c.texts, _ = simplelru.NewLRU(math.MaxInt, func(_ rowKey, t keptText) {
		c.bytes -= cost(t.text)
		t.gone.Stop() // or else a row would get one more whenever its text is kept again
	})
	c.objects, _ = simplelru.NewLRU[string, any](maxSelections, nil)
	return c
}

func (c *Cache) get(row *projection.Spine, object uint64) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.texts.Get(keyOf(row, object))
	if !ok || t.row.Value() != row {
		c.misses++
		return nil, false
	}
	c.hits++
	return t.text, true
}

func cost(text []byte) int { return len(text) + entryBytes }

// keep copies text. It goes with the row: once nobody holds that any longer, nobody asks.
func (c *Cache) keep(row *projection.Spine, object uint64, text []byte) {
	if len(text) > maxText || cost(text) > c.max/16 { // one row does not take the place of all others
		return
	}
	t := keptText{text: make([]byte, len(text)), row: weak.Make(row)}
	copy(t.text, text)
	key := keyOf(row, object)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.texts.Peek(key); ok {
		if known.row == t.row { // somebody else was faster
			return
		}
		c.texts.Remove(key) // of one that was there before
	}
	t.gone = runtime.AddCleanup(row, c.drop, key)
	c.texts.Add(key, t)
	c.bytes += cost(t.text)
	for c.bytes > c.max {
		c.texts.RemoveOldest()
	}
}

// drop takes the text of a row out that is gone, unless another row has come to its place and has one there.
func (c *Cache) drop(key rowKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.texts.Peek(key); ok && t.row.Value() == nil {
		c.texts.Remove(key)
	}
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
