package encoded

import (
	"maps"
	"slices"

	"inlaygraph/projection"
)

// Fields are the fields that have a writer, by their type.
func Fields() map[string][]string {
	out := map[string][]string{}
	add(out, &userRow)
	add(out, &assistantRow)
	add(out, &outputRow)
	add(out, &toolCallRow)
	add(out, &toolResultRow)
	add(out, &nodeView)
	add(out, &branch)
	add(out, &publicError)
	add(out, &tokenUsage)
	return out
}

func add[T any](out map[string][]string, k *kind[T]) {
	names := append(slices.Collect(maps.Keys(k.leaves)), slices.Collect(maps.Keys(k.nested))...)
	slices.Sort(names)
	out[k.name] = names
}

// AppendString is what strings are written by.
var AppendString = appendString

// Misplace puts what is kept of one row to the place of another, as if the one were gone and the other had come to its place in
// memory.
func (c *Cache) Misplace(gone, came projection.Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range c.texts.Keys() {
		if t, _ := c.texts.Peek(key); key.row == keyOf(gone.Common(), 0).row {
			c.texts.Remove(key)
			c.texts.Add(keyOf(came.Common(), key.object), t)
			c.bytes += cost(t.text)
		}
	}
}

// Drop is as if a row were gone that was where this one is.
func (c *Cache) Drop(row projection.Row) {
	c.mu.Lock()
	keys := c.texts.Keys()
	c.mu.Unlock()
	for _, key := range keys {
		if key.row == keyOf(row.Common(), 0).row {
			c.drop(key)
		}
	}
}
