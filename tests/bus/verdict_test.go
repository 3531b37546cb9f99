package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// told is what one viewer of a short conversation receives: rows, then a text that grows by a word a message, and one
// connection after the other.
func told() []message {
	var all []message
	say := func(ops string, resumes bool) {
		all = append(all, message{text: fmt.Sprintf(`{"cursor":"%d","ops":[%s]}`, len(all), ops), resumes: resumes})
	}
	say(`{"__typename":"RowsReset","rows":[{"__typename":"UserRow","id":"u","type":"USER","content":"hello"},`+row("")+`]}`, false)
	text := ""
	for i := range 6 {
		word := fmt.Sprintf("word%d ", i)
		say(fmt.Sprintf(`{"__typename":"RowTextAppended","index":1,"field":"CONTENT","offset":%d,"text":%q}`, len(text), word), i == 3)
		text += word
	}
	return all
}

func row(content string) string {
	return fmt.Sprintf(`{"__typename":"AssistantRow","id":"a","type":"ASSISTANT","content":%q,"reasoning":"","complete":false,"activation":1}`, content)
}

// What was received whole passes, and each thing that may go wrong is found: a message that is lost, doubled, out of order, or of
// something older, and an end that is not what the servers read.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	final := `[{"__typename":"UserRow","id":"u","type":"USER","content":"hello"},` + row("word0 word1 word2 word3 word4 word5 ") + `]`
	older := message{text: `{"cursor":"9","ops":[{"__typename":"RowsReset","rows":[{"__typename":"UserRow","id":"u","type":"USER","content":"hello"},` + row("word0 ") + `]}]}`}
	for name, spoil := range map[string]func([]message) []message{
		"nothing":                func(m []message) []message { return m },
		"one is lost":            func(m []message) []message { return slices.Delete(m, 2, 3) },
		"the last is lost":       func(m []message) []message { return m[:len(m)-1] },
		"one is doubled":         func(m []message) []message { return slices.Insert(m, 2, m[2]) },
		"lost over a connection": func(m []message) []message { return slices.Delete(m, 3, 4) },
		"two change places":      func(m []message) []message { m[2], m[3] = m[3], m[2]; return m },
		"something older":        func(m []message) []message { return append(m, older) },
		"it heard nothing":       func([]message) []message { return nil },
	} {
		v := &viewer{messages: spoil(told())}
		got := v.check(final, true)
		if name == "nothing" {
			assert.Empty(t, got)
			assert.NoError(t, report([]*viewer{v}, nil))
			assert.NotEmpty(t, v.check(`[]`, true), "the servers read something else")
			continue
		}
		assert.NotEmpty(t, got, name)
		assert.Error(t, report([]*viewer{v}, []string{got}), name)
	}
	assert.Error(t, report([]*viewer{{messages: told()[:3]}}, nil), "nobody had to reconnect")
}
