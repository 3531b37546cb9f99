package langgraph

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// after runs two runs of a thread and tells the frames of the second one.
func after(t *testing.T, plan *wire.PlanIndex, first Outcome, events []event, info RunInfo, second Outcome, then ...event) []string {
	t.Helper()
	_, r := toldRun(t, RunInfo{Plan: plan}, first, events...)
	info.Known, info.Plan, info.RunID = r.Known(), plan, "R2"
	lines, _ := toldRun(t, info, second, then...)
	return lines
}

// Promises 4 and 10: two branches, one asks and is answered.
func TestAnAnswerResumes(t *testing.T) {
	first := []event{
		starts("go:1"), ends("go:1", `{}`), starts("free:f"), starts("gated:g"), starts("gated:g|ask:k"),
		{"updates|gated:g", `{"__interrupt__":[{"id":"i1","value":{"q":1}}]}`}, asks("gated:g|ask:k", "i1", `{"q": 1}`),
		{"updates", `{"__interrupt__":[{"id":"i1","value":{"q":1}}]}`}, asks("gated:g", "i1", `{"q":1}`),
		says("free:f", "m", "talk"), ends("free:f", messages(ai("m", "talk"))),
	}
	lines, r := toldRun(t, RunInfo{}, Outcome{Status: Interrupted, Interrupts: []Interrupt{{"i1", `{"q":1}`}}}, first...)
	assert.Equal(t, []string{
		"node.start go@1", "node.end go@1 completed", "edge.fired go->free", "node.start free@f", "edge.fired go->gated",
		"node.start gated@g", "node.start gated/ask@k", `tool.call gated/ask@k call/i1 i1 interrupt {"q":1} client`,
		`message.delta free@f turn/m "talk"`, "message.end free@f turn/m", "node.end free@f completed",
		"run.pause awaiting_client_tool",
	}, lines)
	assert.Equal(t, []Pending{{"i1", "i1"}}, r.Pending())

	lines, r = toldRun(t, RunInfo{RunID: "R2", Known: r.Known(), Answers: []Answer{{"i1", `{"ok": true}`}}}, Outcome{Status: Succeeded},
		event{"updates", `{"free":{"messages":[` + ai("m", "talk") + `]},"__metadata__":{"cached":true}}`},
		starts("free:f"), starts("gated:g"), starts("gated:g|ask:k"),
		whole("gated:g|ask:k", ai("n", "got it")), ends("gated:g|ask:k", messages(ai("n", "got it"))),
		ends("gated:g", messages(ai("n", "got it"))), starts("end:e", "join:gated+free:end"), ends("end:e", `{}`),
	)
	assert.Equal(t, []string{
		`tool.result gated/ask@k result/i1 i1 "{\"ok\": true}"`, "node.start gated@g", "node.start gated/ask@k",
		`message.delta gated/ask@k turn/n "got it"`, "message.end gated/ask@k turn/n", "node.end gated/ask@k completed",
		"node.end gated@g completed", "edge.fired gated->end", "edge.fired free->end", "node.start end@e", "node.end end@e completed",
		"run.pause paused",
	}, lines)
	assert.Empty(t, r.Pending())
}

// Promise 4: after a failure the same task is another visit; a finished sibling is not.
func TestARetryIsAnotherVisit(t *testing.T) {
	first := []event{
		starts("good:g"), starts("sub:s"), starts("sub:s|in:i"), ends("good:g", messages(ai("m", "x"))),
		fails("sub:s|in:i", "Error", "x"), fails("sub:s", "Error", "x"),
	}
	lines := after(t, nil, Outcome{Status: Failed}, first, RunInfo{}, Outcome{Status: Succeeded},
		starts("good:g"), starts("sub:s"), starts("sub:s|in:i"), whole("sub:s|in:i", ai("n", "y")), ends("sub:s|in:i", messages(ai("n", "y"))),
		ends("sub:s", messages(ai("m", "x"), ai("n", "y"))), starts("fin:f", "join:good+sub:fin"), ends("fin:f", `{}`),
	)
	assert.Equal(t, []string{
		"node.start sub@s@R2", "node.start sub/in@i@R2", `message.delta sub/in@i@R2 turn/n "y"`, "message.end sub/in@i@R2 turn/n",
		"node.end sub/in@i@R2 completed", "node.end sub@s@R2 completed", "edge.fired good->fin", "edge.fired sub->fin",
		"node.start fin@f", "node.end fin@f completed", "run.pause paused",
	}, lines)

	// What is done but does something again is another visit after all: someone went back to an earlier checkpoint.
	lines = after(t, nil, Outcome{Status: Succeeded}, []event{starts("a:1"), ends("a:1", `{}`)}, RunInfo{}, Outcome{Status: Succeeded},
		starts("a:1"), says("a:1", "m", "x"), ends("a:1", `{}`))
	assert.Equal(t, []string{
		"node.start a@1@R2", `message.delta a@1@R2 turn/m "x"`, "message.end a@1@R2 turn/m", "node.end a@1@R2 completed", "run.pause paused",
	}, lines)

	// And what a cancel stopped.
	lines = after(t, nil, Outcome{Status: Cancelled}, []event{starts("a:1")}, RunInfo{}, Outcome{Status: Succeeded}, starts("a:1"), ends("a:1", `{}`))
	assert.Equal(t, []string{"node.start a@1@R2", "node.end a@1@R2 completed", "run.pause paused"}, lines)
}

// Promise 10: which call an interrupt is.
func TestInterrupts(t *testing.T) {
	plan := planOf(t, "model llm", "tools tool", "tool approve client", "tool lookup")
	asked := func(calls ...string) []event {
		given := messages(aiCalls("m", "", calls...))
		return []event{starts("model:1"), ends("model:1", given), startsWith("tools:2", given)}
	}
	for name, c := range map[string]struct {
		plan    *wire.PlanIndex
		events  []event
		state   []Interrupt
		want    string // the last call
		pending []Pending
	}{
		"without a plan, its own":               {nil, append(asked("c1 approve {}"), asks("tools:2", "i", `1`)), nil, "tool.call tools@2 call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"the one client call":                   {plan, append(asked("c1 approve {}", "c2 lookup {}"), asks("tools:2", "i", `1`)), nil, "tool.call model@1 call/c2 c2 lookup {}", []Pending{{"c1", "i"}}},
		"no client call":                        {plan, append(asked("c2 lookup {}"), asks("tools:2", "i", `1`)), nil, "tool.call tools@2 call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"one of two client calls":               {plan, append(asked("c1 approve {}", "c2 approve {}"), asks("tools:2", "i", `1`)), nil, "tool.call tools@2 call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"the other one has a result":            {plan, append(asked("c1 approve {}", "c2 approve {}"), whole("tools:2", tool("t", "c1", "x")), asks("tools:2", "i", `1`)), nil, "tool.call model@1 call/c2 c2 approve {} client", []Pending{{"c2", "i"}}},
		"a call that was sent to its node":      {plan, append(asked("c1 approve {}", "c2 approve {}"), startsWith("tools:3", `{"messages":[],"lg_tool_call":{"id":"c2"}}`, pushed), asks("tools:3", "i", `1`)), nil, "tool.call model@1 call/c2 c2 approve {} client", []Pending{{"c2", "i"}}},
		"two of one task, the second its own":   {plan, append(asked("c1 approve {}"), asks("tools:2", "i", `1`), asks("tools:2", "j", `2`)), nil, "tool.call tools@2 call/j j interrupt 2 client", []Pending{{"c1", "i"}, {"j", "j"}}},
		"a value that is no object":             {nil, []event{starts("a:1"), asks("a:1", "i", `"May I?"`)}, nil, `tool.call a@1 call/i i interrupt "May I?" client`, []Pending{{"i", "i"}}},
		"asked again, while it waits":           {nil, []event{starts("a:1"), asks("a:1", "i", `1`), asks("a:1", "i", `1`)}, nil, "tool.call a@1 call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"without an id":                         {nil, []event{starts("a:1"), starts("a:1|b:2"), asks("a:1|b:2", "", `1`), asks("a:1", "", `1`)}, nil, "tool.call a/b@2 call/task:2 task:2 interrupt 1 client", []Pending{{"task:2", ""}}},
		"that only the level told":              {nil, []event{starts("a:1"), {"updates|a:1", `{"__interrupt__":[{"id":"i","value":1}]}`}}, []Interrupt{{"i", "1"}}, "tool.call a@1 call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"that only the state told":              {nil, []event{starts("a:1")}, []Interrupt{{"i", "1"}}, "tool.call call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"that the state no longer has":          {nil, []event{starts("a:1"), {"updates", `{"__interrupt__":[{"id":"old","value":1}]}`}}, []Interrupt{{"i", "1"}}, "tool.call call/i i interrupt 1 client", []Pending{{"i", "i"}}},
		"an id that is a call's":                {nil, append(asked("i lookup {}"), asks("tools:2", "i", `1`)), nil, "tool.call tools@2 call/i.2 i.2 interrupt 1 client", []Pending{{"i.2", "i"}}},
		"what was being written is ended first": {nil, []event{starts("a:1"), says("a:1", "m", "x"), asks("a:1", "i", `1`)}, nil, "tool.call a@1 call/i i interrupt 1 client", []Pending{{"i", "i"}}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, r := toldRun(t, RunInfo{Plan: c.plan}, Outcome{Status: Interrupted, Interrupts: c.state}, c.events...)
			last := ""
			for _, line := range lines {
				if len(line) > 9 && line[:9] == "tool.call" {
					last = line
				}
			}
			assert.Equal(t, c.want, last)
			assert.Equal(t, c.pending, r.Pending())
			assert.Equal(t, "run.pause awaiting_client_tool", lines[len(lines)-1])
		})
	}
	lines := told(t, RunInfo{}, Interrupted, starts("a:1"), ends("a:1", `{}`), event{"updates", `{"__interrupt__":[]}`})
	assert.Equal(t, "run.pause paused", lines[len(lines)-1], "a breakpoint asks nothing")
}

// Answers close the calls that were told for the interrupts' sake, however they are given.
func TestAnswers(t *testing.T) {
	ask := []event{starts("a:1"), asks("a:1", "i", "1"), starts("b:2"), asks("b:2", "j", "2")}
	for name, c := range map[string]struct {
		answers []Answer
		want    []string
		pending []Pending
	}{
		"one":          {[]Answer{{"j", `"yes"`}}, []string{`tool.result b@2 result/j j "yes"`}, []Pending{{"i", "i"}}},
		"all, unnamed": {[]Answer{{"", `7`}}, []string{`tool.result a@1 result/i i "7"`, `tool.result b@2 result/j j "7"`}, nil},
		"unknown":      {[]Answer{{"x", `7`}}, nil, []Pending{{"i", "i"}, {"j", "j"}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := toldRun(t, RunInfo{}, Outcome{Status: Interrupted}, ask...)
			lines, r := toldRun(t, RunInfo{RunID: "R2", Known: r.Known(), Answers: c.answers}, Outcome{Status: Succeeded})
			assert.Equal(t, append(c.want, "run.pause paused"), lines)
			assert.Equal(t, c.pending, r.Pending())
		})
	}

	// A server that asks twice under one id: the second is another call.
	_, r := toldRun(t, RunInfo{}, Outcome{Status: Interrupted}, starts("a:1"), asks("a:1", "i", "1"))
	lines, r := toldRun(t, RunInfo{RunID: "R2", Known: r.Known(), Answers: []Answer{{"i", "1"}}}, Outcome{Status: Interrupted}, starts("a:1"), asks("a:1", "i", "2"))
	assert.Equal(t, []string{
		`tool.result a@1 result/i i "1"`, "node.start a@1", "tool.call a@1 call/i.2 i.2 interrupt 2 client", "run.pause awaiting_client_tool",
	}, lines)
	assert.Equal(t, []Pending{{"i.2", "i"}}, r.Pending())

	// Answered by someone of whom nothing is told: the task is done.
	lines, r = toldRun(t, RunInfo{RunID: "R3", Known: r.Known()}, Outcome{Status: Succeeded}, starts("a:1"), ends("a:1", `{}`))
	assert.Equal(t, []string{"node.start a@1", `tool.result a@1 result/i.2 i.2 ""`, "node.end a@1 completed", "run.pause paused"}, lines)
	assert.Empty(t, r.Pending())

	// Nobody can answer once the user has said something else.
	_, r = toldRun(t, RunInfo{}, Outcome{Status: Interrupted}, ask...)
	lines, r = toldRun(t, RunInfo{RunID: "R2", Known: r.Known(), Human: []HumanMessage{{"h", "no"}}}, Outcome{Status: Interrupted})
	assert.Equal(t, []string{`user.message user/h "no"`, "run.pause paused"}, lines)
	assert.Empty(t, r.Pending())
}

// A run leaves what it was given alone, and what it gives is a copy.
func TestKnownIsNotShared(t *testing.T) {
	_, r := toldRun(t, RunInfo{}, Outcome{Status: Interrupted}, starts("a:1"), asks("a:1", "i", "1"))
	known := r.Known()
	for range 2 {
		lines, _ := toldRun(t, RunInfo{RunID: "R2", Known: known, Answers: []Answer{{"i", "1"}}}, Outcome{Status: Succeeded}, starts("a:1"), ends("a:1", `{}`))
		require.Equal(t, []string{`tool.result a@1 result/i i "1"`, "node.start a@1", "node.end a@1 completed", "run.pause paused"}, lines)
	}
}

// A second turn: what was told before is not told again, whatever repeats it.
func TestASecondTurn(t *testing.T) {
	first := []event{starts("a:1"), says("a:1", "m", "x"), ends("a:1", messages(ai("m", "x")))}
	lines := after(t, planOf(t, "a -> a"), Outcome{Status: Succeeded}, first, RunInfo{Human: []HumanMessage{{"h2", "more"}}}, Outcome{Status: Succeeded},
		startsWith("a:2", messages(ai("m", "x"))), says("a:2", "m", "x"), says("a:2", "n", "y"), ends("a:2", messages(ai("m", "x"), ai("n", "y"))))
	assert.Equal(t, []string{
		`user.message user/h2 "more"`, "node.start a@2", `message.delta a@2 turn/n "y"`, "message.end a@2 turn/n", "node.end a@2 completed",
		"run.pause paused",
	}, lines)
}
