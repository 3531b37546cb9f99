//go:build langgraph

package langgraph

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Three branches that speak at the same time: whoever follows one gets its words, all of them, and no other's. Each
// message is more of the same, and the branches did speak at the same time.
func TestBranchesDoNotMix(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "fanout", "hello", "")
	words := map[string]string{"red": counted("red", 40), "green": counted("green", 30), "blue": counted("blue", 50)}
	following := map[string]*subscription{}
	for branch := range words {
		following[branch] = u.subscribe(t, fmt.Sprintf("subscription { rowsAt(conversationId: %q, path: [%q]) { %s } }", id, branch, rowFields))
	}
	all := u.subscribe(t, fmt.Sprintf("subscription { timeline(conversationId: %q) { %s } }", id, rowFields))
	stories["fanout"].check(t, u.settle(t, id), "after")

	for branch, whole := range words {
		steps := 0
		last := ""
		var messages []response
		eventually(t, func() string {
			if messages = following[branch].said(); len(messages) > 0 && strings.Contains(string(messages[len(messages)-1].Data), `"complete":true`) {
				return ""
			}
			return fmt.Sprint("not complete: ", branch)
		})
		for _, m := range messages {
			require.Empty(t, m.Errors)
			var data struct{ RowsAt []row }
			require.NoError(t, json.Unmarshal(m.Data, &data))
			if len(data.RowsAt) == 0 {
				continue
			}
			require.Len(t, data.RowsAt, 1)
			said := data.RowsAt[0].Content
			require.True(t, strings.HasPrefix(whole, strings.TrimSuffix(said, " ")), "%s: %q", branch, said)
			require.True(t, strings.HasPrefix(said, last), "%s goes on", branch)
			last = said
			steps++
		}
		assert.Equal(t, whole, last)
		assert.Greater(t, steps, 3, "%s came bit by bit", branch)
	}
	together := 0
	for _, m := range all.end() {
		require.Empty(t, m.Errors)
		var data struct{ Timeline []row }
		require.NoError(t, json.Unmarshal(m.Data, &data))
		open := 0
		for _, r := range data.Timeline {
			if r.Typename == "AssistantRow" && !r.Complete {
				open++
			}
		}
		together = max(together, open)
	}
	assert.Equal(t, 3, together, "at the same time")
}
