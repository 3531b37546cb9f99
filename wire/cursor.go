package wire

import "bytes"

// cursor walks the children of one object or array in text that is known to be valid JSON, so it looks
// only for where values end. It never recurses: nesting costs no stack.
type cursor struct {
	text []byte
	at   int
}

// inside answers a cursor before the first child of an object or array.
func inside(text []byte) cursor { return cursor{text: text, at: 1} }

// next answers the next child without the space around it, and nil after the last. In an object names
// and values take turns.
func (c *cursor) next() []byte {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			c.at++
			continue
		case '}', ']':
			return nil
		}
		start := c.at
		c.at = valueEnd(c.text, start)
		return c.text[start:c.at]
	}
	return nil
}

// valueEnd answers where the value that starts at i ends.
func valueEnd(text []byte, i int) int {
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch text[i] {
			case '"':
				i = stringEnd(text, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(text) {
		switch text[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return i
}

// stringEnd answers where the string whose opening quote stands at i ends.
func stringEnd(text []byte, i int) int {
	for {
		i++
		i += bytes.IndexByte(text[i:], '"')
		slashes := 0
		for text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// pick finds the members of those names in an object, the last where a name repeats; a member that is
// absent is nil. It answers false when raw is no object.
func (s *state) pick(raw []byte, names []string, found [][]byte) bool {
	if raw[0] != '{' {
		return false
	}
	c := inside(raw)
	for name := c.next(); name != nil; name = c.next() {
		value := c.next()
		plain := s.unquote(name)
		for i, want := range names {
			if string(plain) == want {
				found[i] = value
			}
		}
	}
	return true
}
