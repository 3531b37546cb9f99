package langgraph

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

func TestARunOpensAndPauses(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := NewRun(RunInfo{
		ThreadID: "T", RunID: "R1", AgentID: "A", AgentVersion: 3, At: at, Human: []HumanMessage{{ID: "h1", Content: "hi"}},
	})
	frames := r.Start()
	require.Len(t, frames, 2)
	assert.Equal(t, `{"type":"run.start","at":"2026-05-01T12:00:00Z","run_id":"R1","conversation_id":"T","agent_id":"A","agent_version":3}`,
		string(frames[0].AppendJSON(nil)))
	assert.Equal(t, `{"type":"user.message","id":"T/user/h1","at":"2026-05-01T12:00:00Z","content":"hi"}`, string(frames[1].AppendJSON(nil)))
	assert.Empty(t, r.Event("metadata", []byte(`{"run_id":"R1","attempt":1}`)))
	assert.Equal(t, []string{"run.pause paused"}, shorts(r.End(Outcome{Status: Succeeded})))
	assert.Empty(t, r.End(Outcome{Status: Failed}), "once")
	assert.Empty(t, r.Event("tasks", []byte(starts("a:1").data)))
	assert.Equal(t, map[Skip]int64{SkipAfterEnd: 1}, r.Skipped())
}

func shorts(frames []*wire.Frame) []string {
	var lines []string
	for _, f := range frames {
		lines = append(lines, short(f))
	}
	return lines
}

// The traps of docs/langgraph.md, one by one.
func TestTraps(t *testing.T) {
	const broke = `internal "This step failed."`
	for name, c := range map[string]struct {
		info   RunInfo
		end    OutcomeStatus
		events []event
		want   []string
	}{
		"promise 5: bare numbers are no places": {
			end: Succeeded,
			events: []event{
				starts("tools:t"), starts("tools:t|write:w1"), starts("tools:t|1|write:w2"),
				says("tools:t|write:w1", "m1", "one "), says("tools:t|1|write:w2", "m2", "two "),
				ends("tools:t|write:w1", `{}`), ends("tools:t|1|write:w2", `{}`), ends("tools:t", `{}`),
			},
			want: []string{
				"node.start tools@t", "node.start tools/write@w1", "node.start tools/write@w2",
				`message.delta tools/write@w1 turn/m1 "one "`, `message.delta tools/write@w2 turn/m2 "two "`,
				"message.end tools/write@w1 turn/m1", "node.end tools/write@w1 completed",
				"message.end tools/write@w2 turn/m2", "node.end tools/write@w2 completed", "node.end tools@t completed",
				"run.pause paused",
			},
		},
		"promise 9: an aborted sibling is cancelled, a failure around a failure is the same": {
			end: Failed,
			events: []event{
				starts("bad:b"), starts("good:g"), starts("bad:b|draft:d"), says("bad:b|draft:d", "m", "This "),
				fails("bad:b|draft:d", "Error", "password is x"), fails("bad:b", "Error", "password is x"),
				fails("good:g", "AbortError", "aborted"), {"error", `{"error":"Error","message":"password is x"}`},
			},
			want: []string{
				"node.start bad@b", "node.start good@g", "node.start bad/draft@d", `message.delta bad/draft@d turn/m "This "`,
				`node.end bad/draft@d failed llm "The model could not answer."`, `node.end bad@b failed llm "The model could not answer."`,
				"node.end good@g cancelled", `run.end failed llm "The model could not answer."`,
			},
		},
		"promise 9: a failure of its own around another": {
			end: Failed,
			events: []event{
				starts("out:o"), starts("out:o|in:i"), fails("out:o|in:i", "Error", "x"), fails("out:o", "TypeError", "y"),
				{"error", `{"error":"TypeError","message":"y"}`},
			},
			want: []string{
				"node.start out@o", "node.start out/in@i", "node.end out/in@i failed " + broke, "node.end out@o failed " + broke,
				"run.end failed " + broke,
			},
		},
		"a run fails although every node succeeded": {
			end:    Failed,
			events: []event{starts("a:1"), ends("a:1", `{}`), {"error", `{"error":"InvalidUpdateError","message":"secret"}`}},
			want: []string{
				"node.start a@1", "node.end a@1 completed",
				`run.end failed internal "The run failed: its steps gave results that do not go together."`,
			},
		},
		"too many steps": {
			end: Failed, events: []event{{"error", `{"error":"GraphRecursionError","message":"secret"}`}},
			want: []string{`run.end failed internal "The agent stopped: it took too many steps."`},
		},
		"a tool's failure": {
			info:   RunInfo{Plan: planOf(t, "tools tool")},
			end:    Failed,
			events: []event{starts("tools:1"), fails("tools:1", "Error", "x")},
			want:   []string{"node.start tools@1 tool", `node.end tools@1 failed tool "A tool failed."`, `run.end failed tool "A tool failed."`},
		},
		"what a failed node was writing may come late": {
			end: Failed,
			events: []event{
				starts("good:g"), says("good:g", "m", "Still "), fails("good:g", "AbortError", "a"), says("good:g", "m", "going "),
				says("good:g", "m", "on"),
			},
			want: []string{
				"node.start good@g", `message.delta good@g turn/m "Still "`, "node.end good@g cancelled",
				`message.end good@g turn/m "Still going on"`, `run.end failed internal "The run failed."`,
			},
		},
		"promise 4: a map's items are iterations": {
			end: Succeeded,
			events: []event{
				starts("list:l"), ends("list:l", `{"items":[1,2]}`), starts("item:i1", pushed), starts("item:i2", pushed),
				says("item:i2", "m2", "two"), says("item:i1", "m1", "one"), ends("item:i2", messages(ai("m2", "two"))),
				ends("item:i1", messages(ai("m1", "one"))), starts("collect:c"), ends("collect:c", `{}`),
			},
			want: []string{
				"node.start list@l", "node.end list@l completed", "edge.fired list->item", "node.start item@i1[1]",
				"edge.fired list->item", "node.start item@i2[2]", `message.delta item@i2[2] turn/m2 "two"`,
				`message.delta item@i1[1] turn/m1 "one"`, "message.end item@i2[2] turn/m2", "node.end item@i2[2] completed",
				"message.end item@i1[1] turn/m1", "node.end item@i1[1] completed", "edge.fired item->collect",
				"node.start collect@c", "node.end collect@c completed", "run.pause paused",
			},
		},
		"promise 8: tokens once, for the task that made them": {
			end: Succeeded,
			events: []event{
				starts("sub:s"), starts("sub:s|a:1"), says("sub:s|a:1", "m", "x"), stops("sub:s|a:1", "m", 5, 7),
				ends("sub:s|a:1", messages(`{"content":"x","id":"m","type":"ai","usage_metadata":{"input_tokens":5,"output_tokens":7,"output_token_details":{"reasoning":2}}}`)),
				ends("sub:s", messages(`{"content":"x","id":"m","type":"ai","usage_metadata":{"input_tokens":5,"output_tokens":7}}`)),
			},
			want: []string{
				"node.start sub@s", "node.start sub/a@1", `message.delta sub/a@1 turn/m "x"`, "message.end sub/a@1 turn/m",
				"node.end sub/a@1 completed 5+7+2", "node.end sub@s completed", "run.pause paused",
			},
		},
		"promise 8: tokens that are told in parts": {
			end: Succeeded,
			events: []event{
				starts("a:1"), chunk("a:1", "m", `"content":"x","usage_metadata":{"input_tokens":5,"output_tokens":0}`),
				chunk("a:1", "m", `"usage_metadata":{"input_tokens":0,"output_tokens":9,"output_token_details":{"reasoning":4}}`), ends("a:1", `{}`),
			},
			want: []string{"node.start a@1", `message.delta a@1 turn/m "x"`, "message.end a@1 turn/m", "node.end a@1 completed 5+9+4", "run.pause paused"},
		},
		"a message without an id has one of its task": {
			end:    Succeeded,
			events: []event{starts("a:1"), says("a:1", "", "x"), says("a:1", "", "y"), ends("a:1", messages(ai("", "xy")))},
			want: []string{
				"node.start a@1", `message.delta a@1 turn/1#0 "x"`, `message.delta a@1 turn/1#0 "y"`, "message.end a@1 turn/1#0",
				"node.end a@1 completed", "run.pause paused",
			},
		},
		"a message that a node wraps is told once": {
			end: Succeeded,
			events: []event{
				starts("a:1"), says("a:1", "m", "Hello "), says("a:1", "m", "there"), whole("a:1", ai("other", "Hello there")),
				ends("a:1", messages(ai("other", "Hello there"))),
			},
			want: []string{
				"node.start a@1", `message.delta a@1 turn/m "Hello "`, `message.delta a@1 turn/m "there"`, "message.end a@1 turn/m",
				"node.end a@1 completed", "run.pause paused",
			},
		},
		"two messages that say the same are two": {
			end: Succeeded,
			events: []event{
				starts("a:1"), says("a:1", "m1", "Yes"), stops("a:1", "m1", 1, 1), says("a:1", "m2", "Yes"),
				ends("a:1", messages(ai("m1", "Yes"), ai("m2", "Yes"))),
			},
			want: []string{
				"node.start a@1", `message.delta a@1 turn/m1 "Yes"`, "message.end a@1 turn/m1", `message.delta a@1 turn/m2 "Yes"`,
				"message.end a@1 turn/m2", "node.end a@1 completed 1+1+0", "run.pause paused",
			},
		},
		"a message that was not streamed comes with the result": {
			end:    Succeeded,
			events: []event{startsWith("a:1", messages(ai("old", "before"))), ends("a:1", messages(ai("old", "before"), ai("m", "quiet")))},
			want:   []string{"node.start a@1", `message.end a@1 turn/m "quiet"`, "node.end a@1 completed", "run.pause paused"},
		},
		"several writes to one channel": {
			end:    Succeeded,
			events: []event{starts("a:1"), ends("a:1", `{"messages":{"$writes":[`+ai("m1", "x")+`,[`+ai("m2", "y")+`]]}}`)},
			want:   []string{"node.start a@1", `message.end a@1 turn/m1 "x"`, `message.end a@1 turn/m2 "y"`, "node.end a@1 completed", "run.pause paused"},
		},
		"older servers tell a result as pairs, and name errors in a text": {
			end:    Failed,
			events: []event{starts("a:1"), ends("a:1", `[["messages",[`+ai("m", "x")+`]]]`), starts("b:2"), {"tasks", `{"id":"2","name":"b","result":[],"error":"CancelledError()"}`}},
			want: []string{
				"node.start a@1", `message.end a@1 turn/m "x"`, "node.end a@1 completed", "edge.fired a->b", "node.start b@2",
				"node.end b@2 cancelled", `run.end failed internal "The run failed."`,
			},
		},
		"a cancelled run": {
			end:    Cancelled,
			events: []event{starts("a:1"), says("a:1", "m", "word ")},
			want:   []string{"node.start a@1", `message.delta a@1 turn/m "word "`, "message.end a@1 turn/m", "run.end cancelled"},
		},
		"a message is evidence of a start": {
			end:    Succeeded,
			events: []event{says("sub:s|a:1", "m", "x"), ends("sub:s|a:1", `{}`)},
			want:   []string{"node.start sub/a@1", `message.delta sub/a@1 turn/m "x"`, "message.end sub/a@1 turn/m", "node.end sub/a@1 completed", "run.pause paused"},
		},
		"the server runs the run again": {
			end: Succeeded,
			events: []event{
				{"metadata", `{"attempt":1}`}, starts("a:1"), ends("a:1", `{}`), starts("b:2"), says("b:2", "m", "x"),
				{"metadata", `{"attempt":2}`}, starts("a:1"), starts("b:2"), says("b:2", "n", "y"), ends("b:2", `{}`),
			},
			want: []string{
				"node.start a@1", "node.end a@1 completed", "edge.fired a->b", "node.start b@2", `message.delta b@2 turn/m "x"`,
				"message.end b@2 turn/m", "node.start b@2@R1.2", `message.delta b@2@R1.2 turn/n "y"`, "message.end b@2@R1.2 turn/n",
				"node.end b@2@R1.2 completed", "run.pause paused",
			},
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, told(t, c.info, c.end, c.events...)) })
	}
}

// The ids of the users' turns: given, told by the first task, or the run's.
func TestUsers(t *testing.T) {
	human := func(id, text string) string { return `{"content":` + js(text) + `,"id":"` + id + `","type":"human"}` }
	first := func(list ...string) event { return startsWith("a:1", messages(list...)) }
	for name, c := range map[string]struct {
		human []HumanMessage
		event event
		want  []string
	}{
		"given":                {[]HumanMessage{{"h", "hi"}}, first(human("h", "hi")), []string{`user.message user/h "hi"`, "node.start a@1"}},
		"told by the stream":   {[]HumanMessage{{"", "hi"}}, first(human("old", "x"), ai("m", "y"), human("h", "hi")), []string{`user.message user/h "hi"`, "node.start a@1"}},
		"others came later":    {[]HumanMessage{{"", "hi"}}, first(human("h", "hi"), human("other", "x")), []string{`user.message user/R1/0 "hi"`, "node.start a@1"}},
		"not told":             {[]HumanMessage{{"g", "yo"}, {"", "hi"}}, starts("a:1"), []string{`user.message user/g "yo"`, `user.message user/R1/1 "hi"`, "node.start a@1"}},
		"no task ever started": {[]HumanMessage{{"", "hi"}}, event{"metadata", `{}`}, []string{`user.message user/R1/0 "hi"`}},
	} {
		t.Run(name, func(t *testing.T) {
			lines := told(t, RunInfo{Human: c.human}, Succeeded, c.event)
			assert.Equal(t, append(c.want, "run.pause paused"), lines)
		})
	}
}

// Promise 2: what is not understood is counted, by what it is.
func TestPassedOver(t *testing.T) {
	_, r := toldRun(t, RunInfo{}, Outcome{Status: Succeeded},
		event{"values", `{}`}, event{"debug|a:1", `{}`}, event{"", ``}, event{"custom", `1`}, event{"tools", `{"event":"on_tool_start"}`},
		event{"tasks", `{`}, event{"tasks", `[]`}, event{"tasks", `{"id":"1"}`}, event{"messages", `{}`}, event{"messages", `[1,2]`},
		event{"updates", `3`}, event{"metadata", `[]`}, event{"error", `7`},
		whole("a:1", `{"content":"x","id":"h","type":"human"}`), whole("a:1", `{"content":"x","type":"strange"}`),
		event{"messages", `[` + ai("m", "x") + `,{}]`}, whole("a:1", `{"content":"x","type":"tool"}`),
		says("a:1", "m", "x"), says("b:2", "m", "x"),
	)
	assert.Equal(t, map[Skip]int64{
		SkipMode: 3, SkipCustom: 1, SkipTools: 1, SkipMalformed: 10, SkipMessageKind: 1, SkipUnplaced: 1, SkipRepeated: 1,
	}, r.Skipped())
}

// Older servers tell the node's name alone; it is enough where one task of that node runs.
func TestPlacedByName(t *testing.T) {
	named := func(text string) event {
		return event{"messages|sub:s", `[` + ai("m", text) + `,{"langgraph_node":"a"}]`}
	}
	assert.Equal(t, []string{
		"node.start sub/a@1", `message.delta sub/a@1 turn/m "x"`, "message.end sub/a@1 turn/m", "node.end sub/a@1 completed",
		"run.pause paused",
	}, told(t, RunInfo{}, Succeeded, starts("sub:s|a:1"), named("x"), ends("sub:s|a:1", messages(ai("m", "x")))))
	_, r := toldRun(t, RunInfo{}, Outcome{Status: Succeeded}, starts("sub:s|a:1"), starts("sub:s|a:2"), named("x"))
	assert.Equal(t, int64(1), r.Skipped()[SkipUnplaced])
}
