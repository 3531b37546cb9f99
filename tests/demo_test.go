package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// branchRow is what the main job selects.
type branchRow struct {
	ID, Content string
	Path        []string
	Complete    bool
}

func branchRows(t *testing.T, value string) []branchRow {
	t.Helper()
	var rows []branchRow
	require.NoError(t, json.Unmarshal([]byte(value), &rows))
	return rows
}

// The main job: whoever starts the server without anything finds a fan-out under way, and follows two of its branches
// on one WebSocket. Each slice grows, and neither hears of the other.
func TestTwoBranchesOfAFanOut(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo-speed", "4")
	c := dial(t, s)
	const selection = `{ id path ... on AssistantRow { content complete } }`
	branches := map[string]*stream{}
	for _, node := range []string{"flights", "trains"} {
		branches[node] = c.subscribe(t, fmt.Sprintf(`subscription { rowsAt(conversationId: "demo-fanout", path: [%q]) %s }`, node, selection))
	}
	both := c.subscribe(t, `subscription { rowsAt(conversationId: "demo-fanout", path: [], subtree: true) `+selection+` }`)
	for node, m := range branches {
		m.until(t, "rowsAt", node+" is complete", func(value json.RawMessage) bool {
			rows := branchRows(t, string(value))
			return len(rows) > 0 && rows[0].Complete
		})
	}
	messages := 0
	for node, m := range branches {
		f := following{field: "rowsAt"}
		o := f.observe(t, m)
		for _, other := range []string{"flights", "trains"} {
			if other != node {
				o.Foreign = append(o.Foreign, fmt.Sprintf("%q", other))
			}
		}
		assert.NoError(t, Validate(o), node)
		assert.Greater(t, len(o.Values), 12, "%s grows in steps", node)
		text := ""
		for i, value := range o.Values {
			rows := branchRows(t, value)
			if len(rows) == 0 {
				assert.Zero(t, i, "only the first may be empty")
				continue
			}
			require.Len(t, rows, 1)
			assert.Equal(t, []string{node}, rows[0].Path)
			assert.True(t, strings.HasPrefix(rows[0].Content, text), "%q does not go on from %q", rows[0].Content, text)
			text = rows[0].Content
		}
		assert.Greater(t, len(text), 60)
		messages += len(o.Values)
	}
	assert.Greater(t, both.count(), messages, "while everything that happened was more than the two")
}

// demoSubscriptions are all subscriptions of the schema, each on a conversation of the demo that moves it. The
// conversations stand in the order in which their first turns end.
var demoSubscriptions = []struct {
	id         string
	followings []following
}{
	{"demo-artifacts", []following{table("pantry"), binding("recipe"), chat(`{ tables ` + tableFields + ` }`)}},
	{"demo-chat", []following{transcript(""), chat(`{ status transcript { id } }`)}},
	{"demo-failure", []following{runOf(), chat(`{ status error { kind message } retryable canRetry }`)}},
	{"demo-fanout", []following{timeline(""), timeline("minIntervalMs: 250"), rowsAt(`path: ["budget"]`), binding("budget"), rowChanges(), runOf()}},
	{"demo-subagents", []following{rowsAt(`path: ["north"], subtree: true`), rowChangesAt(`path: ["south", "research"], subtree: true`), runOf()}},
	{"demo-approval", []following{pendingTools(), toolCall("demo-approval.call2"), chat(`{ status pendingTools { toolCallId } capabilities { canSend } }`)}},
}

// Every subscription of the schema on the embedded demo: the first value at once, then changes, and when the
// conversation rests the last message is what a query reads.
func TestEverySubscriptionOnTheDemo(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo-speed", "5")
	s.unheld = true // it validates below, when each rests; at the end of the test the demo plays on
	c := dial(t, s)
	rests, streams := map[string]*stream{}, map[string][]*stream{}
	for _, d := range demoSubscriptions {
		rests[d.id] = c.subscribe(t, chat(`{ status }`).operation(d.id))
		for _, f := range d.followings {
			begin := time.Now()
			m := c.subscribe(t, f.operation(d.id))
			m.message(t, 1)
			assert.Less(t, time.Since(begin), slow, "the first value comes at once")
			streams[d.id] = append(streams[d.id], m)
		}
	}
	for _, d := range demoSubscriptions {
		t.Run(d.id, func(t *testing.T) {
			rests[d.id].until(t, "chat", "the conversation rests", func(v json.RawMessage) bool { return string(v) == `{"status":"PAUSED"}` })
			for i, f := range d.followings {
				m := streams[d.id][i]
				eventually(t, patience, func() string {
					final := f.read(t, s, d.id)
					if last := f.latest(t, m); !same(last, final) {
						return fmt.Sprintf("%s ends with\n%s\na query reads\n%s", f.name(), last, final)
					}
					return ""
				})
				o := f.observe(t, m)
				assert.NoError(t, Validate(o), f.name())
				assert.Greater(t, len(o.Values), 1, "%s had changes", f.name())
			}
		})
	}
}

// The conversations of the demo go on: after the rest another turn begins, with the same subscription.
func TestADemoConversationGoesOn(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo-speed", "20")
	m := s.stream(t, transcript("").operation("demo-chat"))
	users := func(value json.RawMessage) int { return strings.Count(string(value), `"UserRow"`) }
	first := users(valueOf(t, "transcript", m.message(t, 1)))
	m.until(t, "transcript", "another turn", func(v json.RawMessage) bool { return users(v) > first })
	assert.NoError(t, Validate(transcript("").observe(t, m)))
}

// --demo-recordings plays a folder in place of the scenarios, at the pace that was recorded.
func TestRecordingsPlayAtTheirPace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"desk.ndjson", "trip.ndjson"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(folder+"/"+name, text, 0o600))
	}
	s := serve(t, "--demo-recordings", folder)
	begin := time.Now()
	c := dial(t, s)
	desk, trip := c.subscribe(t, rowsAt(`path: ["right"]`).operation("desk")), c.subscribe(t, timeline("").operation("trip"))
	said := func(m *stream, field, text string) time.Duration {
		m.until(t, field, text, func(v json.RawMessage) bool { return strings.Contains(string(v), text) })
		return time.Since(begin)
	}
	// When it is said in the recordings, after the start of each; the server began a little before the test did.
	for _, at := range []struct {
		stream      *stream
		field, text string
		seconds     float64
	}{{desk, "rowsAt", "hello!", 1.14}, {desk, "rowsAt", "🌍", 1.92}, {desk, "rowsAt", `"complete":true`, 2.52}, {trip, "timeline", "Friday", 3.08}} {
		took := said(at.stream, at.field, at.text).Seconds()
		assert.Greater(t, took, at.seconds-1, at.text)
		assert.Less(t, took, at.seconds+slow.Seconds(), at.text)
	}
	for name, m := range map[string]*stream{"rowsAt": desk, "timeline": trip} {
		o := following{field: name}.observe(t, m)
		assert.NoError(t, Validate(o))
		assert.Greater(t, len(o.Values), 4, "token by token")
	}
	for _, id := range []string{"desk", "trip"} {
		assert.Contains(t, s.stderr.String(), "\n  "+id+" ")
	}
	assert.NotContains(t, s.stderr.String(), "demo-fanout")
}
