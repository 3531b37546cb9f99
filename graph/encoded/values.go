package encoded

import (
	"context"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"inlaygraph/graph/scalars"
	"inlaygraph/projection"
)

// The writers of values, each made of what reads the value from its object. What can be null where the schema has no
// null, and what the executor would report, is nil.

func word[T any](s string) writer[T] {
	quoted := string(appendString(nil, s))
	return func(b []byte, _ T) []byte { return append(b, quoted...) }
}

func stringOf[T any](read func(T) string) writer[T] {
	return func(b []byte, v T) []byte { return appendString(b, read(v)) }
}

func optionalStringOf[T any](read func(T) *string) writer[T] {
	return func(b []byte, v T) []byte {
		if s := read(v); s != nil {
			return appendString(b, *s)
		}
		return appendNull(b)
	}
}

func stringsOf[T any](read func(T) []string) writer[T] {
	return func(b []byte, v T) []byte { return appendStrings(b, read(v)) }
}

func optionalStringsOf[T any](read func(T) []string) writer[T] {
	return func(b []byte, v T) []byte {
		if list := read(v); list != nil {
			return appendStrings(b, list)
		}
		return appendNull(b)
	}
}

func boolOf[T any](read func(T) bool) writer[T] {
	return func(b []byte, v T) []byte {
		if read(v) {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	}
}

func intOf[T any](read func(T) int) writer[T] {
	return func(b []byte, v T) []byte { return required(scalars.AppendInt(b, read(v))) }
}

func optionalIntOf[T any](read func(T) *int32) writer[T] {
	return func(b []byte, v T) []byte {
		if n := read(v); n != nil {
			return required(scalars.AppendInt(b, int(*n)))
		}
		return appendNull(b)
	}
}

func safeIntOf[T any](read func(T) int64) writer[T] {
	return func(b []byte, v T) []byte { return required(scalars.AppendSafeInt(b, read(v))) }
}

func optionalSafeIntOf[T any](read func(T) *int64) writer[T] {
	return func(b []byte, v T) []byte {
		if n := read(v); n != nil {
			return nullable(scalars.AppendSafeInt(b, *n))
		}
		return appendNull(b)
	}
}

func optionalTimeOf[T any](read func(T) *time.Time) writer[T] {
	return func(b []byte, v T) []byte {
		if t := read(v); t != nil {
			return nullable(scalars.AppendDateTime(b, *t))
		}
		return appendNull(b)
	}
}

func jsonOf[T any](read func(T) projection.Value) writer[T] {
	return func(b []byte, v T) []byte { return read(v).AppendJSON(b) }
}

// enumOf writes the names that marshal writes.
func enumOf[T any, E ~uint8](marshal func(E) graphql.Marshaler, read func(T) E) writer[T] {
	var names [256]string
	for n := range names {
		if m := marshal(E(n)); m != graphql.Null {
			var name strings.Builder
			m.MarshalGQL(&name)
			names[n] = name.String()
		}
	}
	return func(b []byte, v T) []byte { return named(b, names[read(v)]) }
}

// optionalEnumOf is enumOf for an enum that is nullable, whose marshaler has an error of its own.
func optionalEnumOf[T any, E ~uint8](marshal func(E) graphql.ContextMarshaler, read func(T) *E) writer[T] {
	var names [256]string
	for n := range names {
		var name strings.Builder
		if err := marshal(E(n)).MarshalGQLContext(context.Background(), &name); err == nil {
			names[n] = name.String()
		}
	}
	return func(b []byte, v T) []byte {
		if e := read(v); e != nil {
			return named(b, names[*e])
		}
		return appendNull(b)
	}
}

// named appends an enum's name; "" is none.
func named(b []byte, name string) []byte {
	if name == "" {
		return nil
	}
	return append(b, name...)
}

// required gives up where there is no value.
func required(b []byte, ok bool) []byte {
	if !ok {
		return nil
	}
	return b
}

// nullable writes null where there is no value.
func nullable(b []byte, ok bool) []byte {
	if !ok {
		return appendNull(b)
	}
	return b
}

func appendNull(b []byte) []byte { return append(b, "null"...) }
