package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// user is one user's message; to goes on with a conversation, "" starts one.
func user(to, text string) *wire.ExecutionInput {
	return &wire.ExecutionInput{ConversationID: to, Messages: []wire.Message{{Role: wire.User, Content: text}}}
}

// result is a client tool's result.
func result(to, call, output string) *wire.ExecutionInput {
	return &wire.ExecutionInput{
		ConversationID: to, Messages: []wire.Message{{Role: wire.Tool, ToolCallID: call, Content: output}},
	}
}

// execute sends an input and reads the run's stream to its end.
func execute(t *testing.T, client *platform.Client, agent string, in *wire.ExecutionInput) []*wire.Frame {
	t.Helper()
	s, err := client.Execute(t.Context(), "", agent, in)
	require.NoError(t, err)
	defer s.Close()
	return read(t, s, 0)
}

// drained is what a stream that was opened brings.
func drained(t *testing.T, s upstream.Stream, err error) []*wire.Frame {
	t.Helper()
	require.NoError(t, err)
	defer s.Close()
	return read(t, s, 0)
}

// quick plays fast, and each scenario once.
var quick = Options{Speed: 1e6, Loops: 1}

// ofType are the frames of a type.
func ofType(frames []*wire.Frame, want wire.FrameType) (found []*wire.Frame) {
	for _, f := range frames {
		if f.Type == want {
			found = append(found, f)
		}
	}
	return found
}

// saying is what the turns of some frames say, joined.
func saying(frames []*wire.Frame) string {
	var b strings.Builder
	for _, f := range ofType(frames, wire.MessageDelta) {
		b.WriteString(f.Content)
	}
	return b.String()
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	require.TestingT
	Helper()
}

// sound checks what holds for the frames of one run, and for those of several in their order: docs/wire.md.
func sound(t tester, frames []*wire.Frame) {
	t.Helper()
	require.NotEmpty(t, frames)
	seqs := map[int64]string{}
	running := false
	for i, f := range frames {
		assert.Equal(t, frames[0].Offset+int64(i), f.Offset)
		if f.Type == wire.RunStart {
			assert.False(t, running)
			running = true
		}
		assert.True(t, running || f.Type == wire.RunEnd, "%s outside a run", f.Type)
		if ends(f.Type) {
			running = false
		}
		if f.Seq > 0 {
			assert.Contains(t, []string{"", f.ID}, seqs[f.Seq], "seq %d", f.Seq)
			seqs[f.Seq] = f.ID
		}
		assert.Equal(t, time.UTC, f.At.Location())
	}
	assert.False(t, running)
}

// Promise 10: whatever is sent, the scenario that fits it answers, in a conversation of its own.
func TestSendingStartsAConversation(t *testing.T) {
	d, client := start(t, quick)
	for _, looping := range d.looping {
		t.Run(looping.id, func(t *testing.T) {
			over(t, looping)
			tape := looping.tape
			frames := execute(t, client, tape.agentID, user("", "  Hello,\nyou  "))
			sound(t, frames)
			assert.EqualValues(t, 1, frames[0].Offset)
			assert.Equal(t, []any{tape.agentID, tape.agentVersion}, []any{frames[0].AgentID, frames[0].AgentVersion})
			assert.Equal(t, "  Hello,\nyou  ", frames[1].Content)
			assert.Equal(t, types(inLoop(tape, 1)[:len(frames)]), types(frames), "the scenario's first run")

			theirs := map[string]bool{}
			for _, f := range sentFrames(t, looping) {
				theirs[f.ID], theirs[f.RunID], theirs[f.Activation] = true, true, true
			}
			for _, f := range frames {
				for _, id := range []string{f.ID, f.RunID, f.Activation, f.MessageID} {
					assert.True(t, id == "" || !theirs[id], "%s is the scenario's own", id)
				}
			}

			id := frames[0].ConversationID
			h, err := client.Head(t.Context(), "", id)
			require.NoError(t, err)
			assert.Equal(t, "Hello, you", h.Title)
			assert.Equal(t, frames[len(frames)-1].Status, h.Status)
			assert.Equal(t, frames[len(frames)-1].Offset, h.LastOffset)
			page, _, err := client.Rows(t.Context(), "", id, upstream.RowsQuery{})
			require.NoError(t, err)
			assert.Equal(t, wire.RowUser, page.Rows[0].Type)
			assert.EqualValues(t, 1, page.Rows[0].Seq)

			if h.Status != wire.Paused {
				return
			}
			more := execute(t, client, tape.agentID, user(id, "And?"))
			sound(t, append(slices.Clone(frames), more...))
			assert.Equal(t, types(frames), types(more))
			assert.Equal(t, id, more[0].ConversationID)
			assert.NotEqual(t, frames[0].RunID, more[0].RunID)
			assert.NotEqual(t, frames[1].ID, more[1].ID)
			h, err = client.Head(t.Context(), "", id)
			require.NoError(t, err)
			assert.Equal(t, "Hello, you", h.Title, "the first words stay")
		})
	}
}

// Promise 10: what a message may look like.
func TestWhatIsNotTaken(t *testing.T) {
	d, client := start(t, quick)
	id := execute(t, client, "companion", user("", "hi"))[0].ConversationID
	waiting := execute(t, client, "concierge", user("", "hi"))[0].ConversationID
	version := func(in *wire.ExecutionInput, v int) *wire.ExecutionInput {
		in.AgentVersion = &v
		return in
	}
	say := func(to string, messages ...wire.Message) *wire.ExecutionInput {
		return &wire.ExecutionInput{ConversationID: to, Messages: messages}
	}
	hi := wire.Message{Role: wire.User, Content: "hi"}
	call := wire.Message{Role: wire.Tool, Content: "{}", ToolCallID: "x"}
	for name, c := range map[string]struct {
		agent string
		in    *wire.ExecutionInput
		want  error
	}{
		"no message":                     {"companion", say(""), upstream.Refused},
		"empty":                          {"companion", user("", ""), upstream.Refused},
		"two messages":                   {"companion", say("", hi, hi), upstream.Refused},
		"a system's message":             {"companion", say("", wire.Message{Role: wire.System, Content: "x"}), upstream.Refused},
		"an assistant's message":         {"companion", say("", wire.Message{Role: wire.Assistant, Content: "x"}), upstream.Refused},
		"a user's and a tool's":          {"companion", say(id, hi, call), upstream.Refused},
		"a tool's without conversation":  {"companion", say("", call), upstream.Refused},
		"too long":                       {"companion", user("", strings.Repeat("x", maxText)), upstream.Refused},
		"too long once spelled":          {"companion", user("", strings.Repeat("\x01", maxText/5)), upstream.Refused},
		"a body that is too long":        {"companion", user("", strings.Repeat("x", maxBody)), upstream.Refused},
		"a version that is none":         {"companion", version(user("", "hi"), 2), upstream.NotFound},
		"a version of an unknown agent":  {"nobody", version(user("", "hi"), 1), upstream.NotFound},
		"an unknown conversation":        {"companion", user("nope", "hi"), upstream.NotFound},
		"another agent's conversation":   {"studio", user(id, "hi"), upstream.Refused},
		"another version's conversation": {"companion", version(user(id, "hi"), 2), upstream.NotFound},
		"words where a tool waits":       {"concierge", user(waiting, "hi"), upstream.Conflict},
		"a result where none waits":      {"companion", result(id, "x", "{}"), upstream.Refused},
		"a result of an unknown call":    {"concierge", result(waiting, "x", "{}"), upstream.Refused},
	} {
		_, err := client.Execute(t.Context(), "", c.agent, c.in)
		assert.ErrorIs(t, err, c.want, name)
	}
	assert.Len(t, d.sent, 2, "nothing began")
	_, err := client.Retry(t.Context(), "", id)
	assert.ErrorIs(t, err, upstream.Conflict)
	_, err = client.Retry(t.Context(), "", "nope")
	assert.ErrorIs(t, err, upstream.NotFound)
	assert.ErrorIs(t, client.Cancel(t.Context(), "", "nope"), upstream.NotFound)

	longest := strings.Repeat("<", maxText-2)
	assert.Equal(t, longest, execute(t, client, "companion", user(id, longest))[1].Content)
	_, err = client.Execute(t.Context(), "", "companion", version(user(id, "hi"), 1))
	assert.NoError(t, err)
}

// Promise 10: a failed run is retried by a person, and succeeds.
func TestRetry(t *testing.T) {
	_, client := start(t, quick)
	failed := execute(t, client, "release-bot", user("", "Ship it"))
	last := failed[len(failed)-1]
	assert.Equal(t, []any{wire.RunEnd, wire.Failed, true}, []any{last.Type, last.Status, last.Retryable})
	id := failed[0].ConversationID
	_, err := client.Execute(t.Context(), "", "release-bot", user(id, "again"))
	assert.ErrorIs(t, err, upstream.Conflict, "terminal")
	assert.ErrorIs(t, client.Cancel(t.Context(), "", id), upstream.Conflict)

	s, err := client.Retry(t.Context(), "", id)
	retried := drained(t, s, err)
	sound(t, append(failed, retried...))
	assert.Equal(t, "run.start", types(retried[:1]))
	assert.Empty(t, ofType(retried, wire.UserMessage))
	assert.Equal(t, "run.pause:paused", types(retried[len(retried)-1:]))
	assert.Contains(t, saying(retried), "Version 2.4 is out!")
	for _, f := range ofType(retried, wire.NodeEnd) {
		assert.Equal(t, wire.Completed, f.Status, f.NodeID)
	}
	_, err = client.Retry(t.Context(), "", id)
	assert.ErrorIs(t, err, upstream.Conflict, "it has not failed any more")
	assert.NotEmpty(t, execute(t, client, "release-bot", user(id, "again")))
}

// A recording whose failure has no sequel is retried by playing it again, without its failures.
func TestRetryOfARecordingThatOnlyFails(t *testing.T) {
	d, client := start(t, Options{Speed: 1e6, Loops: 1}, record(t, "c", opened, said,
		`{"type":"node.start","offset":3,"kind":"tool",`+n+`}`,
		`{"type":"tool.call","offset":4,"tool_call_id":"t","tool_name":"x","input":"{}","requires_client_response":false,`+n+`}`,
		`{"type":"tool.result","offset":5,"tool_call_id":"t","output":"no",`+n+`}`,
		`{"type":"node.end","offset":6,"status":"failed","error":{"kind":"tool","message":"no"},`+n+`}`,
		`{"type":"run.end","offset":7,"status":"failed","retryable":true}`), record(t, "for-good",
		strings.Replace(opened, `"c"`, `"g"`, 1), failed))
	over(t, d.byID["c"])
	s, err := client.Retry(t.Context(), "", "c")
	assert.Equal(t, "run.start node.start tool.call tool.result node.end:completed run.pause:paused", types(drained(t, s, err)))
	sound(t, sentFrames(t, d.byID["c"]))
	ids := map[string]bool{}
	for _, f := range ofType(sentFrames(t, d.byID["c"]), wire.NodeStart) {
		assert.False(t, ids[f.Activation], "a retried node gets a new activation")
		ids[f.Activation] = true
	}
	over(t, d.byID["g"])
	_, err = client.Retry(t.Context(), "", "g")
	assert.ErrorIs(t, err, upstream.Conflict, "not retryable")
}

// A recording may go on after a failure without opening a run; nothing is retried meanwhile.
func TestNoRetryDuringARunThatNobodyOpened(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Patience: -1}, record(t, "c", opened, said,
		`{"type":"run.end","offset":3,"status":"failed","retryable":true,"at":"2026-01-05T09:00:00Z"}`,
		`{"type":"message.delta","offset":4,"content":"x","at":"2026-01-05T09:00:01Z"}`,
		`{"type":"run.pause","offset":5,"status":"paused","at":"2026-01-05T09:00:09Z"}`))
	advance(t, clock, 100*time.Millisecond, d.looping[0], 4)
	_, err := client.Retry(t.Context(), "", "c")
	assert.ErrorIs(t, err, upstream.Conflict)
	assert.Equal(t, wire.Running, standing(t, client, "c"))
}

// Promise 10: the same client_request_id is the same run.
func TestClientRequestID(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock}, builtIn(t, "chat"))
	in := func(to, text string) *wire.ExecutionInput {
		in := user(to, text)
		in.ClientRequestID = "r1"
		return in
	}
	one, err := client.Execute(t.Context(), "", "companion", in("", "hi"))
	require.NoError(t, err)
	defer one.Close()
	first := read(t, one, 2)
	two, err := client.Execute(t.Context(), "", "companion", in("", "hi"))
	require.NoError(t, err)
	defer two.Close()
	assert.Equal(t, first, read(t, two, 2), "from the run's start, while it plays")
	for name, other := range map[string]*wire.ExecutionInput{"words": in("", "ho"), "conversation": in(first[0].ConversationID, "hi")} {
		_, err = client.Execute(t.Context(), "", "companion", other)
		assert.ErrorIs(t, err, upstream.Conflict, name)
	}
	_, err = client.Execute(t.Context(), "", "studio", in("", "hi"))
	assert.ErrorIs(t, err, upstream.Conflict, "agent")
	clock.move(time.Minute)
	rest := read(t, one, 0)
	assert.Equal(t, rest, read(t, two, 0))
	assert.Equal(t, append(first, rest...), execute(t, client, "companion", in("", "hi")), "and when it is over")
	clock.move(requestLife - time.Minute)
	assert.Len(t, d.sent, 1)
	three, err := client.Execute(t.Context(), "", "companion", in("", "hi"))
	require.NoError(t, err)
	defer three.Close()
	assert.NotEqual(t, first[0].ConversationID, read(t, three, 1)[0].ConversationID, "ten minutes later it is another one")

	// What is not taken is not remembered, and what is not kept can't be given again.
	refused := in("nope", "hi")
	refused.ClientRequestID = "r2"
	_, err = client.Execute(t.Context(), "", "companion", refused)
	require.ErrorIs(t, err, upstream.NotFound)
	refused.ConversationID = ""
	four, err := client.Execute(t.Context(), "", "companion", refused)
	require.NoError(t, err)
	require.NoError(t, four.Close())
	d.mu.Lock()
	delete(d.byID, d.sent[2].id)
	d.mu.Unlock()
	_, err = client.Execute(t.Context(), "", "companion", refused)
	assert.ErrorIs(t, err, upstream.Conflict)
}

// At most so many requests are remembered, the latest.
func TestRequestsAreBounded(t *testing.T) {
	var q requests
	now := time.Now()
	for i := range maxRequests + 5 {
		key := keyOf("u", string(rune(i)))
		require.Nil(t, q.find(key, now))
		q.remember(&request{key: key, at: now})
	}
	assert.Nil(t, q.find(keyOf("u", string(rune(0))), now))
	assert.Len(t, q.byKey, maxRequests)
	assert.Len(t, q.order, maxRequests)
	assert.NotNil(t, q.find(keyOf("u", string(rune(maxRequests))), now))
	assert.Nil(t, q.find(keyOf("v", string(rune(maxRequests))), now), "another user's")
	q.find(keyOf("u", ""), now.Add(requestLife))
	assert.Empty(t, q.byKey)
}
