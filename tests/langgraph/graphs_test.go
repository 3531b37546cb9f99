//go:build langgraph

package langgraph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// counted is the text of a script that counts its words.
func counted(word string, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint(word, i)
	}
	return strings.Join(words, " ")
}

// story is what a graph's first turn is, to the last word.
type story struct {
	status string
	rows   map[string][]string
	nodes  map[string]string
	edges  []string
}

var stories = map[string]story{
	"chat": {
		status: "PAUSED",
		rows:   map[string][]string{"": {"user: hello"}, "answer": {"(They said something. )This is answer 1 to: hello"}},
		nodes:  map[string]string{"answer": "COMPLETED 2+9"},
		edges:  []string{},
	},
	"fanout": {
		status: "PAUSED",
		rows: map[string][]string{
			"": {"user: hello"}, "red": {counted("red", 40)}, "green": {counted("green", 30)}, "blue": {counted("blue", 50)},
			"sum": {"blue: 50, green: 30, red: 40"},
		},
		nodes: map[string]string{
			"ask": "COMPLETED", "red": "COMPLETED 2+40", "green": "COMPLETED 2+30", "blue": "COMPLETED 2+50", "sum": "COMPLETED 2+6",
		},
		edges: []string{"ask>blue", "ask>green", "ask>red", "blue>sum", "green>sum", "red>sum"},
	},
	"agent": {
		status: "AWAITING_CLIENT_TOOL",
		rows: map[string][]string{
			"":      {"user: hello"},
			"model": {"Let me see. ", `weather {"city":"Bergen"}`, "It rains. ", `approval {"what":"an umbrella"}`},
			"tools": {"-> Bergen: rain", `interrupt {"approve":"an umbrella"} ?`},
		},
		nodes: map[string]string{"model": "COMPLETED x2 4+5", "tools": "RUNNING x2"},
		edges: []string{"model>tools x2", "tools>model"},
	},
	"approvals": {
		status: "AWAITING_CLIENT_TOOL",
		rows: map[string][]string{
			"": {"user: hello"}, "cost": {`interrupt {"approve":"cost"} ?`}, "date": {`interrupt {"approve":"date"} ?`},
		},
		nodes: map[string]string{"ask": "COMPLETED", "cost": "RUNNING", "date": "RUNNING"},
		edges: []string{"ask>cost", "ask>date"},
	},
	"nested": {
		status: "PAUSED",
		rows: map[string][]string{
			"": {"user: hello"}, "left/search/write": {"Found inside."}, "right/search/write": {"Found inside."},
			"left/shorten": {"In short: found."}, "right/shorten": {"In short: found."}, "reply": {"Both looked."},
		},
		nodes: map[string]string{
			"begin": "COMPLETED", "left": "COMPLETED", "right": "COMPLETED", "reply": "COMPLETED 2+2",
			"left/search": "COMPLETED", "left/search/find": "COMPLETED", "left/search/write": "COMPLETED 2+2", "left/shorten": "COMPLETED 2+3",
			"right/search": "COMPLETED", "right/search/find": "COMPLETED", "right/search/write": "COMPLETED 2+2", "right/shorten": "COMPLETED 2+3",
		},
		edges: []string{
			"begin>left", "begin>right", "left/search/find>write", "left/search>shorten", "left>reply",
			"right/search/find>write", "right/search>shorten", "right>reply",
		},
	},
	"spread": {
		status: "PAUSED",
		rows: map[string][]string{
			"": {"user: hello"}, "collect": {"All 4."},
			"handle": {"1: one is handled.", "2: two is handled.", "3: three is handled.", "4: four is handled."},
		},
		nodes: map[string]string{"list": "COMPLETED", "handle": "COMPLETED x4 8+12", "collect": "COMPLETED 2+2"},
		edges: []string{"handle>collect", "list>handle x4"},
	},
	"loop": {
		status: "PAUSED",
		rows:   map[string][]string{"": {"user: hello"}, "draft": {"Draft 1.", "Draft 2.", "Draft 3."}},
		nodes:  map[string]string{"draft": "COMPLETED x3 6+6", "review": "COMPLETED x3"},
		edges:  []string{"draft>review x3", "review>draft x2"},
	},
}

// check compares a conversation with its story.
func (want story) check(t *testing.T, c *conversation, when string) {
	t.Helper()
	assert.Equal(t, want.status, c.Chat.Status, when)
	assert.Equal(t, want.rows, c.rows(), when)
	assert.Equal(t, want.nodes, c.nodes(), when)
	assert.Equal(t, want.edges, c.edges(), when)
	ids := map[string]bool{}
	for _, r := range c.Timeline {
		if assert.NotNil(t, r.ID, when) {
			assert.False(t, ids[*r.ID], "%s: the id of a row is its own", when)
			ids[*r.ID] = true
		}
	}
}

// Each graph's run, as it was told live, as it reads a while later, and as it is found by a server that did not see it.
func TestGraphs(t *testing.T) {
	u := user{server: front(t)}
	for agent, want := range stories {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			id := u.send(t, agent, "hello", "")
			live := u.settle(t, id)
			want.check(t, live, "live")
			assert.Equal(t, agent, live.Chat.Conversation.AgentID)
			assert.Equal(t, 1, live.Chat.Conversation.AgentVersion)

			reopened := user{server: front(t)}.read(t, id)
			want.check(t, reopened, "reopened")
			assert.Equal(t, order(live), order(reopened), "the ids of rows, path by path")
		})
	}
}

// order is the ids of the rows of each path.
func order(c *conversation) map[string][]string {
	all := map[string][]string{}
	for _, r := range c.Timeline {
		path := strings.Join(r.Path, "/")
		all[path] = append(all[path], *r.ID)
	}
	delete(all, "handle") // items at the same time stand in the order in which they came
	return all
}
