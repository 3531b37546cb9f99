package example

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 4: operations are applied one after the other, offsets count UTF-16 units, and nothing that was given is changed.
func TestApply(t *testing.T) {
	turn, note := &RowAssistantRow{Content: "😀"}, &RowOutputRow{}
	given := []Row{turn, note}
	rows, err := Apply(given, []ChangesRowChangesOpsRowOp{
		&ChangesRowChangesOpsRowTextAppended{Index: 0, Field: RowTextFieldContent, Offset: 2, Text: "é"},
		&ChangesRowChangesOpsRowTextAppended{Index: 0, Field: RowTextFieldReasoning, Offset: 0, Text: "why"},
		&ChangesRowChangesOpsRowTextAppended{Index: 1, Field: RowTextFieldValue, Offset: 0, Text: `a "list"`},
		&ChangesRowChangesOpsRowTextAppended{Index: 1, Field: RowTextFieldValue, Offset: 8, Text: "!"},
		&ChangesRowChangesOpsRowInserted{Index: 0, Row: &RowUserRow{Content: "hello"}},
		&ChangesRowChangesOpsRowInserted{Index: 3, Row: &RowUserRow{Content: "bye"}},
		&ChangesRowChangesOpsRowReplaced{Index: 0, Row: &RowUserRow{Content: "good day"}},
		&ChangesRowChangesOpsRowRemoved{Index: 3},
	})
	require.NoError(t, err)
	why, value := "why", json.RawMessage(`"a \"list\"!"`)
	assert.Equal(t, []Row{
		&RowUserRow{Content: "good day"}, &RowAssistantRow{Content: "😀é", Reasoning: &why}, &RowOutputRow{Value: &value},
	}, rows)
	assert.Equal(t, []Row{&RowAssistantRow{Content: "😀"}, &RowOutputRow{}}, given)
	rows, err = Apply(given, []ChangesRowChangesOpsRowOp{&ChangesRowChangesOpsRowsReset{Rows: []Row{note}}})
	require.NoError(t, err)
	assert.Equal(t, []Row{note}, rows)
}

// Promise 4: an operation that does not fit is an error, not a wrong list.
func TestUnfit(t *testing.T) {
	number := json.RawMessage(`1`)
	rows := []Row{&RowAssistantRow{Content: "a"}, &RowOutputRow{Value: &number}, &RowUserRow{}}
	for name, op := range map[string]ChangesRowChangesOpsRowOp{
		"inserted beyond the end": &ChangesRowChangesOpsRowInserted{Index: 4},
		"replaced at the end":     &ChangesRowChangesOpsRowReplaced{Index: 3},
		"removed before":          &ChangesRowChangesOpsRowRemoved{Index: -1},
		"another offset":          &ChangesRowChangesOpsRowTextAppended{Index: 0, Field: RowTextFieldContent, Offset: 2},
		"another field":           &ChangesRowChangesOpsRowTextAppended{Index: 0, Field: RowTextFieldValue, Offset: 0},
		"no text":                 &ChangesRowChangesOpsRowTextAppended{Index: 1, Field: RowTextFieldValue, Offset: 0},
		"a row that never grows":  &ChangesRowChangesOpsRowTextAppended{Index: 2, Field: RowTextFieldContent, Offset: 0},
		"no operation":            nil,
	} {
		_, err := Apply(rows, []ChangesRowChangesOpsRowOp{op})
		assert.ErrorIs(t, err, ErrUnfit, name)
	}
}
