package scalars

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

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

// MarshalMicroUSD writes an amount of millionths of a US dollar as a JSON number; outside ±MaxSafeInt it is null.
func MarshalMicroUSD(n int64) graphql.Marshaler { return marshalInteger(n, -MaxSafeInt, MaxSafeInt) }

// UnmarshalMicroUSD reads an amount within ±MaxSafeInt.
func UnmarshalMicroUSD(v any) (int64, error) {
	return unmarshalInteger("MicroUSD", v, -MaxSafeInt, MaxSafeInt)
}

// AppendInt appends what MarshalInt writes. It is false, and nothing is appended, outside 32 bits.
func AppendInt(b []byte, n int) ([]byte, bool) {
	return appendInteger(b, int64(n), math.MinInt32, math.MaxInt32)
}

// AppendSafeInt appends what MarshalSafeInt writes. It is false, and nothing is appended, outside ±MaxSafeInt.
func AppendSafeInt(b []byte, n int64) ([]byte, bool) {
	return appendInteger(b, n, -MaxSafeInt, MaxSafeInt)
}

func marshalInteger(n, least, most int64) graphql.Marshaler {
	var buf [20]byte
	b, ok := appendInteger(buf[:0], n, least, most)
	if !ok {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(b) })
}

func appendInteger(b []byte, n, least, most int64) ([]byte, bool) {
	if n < least || n > most {
		return b, false
	}
	return strconv.AppendInt(b, n, 10), true
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

// wholeNumber reads a JSON number whose value is whole, 1.0 and 1e3 among them. It rounds nothing: precision holds more
// digits than maxDigits have.
func wholeNumber(v json.Number) (int64, bool) {
	const maxDigits, precision = 64, 256
	if n, err := v.Int64(); err == nil {
		return n, true
	}
	if len(v) > maxDigits {
		return 0, false
	}
	f, _, err := big.ParseFloat(v.String(), 10, precision, big.ToZero)
	if err != nil || !f.IsInt() {
		return 0, false
	}
	n, accuracy := f.Int64()
	digits, _, _ := strings.Cut(strings.ToLower(v.String()), "e")
	vanished := n == 0 && strings.ContainsAny(digits, "123456789")
	return n, accuracy == big.Exact && !vanished
}
