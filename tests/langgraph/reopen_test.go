//go:build langgraph

package langgraph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Our server dies in the middle of a second turn; another one opens the conversation while the run goes on, and tells
// all of it: the first turn from the history, the second from its first word.
func TestReopenedWhileItRuns(t *testing.T) {
	t.Parallel()
	first := user{server: front(t)}
	id := first.send(t, "slow", "one", "")
	first.settle(t, id)
	first.send(t, "slow", "two", id)
	eventually(t, func() string {
		if rows := first.read(t, id).rows()["talk"]; len(rows) < 2 || !strings.Contains(rows[1], "word9") {
			return fmt.Sprint(rows)
		}
		return ""
	})
	first.kill(t)

	second := user{server: front(t)}
	c := second.read(t, id)
	assert.Equal(t, "STREAMING", c.Chat.Status)
	require.Len(t, c.rows()["talk"], 2)
	assert.Contains(t, c.rows()["talk"][1], "word9", "what was said before is there at once")
	want := story{
		status: "PAUSED",
		rows: map[string][]string{
			"": {"user: one", "user: two"}, "talk": {counted("word", 120), counted("word", 120)},
		},
		nodes: map[string]string{"wait": "COMPLETED x2", "talk": "COMPLETED x2 4+240"},
		edges: []string{"wait>talk x2"},
	}
	want.check(t, second.settle(t, id), "live")
	want.check(t, user{server: front(t)}.read(t, id), "afterwards")
	assert.Equal(t, id, second.send(t, "slow", "three", id), "and it goes on")
	second.do(t, &struct{}{}, fmt.Sprintf("mutation { cancel(conversationId: %q) { conversation { id } } }", id))
}

// post asks the LangGraph server itself.
func post(t *testing.T, into any, body any, path string) {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	res, err := http.Post(langGraph+path, "application/json", bytes.NewReader(text))
	require.NoError(t, err)
	defer res.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	require.Equal(t, http.StatusOK, res.StatusCode, path)
	require.NoError(t, json.NewDecoder(res.Body).Decode(into))
}

func thread(t *testing.T) string {
	t.Helper()
	var made struct {
		ThreadID string `json:"thread_id"`
	}
	post(t, &made, map[string]any{}, "/threads")
	return made.ThreadID
}

func saying(content string) map[string]any {
	return map[string]any{"messages": []any{map[string]any{"role": "user", "content": content}}}
}

// Runs that others start, in threads of others: they are seen where the server is told to show them, live if they were
// started so that they can be joined, else from their checkpoints.
func TestRunsOfOthers(t *testing.T) {
	t.Parallel()
	u := user{server: front(t, "--langgraph-open-threads")}
	strict := user{server: front(t)}
	for name, how := range map[string]map[string]any{
		"joined": {
			"stream_mode": []string{"values", "tasks", "messages-tuple", "updates"}, "stream_subgraphs": true, "stream_resumable": true,
		},
		"polled": {"stream_mode": "values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := thread(t)
			assert.Nil(t, u.find(t, id), "nothing was run there")
			how["assistant_id"], how["input"] = "slow", saying("hello")
			post(t, &struct{}{}, how, "/threads/"+id+"/runs")
			following := u.subscribe(t, fmt.Sprintf("subscription { timeline(conversationId: %q) { %s } }", id, rowFields))
			u.waitFor(t, id, "PAUSED")
			c := u.settle(t, id)
			assert.Equal(t, map[string][]string{"": {"user: hello"}, "talk": {counted("word", 120)}}, c.rows())
			assert.Equal(t, map[string]string{"wait": "COMPLETED", "talk": "COMPLETED 2+120"}, c.nodes())
			bits := 0
			for _, m := range following.end() {
				require.Empty(t, m.Errors)
				if strings.Contains(string(m.Data), `"complete":false`) {
					bits++
				}
			}
			assert.Equal(t, name == "joined", bits > 10, "word by word: %d", bits)
			assert.Nil(t, strict.find(t, id), "a thread without an owner")

			// A run that came and went while the conversation was open and idle.
			u.subscribe(t, fmt.Sprintf("subscription { timeline(conversationId: %q) { %s } }", id, rowFields))
			post(t, &struct{}{}, map[string]any{"assistant_id": "slow", "input": saying("again")}, "/threads/"+id+"/runs/wait")
			eventually(t, func() string {
				c := u.read(t, id)
				if len(c.rows()["talk"]) < 2 || c.Chat.Status != "PAUSED" {
					return fmt.Sprint(c.Chat.Status, c.rows())
				}
				return ""
			})
			assert.Equal(t, map[string][]string{
				"": {"user: hello", "user: again"}, "talk": {counted("word", 120), counted("word", 120)},
			}, u.read(t, id).rows())
		})
	}
}

// find reads a conversation that may not be there for the reader.
func (u user) find(t *testing.T, id string) *conversation {
	t.Helper()
	r := u.ask(t, reading(id))
	var data struct{ Conversation *conversation }
	if len(r.Errors) > 0 {
		require.Equal(t, "NOT_FOUND", r.Errors[0].Extensions.Code)
		return nil
	}
	require.NoError(t, json.Unmarshal(r.Data, &data))
	return data.Conversation
}
