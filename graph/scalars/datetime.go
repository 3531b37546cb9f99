package scalars

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

var errDateTime = errors.New(`DateTime takes an RFC 3339 time with a zone, such as "2026-01-31T08:00:00Z"`)

// rfc3339 is what package time alone would not insist on: two digits of the hour, a point before the fraction, a zone
// of less than a day. RFC 3339 lets `t` and `z` be small.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// MarshalDateTime writes an instant in UTC, with as many digits of a second's fraction as it has. The zero time, and
// years that RFC 3339 can't spell, are null.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	var buf [len(`"2006-01-02T15:04:05.999999999Z"`)]byte
	b, ok := AppendDateTime(buf[:0], t)
	if !ok {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(b) })
}

// AppendDateTime appends what MarshalDateTime writes. It is false, and nothing is appended, for what has no spelling.
func AppendDateTime(b []byte, t time.Time) ([]byte, bool) {
	t = t.UTC()
	if t.IsZero() || t.Year() < 0 || t.Year() > 9999 {
		return b, false
	}
	b = append(b, '"')
	b = t.AppendFormat(b, time.RFC3339Nano)
	return append(b, '"'), true
}

// UnmarshalDateTime reads an RFC 3339 time. The answer is in UTC.
func UnmarshalDateTime(v any) (time.Time, error) {
	text, ok := v.(string)
	if !ok || !rfc3339.MatchString(text) {
		return time.Time{}, errDateTime
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil {
		return time.Time{}, errDateTime
	}
	// A zone can carry the first and last instants out of the years that RFC 3339 can spell.
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, errDateTime
	}
	return t, nil
}
