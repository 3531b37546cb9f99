package scalars

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
)

// MaxSafeInt is the greatest integer that every JSON reader holds exactly: 2^53-1.
const MaxSafeInt = 1<<53 - 1

// MarshalInt writes an Int; outside 32 bits it is null.
func MarshalInt(n int) graphql.Marshaler {
	return marshalInteger(int64(n), math.MinInt32, math.MaxInt32)
}

// UnmarshalInt reads an Int of at most 32 bits.
func UnmarshalInt(v any) (int, error) {
	n, err := unmarshalInteger("Int", v, math.MinInt32, math.MaxInt32)
	return int(n), err
}

// MarshalSafeInt writes a SafeInt as a JSON number; outside ±MaxSafeInt it is null.
func MarshalSafeInt(n int64) graphql.Marshaler { return marshalInteger(n, -MaxSafeInt, MaxSafeInt) }

// UnmarshalSafeInt reads an integer within ±MaxSafeInt.
func UnmarshalSafeInt(v any) (int64, error) {
	return unmarshalInteger("SafeInt", v, -MaxSafeInt, MaxSafeInt)
}

func marshalInteger(n, least, most int64) graphql.Marshaler {
	if n < least || n > most {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) {
		var buf [20]byte
		_, _ = w.Write(strconv.AppendInt(buf[:0], n, 10))
	})
}

func unmarshalInteger(scalar string, v any, least, most int64) (int64, error) {
	n, whole := int64(0), true
	switch v := v.(type) {
	case int64: // a literal in the document
		n = v
	case int:
		n = int64(v)
	case json.Number: // a variable
		n, whole = wholeNumber(v)
	default:
		whole = false
	}
	if !whole || n < least || n > most {
		return 0, fmt.Errorf("%s takes an integer from %d to %d", scalar, least, most)
	}
	return n, nil
}

// wholeNumber reads a JSON number whose value is whole, 1.0 and 1e3 among them.
func wholeNumber(v json.Number) (int64, bool) {
	if n, err := v.Int64(); err == nil {
		return n, true
	}
	f, err := v.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > MaxSafeInt {
		return 0, false
	}
	return int64(f), true
}
