package wire

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 6, for strings.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", `hello`, "hello"},
		{"escapes", `\"\\\/\b\f\n\r\t\u0041\u00e9`, "\"\\/\b\f\n\r\tAé"},
		{"emoji", `🦉\ud83e\udd89`, "🦉🦉"},
		{"NUL", `a\u0000b`, "a\x00b"},
		{"lone high surrogate", `a\ud83eb`, "a\ufffdb"},
		{"lone low surrogate", `a\udd89b`, "a\ufffdb"},
		{"two high halves", `\ud83e\ud83e\udd89`, "\ufffd🦉"},
		{"halves the wrong way round", `\udd89\ud83e`, "\ufffd\ufffd"},
		{"surrogate at the end", `a\uD83E`, "a\ufffd"},
		{"stray byte", "a\xffb", "a\ufffdb"},
		{"cut rune", "a\xf0\x9f\xa6", "a\ufffd\ufffd\ufffd"},
		{"surrogate in bytes", "a\xed\xa0\x80b", "a\ufffd\ufffd\ufffdb"},
		{"overlong", "\xc0\xaf", "\ufffd\ufffd"},
		{"the replacement itself", "\ufffd", "\ufffd"},
		{"line separators", "\u2028\u2029", "\u2028\u2029"},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := requireFrame(t, `{"type":"message.delta","id":"`+c.text+`","content":"`+c.text+`"}`)
			assert.Equal(t, c.want, frame.Content)
			assert.Equal(t, c.want, frame.ID, "strings that share memory read the same")
		})
	}
}

// Promise 6, for JSON values: spelling is kept.
func TestJSONValues(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"null", `null`, `null`},
		{"scalars", ` true `, `true`},
		{"numbers as spelled", `[1.0, 1e400, -0, 12345678901234567890.123, 1E+2]`, `[1.0,1e400,-0,12345678901234567890.123,1E+2]`},
		{"escapes as spelled", `"\u0041\/<&>\u003c\u2028\"\\"`, `"\u0041\/<&>\u003c\u2028\"\\"`},
		{"space between tokens", "{ \"a b\" :\t[ 1 ,\r\n2 ] , \"\" : \" x \" }", `{"a b":[1,2],""` + `:" x "}`},
		{"repeated names as spelled", `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"empty", `[ { } , [ ] ]`, `[{},[]]`},
		{"pair of escapes", `"\ud83e\udd89"`, `"\ud83e\udd89"`},
		{"lone escape", `"a\ud83eb"`, `"a\ufffdb"`},
		{"lone low escape", `"\uDD89"`, `"\ufffd"`},
		{"high before a pair", `"\uD83E\uD83E\uDD89"`, `"\ufffd\uD83E\uDD89"`},
		{"high before another escape", `"\ud83e\n\ud83e\u0041"`, `"\ufffd\n\ufffd\u0041"`},
		{"an escaped backslash before ud83e", `"\\ud83e"`, `"\\ud83e"`},
		{"lone escape in a name", `{"\ud83e":1}`, `{"\ufffd":1}`},
		{"stray bytes", "{\"a\xff\":\"\xf0\x9f\"}", "{\"a\ufffd\":\"\ufffd\ufffd\"}"},
		{"stray byte beside an escape", "\"\\ud83e\xff\"", "\"\\ufffd\ufffd\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := requireFrame(t, `{"type":"table.row","table":"t","row_id":"r","status":"final","value":`+c.text+`,"links":`+c.text+`}`)
			assert.Equal(t, JSON(c.want), frame.Value)
			if c.name != "null" {
				assert.Equal(t, JSON(c.want), frame.Links)
			}
			assert.True(t, utf8.ValidString(string(frame.Value)))
		})
	}
}

// Promise 6: names may be spelled with escapes, and the last of repeated ones wins, good or bad.
func TestNames(t *testing.T) {
	frame := requireFrame(t, `{"\u0074ype":"run.end","sta\u0074us":"failed"}`)
	assert.Equal(t, Failed, frame.Status)

	frame = requireFrame(t, `{"type":7,"type":"message.end","offset":-1,"offset":2,"content":5,"content":"x","id":"i","id":null}`)
	assert.Equal(t, &Frame{Type: MessageEnd, Offset: 2, Body: Body{Content: "x", HasContent: true}}, frame)
	requireRejected(t, []byte(`{"type":"message.end","content":"x","content":5}`),
		Rejection{Reason: ReasonWrongType, Member: "content", Type: "message.end"})

	frame = requireFrame(t, `{"type":"run.end","status":"failed","error":{"kind":1,"message":"a","kind":"llm","message":"b","more":[]}}`)
	assert.Equal(t, &PublicError{Kind: ErrorLLM, Message: "b"}, frame.Error)

	frame = requireFrame(t, `{"Type":1,"TYPE":2,"type":"run.end","status":"failed","":0,"`+strings.Repeat("n", 500)+`":0}`)
	assert.Equal(t, Failed, frame.Status, "names are told apart by case, and any length is tolerated")
}

// Promise 6: what stands around a record.
func TestAroundARecord(t *testing.T) {
	const record = `{"type":"run.end","status":"failed"}`
	for _, around := range []string{"\ufeff%", "%\r\n", "%\n", "\ufeff%\r\n", "  %\t ", "\n\n%"} {
		frame := requireFrame(t, strings.Replace(around, "%", record, 1))
		assert.Equal(t, Failed, frame.Status, "%q", around)
	}
	frame := requireFrame(t, "\ufeff{ \"type\" :\r\n\t\"run.end\" , \"status\":\"failed\" }")
	assert.Equal(t, Failed, frame.Status)
	requireRejected(t, []byte("\ufeff\ufeff"+record), Rejection{Reason: ReasonMalformed})
}

func TestClip(t *testing.T) {
	for word, want := range map[string]string{
		"":                            "",
		"plain":                       "plain",
		"line\nbreak\x1b[0m":          "line?break?[0m",
		strings.Repeat("x", 65):       strings.Repeat("x", 64),
		strings.Repeat("🦉", 20):       strings.Repeat("🦉", 16),
		"x" + strings.Repeat("🦉", 20): "x" + strings.Repeat("🦉", 15),
	} {
		require.Equal(t, want, clip(word))
		require.LessOrEqual(t, len(clip(word)), 64)
	}
}
