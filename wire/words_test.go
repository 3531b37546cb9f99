package wire

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The words are the contract's: they are spelled out here once more, so that a slip in the table shows.
func TestWordsBothWays(t *testing.T) {
	check := func(name string, want []string, word func(i uint8) string, value func(word string) uint8) {
		t.Run(name, func(t *testing.T) {
			for i, w := range want {
				assert.Equal(t, w, word(uint8(i+1)))
				assert.Equal(t, uint8(i+1), value(w))
			}
			assert.Empty(t, word(0))
			assert.Empty(t, word(uint8(len(want)+1)))
			for _, stranger := range []string{"", "nonsense", want[0] + " ", fmt.Sprint(want)} {
				assert.Zero(t, value(stranger))
			}
		})
	}
	check("frame types", []string{"run.start", "user.message", "node.start", "message.delta", "message.end",
		"output.delta", "output.set", "tool.call", "tool.result", "table.row", "table.delete", "edge.fired",
		"node.end", "run.pause", "run.end"},
		func(i uint8) string { return FrameType(i).String() },
		func(w string) uint8 { return uint8(frameTypeWords.value([]byte(w))) })
	check("row types", []string{"user", "assistant", "output", "tool-call", "tool-result", "node-start", "node-end", "edge"},
		func(i uint8) string { return RowType(i).String() },
		func(w string) uint8 { return uint8(rowTypeWords.value([]byte(w))) })
	check("binding statuses", []string{"building", "final"},
		func(i uint8) string { return BindingStatus(i).String() },
		func(w string) uint8 { return uint8(bindingStatusWords.value([]byte(w))) })
	check("formats", []string{"text", "markdown", "code", "html", "list"},
		func(i uint8) string { return ArtifactFormat(i).String() },
		func(w string) uint8 { return uint8(formatWords.value([]byte(w))) })
	check("error kinds", []string{"llm", "tool", "condition", "internal"},
		func(i uint8) string { return ErrorKind(i).String() },
		func(w string) uint8 { return uint8(errorKindWords.value([]byte(w))) })
	check("statuses", []string{"running", "completed", "failed", "cancelled", "paused", "awaiting_client_tool"},
		func(i uint8) string { return Status(i).String() },
		func(w string) uint8 { return uint8(statusWords.value([]byte(w))) })
}

func TestTypesAreListedAndShaped(t *testing.T) {
	assert.Len(t, FrameTypes(), len(frameShapes)-1)
	assert.Equal(t, RunStart, FrameTypes()[0])
	assert.Equal(t, RunEnd, FrameTypes()[len(FrameTypes())-1])
	assert.Len(t, RowTypes(), len(rowShapes)-1)
	assert.Equal(t, RowEdge, RowTypes()[len(RowTypes())-1])
	for m, name := range memberNames {
		found, ok := memberOf([]byte(name))
		assert.True(t, ok, name)
		assert.Equal(t, member(m), found, name)
	}
}
