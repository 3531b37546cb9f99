package encoded

import (
	"maps"
	"slices"
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
