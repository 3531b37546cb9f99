package story

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 2.
func TestTickOf(t *testing.T) {
	for _, c := range []struct {
		tail       string
		turn, tick int
		ok         bool
	}{
		{`said a000012 "}]}}}`, 0, 12, true},
		{`b000000 "}]}},"id":"1","type":"next"}`, 1, 0, true},
		{`"content":"said nothing"}`, 0, 0, false},
		{`a0000x2 "}`, 0, 0, false},
		{`000012 "`, 0, 0, false},
		{``, 0, 0, false},
	} {
		turn, tick, ok := TickOf([]byte(c.tail))
		assert.Equal(t, c.ok, ok, c.tail)
		if c.ok {
			assert.Equal(t, []int{c.turn, c.tick}, []int{turn, tick}, c.tail)
		}
	}
}

// Promise 1, and that messages are about as long as was asked for.
func TestChat(t *testing.T) {
	s := Chat(50, 20_500)
	assert.Equal(t, s, Chat(50, 20_500))
	assert.InDelta(t, 20_500, len(Everything.Message(s.At(0), "1")), 200)
	rows := s.At(3)
	require.Len(t, rows, 50)
	assert.Contains(t, rows[49].Content, "a000000 a000001 a000002 a000003 ")
	assert.Len(t, Of(Branches(10, 5, 100).At(0), Branch(7)), 5)
}

// Promise 3: a message with anything missing, doubled or changed is told.
func TestCheck(t *testing.T) {
	s := Chat(4, 2000)
	for i := range 100 {
		d := Different(i)
		require.NoError(t, d.Check(d.Message(s.At(1), "1"), s.At(1), "1"))
		assert.Error(t, d.Check(d.Message(s.At(2), "1"), s.At(1), "1"))
		assert.Error(t, d.Check(d.Message(s.At(1)[1:], "1"), s.At(1), "1"))
		assert.Error(t, d.Check(d.Message(s.At(1), "2"), s.At(1), "1"))
		if i > 0 {
			assert.NotEqual(t, Different(i-1).Query(), d.Query())
		}
	}
}

func appended(offset int, text string) []byte {
	m, _ := json.Marshal(map[string]any{"id": "1", "type": "next", "payload": map[string]any{"data": map[string]any{"rowChanges": map[string]any{
		"cursor": "c", "ops": []Op{{Kind: "RowTextAppended", Index: 0, Field: "CONTENT", Offset: offset, Text: text}},
	}}}})
	return m
}

func TestReader(t *testing.T) {
	r := Reader{}
	_, err := r.Apply([]byte(`{"payload":{"data":{"rowChanges":{"ops":[{"__typename":"RowsReset","rows":[{"content":"🙂"}]}]}}}}`))
	require.NoError(t, err)
	ops, err := r.Apply(appended(2, " \"so\""))
	require.NoError(t, err)
	assert.Equal(t, "🙂 \"so\"", r.Text())
	_, err = r.Apply(appended(2, "again"))
	assert.Error(t, err, "text that overlaps")
	_, err = r.Apply([]byte(`{"payload":{"errors":[{"message":"no"}]}}`))
	assert.Error(t, err)

	m := []byte(`{"id":"1","type":"next","payload":{"data":{"rowChanges":{"cursor":"c","ops":[{"__typename":"RowTextAppended","index":0,"field":"CONTENT","offset":2,"text":" \"so\""}]}}}}`)
	least, appends := Least(m, ops)
	assert.True(t, appends)
	assert.Equal(t, len(m), least)
	_, appends = Least(m, []Op{{Kind: "RowsReset"}})
	assert.False(t, appends)
}
