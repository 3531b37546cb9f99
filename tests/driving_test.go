package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// driven is a server in front of a tenancy with two users of one tenant.
type driven struct {
	p        *tenancy
	s        *server
	ann, bob string // tokens
}

func newDriven(t *testing.T, args ...string) *driven {
	t.Helper()
	p := newTenancy(t)
	until := time.Now().Add(time.Hour)
	return &driven{p: p, s: p.front(t, args...), ann: p.enrol(t, "ann", "acme", until), bob: p.enrol(t, "bob", "acme", until)}
}

// do runs an operation that must succeed, and answers its data.
func (d *driven) do(t *testing.T, token, text string) json.RawMessage {
	t.Helper()
	r := parse(t, d.s.askFor(t, mediaJSON, token, text).body)
	require.Empty(t, r.Errors)
	return r.Data
}

// fails runs an operation that must be refused with a code, and answers the message.
func (d *driven) fails(t *testing.T, token, text, code string) string {
	t.Helper()
	r := parse(t, d.s.askFor(t, mediaJSON, token, text).body)
	require.Equal(t, []string{code}, codes(r.Errors), "%v", r.Errors)
	return r.Errors[0].Message
}

const (
	execute    = "POST /v1/agents/" + keptAgent + "/execute"
	standingOf = `{ conversation { id chat { status toolStates { toolCallId status error } canRetry } } }`
)

func answering(id, call, output string) string {
	return fmt.Sprintf(`mutation { submitToolResult(input: { conversationId: %q, toolCallId: %q, output: %s }) `+standingOf+` }`, id, call, output)
}

func sending(id, content, requestID string) string {
	input := fmt.Sprintf(`agentId: %q, content: %q`, keptAgent, content)
	if id != "" {
		input += fmt.Sprintf(`, conversationId: %q`, id)
	}
	if requestID != "" {
		input += fmt.Sprintf(`, clientRequestId: %q`, requestID)
	}
	return `mutation { send(input: { ` + input + ` }) { fresh conversation { id } } }`
}

// delivery is how the delivery of a call's result stands, for whoever asks.
func (d *driven) delivery(t *testing.T, token, id, call string) string {
	t.Helper()
	return string(at(t, d.do(t, token, fmt.Sprintf(`{ conversation(id: %q) { toolCall(toolCallId: %q) { delivery { status error } } } }`, id, call)), "conversation", "toolCall", "delivery"))
}

// However often a tool's answer is clicked, and by however many viewers at once, it goes upstream once.
func TestAToolIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	c := d.p.add("acme", "talk", "ann", "bob").begin(wire.AwaitingClientTool)
	viewer := dialWith(t, d.s, map[string]any{"token": d.bob}).subscribe(t, toolCall("call1").operation("talk"))
	viewer.message(t, 1)
	release := d.p.hold()
	var clicks sync.WaitGroup
	answers := make([]answer, 10)
	for i := range answers {
		token := d.ann
		if i%2 == 1 {
			token = d.bob
		}
		clicks.Go(func() { answers[i] = d.s.askFor(t, mediaJSON, token, answering("talk", "call1", `{ ok: true }`)) })
	}
	viewer.until(t, "toolCall", "the delivery is under way", func(v json.RawMessage) bool { return strings.Contains(string(v), `"SUBMITTING"`) })
	assert.Contains(t, d.fails(t, d.bob, answering("talk", "call1", `"another"`), "CONFLICT"), "another result")
	release()
	clicks.Wait()
	for _, got := range answers {
		r := parse(t, got.body)
		assert.Empty(t, r.Errors)
		assert.Contains(t, got.body, `{"toolCallId":"call1","status":"SUBMITTED","error":null}`)
	}
	viewer.until(t, "toolCall", "the result", func(v json.RawMessage) bool { return strings.Contains(string(v), `"output":"{\"ok\":true}"`) })
	d.do(t, d.ann, answering("talk", "call1", `{ ok: true }`))
	d.fails(t, d.ann, answering("talk", "call1", `{ ok: false }`), "CONFLICT")
	c.say(pausing(wire.Paused))
	d.do(t, d.bob, answering("talk", "call1", `{ ok: true }`))
	assert.Equal(t, 1, d.p.count(execute))
	assert.NoError(t, Validate(toolCall("call1").observe(t, viewer)))
}

// A result that upstream does not take reads as failed, to every viewer, and can be submitted again.
func TestAFailedDeliveryIsTriedAgain(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	d.p.add("acme", "talk", "ann", "bob").begin(wire.AwaitingClientTool)
	d.p.answer(execute, 500, `{"error":{"code":"broken","message":"`+secretly+`"}}`)
	assert.NotContains(t, d.fails(t, d.ann, answering("talk", "call1", `"yes"`), "UPSTREAM_UNAVAILABLE"), secretly)
	failed := d.delivery(t, d.bob, "talk", "call1")
	assert.Contains(t, failed, `"FAILED"`)
	assert.NotContains(t, failed, secretly)
	d.p.answer(execute, 0, "")
	assert.Contains(t, string(d.do(t, d.bob, answering("talk", "call1", `"no"`))), `"SUBMITTED"`)
	assert.Equal(t, 2, d.p.count(execute))
}

// A client that sends and leaves at once ends nothing: the run that it asked for is read to its end, and who comes later
// finds it whole.
func TestARunOutlivesItsSender(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	c := d.p.add("acme", "talk", "ann").begin(wire.Paused)
	release := d.p.hold()
	socket := dialWith(t, d.s, map[string]any{"token": d.ann})
	socket.subscribe(t, sending("talk", "And now?", ""))
	eventually(t, patience, func() string {
		if d.p.count(execute) == 0 {
			return "nothing was sent"
		}
		return ""
	})
	socket.close()
	release()
	c.awaitStreams(t, 1, 1)
	for _, word := range []string{"It", " goes", " on"} {
		c.say(saying(word))
		time.Sleep(30 * time.Millisecond)
	}
	reading, _ := c.attached()
	assert.Equal(t, 1, reading, "the run is followed without a viewer")
	c.say(banked, pausing(wire.Paused))
	c.awaitStreams(t, 0, 1)
	got := string(at(t, d.do(t, d.ann, timeline("").query("talk")), "conversation", "timeline"))
	assert.Empty(t, model.Diff(model.Fold(c.records()).Timeline, withoutTypename(t, got)))
	assert.Contains(t, got, `"It goes on"`)
	assert.Zero(t, d.p.count("POST /v1/conversations/talk/cancel"))
}

// A run that begins elsewhere is seen by whoever follows, within the time between two looks.
func TestARunElsewhereIsSeen(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	c := d.p.add("acme", "talk", "ann").begin(wire.Paused)
	status := dialWith(t, d.s, map[string]any{"token": d.ann}).subscribe(t, chat(`{ status }`).operation("talk"))
	rows := dialWith(t, d.s, map[string]any{"token": d.ann}).subscribe(t, rowChanges().operation("talk"))
	status.message(t, 1)
	rows.message(t, 1)
	began := time.Now()
	c.say(wire.Frame{Type: wire.RunStart}, wire.Frame{Type: wire.UserMessage, Body: wire.Body{Content: "Elsewhere", HasContent: true}}, saying("I"))
	status.until(t, "chat", "the run", func(v json.RawMessage) bool { return string(v) == `{"status":"STREAMING"}` })
	assert.Less(t, time.Since(began), 3*time.Second) // one look a second
	c.say(saying(" see"), banked, pausing(wire.Paused))
	watcher{changes: rows}.shows(t, c)
	assert.NoError(t, Validate(rowChanges().observe(t, rows)))
}

// The same clientRequestId is one message, however often and by whatever way it is sent; with other words it is refused.
// It is its user's own.
func TestAMessageIsSentOnce(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	release := d.p.hold()
	var calls sync.WaitGroup
	answers := make([]answer, 6)
	for i := range answers {
		calls.Go(func() { answers[i] = d.s.askFor(t, mediaJSON, d.ann, sending("", "Hello", "request 1")) })
	}
	eventually(t, patience, func() string {
		if d.p.count(execute) == 0 {
			return "nothing was sent"
		}
		return ""
	})
	d.fails(t, d.ann, sending("", "Something else", "request 1"), "CONFLICT")
	release()
	calls.Wait()
	for _, got := range answers {
		assert.JSONEq(t, answers[0].body, got.body)
		assert.Empty(t, parse(t, got.body).Errors)
	}
	d.do(t, d.ann, sending("", "Hello", "request 1"))
	assert.Equal(t, 1, d.p.count(execute))
	d.do(t, d.bob, sending("", "Hello", "request 1"))
	assert.Equal(t, 2, d.p.count(execute), "another user's request of that id is another request")
}

// A conversation that is over takes no message: a new one takes its place, and says so.
func TestAMessageToWhatIsOver(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	d.p.add("acme", "over", "ann").begin(wire.Completed)
	d.p.add("acme", "open", "ann").begin(wire.Paused)
	var sent struct {
		Fresh        bool
		Conversation struct{ ID string }
	}
	require.NoError(t, json.Unmarshal(at(t, d.do(t, d.ann, sending("over", "Again?", "")), "send"), &sent))
	assert.True(t, sent.Fresh)
	assert.NotContains(t, []string{"over", "open"}, sent.Conversation.ID)
	got := string(d.do(t, d.ann, transcript("").query(sent.Conversation.ID)))
	assert.Contains(t, got, `"Again?"`)
	require.NoError(t, json.Unmarshal(at(t, d.do(t, d.ann, sending("open", "Again?", "")), "send"), &sent))
	assert.False(t, sent.Fresh)
	assert.Equal(t, "open", sent.Conversation.ID)
}

// Cancel marks what waits for the client, ends the run, and takes no second one; what failed is retried once.
func TestCancelAndRetry(t *testing.T) {
	t.Parallel()
	d := newDriven(t)
	d.p.add("acme", "waits", "ann").begin(wire.AwaitingClientTool)
	failed := d.p.add("acme", "failed", "ann").begin(wire.Failed)
	cancel := `mutation { cancel(conversationId: "waits") ` + standingOf + ` }`
	viewer := dialWith(t, d.s, map[string]any{"token": d.ann}).subscribe(t, chat(`{ status toolStates { status } pendingTools { toolCallId } }`).operation("waits"))
	d.do(t, d.ann, cancel)
	viewer.until(t, "chat", "the end", func(v json.RawMessage) bool {
		return string(v) == `{"status":"CANCELLED","toolStates":[{"status":"CANCELLED"}],"pendingTools":[]}`
	})
	d.fails(t, d.ann, cancel, "CONFLICT")
	d.fails(t, d.ann, answering("waits", "call1", `"late"`), "CONFLICT")

	retry := func(id string) string {
		return fmt.Sprintf(`mutation { retry(conversationId: %q) `+standingOf+` }`, id)
	}
	d.fails(t, d.ann, retry("waits"), "CONFLICT")
	release := d.p.hold()
	var clicks sync.WaitGroup
	got := make([]string, 4)
	for i := range got {
		clicks.Go(func() {
			got[i] = strings.Join(codes(parse(t, d.s.askFor(t, mediaJSON, d.ann, retry("failed")).body).Errors), "")
		})
	}
	eventually(t, patience, func() string {
		if d.p.count("POST /v1/conversations/failed/retry") == 0 {
			return "nothing was retried"
		}
		return ""
	})
	time.Sleep(50 * time.Millisecond) // for whoever else clicked
	release()
	clicks.Wait()
	assert.ElementsMatch(t, []string{"", "CONFLICT", "CONFLICT", "CONFLICT"}, got)
	assert.Equal(t, 1, d.p.count("POST /v1/conversations/failed/retry"))
	failed.say(saying("There"), banked, pausing(wire.Paused))
}
