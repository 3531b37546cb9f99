package wire

import (
	"bytes"
	"hash/maphash"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of the table of repeated strings that each pooled state keeps: at most 256 strings of 128
// bytes. Most strings of a stream are a few node ids, activations and message ids, again and again.
const (
	internSlots = 256
	internBytes = 128
)

var internSeed = maphash.MakeSeed()

// unquote answers what a JSON string says. The bytes are valid until the next call. Invalid UTF-8 and
// lone surrogates read as U+FFFD.
func (s *state) unquote(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	// The error tells of invalid UTF-8 alone, which is replaced: the rest was checked.
	s.scratch, _ = jsontext.AppendUnquote(s.scratch[:0], raw)
	return s.scratch
}

// text reads a string member.
func (s *state) text(raw []byte) (string, Reason) {
	if raw[0] != '"' {
		return "", ReasonWrongType
	}
	return string(s.unquote(raw)), ""
}

// name reads a string member whose values repeat from record to record: equal strings share memory.
func (s *state) name(raw []byte) (string, Reason) {
	if raw[0] != '"' {
		return "", ReasonWrongType
	}
	plain := s.unquote(raw)
	if len(plain) == 0 || len(plain) > internBytes {
		return string(plain), ""
	}
	slot := &s.interned[maphash.Bytes(internSeed, plain)%internSlots]
	if *slot != string(plain) {
		*slot = string(plain)
	}
	return *slot, ""
}

// names reads an array of strings; `[]` reads as nil. The second answer is the place of the fault.
func (s *state) names(raw []byte) ([]string, string, Reason) {
	if raw[0] != '[' {
		return nil, "", ReasonWrongType
	}
	n := 0
	for c := inside(raw); c.next() != nil; {
		n++
	}
	if n == 0 {
		return nil, "", ""
	}
	list := make([]string, n)
	c := inside(raw)
	for i := range list {
		var why Reason
		if list[i], why = s.name(c.next()); why != "" {
			return nil, indexed("", i), why
		}
	}
	return list, "", ""
}

// json reads a value of any kind: see JSON for what is kept.
func (s *state) json(raw []byte) JSON {
	s.scratch = appendCompact(s.scratch[:0], raw)
	return JSON(s.scratch)
}

// appendCompact appends valid JSON text without the space between its tokens, everything else as it was
// spelled but for what is no UTF-8.
func appendCompact(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch raw[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '"':
			end := stringEnd(raw, i)
			dst = appendSpelled(dst, raw[i:end])
			i = end
		default:
			dst = append(dst, raw[i])
			i++
		}
	}
	return dst
}

// appendSpelled appends a JSON string with its own escapes; invalid bytes become U+FFFD and lone
// surrogate escapes its escape.
func appendSpelled(dst, raw []byte) []byte {
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\u`)) {
		return append(dst, raw...)
	}
	for i := 0; i < len(raw); {
		if raw[i] == '\\' {
			n := escapeLength(raw[i:])
			if n == 0 {
				dst = append(dst, `\ufffd`...)
				i += 6
				continue
			}
			dst = append(dst, raw[i:i+n]...)
			i += n
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}

// escapeLength answers how many bytes the valid escape at the start of raw takes, both halves of a
// surrogate pair together, and 0 for half a pair.
func escapeLength(raw []byte) int {
	if raw[1] != 'u' {
		return 2
	}
	switch {
	case !isSurrogate(raw, "89abAB") && !isSurrogate(raw, "cdefCDEF"):
		return 6
	case isSurrogate(raw, "89abAB") && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' && isSurrogate(raw[6:], "cdefCDEF"):
		return 12
	}
	return 0
}

// isSurrogate tells whether the \u escape at the start of raw is U+Dnxx with n among the digits.
func isSurrogate(raw []byte, digits string) bool {
	return (raw[2] == 'd' || raw[2] == 'D') && strings.IndexByte(digits, raw[3]) >= 0
}

// isNull tells whether a value is JSON's null.
func isNull(raw []byte) bool { return raw[0] == 'n' }
