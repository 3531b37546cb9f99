package exchange

import (
	"bytes"
	"io"
)

// readSize is how much one read of the connection asks for.
const readSize = 32 << 10

// maxField bounds the lines that are not data: an id, an event name (which may spell a deep path). A longer one is
// ignored.
const maxField = 4096

// Event is one dispatched event of a stream. Its bytes are valid until the next call.
type Event struct {
	Name   string // the `event:` field; "" when absent
	ID     []byte // the event's own `id:`, as it stands; empty when absent
	Data   []byte // the data lines, joined by newlines; nil when TooBig
	TooBig bool   // the data was over the limit and was not kept
	Cut    bool   // the stream ended before the event's blank line
}

// Reader splits a text/event-stream into events (docs/wire.md, "Live frames"). Lines end with LF, CRLF or
// CR; a BOM at the start and comments are skipped; data over the limit is counted out, not held. An event
// without data is no event. Unlike a browser it hands out what stands before the end of the stream without
// its blank line, marked cut, and takes an id as that event's own, not as everyone's after it.
type Reader struct {
	r     io.Reader
	limit int // bytes of data one event may have

	buf        []byte
	head, tail int // buf[head:tail] is unread
	err        error

	first  bool // nothing was consumed yet: a BOM may come
	skipLF bool // the last line ended with CR: an LF right after it belongs to it

	line    []byte // a line that spans reads
	lineBig bool   // the line outgrew what any line may have; its rest is dropped

	data    []byte
	hasData bool
	id      []byte
	ev      Event
}

// NewReader reads events from r, each of at most limit bytes of data.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: r, limit: limit, buf: make([]byte, readSize), first: true}
}

// Next returns the next event. At the end of the stream it returns the event that lacks its blank line, if
// there is one, and then the reader's error, io.EOF for a clean end.
func (s *Reader) Next() (Event, error) {
	s.begin()
	for {
		line, whole, err := s.readLine()
		if err != nil {
			if s.pending() {
				s.ev.Cut = true
				return s.dispatch(), nil
			}
			return Event{}, err
		}
		if len(line) == 0 && whole && !s.lineBig {
			if s.pending() {
				return s.dispatch(), nil
			}
			s.begin() // a blank line ends a block without data; its id is nobody's
			continue
		}
		s.field(line, whole)
		s.line, s.lineBig = s.line[:0], false
	}
}

// begin starts a block.
func (s *Reader) begin() {
	s.ev, s.id = Event{}, s.id[:0]
	s.data, s.hasData = s.data[:0], false
}

// pending tells whether the block has something to hand out. Data that is all empty is somebody's keep-alive.
func (s *Reader) pending() bool { return len(s.data) > 0 || s.ev.TooBig }

func (s *Reader) dispatch() Event {
	if !s.ev.TooBig {
		s.ev.Data = s.data
	}
	s.ev.ID = s.id
	return s.ev
}

// field takes one line of a block. A line that the end of the stream cut off counts only as data, where the
// decoder tells whether it is complete: a cut id could be another number.
func (s *Reader) field(line []byte, whole bool) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	if string(name) == "data" {
		s.takeData(value)
		return
	}
	if !whole || s.lineBig || len(value) > maxField {
		return
	}
	switch string(name) {
	case "event":
		s.ev.Name = string(value)
	case "id":
		s.id = append(s.id[:0], value...)
	}
}

func (s *Reader) takeData(value []byte) {
	size := len(s.data) + len(value)
	if s.hasData {
		size++
	}
	if s.ev.TooBig || s.lineBig || size > s.limit {
		s.ev.TooBig, s.data, s.hasData = true, s.data[:0], false
		return
	}
	if s.hasData {
		s.data = append(s.data, '\n')
	}
	s.data, s.hasData = append(s.data, value...), true
}

// readLine returns the next line without its end. At the end of the stream it returns what is left as a line
// that is not whole, and after that the error. The line is valid until the next call.
func (s *Reader) readLine() (line []byte, whole bool, err error) {
	for {
		if s.head == s.tail && !s.fill() {
			if len(s.line) > 0 || s.lineBig {
				return s.trimBOM(s.line), false, nil
			}
			return nil, false, s.err
		}
		chunk := s.buf[s.head:s.tail]
		if s.skipLF {
			s.skipLF = false
			if chunk[0] == '\n' {
				s.head++
				continue
			}
		}
		end := bytes.IndexByte(chunk, '\n')
		scan := chunk
		if end >= 0 {
			scan = chunk[:end]
		}
		if cr := bytes.IndexByte(scan, '\r'); cr >= 0 {
			end = cr
		}
		if end < 0 {
			s.hold(chunk)
			s.head = s.tail
			continue
		}
		s.skipLF = chunk[end] == '\r'
		s.head += end + 1
		if len(s.line) == 0 && !s.lineBig {
			return s.trimBOM(chunk[:end]), true, nil
		}
		s.hold(chunk[:end])
		return s.trimBOM(s.line), true, nil
	}
}

// hold keeps a piece of a line that spans reads, up to the longest line that can be of use; of a longer one
// it keeps the start, which has the field's name.
func (s *Reader) hold(piece []byte) {
	room := s.limit + maxField - len(s.line)
	if s.lineBig || len(piece) > room {
		s.lineBig = true
		if len(s.line) > maxField {
			s.line = s.line[:maxField]
		} else {
			s.line = append(s.line, piece[:min(len(piece), maxField-len(s.line))]...)
		}
		return
	}
	s.line = append(s.line, piece...)
}

func (s *Reader) trimBOM(line []byte) []byte {
	if s.first {
		s.first = false
		return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// fill reads more; false at the end.
func (s *Reader) fill() bool {
	for tries := 0; s.err == nil; tries++ {
		n, err := s.r.Read(s.buf)
		s.head, s.tail, s.err = 0, n, err
		if n > 0 {
			return true
		}
		if err == nil && tries == 100 {
			s.err = io.ErrNoProgress
		}
	}
	return false
}
