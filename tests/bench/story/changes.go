package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// Op is an operation of rowChanges, as far as stories make them.
type Op struct {
	Kind   string           `json:"__typename"`
	Rows   []map[string]any `json:"rows"`
	Row    map[string]any   `json:"row"`
	Index  int              `json:"index"`
	Field  string           `json:"field"`
	Offset int              `json:"offset"`
	Text   string           `json:"text"`
}

// Reader keeps a client's list of rows by the messages of rowChanges.
type Reader struct {
	Rows  []map[string]any
	grown strings.Builder // the last row's content
}

// Apply applies a whole message. An operation that does not fit is an error.
func (r *Reader) Apply(message []byte) ([]Op, error) {
	var m struct {
		Payload struct {
			Data   struct{ RowChanges struct{ Ops []Op } }
			Errors json.RawMessage
		}
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	if m.Payload.Errors != nil {
		return nil, fmt.Errorf("%s", m.Payload.Errors)
	}
	ops := m.Payload.Data.RowChanges.Ops
	for _, op := range ops {
		if err := r.apply(&op); err != nil {
			return nil, fmt.Errorf("%w in %.500s", err, message)
		}
	}
	return ops, nil
}

func (r *Reader) apply(op *Op) error {
	switch op.Kind {
	case "RowsReset":
		r.Rows = op.Rows
	case "RowInserted":
		if op.Index != len(r.Rows) {
			return fmt.Errorf("a row at %d of %d", op.Index, len(r.Rows))
		}
		r.Rows = append(r.Rows, op.Row)
	case "RowTextAppended":
		if op.Index != len(r.Rows)-1 || op.Field != "CONTENT" {
			return fmt.Errorf("text for row %d of %d, %s", op.Index, len(r.Rows), op.Field)
		}
		if n := len(utf16.Encode([]rune(r.grown.String()))); n != op.Offset {
			return fmt.Errorf("text at %d, there are %d", op.Offset, n)
		}
		r.grown.WriteString(op.Text)
		return nil
	default:
		return fmt.Errorf("%s is not what stories make", op.Kind)
	}
	r.grown.Reset()
	if len(r.Rows) > 0 {
		text, _ := r.Rows[len(r.Rows)-1]["content"].(string)
		r.grown.WriteString(text)
	}
	return nil
}

// Text is the content of the last row.
func (r *Reader) Text() string { return r.grown.String() }

// Quoted is a text as JSON has it with no more escapes than it must have, without the quotes.
func Quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")[1 : b.Len()-2]
}

// Least is how long a message of one append would be that says no more than it must: the message with an empty text, and
// the text escaped. The message is one of rowChanges that appends the text in one operation or in several.
func Least(message []byte, ops []Op) (bytes int, appends bool) {
	if len(ops) == 0 {
		return 0, false
	}
	var all strings.Builder
	for _, op := range ops {
		if op.Kind != "RowTextAppended" {
			return 0, false
		}
		all.WriteString(op.Text)
	}
	var m struct {
		ID      json.RawMessage
		Payload struct {
			Data struct {
				RowChanges struct{ Cursor json.RawMessage }
			}
		}
	}
	if json.Unmarshal(message, &m) != nil {
		return 0, false
	}
	empty := fmt.Sprintf(`{"id":%s,"type":"next","payload":{"data":{"rowChanges":{"cursor":%s,"ops":[{"__typename":"RowTextAppended","index":%d,"field":"CONTENT","offset":%d,"text":""}]}}}}`,
		m.ID, m.Payload.Data.RowChanges.Cursor, ops[0].Index, ops[0].Offset)
	return len(empty) + len(Quoted(all.String())), true
}

// words are tokens as a model's: most with a space before them, some with what JSON escapes or more than a byte a letter.
var words = []string{
	" the", " agent", " reads", " each", " source", ",", " then", " \"quotes", "\"", " it", ".", "\n\n", " café", " costs", " <b>", "5", "</b>",
	" & more", " of", " wei", "gh", "ing", " —", " naïve", " plans", " 🙂", " and", " goes", " on", " C:\\dir", ";", "\t", "done",
}

// Word is the k-th token of an answer.
func Word(k int) string { return words[(k*7+k/33)%len(words)] }
