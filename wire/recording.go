package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Line is what one line of a recording holds: a record, or why there is none. Exactly one is set.
type Line struct {
	Number   int // from 1, blank lines counted
	Record   Record
	Rejected *Rejection
}

// Reader reads a recording (docs/wire.md, "Recordings") line by line.
type Reader struct {
	lines   *bufio.Reader
	decoder Decoder
	line    []byte
	number  int
}

// NewReader reads the recording that r holds, refusing records of more than maxRecord bytes; 0 or less
// means DefaultMaxRecord. It holds no more than one such record in memory, however long a line is.
func NewReader(r io.Reader, maxRecord int) *Reader {
	return &Reader{lines: bufio.NewReader(r), decoder: Decoder{MaxRecord: maxRecord}}
}

// Next answers the next line that is not blank, and io.EOF after the last. Any other error is that of
// the underlying reader: what the recording holds is told in Line.Rejected and never ends it.
func (r *Reader) Next() (Line, error) {
	for {
		length, blank, err := r.readLine()
		if err != nil {
			return Line{}, err
		}
		switch {
		case blank:
			continue
		case length > len(r.line):
			return Line{Number: r.number, Rejected: &Rejection{Reason: ReasonTooLarge}}, nil
		}
		record, rejected := r.decoder.decode(r.line, takeFrame|takeRow|takeHead)
		return Line{Number: r.number, Record: record, Rejected: rejected}, nil
	}
}

// readLine reads the next line into r.line, as far as a record may be long, and answers the line's whole
// length. A last line without an end counts.
func (r *Reader) readLine() (length int, blank bool, err error) {
	// What may stand around a record does not count against it.
	most := r.decoder.limit() + len(byteOrderMark) + len("\r\n")
	r.line = r.line[:0]
	r.number++
	for blank = true; ; {
		part, err := r.lines.ReadSlice('\n')
		text := part
		if length == 0 {
			text = bytes.TrimPrefix(part, byteOrderMark)
		}
		blank = blank && len(trimSpace(text)) == 0
		length += len(part)
		if length <= most {
			r.line = append(r.line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (err != io.EOF || length == 0):
			return 0, false, err
		}
		return length, blank, nil
	}
}

// Writer writes a recording.
type Writer struct {
	w    io.Writer
	line []byte
}

// NewWriter writes a recording to w, unbuffered: each record is one Write.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write appends a frame, row or head as one line. A page is no line of a recording: its rows are.
func (w *Writer) Write(record Record) error {
	switch record := record.(type) {
	case *Frame:
		w.line = record.AppendJSON(w.line[:0])
	case *Row:
		w.line = record.AppendJSON(w.line[:0])
	case *Head:
		w.line = record.AppendJSON(w.line[:0])
	default:
		return fmt.Errorf("wire: a %T is no line of a recording", record)
	}
	w.line = append(w.line, '\n')
	_, err := w.w.Write(w.line)
	return err
}
