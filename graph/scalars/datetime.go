package scalars

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

var errDateTime = errors.New(`DateTime takes an RFC 3339 time with a zone, such as "2026-01-31T08:00:00Z"`)

// MarshalDateTime writes an instant in UTC, with as many digits of a second's fraction as it has. The zero time, and
// years that RFC 3339 can't spell, are null.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	t = t.UTC()
	if t.IsZero() || t.Year() < 0 || t.Year() > 9999 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) {
		var buf [len(`"2006-01-02T15:04:05.999999999Z"`)]byte
		b := append(buf[:0], '"')
		b = t.AppendFormat(b, time.RFC3339Nano)
		_, _ = w.Write(append(b, '"'))
	})
}

// UnmarshalDateTime reads an RFC 3339 time. The answer is in UTC.
func UnmarshalDateTime(v any) (time.Time, error) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, errDateTime
	}
	var t time.Time
	// RFC 3339 lets `t` and `z` be small, which UnmarshalText does not; it is strict otherwise, unlike time.Parse.
	if err := t.UnmarshalText([]byte(strings.ToUpper(text))); err != nil {
		return time.Time{}, errDateTime
	}
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, errDateTime
	}
	return t, nil
}
