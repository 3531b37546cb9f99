package billing

import (
	"bytes"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// fault is what is wrong with an answer, and where. It has names of our tables only, and nothing of what upstream said.
type fault struct {
	place string // as `lines[3].key`; "" is the whole
	why   string
}

// Error says the place and what is wrong there.
func (f *fault) Error() string {
	if f.place == "" {
		return "the answer " + f.why
	}
	return f.place + " " + f.why
}

// under puts the fault's place within another.
func (f *fault) under(place string) *fault {
	if f.place != "" && f.place[0] != '[' {
		place += "."
	}
	return &fault{place: place + f.place, why: f.why}
}

const (
	missing   = "is missing"
	repeated  = "is there more than once"
	notObject = "is no JSON object"
	notList   = "is no list"
)

// reader reads one JSON value. The text is well-formed, but for that of a whole answer.
type reader[T any] func(raw []byte) (T, *fault)

// member is one row of a table of docs/billing.md: a name, and how its value comes to its place.
type member struct {
	name     string
	required bool
	read     func(raw []byte) *fault
}

// required is a member without which an answer is none.
func required[T any](name string, read reader[T], into *T) member {
	return member{name: name, required: true, read: func(raw []byte) (wrong *fault) {
		*into, wrong = read(raw)
		return wrong
	}}
}

// optional is a member that may be absent, which leaves nil.
func optional[T any](name string, read reader[T], into **T) member {
	return member{name: name, read: func(raw []byte) *fault {
		value, wrong := read(raw)
		if wrong == nil {
			*into = &value
		}
		return wrong
	}}
}

// object reads an object by its table. Of several faults the first in the text is told, then the first row that is
// missing.
func object[T any](table func(*T) []member) reader[T] {
	return func(raw []byte) (T, *fault) {
		var value, none T
		rows := table(&value)
		if wrong := readMembers(raw, rows); wrong != nil {
			return none, wrong
		}
		return value, nil
	}
}

// lenient lets repeated names through, which are told where they matter, and bytes that are no UTF-8, which are replaced.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func readMembers(raw []byte, rows []member) *fault {
	tokens := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
	if open, err := tokens.ReadToken(); err != nil || open.Kind() != jsontext.KindBeginObject {
		return &fault{why: notObject}
	}
	seen, there := make([]bool, len(rows)), make([]bool, len(rows))
	for tokens.PeekKind() == jsontext.KindString {
		name, err := tokens.ReadToken()
		if err != nil {
			return &fault{why: notObject}
		}
		i := indexOf(rows, name)
		value, err := tokens.ReadValue()
		if err != nil {
			return &fault{why: notObject}
		}
		if i < 0 {
			continue
		}
		if seen[i] {
			return &fault{place: rows[i].name, why: repeated}
		}
		seen[i] = true
		if value.Kind() == jsontext.KindNull {
			continue
		}
		switch wrong := rows[i].read(value); {
		case wrong == nil:
			there[i] = true
		case wrong.place != "" || wrong.why != missing: // an empty id is as good as none
			return wrong.under(rows[i].name)
		}
	}
	if _, err := tokens.ReadToken(); err != nil { // the closing brace
		return &fault{why: notObject}
	}
	if _, err := tokens.ReadToken(); err != io.EOF {
		return &fault{why: notObject}
	}
	for i := range rows {
		if rows[i].required && !there[i] {
			return &fault{place: rows[i].name, why: missing}
		}
	}
	return nil
}

// indexOf finds the row of that name, -1 for none.
func indexOf(rows []member, name jsontext.Token) int {
	word := name.String()
	for i := range rows {
		if rows[i].name == word {
			return i
		}
	}
	return -1
}

// list reads an array, whose elements are all there. It answers no nil.
func list[T any](read reader[T]) reader[[]T] {
	return func(raw []byte) ([]T, *fault) {
		tokens := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
		if open, err := tokens.ReadToken(); err != nil || open.Kind() != jsontext.KindBeginArray {
			return nil, &fault{why: notList}
		}
		all := []T{}
		for tokens.PeekKind() != jsontext.KindEndArray {
			value, err := tokens.ReadValue()
			if err != nil {
				return nil, &fault{why: notList}
			}
			one, wrong := read(value)
			if wrong != nil {
				return nil, wrong.under("[" + strconv.Itoa(len(all)) + "]")
			}
			all = append(all, one)
		}
		return all, nil
	}
}
