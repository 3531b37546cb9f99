package projection

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// Value is a JSON value that may be growing text. The zero Value is absent.
type Value struct {
	text   string
	json   wire.JSON
	isText bool
}

// TextValue returns the JSON string whose text is s.
func TextValue(s string) Value { return Value{text: s, isText: true} }

// JSONValue returns the value that j spells.
func JSONValue(j wire.JSON) Value { return Value{json: j} }

// Text returns the value's text, if the value is a JSON string.
func (v Value) Text() (string, bool) {
	if v.isText {
		return v.text, true
	}
	if len(v.json) == 0 || v.json[0] != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, []byte(v.json))
	if err != nil {
		return "", false
	}
	return string(b), true
}

// AppendJSON appends the value's JSON text; an absent value appends null.
func (v Value) AppendJSON(dst []byte) []byte {
	switch {
	case v.isText:
		b, err := jsontext.AppendQuote(dst, v.text)
		if err != nil { // invalid UTF-8, which decoding has already replaced: quoted with U+FFFD all the same
			return b
		}
		return b
	case v.json == "":
		return append(dst, "null"...)
	}
	return append(dst, v.json...)
}

// equal compares what the two spell.
func (v Value) equal(w Value) bool {
	if v.isText == w.isText {
		return v == w
	}
	a, okA := v.Text()
	b, okB := w.Text()
	return okA && okB && a == b
}

// UTF16Len returns the number of UTF-16 units of s, as JavaScript counts a string's length.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n++
		if r > 0xFFFF {
			n++
		}
		i += size
	}
	return n
}
