//go:build langgraph

package langgraph

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An interrupt is a call that waits. Its answer resumes the graph, once, however often it is given.
func TestAnInterruptIsAnswered(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "agent", "hello", "")
	c := u.settle(t, id)
	require.Len(t, c.Chat.PendingTools, 1)
	assert.Equal(t, "CONFLICT", u.refused(t, sending("agent", "never mind", id)), "a call waits")
	assert.Equal(t, "BAD_USER_INPUT", u.refused(t, answering(id, "w1", "x")), "a tool of the server's")
	assert.Equal(t, "BAD_USER_INPUT", u.refused(t, answering(id, "nope", "x")))

	call := c.Chat.PendingTools[0].ToolCallID
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { u.answer(t, id, call, `{"approved": true}`) })
	}
	wg.Wait()
	want := stories["agent"]
	want.status = "PAUSED"
	want.rows = map[string][]string{
		"":      {"user: hello"},
		"model": append(want.rows["model"], `Done, the person said {"approved":true}`),
		"tools": append(want.rows["tools"], `-> {"approved": true}`, `-> the person said {"approved":true}`),
	}
	want.nodes = map[string]string{"model": "COMPLETED x3 6+10", "tools": "COMPLETED x2"}
	want.edges = []string{"model>tools x2", "tools>model x2"}
	want.check(t, u.settle(t, id), "live")
	assert.Equal(t, "CONFLICT", u.refused(t, answering(id, call, "no")))
	u.answer(t, id, call, `{"approved": true}`)

	want.rows["tools"][2] = `-> {"approved":true}` // as the server keeps it
	want.check(t, user{server: front(t)}.read(t, id), "reopened")
}

// One of two questions is answered, then the other; each keeps its branch.
func TestInterruptsOneByOne(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "approvals", "hello", "")
	c := u.settle(t, id)
	require.Len(t, c.Chat.PendingTools, 2)
	u.answer(t, id, c.callAt("date"), "friday")
	c = u.settle(t, id)
	assert.Equal(t, "AWAITING_CLIENT_TOOL", c.Chat.Status)
	require.Len(t, c.Chat.PendingTools, 1)
	assert.Equal(t, c.callAt("cost"), c.Chat.PendingTools[0].ToolCallID)
	assert.Equal(t, []string{`interrupt {"approve":"date"} ?`, "-> friday", `date: "friday"`}, c.rows()["date"])

	// The second by another server, which did not see the question.
	other := user{server: front(t)}
	c = other.read(t, id)
	require.Len(t, c.Chat.PendingTools, 1)
	other.answer(t, id, c.callAt("cost"), "12")
	approved("12", "friday").check(t, other.settle(t, id), "by the other")
	approved("12", "friday").check(t, u.waitFor(t, id, "PAUSED"), "seen by the first")
}

// Both questions are answered at the same time.
func TestInterruptsInParallel(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "approvals", "hello", "")
	c := u.settle(t, id)
	var wg sync.WaitGroup
	for path, output := range map[string]string{"cost": "yes", "date": "no"} {
		wg.Go(func() { u.answer(t, id, c.callAt(path), output) })
	}
	wg.Wait()
	approved("yes", "no").check(t, u.waitFor(t, id, "PAUSED"), "live")
	approved("yes", "no").check(t, user{server: front(t)}.read(t, id), "reopened")
}

// approved is the graph approvals after both of its questions.
func approved(cost, date string) story {
	in := func(output string) string {
		if strings.Trim(output, "0123456789") == "" {
			return output
		}
		return fmt.Sprintf("%q", output)
	}
	s := stories["approvals"]
	s.status = "PAUSED"
	s.rows = map[string][]string{
		"":     {"user: hello"},
		"cost": {`interrupt {"approve":"cost"} ?`, "-> " + cost, "cost: " + in(cost)},
		"date": {`interrupt {"approve":"date"} ?`, "-> " + date, "date: " + in(date)},
		"book": {fmt.Sprintf("Booked after cost: %s and date: %s", in(cost), in(date))},
	}
	s.nodes = map[string]string{"ask": "COMPLETED", "cost": "COMPLETED", "date": "COMPLETED", "book": "COMPLETED 2+7"}
	s.edges = []string{"ask>cost", "ask>date", "cost>book", "date>book"}
	return s
}

// callAt is the id of the call that a node made.
func (c *conversation) callAt(path string) string {
	for _, r := range c.Timeline {
		if r.Typename == "ToolCallRow" && strings.Join(r.Path, "/") == path {
			return r.ToolCallID
		}
	}
	return ""
}

// waitFor waits until the conversation stands so.
func (u user) waitFor(t *testing.T, id, status string) *conversation {
	t.Helper()
	var c *conversation
	eventually(t, func() string {
		if c = u.read(t, id); c.Chat.Status != status {
			return c.Chat.Status
		}
		return ""
	})
	return c
}

// A second turn is a second run of the thread.
func TestASecondTurn(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "chat", "one", "")
	u.settle(t, id)
	assert.Equal(t, id, u.send(t, "chat", "two", id))
	want := story{
		status: "PAUSED",
		rows: map[string][]string{"": {"user: one", "user: two"}, "answer": {
			"(They said something. )This is answer 1 to: one", "(They said something. )This is answer 2 to: two",
		}},
		nodes: map[string]string{"answer": "COMPLETED x2 4+18"}, edges: []string{},
	}
	want.check(t, u.settle(t, id), "live")

	// The third turn by a server that saw neither.
	other := user{server: front(t)}
	assert.Equal(t, id, other.send(t, "chat", "three", id))
	want.rows[""] = append(want.rows[""], "user: three")
	want.rows["answer"] = append(want.rows["answer"], "(They said something. )This is answer 3 to: three")
	want.nodes["answer"] = "COMPLETED x3 6+27"
	want.check(t, other.settle(t, id), "by the other")
	eventually(t, func() string {
		if c := u.read(t, id); len(c.Timeline) < 6 {
			return fmt.Sprint(c.Timeline)
		}
		return ""
	})
	want.check(t, u.read(t, id), "seen by the first")
	assert.Equal(t, "BAD_USER_INPUT", u.refused(t, sending("loop", "four", id)), "another agent's")
}

// A cancel ends the run, and a message after it begins a new conversation.
func TestACancel(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "slow", "hello", "")
	eventually(t, func() string {
		if rows := u.read(t, id).rows()["talk"]; len(rows) == 0 || !strings.Contains(rows[0], "word3") {
			return fmt.Sprint(rows)
		}
		return ""
	})
	assert.Equal(t, "CONFLICT", u.refused(t, sending("slow", "more", id)), "a run is in flight")
	u.do(t, &struct{}{}, fmt.Sprintf("mutation { cancel(conversationId: %q) { conversation { id } } }", id))
	c := u.settle(t, id)
	assert.Equal(t, "CANCELLED", c.Chat.Status)
	assert.Equal(t, map[string]string{"wait": "COMPLETED", "talk": "CANCELLED"}, c.nodes())
	require.Len(t, c.rows()["talk"], 1)
	assert.True(t, strings.HasPrefix(counted("word", 120), strings.TrimSpace(c.rows()["talk"][0])), c.rows()["talk"])
	assert.Equal(t, "CONFLICT", u.refused(t, fmt.Sprintf("mutation { cancel(conversationId: %q) { conversation { id } } }", id)))

	reopened := user{server: front(t)}.read(t, id)
	assert.Equal(t, "CANCELLED", reopened.Chat.Status)
	assert.Equal(t, []string{"user: hello"}, reopened.rows()[""])

	var data struct {
		Send struct {
			Fresh        bool
			Conversation struct{ ID string }
		}
	}
	u.do(t, &data, sending("slow", "again", id))
	assert.True(t, data.Send.Fresh)
	assert.NotEqual(t, id, data.Send.Conversation.ID)
	u.do(t, &struct{}{}, fmt.Sprintf("mutation { cancel(conversationId: %q) { conversation { id } } }", data.Send.Conversation.ID))
}

// A model that breaks fails its node, those around it and the run, once, in words of ours; its sibling is cancelled. A
// retry goes on from where it failed.
func TestAFailureAndARetry(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	id := u.send(t, "breaks", "hello", "")
	failed := func(c *conversation, when string) {
		assert.Equal(t, "FAILED", c.Chat.Status, when)
		assert.True(t, c.Chat.CanRetry, when)
		if assert.NotNil(t, c.Chat.Error, when) {
			assert.NotContains(t, c.Chat.Error.Message, "secret", when)
		}
		nodes := c.nodes()
		for _, path := range []string{"bad", "bad/draft"} {
			assert.Regexp(t, "^FAILED [A-Z]+$", nodes[path], "%s: %s", when, path)
		}
		assert.Equal(t, "COMPLETED", nodes["split"], when)
		assert.Equal(t, "CANCELLED", nodes["good"], when)
		assert.NotContains(t, fmt.Sprint(c), "secret", when)
	}
	c := u.settle(t, id)
	failed(c, "live")
	assert.Equal(t, []string{"This breaks in "}, c.rows()["bad/draft"])
	failed(user{server: front(t)}.read(t, id), "reopened")

	u.do(t, &struct{}{}, fmt.Sprintf("mutation { retry(conversationId: %q) { conversation { id } } }", id))
	c = u.settle(t, id)
	assert.Equal(t, "PAUSED", c.Chat.Status)
	assert.Equal(t, []string{"This breaks in ", "This breaks in the middle of it."}, c.rows()["bad/draft"])
	assert.Equal(t, []string{"It went well after all."}, c.rows()["end"])
	assert.Equal(t, map[string]string{
		"split": "COMPLETED", "bad": "COMPLETED x2", "bad/draft": "COMPLETED x2 2+7", "good": "COMPLETED x2 2+20", "end": "COMPLETED 2+5",
	}, c.nodes())
	assert.Equal(t, "CONFLICT", u.refused(t, fmt.Sprintf("mutation { retry(conversationId: %q) { conversation { id } } }", id)))

	// As it reads afterwards: what a failed visit had said is not kept by the server.
	reopened := user{server: front(t)}.read(t, id)
	assert.Equal(t, "PAUSED", reopened.Chat.Status)
	assert.Equal(t, []string{"This breaks in the middle of it."}, reopened.rows()["bad/draft"])
	assert.Equal(t, c.rows()["end"], reopened.rows()["end"])
}
