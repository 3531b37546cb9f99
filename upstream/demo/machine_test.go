package demo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

// driven is a demo that is driven at random, and what is expected of it.
type driven struct {
	*Demo
	all []*conversation
}

// pick chooses a conversation, and says how it stands.
func (d *driven) pick(rt *rapid.T) (c *conversation, running bool, status wire.Status) {
	c = rapid.SampledFrom(d.all).Draw(rt, "conversation")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c, c.inFlight, c.ledger.status
}

func taken(rt *rapid.T, want bool, no *refusal, what string) {
	if want {
		require.Nil(rt, no, what)
	} else {
		require.NotNil(rt, no, what)
		require.Equal(rt, 409, no.status, what)
	}
}

// actions are what people do, each with what must come of it. Time stands still meanwhile.
func (d *driven) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"wait": func(rt *rapid.T) {
			time.Sleep(time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms")) * time.Millisecond)
		},
		"begin": func(rt *rapid.T) {
			agent := rapid.SampledFrom([]string{"chat", "tools", "turns"}).Draw(rt, "agent")
			b, no := d.begin("", agent, user("", "hi"))
			taken(rt, true, no, "begin")
			d.all = append(d.all, b.conversation)
		},
		"say": func(rt *rapid.T) {
			c, running, status := d.pick(rt)
			b, no := d.begin("", c.tape.agentID, user(c.id, "more"))
			taken(rt, !running && status == wire.Paused, no, "say")
			if no == nil {
				frames := sentFrames(rt, c)
				from := slices.IndexFunc(frames, func(f *wire.Frame) bool { return f.Offset == b.before+1 })
				assert.Equal(rt, wire.RunStart, frames[from].Type)
			}
		},
		"answer": func(rt *rapid.T) {
			c, running, status := d.pick(rt)
			c.mu.Lock()
			waiting := slices.Clone(c.ledger.waiting)
			c.mu.Unlock()
			if len(waiting) == 0 {
				return
			}
			call := rapid.SampledFrom(waiting).Draw(rt, "call").ToolCallID
			output := rapid.SampledFrom([]string{yes, row, `{"approved":false}`, ""}).Draw(rt, "output")
			_, no := d.begin("", c.tape.agentID, result(c.id, call, output))
			taken(rt, !running && status == wire.AwaitingClientTool, no, "answer")
		},
		"retry": func(rt *rapid.T) {
			c, running, status := d.pick(rt)
			_, no := c.retry(nil)
			taken(rt, !running && status == wire.Failed, no, "retry")
		},
		"cancel": func(rt *rapid.T) {
			c, running, status := d.pick(rt)
			no := c.cancel()
			taken(rt, running || status == wire.Paused || status == wire.AwaitingClientTool, no, "cancel")
			if no == nil {
				assert.Equal(rt, wire.Cancelled, c.listed().Status)
				assert.True(rt, c.rests())
			}
		},
	}
}

// check checks what always holds.
func (d *driven) check(rt *rapid.T) {
	ids, runs := map[string]bool{}, map[string]bool{}
	for _, c := range d.all {
		frames := sentFrames(rt, c)
		c.mu.Lock()
		running, rows := c.inFlight, c.ledger.rows
		c.mu.Unlock()
		if running {
			frames = append(frames, &wire.Frame{Type: wire.RunPause, Offset: frames[len(frames)-1].Offset + 1})
		}
		sound(rt, frames)
		for _, f := range ofType(frames, wire.RunStart) {
			assert.False(rt, runs[f.RunID], "run %s again", f.RunID)
			runs[f.RunID] = true
			assert.Equal(rt, c.id, f.ConversationID)
		}
		calls := map[string]bool{}
		for i, r := range rows {
			assert.Equal(rt, rows[0].Seq+int64(i), r.Seq)
			assert.True(rt, r.ID == "" || !ids[r.ID], "row %s again", r.ID)
			ids[r.ID] = true
			if r.Type == wire.RowToolResult {
				assert.False(rt, calls[r.ToolCallID], "two results of %s", r.ToolCallID)
				calls[r.ToolCallID] = true
			}
		}
	}
}

// Promises 1, 2, 10, 11 and 12: whatever people do, in whatever order and at whatever moment, what is allowed is taken,
// what is not is 409, nothing comes twice, and the demo's own conversations go on.
func TestDrivenAtRandom(t *testing.T) {
	recs := drivenRecordings(t)
	rapid.Check(t, func(rt *rapid.T) {
		bubble(t, func() {
			demo, err := New(Options{Recordings: recs, Patience: -1})
			require.NoError(rt, err)
			defer demo.Close()
			d := &driven{Demo: demo, all: slices.Clone(demo.looping)}
			rt.Repeat(d.actions())
			time.Sleep(time.Minute)
			synctest.Wait()
			d.check(rt)
			for _, c := range d.looping {
				before, _ := c.attach()
				time.Sleep(20 * time.Second)
				synctest.Wait()
				after, _ := c.attach()
				assert.Greater(rt, after, before, "%s goes on", c.id)
			}
			for _, c := range d.sent {
				assert.True(rt, c.rests())
			}
		})
	})
}

// drivenRecordings are short: one that only answers, one that waits for two tools, and one of two turns, of which the
// second waits, and fails.
func drivenRecordings(t *testing.T) []*recording.Recording {
	ask := func(offset int, call string) string {
		return fmt.Sprintf(`{"type":"tool.call","offset":%d,"tool_call_id":%q,"tool_name":"ask","input":"{}","requires_client_response":true,%s}`, offset, call, n)
	}
	return []*recording.Recording{
		record(t, "chat", called("chat", 1), said, `{"type":"node.start","offset":3,"kind":"llm",`+n+`}`,
			`{"type":"message.delta","offset":4,"content":"x",`+n+`}`, `{"type":"node.end","offset":5,"status":"completed",`+n+`}`,
			`{"type":"run.pause","offset":6,"status":"paused"}`),
		record(t, "tools", called("tools", 1), said, `{"type":"node.start","offset":3,"kind":"llm",`+n+`}`, ask(4, "t1"), ask(5, "t2"),
			`{"type":"run.pause","offset":6,"status":"awaiting_client_tool","at":"2026-01-05T09:00:00Z"}`,
			strings.Replace(called("tools", 7), `{`, `{"at":"2026-01-05T09:00:08Z",`, 1),
			`{"type":"tool.result","offset":8,"tool_call_id":"t2","output":"{\"row\":\"F\"}",`+n+`}`,
			`{"type":"tool.result","offset":9,"tool_call_id":"t1","output":"{}",`+n+`}`,
			`{"type":"node.start","offset":10,"kind":"llm",`+n+`}`, `{"type":"node.end","offset":11,"status":"completed",`+n+`}`,
			`{"type":"run.pause","offset":12,"status":"paused"}`),
		record(t, "turns", called("turns", 1), said, `{"type":"run.pause","offset":3,"status":"paused","at":"2026-01-05T09:00:00Z"}`,
			strings.Replace(called("turns", 4), `{`, `{"at":"2026-01-05T09:00:05Z",`, 1), `{"type":"user.message","offset":5,"content":"more"}`,
			ask(6, "t"), `{"type":"run.pause","offset":7,"status":"awaiting_client_tool"}`, called("turns", 8),
			`{"type":"message.delta","offset":9,"content":"x"}`, `{"type":"run.end","offset":10,"status":"failed","retryable":true}`),
	}
}

// called opens a run of a conversation, whose agent has its name.
func called(id string, offset int) string {
	return fmt.Sprintf(`{"type":"run.start","offset":%d,"run_id":"%s.%d","conversation_id":%q,"agent_id":%q,"agent_version":1}`, offset, id, offset, id, id)
}

// bubble runs something in time of its own, and hands on how it failed.
func bubble(t *testing.T, do func()) {
	t.Helper()
	var failure any
	synctest.Test(t, func(*testing.T) {
		defer func() { failure = recover() }()
		do()
	})
	if failure != nil {
		panic(failure)
	}
}
