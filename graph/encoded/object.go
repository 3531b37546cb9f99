package encoded

import (
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// writer appends a value. What it can't write is nil, and goes the plain way.
type writer[T any] func(b []byte, v T) []byte

// kind is a concrete type, and who writes its fields.
type kind[T any] struct {
	name   string
	leaves map[string]writer[T]
	// nested make the writer of a field that has a selection.
	nested map[string]func(c *compiler, sel ast.SelectionSet) writer[T]
}

// object writes what is selected of one concrete type.
type object[T any] struct {
	fields []field[T]
	// covered is false where a field has no writer here.
	covered bool
	// id names the object among those of rows; what it writes is kept by it. 0 is none.
	id uint64
	// asked says that a list was written with it.
	asked atomic.Bool
}

// field is one field, by its response name.
type field[T any] struct {
	head  string // what stands before the value: `{"alias":` on the first, `,"alias":` on the others
	name  string
	write writer[T]
}

// append writes v.
func (o *object[T]) append(b []byte, v T) []byte {
	if !o.covered {
		return nil
	}
	if len(o.fields) == 0 {
		return append(b, "{}"...)
	}
	for i := range o.fields {
		b = o.fields[i].write(append(b, o.fields[i].head...), v)
		if b == nil {
			return nil
		}
	}
	return append(b, '}')
}

// compiler compiles one selection set, and notes the lists of rows that it meets in it.
type compiler struct {
	op   *operation
	rows []*rows
}

// compile collects what a selection has of a kind.
func compile[T any](c *compiler, k *kind[T], sel ast.SelectionSet) *object[T] {
	o := &object[T]{}
	names := map[string]string{}
	for _, f := range graphql.CollectFields(c.op.context, sel, c.op.schema.satisfies[k.name]) {
		if len(f.Arguments) > 0 || len(f.Deferrables) > 0 || !knownDirectives(f.Directives) {
			return o
		}
		write := k.writer(c, f)
		if write == nil {
			return o
		}
		if name, again := names[f.Alias]; again {
			// The executor keeps fields apart that it met under unrelated types, and writes the first.
			if name != f.Name || len(f.Selections) > 0 {
				return o
			}
			continue
		}
		names[f.Alias] = f.Name
		before := ","
		if len(o.fields) == 0 {
			before = "{"
		}
		o.fields = append(o.fields, field[T]{before + `"` + f.Alias + `":`, f.Name, write})
	}
	o.covered = true
	return o
}

func (k *kind[T]) writer(c *compiler, f graphql.CollectedField) writer[T] {
	if f.Name == "__typename" {
		return word[T](k.name)
	}
	if nested := k.nested[f.Name]; nested != nil {
		return nested(c, f.Selections)
	}
	return k.leaves[f.Name]
}

func knownDirectives(list ast.DirectiveList) bool {
	for _, d := range list {
		if d.Name != "skip" && d.Name != "include" {
			return false
		}
	}
	return true
}

// spelled says what the object writes: two of one text write the same.
func (o *object[T]) spelled(k *kind[T]) string {
	var b strings.Builder
	b.WriteString(k.name)
	for i := range o.fields {
		b.WriteString(o.fields[i].head + o.fields[i].name)
	}
	return b.String()
}

// appendObjects writes a list of objects, of which none may be nil.
func appendObjects[T any](b []byte, list []*T, o *object[*T]) []byte {
	return appendList(b, list, func(b []byte, v *T) []byte {
		if v == nil {
			return nil
		}
		return o.append(b, v)
	})
}

func appendList[T any](b []byte, list []T, element writer[T]) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b = element(b, v); b == nil {
			return nil
		}
	}
	return append(b, ']')
}
