package billing

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxInteger is the greatest integer that every JSON reader holds exactly: 2^53-1.
const maxInteger = 1<<53 - 1

const (
	notInteger = "is no whole number within ±(2^53-1), written in digits alone"
	notInt32   = "is no whole number of 32 bits, written in digits alone"
	notText    = "is no text"
	notFlag    = "is neither true nor false"
	notTime    = "is no RFC 3339 time with a zone"
)

// integer reads money and counts.
func integer(raw []byte) (int64, *fault) {
	n, ok := digits(raw, -maxInteger, maxInteger)
	if !ok {
		return 0, &fault{why: notInteger}
	}
	return n, nil
}

// small reads a number that is an Int in GraphQL.
func small(raw []byte) (int, *fault) {
	n, ok := digits(raw, math.MinInt32, math.MaxInt32)
	if !ok {
		return 0, &fault{why: notInt32}
	}
	return int(n), nil
}

// digits reads an integer that JSON spells without a fraction and an exponent.
func digits(raw []byte, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64) // takes a plus and leading zeros too, which no JSON number has
	return n, err == nil && n >= least && n <= most
}

// text reads a string. What is no UTF-8 reads as U+FFFD.
func text(raw []byte) (string, *fault) {
	if raw[0] != '"' {
		return "", &fault{why: notText}
	}
	// The error tells of invalid UTF-8 alone, which is replaced: the rest was checked.
	plain, _ := jsontext.AppendUnquote(nil, raw)
	return string(plain), nil
}

// identifier is text that names something: empty, it names nothing and is absent.
func identifier(raw []byte) (string, *fault) {
	id, wrong := text(raw)
	if wrong == nil && id == "" {
		wrong = &fault{why: missing}
	}
	return id, wrong
}

// boolean reads true or false.
func boolean(raw []byte) (bool, *fault) {
	if raw[0] != 't' && raw[0] != 'f' {
		return false, &fault{why: notFlag}
	}
	return raw[0] == 't', nil
}

// rfc3339 is what package time alone would not insist on: two digits of the hour, a point before the fraction, a zone of
// less than a day. RFC 3339 lets `t` and `z` be small.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// instant reads a time. The answer is in UTC, so that equal instants are equal values.
func instant(raw []byte) (time.Time, *fault) {
	said, wrong := text(raw)
	if wrong != nil {
		return time.Time{}, wrong
	}
	if !rfc3339.MatchString(said) {
		return time.Time{}, &fault{why: notTime}
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(said))
	at = at.UTC()
	// A zone can carry the first and last instants out of the years that RFC 3339 can spell.
	if err != nil || at.Year() < 0 || at.Year() > 9999 {
		return time.Time{}, &fault{why: notTime}
	}
	return at, nil
}
