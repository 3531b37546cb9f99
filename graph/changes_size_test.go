package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/graph/resolvers"
	"inlaygraph/session"
	"inlaygraph/wire"
)

// The selection of a client that shows everything there is to show of a row.
const shownRow = `{ __typename id type path ... on UserRow { content } ... on AssistantRow { content reasoning complete }
	... on OutputRow { name value status complete } ... on ToolCallRow { toolCallId toolName input } ... on ToolResultRow { toolCallId output } }`

const shownChanges = `{ cursor ops { __typename ... on RowsReset { rows ` + shownRow + ` } ... on RowInserted { index row ` + shownRow + ` }
	... on RowTextAppended { index field offset text } ... on RowReplaced { index row ` + shownRow + ` } ... on RowRemoved { index } } }`

const (
	tokens   = 4000 // of the answer
	rowsHeld = 200  // of the conversation before it
)

// tokenAt is a token as a model writes them: of four or five bytes, now and then one that JSON escapes or that is not ASCII.
func tokenAt(i int) string {
	words := []string{"The", " flight", " is", " at", " nine", " and", " costs", " 240", " euros", ".", " It", " lands", " before", " noon", ",", " so"}
	switch {
	case i%97 == 96:
		return " \"café\""
	case i%211 == 210:
		return " 🛫"
	case i%60 == 59:
		return ".\n\n"
	}
	return words[(i*7+i/16)%len(words)]
}

// told folds a frame of the visit that answers.
func told(t testing.TB, live *conversation.Live, kind wire.FrameType, b wire.Body) {
	t.Helper()
	b.Spine = wire.Spine{NodeID: "answer", Activation: "01JNQX3V9T8K2M5R7W4Y6Z0ABC"}
	b.At = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	apply(t, live, &wire.Frame{Type: kind, Body: b})
}

// answering is a conversation of 200 rows that an answer is about to be written into. read answers with the message of a
// client that stands at a cursor, as shared subscriptions make it, and when nobody asks nothing is read.
func answering(t testing.TB) (live *conversation.Live, read func(cursor string) string) {
	s, live := serveLive(t)
	text := strings.Repeat("word ", 40)
	for i := range rowsHeld {
		id := fmt.Sprintf("01JNQX3V9T8K2M5R7W4Y%06d", i)
		if i%2 == 0 {
			apply(t, live, &wire.Frame{Type: wire.UserMessage, Body: wire.Body{ID: id, Content: text, HasContent: true}})
		} else {
			told(t, live, wire.MessageEnd, wire.Body{ID: id, Content: text, HasContent: true})
		}
	}
	ctx := session.With(t.Context(), ann)
	seat, err := (&resolvers.Root{Hub: s.hub}).Share(ctx, "rowChanges", map[string]any{"conversationId": "c1"})
	require.NoError(t, err)
	t.Cleanup(seat.Leave)
	follower := seat.Follow()
	t.Cleanup(follower.Close)
	next, _, err := s.start(follower.Context(ctx), `subscription { value: rowChanges(conversationId: "c1") `+shownChanges+` }`, nil)
	require.NoError(t, err)
	return live, func(cursor string) string {
		follower.Read(cursor)
		response := next(ctx)
		require.NotNil(t, response)
		require.Empty(t, response.Errors)
		return string(response.Data)
	}
}

// frame is how many bytes a message takes on a WebSocket, with the frame's own header, a UUID for the operation, and the
// field's own name in the place of the short one.
func frame(message string) int {
	const envelope = `{"id":"01234567-89ab-cdef-0123-456789abcdef","type":"next","payload":{"data":}}`
	text := len(envelope) + len(message) + len("rowChanges") - len("value")
	switch {
	case text < 126:
		return 2 + text
	case text < 1<<16:
		return 4 + text
	}
	return 10 + text
}

func escaped(t testing.TB, text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(text))
	return strings.TrimSuffix(b.String(), "\n")
}

// An answer of 4,000 tokens costs its own length and an envelope a message, whatever the conversation holds; the bytes do not
// depend on how fast anything is. Five tokens between two messages are what 50 a second and minIntervalMs: 100 give.
func TestTheBytesOfAnAnswer(t *testing.T) {
	for _, every := range []int{1, 5, 800} {
		t.Run(fmt.Sprintf("%d tokens a message", every), func(t *testing.T) {
			live, since := answering(t)
			client := &list{T: t}
			read := func() string {
				message := since(client.cursor)
				client.take(message)
				return message
			}
			reset := frame(read())

			const id = "01JNQX3V9T8K2M5R7W4YANSWER"
			told(t, live, wire.NodeStart, wire.Body{Kind: "llm", MessageID: id})
			sum, worst := frame(read()), 0.0
			var answer strings.Builder
			for i := 0; i < tokens; i += every {
				had, text := client.rows[rowsHeld]["content"].(string), ""
				for k := range every {
					token := tokenAt(i + k)
					told(t, live, wire.MessageDelta, wire.Body{ID: id, Content: token, HasContent: true})
					text += token
				}
				answer.WriteString(text)
				message := read()
				sum += frame(message)
				const envelope = `{"value":{"cursor":%q,"ops":[{"__typename":"RowTextAppended","index":%d,"field":"CONTENT","offset":%d,"text":%s}]}}`
				least := fmt.Sprintf(envelope, client.cursor, rowsHeld, len(utf16.Encode([]rune(had))), escaped(t, text))
				worst = max(worst, float64(len(message))/float64(len(least)))
				require.Equal(t, least, message)
			}
			told(t, live, wire.MessageEnd, wire.Body{ID: id, Seq: 201})
			whole := frame(read())
			sum += whole
			assert.Equal(t, answer.String(), client.rows[rowsHeld]["content"])
			assert.Equal(t, 1, client.resets)
			assert.LessOrEqual(t, worst, 1.05, "more than the envelope and the text")
			t.Logf("%d bytes in all (the end with the whole row: %d), after %d for the %d rows before; the worst message %.3f times its least",
				sum, whole, reset, rowsHeld, worst)
			if every == 5 {
				assert.LessOrEqual(t, sum, 250_000)
			}
		})
	}
}

// What a client missed costs no more than what it says now, however it came to be.
func TestTheBytesOfWhatWasMissed(t *testing.T) {
	live, since := answering(t)
	client := &list{T: t}
	client.take(since(""))
	told(t, live, wire.NodeStart, wire.Body{Kind: "llm", MessageID: "turn"})
	size := 0
	for i := range 900 {
		told(t, live, wire.MessageDelta, wire.Body{ID: "turn", Content: tokenAt(i), HasContent: true})
		size += len(tokenAt(i))
	}
	message := since(client.cursor)
	client.take(message)
	assert.Equal(t, 1, client.resets)
	assert.Len(t, client.rows, rowsHeld+1)
	assert.Equal(t, 1, strings.Count(message, `"__typename":"Row`), "one operation")
	assert.Less(t, len(message), size+size/20+500)
}
