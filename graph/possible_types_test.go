package graph

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPossibleTypes(t *testing.T) {
	text, err := PossibleTypes()
	require.NoError(t, err)
	var possible map[string][]string
	require.NoError(t, json.Unmarshal(text, &possible))

	rows := []string{"UserRow", "AssistantRow", "OutputRow", "ToolCallRow", "ToolResultRow"}
	cards := []string{"FanOutRow", "SubagentRow", "RepeatRow"}
	require.ElementsMatch(t, rows, possible["Row"])
	require.ElementsMatch(t, cards, possible["CompositeRow"])
	require.ElementsMatch(t, append(rows, cards...), possible["FeedRow"])
	require.ElementsMatch(t, []string{"OpenSubagentView", "BlackBoxSubagentView"}, possible["SubagentView"])
	require.ElementsMatch(t, []string{"NodeView", "OpenSubagentView", "BlackBoxSubagentView"}, possible["PathView"])
	require.ElementsMatch(t, []string{"RowsReset", "RowInserted", "RowTextAppended", "RowReplaced", "RowRemoved"}, possible["RowOp"])
	require.Len(t, possible, 6, "an interface or a union that this test does not know")

	again, err := PossibleTypes()
	require.NoError(t, err)
	require.Equal(t, string(text), string(again), "the same text each time")
}
