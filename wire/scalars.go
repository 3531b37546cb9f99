package wire

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxInteger is the greatest integer that every JSON reader holds exactly: 2^53-1.
const maxInteger = 1<<53 - 1

// integer reads an integer within bounds. A fraction or an exponent is a wrong type even where its value
// is whole: the wire spells integers as such.
func integer(raw []byte, least, most int64) (int64, Reason) {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, ReasonWrongType
		}
	}
	if len(digits) > 16 { // beyond 2^53 either way
		return 0, ReasonOutOfRange
	}
	var n int64
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(raw) {
		n = -n
	}
	if n < least || n > most {
		return 0, ReasonOutOfRange
	}
	return n, ""
}

// small is integer for the members that are int32 in the public contract.
func small(raw []byte, least int64) (int, Reason) {
	n, why := integer(raw, least, math.MaxInt32)
	return int(n), why
}

// boolean reads true or false.
func boolean(raw []byte) (bool, Reason) {
	switch raw[0] {
	case 't':
		return true, ""
	case 'f':
		return false, ""
	}
	return false, ReasonWrongType
}

// instant reads an RFC 3339 time with a zone. The answer is in UTC, so that equal instants are equal
// values. RFC 3339 lets `t` and `z` be small; its leap second is refused, as no clock here has one.
func (s *state) instant(raw []byte) (time.Time, Reason) {
	if raw[0] != '"' {
		return time.Time{}, ReasonWrongType
	}
	text := s.unquote(raw)
	if !looksRFC3339(text) {
		return time.Time{}, ReasonBadTime
	}
	var at time.Time
	if at.UnmarshalText(text) != nil && at.UnmarshalText(bytes.ToUpper(text)) != nil {
		return time.Time{}, ReasonBadTime
	}
	at = at.UTC()
	// A zone can carry the first and last instants out of the years that RFC 3339 can spell.
	if year := at.Year(); year < 0 || year > 9999 {
		return time.Time{}, ReasonBadTime
	}
	return at, ""
}

// looksRFC3339 checks the digits and the marks between them. Package time alone would let through what
// RFC 3339 does not: an hour of one digit, a comma before the fraction, a zone of a day or more.
func looksRFC3339(text []byte) bool {
	const layout, offset = "0000-00-00T00:00:00", "+00:00"
	if len(text) < len(layout)+len("Z") || !fits(text[:len(layout)], layout) {
		return false
	}
	rest := text[len(layout):]
	if rest[0] == '.' {
		rest = rest[1:]
		digits := len(rest) - len(bytes.TrimLeft(rest, "0123456789"))
		if digits == 0 {
			return false
		}
		rest = rest[digits:]
	}
	switch {
	case len(rest) == len("Z"):
		return rest[0] == 'Z' || rest[0] == 'z'
	case len(rest) == len(offset) && (rest[0] == '+' || rest[0] == '-'):
		return fits(rest[1:], offset[1:]) && string(rest[1:3]) < "24" && string(rest[4:6]) < "60"
	}
	return false
}

// fits tells whether text has a digit where the layout has 0, and the layout's mark elsewhere.
func fits(text []byte, layout string) bool {
	for i, c := range text {
		switch mark := layout[i]; {
		case mark == '0':
			if c < '0' || c > '9' {
				return false
			}
		case c != mark && (mark != 'T' || c != 't'):
			return false
		}
	}
	return true
}

// indexed is the place of an array's element.
func indexed(place string, i int) string { return place + "[" + strconv.Itoa(i) + "]" }

// under is the place of a member within a place.
func under(place, member string) string {
	switch {
	case place == "":
		return member
	case member == "" || member[0] == '[':
		return place + member
	}
	return place + "." + member
}

// clip makes a word of the wire fit to be told in a log: at most 64 bytes, nothing unprintable.
func clip(word string) string {
	const most = 64
	if len(word) > most {
		word = word[:most]
		for len(word) > 0 {
			if r, n := utf8.DecodeLastRuneInString(word); r != utf8.RuneError || n > 1 {
				break
			}
			word = word[:len(word)-1]
		}
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, word)
}
