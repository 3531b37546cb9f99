package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
)

// rowList is a client's list of rows, kept up to date by the operations of rowChanges.
type rowList []map[string]any

// parseRows reads a list of rows, "" as an empty one.
func parseRows(text string) (rowList, error) {
	var rows rowList
	if text == "" {
		return rows, nil
	}
	return rows, decode(text, &rows)
}

func (l rowList) String() string {
	text, err := json.Marshal(append(rowList{}, l...)) // an empty list is [], not null
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func decode(text string, into any) error {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// operation is one RowOp; Kind is its __typename.
type operation struct {
	Kind   string `json:"__typename"`
	Rows   rowList
	Row    map[string]any
	Index  *int
	Field  string
	Offset *int
	Text   string
}

// growing are the fields that RowTextAppended names.
var growing = map[string]string{"CONTENT": "content", "REASONING": "reasoning", "VALUE": "value"}

// operations are those of one rowChanges message.
func operations(message string) ([]operation, error) {
	var m struct {
		Cursor string
		Ops    []operation
	}
	if err := decode(message, &m); err != nil {
		return nil, err
	}
	if m.Cursor == "" || m.Ops == nil {
		return nil, fmt.Errorf("no cursor or no operations: %s", message)
	}
	return m.Ops, nil
}

// apply applies the operations of one rowChanges message, and tells whether it was a reset. A reset stands alone.
func (l *rowList) apply(message string) (reset bool, err error) {
	ops, err := operations(message)
	if err != nil {
		return false, err
	}
	for i, op := range ops {
		if err := l.applyOne(op); err != nil {
			return false, fmt.Errorf("operation %d: %w", i+1, err)
		}
		reset = reset || op.Kind == "RowsReset"
	}
	if reset && len(ops) > 1 {
		return true, errors.New("a reset does not stand alone")
	}
	return reset, nil
}

func (l *rowList) applyOne(op operation) error {
	if op.Kind == "RowsReset" {
		*l = slices.Clone(op.Rows)
		return nil
	}
	most := len(*l) - 1
	if op.Kind == "RowInserted" {
		most++
	}
	if op.Index == nil || *op.Index < 0 || *op.Index > most {
		return fmt.Errorf("%s at a place that %d rows do not have", op.Kind, len(*l))
	}
	i := *op.Index
	switch op.Kind {
	case "RowInserted":
		*l = slices.Insert(slices.Clone(*l), i, op.Row)
	case "RowReplaced":
		*l = slices.Replace(slices.Clone(*l), i, i+1, op.Row)
	case "RowRemoved":
		*l = slices.Delete(slices.Clone(*l), i, i+1)
	case "RowTextAppended":
		row, err := appendText((*l)[i], op)
		if err != nil {
			return err
		}
		*l = slices.Replace(slices.Clone(*l), i, i+1, row)
	default:
		return fmt.Errorf("an unknown operation %q", op.Kind)
	}
	return nil
}

// appendText is the row with a longer text. What stands there must be exactly as long as the operation says.
func appendText(row map[string]any, op operation) (map[string]any, error) {
	name := growing[op.Field]
	old, has := row[name]
	text, isText := old.(string)
	switch {
	case name == "" || !has || old != nil && !isText:
		return nil, fmt.Errorf("no text to append to in %q", op.Field)
	case op.Offset == nil || *op.Offset != len(utf16.Encode([]rune(text))):
		return nil, fmt.Errorf("the offset is not the length of %q in UTF-16 units", text)
	case op.Text == "":
		return nil, errors.New("nothing is appended")
	}
	longer := map[string]any{}
	for k, v := range row {
		longer[k] = v
	}
	longer[name] = text + op.Text
	return longer, nil
}

// Replay is the rows after each message of rowChanges, for a client that has kept some already ("": none).
func Replay(kept string, changes []string) ([]string, error) {
	rows, err := parseRows(kept)
	if err != nil {
		return nil, err
	}
	var after []string
	for i, change := range changes {
		if _, err := rows.apply(change); err != nil {
			return after, fmt.Errorf("message %d: %w", i+1, err)
		}
		after = append(after, rows.String())
	}
	return after, nil
}

// IsReset tells whether a rowChanges message is one RowsReset.
func IsReset(message string) bool {
	ops, err := operations(message)
	return err == nil && len(ops) == 1 && ops[0].Kind == "RowsReset"
}

// Rows is a client's list of rows that follows rowChanges, message by message. The zero value is an empty list.
type Rows struct{ list rowList }

// Apply applies the operations of one rowChanges message, and tells whether it was a reset.
func (r *Rows) Apply(change string) (reset bool, err error) { return r.list.apply(change) }

// String is the list as JSON.
func (r *Rows) String() string { return r.list.String() }
