package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// standing is the status in a conversation's head.
func standing(t *testing.T, client *platform.Client, id string) wire.Status {
	t.Helper()
	h, err := client.Head(t.Context(), "", id)
	require.NoError(t, err)
	return h.Status
}

// Promise 12: a run that is cancelled ends, with what runs in it, and the conversation is over.
func TestCancelInMidRun(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock}, builtIn(t, "fanout"), builtIn(t, "chat"))
	s, err := client.Execute(t.Context(), "", "travel-desk", user("", "A weekend in Lisbon"))
	require.NoError(t, err)
	defer s.Close()
	clock.move(9 * time.Second)
	id := d.sent[0].id
	until(t, d.sent[0], "branches", func() bool { return len(d.sent[0].ledger.entered) > 5 })
	require.NoError(t, client.Cancel(t.Context(), "", id))
	frames := read(t, s, 0)
	sound(t, frames)
	open := map[string]int{}
	cancelled := 0
	for _, f := range frames {
		switch f.Type {
		case wire.NodeStart:
			open[f.Activation]++
		case wire.NodeEnd:
			open[f.Activation]--
			if f.Status == wire.Cancelled {
				cancelled++
			}
		}
	}
	for visit, n := range open {
		assert.Zero(t, n, "%s", visit)
	}
	assert.Greater(t, cancelled, 5)
	assert.Equal(t, "node.end:cancelled run.end:cancelled", types(frames[len(frames)-2:]))

	offset := d.sent[0].ledger.offset
	clock.move(time.Minute)
	assert.Equal(t, wire.Cancelled, standing(t, client, id))
	_, err = client.Stream(t.Context(), "", id, 0)
	assert.ErrorIs(t, err, upstream.Idle)
	assert.ErrorIs(t, client.Cancel(t.Context(), "", id), upstream.Conflict)
	_, err = client.Retry(t.Context(), "", id)
	assert.ErrorIs(t, err, upstream.Conflict)
	_, err = client.Execute(t.Context(), "", "travel-desk", user(id, "Go on"))
	assert.ErrorIs(t, err, upstream.Conflict)
	assert.Equal(t, offset, d.sent[0].ledger.offset, "nothing comes after it")
}

// Promise 12: one that waits for a person is cancelled too.
func TestCancelAtRest(t *testing.T) {
	d, client := start(t, quick)
	rested := execute(t, client, "companion", user("", "hi"))
	waiting := execute(t, client, "concierge", user("", "hi"))
	for _, frames := range [][]*wire.Frame{rested, waiting} {
		id := frames[0].ConversationID
		require.NoError(t, client.Cancel(t.Context(), "", id))
		assert.Equal(t, wire.Cancelled, standing(t, client, id))
		assert.Equal(t, "run.end:cancelled", types(sentFrames(t, d.byID[id])[len(frames):]))
		sound(t, sentFrames(t, d.byID[id]))
		assert.ErrorIs(t, client.Cancel(t.Context(), "", id), upstream.Conflict)
		_, err := client.Execute(t.Context(), "", frames[0].AgentID, user(id, "hi"))
		assert.ErrorIs(t, err, upstream.Conflict)
	}
	call := ofType(waiting, wire.ToolCall)[1].ToolCallID
	_, err := client.Execute(t.Context(), "", "concierge", result(waiting[0].ConversationID, call, yes))
	assert.ErrorIs(t, err, upstream.Conflict, "it does not wait any more")
}

// Promise 12: a scenario that is cancelled, wherever it is, goes on with its next loop after the rest.
func TestCancelAScenario(t *testing.T) {
	for name, after := range map[string]time.Duration{
		"in mid-run": 2 * time.Second, "where tools wait": 6 * time.Second, "at rest": 45 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			clock := newHandClock()
			d, client := start(t, Options{Clock: clock, Patience: -1, Rest: 10 * time.Second}, builtIn(t, "approval"))
			c := d.looping[0]
			clock.move(after)
			clock.settle(t, 1)
			require.NoError(t, client.Cancel(t.Context(), "", c.id))
			assert.Equal(t, wire.Cancelled, standing(t, client, c.id))
			assert.ErrorIs(t, client.Cancel(t.Context(), "", c.id), upstream.Conflict)
			_, err := client.Execute(t.Context(), "", "concierge", user(c.id, "Go on"))
			assert.ErrorIs(t, err, upstream.Conflict, "terminal until then")
			last := c.ledger.offset
			clock.move(9 * time.Second)
			clock.settle(t, 1)
			assert.Equal(t, last, c.ledger.offset)
			clock.move(time.Second)
			played(t, c, last+1)
			assert.Equal(t, wire.Running, standing(t, client, c.id))
			clock.settle(t, 1)
			clock.move(10 * time.Second)
			played(t, c, last+42)
			frames := sentFrames(t, c)
			sound(t, frames)
			assert.Equal(t, types(inLoop(c.tape, 1)[:42]), types(frames[last:]))
			assert.Equal(t, wire.AwaitingClientTool, standing(t, client, c.id))
			require.NoError(t, client.Cancel(t.Context(), "", c.id), "again and again")
		})
	}
}

// Promise 1: a scenario that fails is retried by a person as well as by itself.
func TestRetryAScenario(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Patience: -1}, builtIn(t, "failure"))
	c := d.looping[0]
	clock.move(12 * time.Second)
	until(t, c, "its failure", func() bool { return c.ledger.status == wire.Failed })
	_, err := client.Execute(t.Context(), "", "release-bot", user(c.id, "Hm"))
	assert.ErrorIs(t, err, upstream.Conflict)
	s, err := client.Retry(t.Context(), "", c.id)
	require.NoError(t, err)
	defer s.Close()
	_, err = client.Retry(t.Context(), "", c.id)
	assert.ErrorIs(t, err, upstream.Conflict, "it is under way")
	clock.settle(t, 1)
	clock.move(20 * time.Second)
	assert.Equal(t, types(c.tape.parts[1].frames), types(read(t, s, 0)))
	clock.settle(t, 1)
	clock.move(4 * time.Second)
	played(t, c, int64(len(c.tape.frames)+1))
	sound(t, sentFrames(t, c)[:len(c.tape.frames)])
}

// Promises 10 to 12: of several who ask for the same thing at once, one gets it.
func TestDrivingAtOnce(t *testing.T) {
	clock := newHandClock()
	d, _ := start(t, Options{Clock: clock})
	begin := func(agent string) *conversation {
		b, no := d.begin("", agent, user("", "hi"))
		require.Nil(t, no)
		return b.conversation
	}
	rested, failed, waiting := begin("companion"), begin("release-bot"), begin("concierge")
	clock.move(time.Minute)
	for _, c := range d.sent {
		until(t, c, "its end", func() bool { return !c.inFlight })
	}
	answers := result("", waiting.ledger.waiting[0].ToolCallID, yes).Messages
	for name, do := range map[string]func() *refusal{
		"say":    func() *refusal { _, no := rested.say("x", nil, nil); return no },
		"retry":  func() *refusal { _, no := failed.retry(nil); return no },
		"answer": func() *refusal { _, no := waiting.answer(answers, nil); return no },
		"cancel": begin("studio").cancel,
	} {
		told := make(chan *refusal, 8)
		for range cap(told) {
			go func() { told <- do() }()
		}
		taken := 0
		for range cap(told) {
			if no := <-told; no == nil {
				taken++
			} else {
				assert.Equal(t, 409, no.status)
			}
		}
		assert.Equal(t, 1, taken, name)
	}
	for range 3 {
		clock.move(time.Minute)
		time.Sleep(time.Millisecond)
	}
	for _, c := range d.sent {
		until(t, c, "its end", func() bool { return !c.inFlight })
		sound(t, sentFrames(t, c))
	}
}
