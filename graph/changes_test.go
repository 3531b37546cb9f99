package graph_test

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// op is a row operation as a client reads it.
type op struct {
	Typename string `json:"__typename"`
	Rows     []map[string]any
	Index    int
	Row      map[string]any
	Field    string
	Offset   int
	Text     string
}

const changes = `{ cursor ops { __typename ... on RowsReset { rows ` + row + ` } ... on RowInserted { index row ` + row + ` }
	... on RowTextAppended { index field offset text } ... on RowReplaced { index row ` + row + ` } ... on RowRemoved { index } } }`

// list is a client's copy of a slice of the timeline.
type list struct {
	*testing.T
	rows   []map[string]any
	cursor string
	resets int
}

// take applies a message of rowChanges.
func (l *list) take(message string) {
	l.Helper()
	var data struct {
		Value struct {
			Cursor string
			Ops    []op
		}
	}
	require.NoError(l, json.Unmarshal([]byte(message), &data))
	require.NotEmpty(l, data.Value.Cursor)
	l.cursor = data.Value.Cursor
	for _, o := range data.Value.Ops {
		switch o.Typename {
		case "RowsReset":
			l.rows = o.Rows
			l.resets++
		case "RowInserted":
			l.rows = slices.Insert(l.rows, o.Index, o.Row)
		case "RowReplaced":
			l.rows[o.Index] = o.Row
		case "RowRemoved":
			l.rows = slices.Delete(l.rows, o.Index, o.Index+1)
		case "RowTextAppended":
			field := map[string]string{"CONTENT": "content", "REASONING": "reasoning", "VALUE": "value"}[o.Field]
			had, _ := l.rows[o.Index][field].(string) // null has no text
			require.Len(l, utf16.Encode([]rune(had)), o.Offset, "the offset counts UTF-16 units")
			l.rows[o.Index][field] = had + o.Text
		default:
			l.Fatalf("no such operation: %s", o.Typename)
		}
	}
}

// Operations applied in sequence give the slice after every message, a client that goes on from its cursor misses
// nothing, and a cursor of another slice begins with a reset.
func TestRowChanges(t *testing.T) {
	cases := []struct{ name, at, query string }{
		{"the timeline", ``, `timeline`},
		{"the timeline, whatever subtree says", `subtree: true,`, `timeline`},
		{"a path", `path: ["plan"],`, `rowsAt(path: ["plan"])`},
		{"a subtree", `path: ["research"], subtree: true,`, `rowsAt(path: ["research"], subtree: true)`},
		{"every node", `path: [], subtree: true,`, `rowsAt(path: [], subtree: true)`},
		{"no path at all", `path: [],`, `rowsAt(path: [])`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s, live := serveLive(t)
			follow := func(after string) func() string {
				const head = `subscription ($after: String) { value: rowChanges(conversationId: "c1", `
				return s.subscribe(head+tc.at+` after: $after) `+changes+` }`, map[string]any{"after": after})
			}
			steady, leaving := &list{T: t}, &list{T: t}
			next := follow("")
			steady.take(next())
			leaving.take(follow("")())
			for i, in := range inputs(t) {
				if apply(t, live, in) {
					steady.take(next())
				}
				if i%5 == 0 {
					leaving.take(follow(leaving.cursor)())
				}
			}
			leaving.take(follow(leaving.cursor)())

			var want struct {
				Conversation struct{ Value []map[string]any }
			}
			require.NoError(t, json.Unmarshal([]byte(s.query(`{ conversation(id: "c1") { value: `+tc.query+` `+row+` } }`, nil)), &want))
			assert.Equal(t, want.Conversation.Value, steady.rows)
			assert.Equal(t, want.Conversation.Value, leaving.rows)
			assert.Equal(t, 1, steady.resets)
			assert.Equal(t, 1, leaving.resets)

			elsewhere := &list{T: t}
			elsewhere.take(s.subscribe(`subscription { value: rowChanges(conversationId: "c1", path: ["elsewhere"], after: "`+steady.cursor+`") `+changes+` }`, nil)())
			assert.Equal(t, 1, elsewhere.resets)
			assert.Empty(t, elsewhere.rows)
		})
	}
}
