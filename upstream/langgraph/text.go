package langgraph

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tolerant are the options of all reading: what a server spells badly reads as U+FFFD, and the last of repeated
// names wins, as docs/wire.md has it.
var tolerant = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// sound makes bytes that jsontext can pass through unchanged.
func sound(data []byte) []byte { return bytes.ToValidUTF8(data, []byte("\ufffd")) }

// object is a JSON object with its members unread. The zero value has none.
type object map[string]jsontext.Value

// asObject reads an object; false when v is none.
func asObject(v jsontext.Value) (object, bool) {
	if kindOfValue(v) != '{' {
		return nil, false
	}
	var o object
	if json.Unmarshal(v, &o, tolerant) != nil {
		return nil, false
	}
	return o, true
}

// asArray reads an array; false when v is none.
func asArray(v jsontext.Value) ([]jsontext.Value, bool) {
	if kindOfValue(v) != '[' {
		return nil, false
	}
	var a []jsontext.Value
	if json.Unmarshal(v, &a, tolerant) != nil {
		return nil, false
	}
	return a, true
}

// kindOfValue is the first byte of a value, 0 when there is none: `{`, `[`, `"`, `t`, `f`, `n`, or that of a number.
func kindOfValue(v jsontext.Value) byte {
	if v = bytes.TrimLeft(v, " \t\r\n"); len(v) > 0 {
		return v[0]
	}
	return 0
}

// object reads a member that is an object; without one, the answer has no members.
func (o object) object(name string) object {
	inner, _ := asObject(o[name])
	return inner
}

// array reads a member that is an array.
func (o object) array(name string) []jsontext.Value {
	a, _ := asArray(o[name])
	return a
}

// text reads a member that is a string, "" without one.
func (o object) text(name string) string { return asText(o[name]) }

// asText reads a string, "" when v is none. Halves of surrogate pairs read as U+FFFD.
func asText(v jsontext.Value) string {
	if kindOfValue(v) != '"' {
		return ""
	}
	var s string
	if json.Unmarshal(v, &s, tolerant) != nil {
		return ""
	}
	return s
}

// integer reads a member that is a whole number from 0 to 2^53-1; false without one.
func (o object) integer(name string) (int64, bool) { return asInteger(o[name]) }

func asInteger(v jsontext.Value) (int64, bool) {
	var n int64
	if k := kindOfValue(v); k < '0' || k > '9' || json.Unmarshal(v, &n) != nil || n > 1<<53-1 {
		return 0, false
	}
	return n, true
}

// truth tells whether a member is true.
func (o object) truth(name string) bool { return string(bytes.TrimSpace(o[name])) == "true" }

// compact is a value on one line, its numbers and strings as spelled; "null" when there is none.
func compact(v jsontext.Value) string {
	if len(v) == 0 {
		return "null"
	}
	c := v.Clone()
	if c.Compact(tolerant) != nil {
		return "null"
	}
	return string(c)
}

// halves joins strings that were cut between the halves of a surrogate pair: a server that counts in UTF-16 cuts
// there, and a half alone would read as U+FFFD.
type halves struct {
	// waits is the escape of the high half that ended the text so far, such as `\ud83d`.
	waits string
}

// next reads the next piece, a JSON string, and keeps back a half at its end.
func (h *halves) next(v jsontext.Value) string {
	raw := strings.TrimSpace(string(v))
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	if raw == "" {
		return ""
	}
	raw, h.waits = h.waits+raw, ""
	if tail := len(raw) - 6; tail >= 0 && isHighHalf(raw[tail:]) && !escaped(raw, tail) {
		raw, h.waits = raw[:tail], raw[tail:]
	}
	return asText(jsontext.Value(`"` + raw + `"`))
}

// rest answers what still waits, now that nothing follows.
func (h *halves) rest() string {
	if h.waits == "" {
		return ""
	}
	h.waits = ""
	return "\ufffd"
}

// isHighHalf tells whether s is the escape of a high surrogate.
func isHighHalf(s string) bool {
	return len(s) == 6 && s[0] == '\\' && s[1] == 'u' && (s[2]|0x20) == 'd' &&
		strings.IndexByte("89abAB", s[3]) >= 0 && isHex(s[4]) && isHex(s[5])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// escaped tells whether the backslash at i is itself escaped.
func escaped(s string, i int) bool {
	n := 0
	for i > 0 && s[i-1] == '\\' {
		n, i = n+1, i-1
	}
	return n%2 == 1
}
