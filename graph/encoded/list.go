package encoded

import (
	"io"
	"sync"
)

// list is the text of a list, until generated code has written it. Its memory comes from lists before, as a list is
// written once and at once: growing it anew would cost more than what is put in it.
type list struct{ buffer *[]byte }

// maxBuffer is how much memory is kept for the next list, in bytes; what nobody asks for again is freed by the second
// garbage collection.
const maxBuffer = 16 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// newList makes a list of what write appends. It is nil where write gave up.
func newList(write func(b []byte) []byte) *list {
	buffer := buffers.Get().(*[]byte)
	b := write((*buffer)[:0])
	if b == nil {
		buffers.Put(buffer)
		return nil
	}
	*buffer = b
	return &list{buffer}
}

// MarshalGQL implements graphql.Marshaler. It can be called once: the memory has another list in it after that.
func (l *list) MarshalGQL(w io.Writer) {
	buffer := l.buffer
	l.buffer = nil
	_, _ = w.Write(*buffer)
	if cap(*buffer) <= maxBuffer {
		buffers.Put(buffer)
	}
}
