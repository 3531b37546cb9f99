package projection

import (
	"slices"
	"strings"
	"unsafe"
)

// text grows by appending. The strings it hands out share its bytes: what stands in the buffer is never
// written again, so a string is a prefix that stays true while later appends write behind it. An append
// therefore costs its own length (amortised), however long the text before it is.
type text struct {
	buf   []byte
	units int // length in UTF-16 units
}

func newText(s string) *text {
	t := &text{}
	t.append(s)
	return t
}

// append adds s and returns the whole text.
func (t *text) append(s string) string {
	if need := len(t.buf) + len(s); need > cap(t.buf) {
		t.buf = slices.Grow(t.buf, max(len(t.buf), len(s), 32))
	}
	t.buf = append(t.buf, s...)
	t.units += UTF16Len(s)
	return unsafe.String(unsafe.SliceData(t.buf), len(t.buf))
}

// settled returns s in memory of its own when the buffer behind it holds much more than it needs.
func (t *text) settled(s string) string {
	if t == nil || cap(t.buf)-len(s) <= len(s)/8 {
		return s
	}
	return strings.Clone(s)
}
