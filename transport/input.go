package transport

import "inlaygraph/coded"

// The limits on the JSON beside a document, whose values take some thirty times their text once they are read. Whatever a
// client may send as content (--max-content-bytes, by default) is within them.
const (
	maxInputDepth  = 200
	maxInputValues = 150_000
)

// checkInput counts what is in raw, which is not looked at as JSON: arrays and objects within one another, and values. Its
// work is raw's length.
func checkInput(name string, raw []byte) *coded.Error {
	depth, values, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == '[' || c == '{':
			depth++
			values++
		case c == ']' || c == '}':
			depth--
		case c == ',':
			values++
		}
		if depth > maxInputDepth {
			return coded.Newf(coded.BadUserInput, "%s are nested more than %d deep", name, maxInputDepth)
		}
		if values > maxInputValues {
			return coded.Newf(coded.BadUserInput, "%s have more than %d values", name, maxInputValues)
		}
	}
	return nil
}
