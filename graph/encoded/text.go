package encoded

import (
	"encoding/binary"
	"unsafe"
)

// appendString appends s as graphql.MarshalString writes it: quotes, backslashes and control characters are escaped and
// all else is copied, broken UTF-8 too.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	b = append(b, '"')
	for {
		n := unescaped(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return append(b, '"')
		}
		switch c := s[n]; c {
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		case '\\', '"':
			b = append(b, '\\', c)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		s = s[n+1:]
	}
}

// unescaped counts the bytes before the first that is escaped. Eight are looked at together: taking n from a byte sets its
// top bit when it is below n. Bytes from 0x80 on, which are never escaped, are masked out.
func unescaped(s string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	n := 0
	for view := unsafe.Slice(unsafe.StringData(s), len(s)); len(view)-n >= 8; n += 8 { // only read
		w := binary.LittleEndian.Uint64(view[n:])
		quote, slash := w^('"'*ones), w^('\\'*ones)
		// A byte below n borrows from the next one, which may then be a false hit: which it is, is seen below.
		if ((quote-ones)|(slash-ones)|(w-0x20*ones))&^w&tops != 0 {
			break
		}
	}
	for ; n < len(s); n++ {
		if c := s[n]; c < 0x20 || c == '"' || c == '\\' {
			return n
		}
	}
	return n
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}
