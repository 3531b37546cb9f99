package example

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
)

// ErrUnfit says that an operation does not fit the rows: subscribe again without a cursor.
var ErrUnfit = errors.New("the operation does not fit the rows")

// #region apply

// Apply returns the rows after some operations. It changes neither the list nor a row that it is given.
func Apply(rows []Row, ops []ChangesRowChangesOpsRowOp) ([]Row, error) {
	rows = slices.Clone(rows)
	for _, op := range ops {
		var err error
		switch op := op.(type) {
		case *ChangesRowChangesOpsRowsReset:
			rows = slices.Clone(op.Rows)
		case *ChangesRowChangesOpsRowInserted:
			if err = within(op.Index, len(rows)+1); err == nil {
				rows = slices.Insert(rows, op.Index, op.Row)
			}
		case *ChangesRowChangesOpsRowReplaced:
			if err = within(op.Index, len(rows)); err == nil {
				rows[op.Index] = op.Row
			}
		case *ChangesRowChangesOpsRowRemoved:
			if err = within(op.Index, len(rows)); err == nil {
				rows = slices.Delete(rows, op.Index, op.Index+1)
			}
		case *ChangesRowChangesOpsRowTextAppended:
			if err = within(op.Index, len(rows)); err == nil {
				rows[op.Index], err = longer(rows[op.Index], op)
			}
		default:
			err = fmt.Errorf("%w: %T is not known", ErrUnfit, op)
		}
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// #endregion

func within(index, end int) error {
	if index < 0 || index >= end {
		return fmt.Errorf("%w: index %d of %d", ErrUnfit, index, end)
	}
	return nil
}

// longer is a row with more text in one of its fields.
func longer(row Row, op *ChangesRowChangesOpsRowTextAppended) (Row, error) {
	switch row := row.(type) {
	case *RowAssistantRow:
		grown := *row
		var err error
		switch op.Field {
		case RowTextFieldContent:
			grown.Content, err = extend(row.Content, op)
		case RowTextFieldReasoning:
			var had string
			if row.Reasoning != nil {
				had = *row.Reasoning
			}
			had, err = extend(had, op)
			grown.Reasoning = &had
		default:
			err = fmt.Errorf("%w: %s of an assistant's row", ErrUnfit, op.Field)
		}
		return &grown, err
	case *RowOutputRow:
		var had string
		if row.Value != nil {
			if err := json.Unmarshal(*row.Value, &had); err != nil {
				return nil, fmt.Errorf("%w: the value is no text", ErrUnfit)
			}
		}
		had, err := extend(had, op)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(had)
		grown := *row
		grown.Value = (*json.RawMessage)(&value)
		return &grown, err
	}
	return nil, fmt.Errorf("%w: %T has no text that grows", ErrUnfit, row)
}

// extend adds text where it belongs: offsets count UTF-16 units.
func extend(had string, op *ChangesRowChangesOpsRowTextAppended) (string, error) {
	if units := len(utf16.Encode([]rune(had))); units != op.Offset {
		return "", fmt.Errorf("%w: %s has %d units, not %d", ErrUnfit, op.Field, units, op.Offset)
	}
	return had + op.Text, nil
}
