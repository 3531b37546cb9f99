package wire

import (
	"bytes"
	"io"
	"math/bits"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// state is what decoding one record needs beside the record: where its known members stand, and buffers
// that are worth keeping. States are pooled; nothing of a record outlives release but interned strings.
type state struct {
	source []byte            // the record, whole
	seen   members           // known members that the record has
	where  [memberCount]span // where in source their raw values stand; meaningful only where seen
	place  string            // where in a member the fault lies, when a reader answered a Reason
	offset int64             // the offset the record uses up, as far as it could be read

	tokens   jsontext.Decoder
	input    bytes.Buffer
	scratch  []byte
	interned [internSlots]string
}

type span struct{ from, to int }

var states = sync.Pool{New: func() any { return new(state) }}

// keptBytes bounds what a pooled state keeps hold of after a large record.
const keptBytes = 64 << 10

func (s *state) release() {
	if len(s.source) > keptBytes {
		s.input = bytes.Buffer{}
		s.tokens.Reset(&s.input)
	}
	if cap(s.scratch) > keptBytes {
		s.scratch = nil
	}
	s.source = nil
	states.Put(s)
}

// lenient lets through what the wire page tolerates: repeated names, of which the last wins, and bytes
// that are no UTF-8, which are replaced.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// scan finds the known members of the object that text is. It answers malformed_json when text is not
// exactly one JSON object; what stands before the fault is found nevertheless, since a broken frame
// still uses up its offset.
func (s *state) scan(text []byte) Reason {
	s.source, s.seen = text, 0
	s.input = *bytes.NewBuffer(text)
	s.tokens.Reset(&s.input, lenient)
	if open, err := s.tokens.ReadToken(); err != nil || open.Kind() != jsontext.KindBeginObject {
		return ReasonMalformed
	}
	for s.tokens.PeekKind() == jsontext.KindString {
		name, err := s.tokens.ReadValue()
		if err != nil {
			return ReasonMalformed
		}
		m, known := memberOf(s.unquote(name))
		value, err := s.tokens.ReadValue()
		if err != nil {
			return ReasonMalformed
		}
		// A value that the end of the text cuts may be part of a longer number.
		if end := int(s.tokens.InputOffset()); known && end < len(text) {
			s.found(m, end-len(value), end)
		}
	}
	if _, err := s.tokens.ReadToken(); err != nil { // the closing brace
		return ReasonMalformed
	}
	if _, err := s.tokens.ReadToken(); err != io.EOF {
		return ReasonMalformed
	}
	return ""
}

func (s *state) found(m member, from, to int) {
	s.seen |= 1 << m
	s.where[m] = span{from, to}
}

func (s *state) raw(m member) []byte { return s.source[s.where[m].from:s.where[m].to] }

// trimSpace takes off JSON's white space.
func trimSpace(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// present answers a member's raw value; an absent member and a null one have none.
func (s *state) present(m member) ([]byte, bool) {
	if !s.seen.has(m) {
		return nil, false
	}
	raw := s.raw(m)
	return raw, !isNull(raw)
}

// readAll reads every member the shape has by set, which answers whether the member is there after all,
// and then asks for the required ones.
func (s *state) readAll(sh *shape, set func(m member, raw []byte) (bool, Reason)) *Rejection {
	var got members
	for todo := s.seen & (sh.required | sh.optional); todo != 0; todo &= todo - 1 {
		m := member(bits.TrailingZeros64(uint64(todo)))
		raw := s.raw(m)
		if isNull(raw) && m != memberValue {
			continue
		}
		s.place = ""
		there, why := set(m, raw)
		if why != "" {
			return &Rejection{Reason: why, Member: under(memberNames[m], s.place)}
		}
		if there {
			got |= 1 << m
		}
	}
	if missing := sh.required &^ got; missing != 0 {
		m := member(bits.TrailingZeros64(uint64(missing)))
		return &Rejection{Reason: ReasonMissing, Member: memberNames[m]}
	}
	return nil
}

// wholeObject answers the one JSON object that data is, without what may stand around it.
func wholeObject(data []byte) ([]byte, *Rejection) {
	data = trimSpace(trimLine(data))
	if !jsontext.Value(data).IsValid(lenient) || data[0] != '{' {
		return nil, &Rejection{Reason: ReasonMalformed}
	}
	return data, nil
}
