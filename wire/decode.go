package wire

import "bytes"

// Decoder decodes records within a limit on their size. The zero value has the default limit; a Decoder
// holds no state, so one may be used by many goroutines at once.
//
// Every method answers either the record or a *Rejection, never both and never part of a record.
// Nothing it answers refers to the bytes it was given.
type Decoder struct {
	// MaxRecord is the limit on the bytes of one record, its line end not counted; 0 or less means
	// DefaultMaxRecord.
	MaxRecord int
}

func (d Decoder) limit() int {
	if d.MaxRecord <= 0 {
		return DefaultMaxRecord
	}
	return d.MaxRecord
}

// kinds says which records a caller takes.
type kinds uint8

const (
	takeFrame kinds = 1 << iota
	takeRow
	takeHead
)

// Decode decodes one line of a recording: a *Frame, a *Row or a *Head, as its `type` says.
func (d Decoder) Decode(line []byte) (Record, error) {
	record, rejected := d.decode(line, takeFrame|takeRow|takeHead)
	if rejected != nil {
		return nil, rejected
	}
	return record, nil
}

// Frame decodes one live frame; the type of anything else is unknown to it.
func (d Decoder) Frame(data []byte) (*Frame, error) {
	record, rejected := d.decode(data, takeFrame)
	if rejected != nil {
		return nil, rejected
	}
	return record.(*Frame), nil
}

// Row decodes one persisted row; the type of anything else is unknown to it.
func (d Decoder) Row(data []byte) (*Row, error) {
	record, rejected := d.decode(data, takeRow)
	if rejected != nil {
		return nil, rejected
	}
	return record.(*Row), nil
}

// Head decodes a conversation head; the type of anything else is unknown to it.
func (d Decoder) Head(data []byte) (*Head, error) {
	record, rejected := d.decode(data, takeHead)
	if rejected != nil {
		return nil, rejected
	}
	return record.(*Head), nil
}

// Decode is Decoder.Decode with the default limit.
func Decode(line []byte) (Record, error) { return Decoder{}.Decode(line) }

// DecodeFrame is Decoder.Frame with the default limit.
func DecodeFrame(data []byte) (*Frame, error) { return Decoder{}.Frame(data) }

// DecodeRow is Decoder.Row with the default limit.
func DecodeRow(data []byte) (*Row, error) { return Decoder{}.Row(data) }

// DecodeHead is Decoder.Head with the default limit.
func DecodeHead(data []byte) (*Head, error) { return Decoder{}.Head(data) }

var byteOrderMark = []byte("\ufeff")

// trimLine takes off what may stand around a record without being of it: one mark and one line end.
func trimLine(line []byte) []byte {
	line = bytes.TrimPrefix(line, byteOrderMark)
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

func (d Decoder) decode(line []byte, take kinds) (Record, *Rejection) {
	line = trimLine(line)
	if len(line) > d.limit() {
		return nil, &Rejection{Reason: ReasonTooLarge}
	}
	s := states.Get().(*state)
	defer s.release()
	why := s.scan(line)
	s.readOffset()
	if why != "" {
		rejected := &Rejection{Reason: why}
		if raw, ok := s.present(memberType); ok && raw[0] == '"' {
			rejected.Type = clip(string(s.unquote(raw)))
		}
		return nil, s.charge(rejected, take)
	}
	record, rejected := s.record(take)
	if rejected != nil {
		return nil, s.charge(rejected, take)
	}
	return record, nil
}

// readOffset reads the offset where it is there and sound, whatever else is wrong with the record.
func (s *state) readOffset() {
	s.offset = 0
	if raw, ok := s.present(memberOffset); ok {
		s.offset, _ = integer(raw, 1, maxInteger)
	}
}

// charge puts the offset on a rejection of what stands where a frame may stand: it is used up. Rows and
// heads have none, so in a recording theirs would be an unknown member.
func (s *state) charge(rejected *Rejection, take kinds) *Rejection {
	ofLog := rowTypeWords.value([]byte(rejected.Type)) != 0 || rejected.Type == headType
	if take&takeFrame != 0 && !(ofLog && take != takeFrame) {
		rejected.Offset = s.offset
	}
	return rejected
}

// record reads the scanned members as the record that `type` says, if take takes it.
func (s *state) record(take kinds) (Record, *Rejection) {
	raw, ok := s.present(memberType)
	if !ok {
		return nil, &Rejection{Reason: ReasonMissing, Member: memberNames[memberType]}
	}
	if raw[0] != '"' {
		return nil, &Rejection{Reason: ReasonWrongType, Member: memberNames[memberType]}
	}
	word := s.unquote(raw)
	if take&takeFrame != 0 {
		if t := frameTypeWords.value(word); t != 0 {
			return asRecord(s.frame(t))
		}
	}
	if take&takeRow != 0 {
		if t := rowTypeWords.value(word); t != 0 {
			return asRecord(s.row(t))
		}
	}
	if take&takeHead != 0 && string(word) == headType {
		return asRecord(s.head())
	}
	return nil, &Rejection{Reason: ReasonUnknownType, Member: memberNames[memberType], Type: clip(string(word))}
}

// asRecord keeps a nil pointer from becoming a Record that is not nil.
func asRecord[R Record](record R, rejected *Rejection) (Record, *Rejection) {
	if rejected != nil {
		return nil, rejected
	}
	return record, nil
}

func (s *state) frame(t FrameType) (*Frame, *Rejection) {
	frame := &Frame{Type: t, Offset: s.offset}
	if raw, ok := s.present(memberOffset); ok {
		if _, why := integer(raw, 1, maxInteger); why != "" {
			return nil, &Rejection{Reason: why, Member: memberNames[memberOffset], Type: t.String()}
		}
	}
	if rejected := s.body(&frame.Body, &frameShapes[t], t == EdgeFired); rejected != nil {
		rejected.Type = t.String()
		return nil, rejected
	}
	return frame, nil
}

func (s *state) row(t RowType) (*Row, *Rejection) {
	row := &Row{Type: t}
	if rejected := s.body(&row.Body, &rowShapes[t], t == RowEdge); rejected != nil {
		rejected.Type = t.String()
		return nil, rejected
	}
	return row, nil
}
