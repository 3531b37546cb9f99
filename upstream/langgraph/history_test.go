package langgraph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// reads adds the histories that a history wants, as a reader does.
func reads(t require.TestingT, h *History, answer func(string) []byte) {
	for wanted := h.Wanted(); len(wanted) > 0; wanted = h.Wanted() {
		for _, namespace := range wanted {
			require.NoError(t, h.Add(namespace, answer(namespace)))
		}
	}
}

// docs/fold.md, "Parity": what a thread tells live, its history tells too, with the same ids; and its parts fit
// together: what was before a run, and the run.
func TestLiveIsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := simThread(t)
		index, err := wire.NewPlanIndex(s.plan)
		require.NoError(t, err)
		thread := ThreadInfo{ThreadID: "T", AgentID: "A", AgentVersion: 1, Plan: index}
		h := NewHistory(thread, s.runs)
		reads(t, h, s.answer)

		var known *Known
		var live []*wire.Frame
		for i, record := range s.runs {
			before := h.FoldBefore(record.RunID)
			require.Equal(t, len(before.Rows) > 0, i > 0)
			info := RunInfo{
				ThreadID: "T", RunID: record.RunID, AgentID: "A", AgentVersion: 1, Plan: index, Human: record.Human, Answers: record.Answers,
			}
			o := Outcome{Status: Succeeded}
			switch {
			case record.Status == "error":
				o.Status = Failed
			case i+1 < len(s.runs) && len(s.runs[i+1].Answers) > 0:
				o.Status = Interrupted
			}
			info.Known = known
			frames, r := translate(info, s.events[i], o)
			info.Known = before.Known
			again, _ := translate(info, s.events[i], o)
			require.Equal(t, shorts(frames), shorts(again), "a run goes on from history as from the run before it")
			live, known = append(live, frames...), r.Known()
		}
		past := h.Fold()
		require.Empty(t, past.Unknown)
		require.Empty(t, past.Pending)
		require.Equal(t, wire.Paused, past.Head.Status)
		require.Empty(t, differences(facts(folded(t, live)), facts(foldedPast(t, past))))

		// Promise 13.
		for _, record := range s.runs {
			for i, row := range h.FoldBefore(record.RunID).Rows {
				require.Equal(t, row, past.Rows[i])
			}
		}
	})
}

// cpLine is a checkpoint in short: "id parent run source next,next", and its tasks.
func cpLine(line string, tasks ...string) string {
	w := strings.Fields(line)
	next := []string{}
	if len(w) > 4 {
		next = strings.Split(w[4], ",")
	}
	return fmt.Sprintf(`{"values":{},"next":%s,"tasks":[%s],"metadata":{"run_id":%q,"source":%q},"created_at":"2026-01-01T00:00:%sZ","checkpoint":{"checkpoint_id":%q},"parent_checkpoint":{"checkpoint_id":%q}}`,
		js(next), strings.Join(tasks, ","), w[2], w[3], w[0], w[0], strings.TrimPrefix(w[1], "-"))
}

func task1(id, name, members string) string {
	if members != "" {
		members = "," + members
	}
	return fmt.Sprintf(`{"id":%q,"name":%q,"path":["__pregel_pull",%q]%s}`, id, name, name, members)
}

func pastOf(t *testing.T, plan *wire.PlanIndex, runs []RunRecord, root ...string) *Past {
	t.Helper()
	for i := range runs {
		runs[i].At = simTime(i)
	}
	h := NewHistory(ThreadInfo{ThreadID: "T", AgentID: "A", Plan: plan}, runs)
	slices.Reverse(root)
	reads(t, h, func(namespace string) []byte {
		if namespace == "" {
			return []byte("[" + strings.Join(root, ",") + "]")
		}
		return []byte("[]")
	})
	past := h.Fold()
	foldedPast(t, past)
	return past
}

func rowsOf(p *Past) []string {
	var lines []string
	for _, r := range p.Rows {
		lines = append(lines, short(&wire.Frame{Type: frameTypes[r.Type], Body: r.Body}))
	}
	return lines
}

var frameTypes = func() map[wire.RowType]wire.FrameType {
	m := map[wire.RowType]wire.FrameType{}
	for frame, row := range rowTypes {
		m[row] = frame
	}
	return m
}()

// What only histories have to work out: in which run things happened.
func TestHistories(t *testing.T) {
	const input = `"result":{"messages":[{"role":"user","content":"hi","id":"h"}]}`
	begin := cpLine("01 - R1 input __start__", task1("s", "__start__", input))
	done := `"result":{"messages":[` + ai("m", "x") + `]}`
	for name, c := range map[string]struct {
		plan    *wire.PlanIndex
		runs    []RunRecord
		root    []string
		want    []string
		status  wire.Status
		pending []Pending
		unknown []string
	}{
		"nothing": {nil, nil, nil, nil, wire.Paused, nil, nil},
		"a run that succeeded": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a", task1("1", "a", done)), cpLine("03 02 R1 loop")},
			[]string{`user.message user/h "hi"`, "node.start a@1", `message.end a@1 turn/m "x"`, "node.end a@1 completed"}, wire.Paused, nil, nil,
		},
		"a node that gave nothing": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a", task1("1", "a", "")), cpLine("03 02 R1 loop")},
			[]string{`user.message user/h "hi"`, "node.start a@1", "node.end a@1 completed"}, wire.Paused, nil, nil,
		},
		"a run that is on": {
			nil, []RunRecord{{RunID: "R1", Status: "running"}}, []string{begin, cpLine("02 01 R1 loop a", task1("1", "a", ""))},
			[]string{`user.message user/h "hi"`, "node.start a@1"}, wire.Running, nil, nil,
		},
		"a breakpoint before a": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}}, []string{begin, cpLine("02 01 R1 loop a", task1("1", "a", ""))},
			[]string{`user.message user/h "hi"`}, wire.Paused, nil, nil,
		},
		"a breakpoint, and on": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}, {RunID: "R2", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a", task1("1", "a", done)), cpLine("03 02 R1 loop b", task1("2", "b", "")), cpLine("04 03 R2 loop")},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", `message.end a@1 turn/m "x"`, "node.end a@1 completed", "edge.fired a->b",
				"node.start b@2", "node.end b@2 completed",
			}, wire.Paused, nil, nil,
		},
		"too many steps": {
			nil, []RunRecord{{RunID: "R1", Status: "error"}}, []string{begin, cpLine("02 01 R1 loop a", task1("1", "a", ""))},
			[]string{`user.message user/h "hi"`}, wire.Failed, nil, nil,
		},
		"a cancelled run": {
			nil, []RunRecord{{RunID: "R1", Status: "interrupted"}}, []string{begin, cpLine("02 01 R1 loop a", task1("1", "a", ""))},
			[]string{`user.message user/h "hi"`, "node.start a@1"}, wire.Cancelled, nil, nil,
		},
		"a failure, and a retry that failed, and one that did not": {
			nil, []RunRecord{{RunID: "R1", Status: "error"}, {RunID: "R2", Status: "error"}, {RunID: "R3", Status: "success"}},
			[]string{
				begin, cpLine("02 01 R1 loop a,b", task1("1", "a", `"error":"{\"message\":\"secret\",\"name\":\"Error\"}",`+done), task1("2", "b", `"result":{}`)),
				cpLine("03 02 R3 loop"),
			},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "node.start b@2", `node.end a@1 failed internal "This step failed."`, "node.end b@2 completed",
				"node.start a@1@R2", `node.end a@1@R2 failed internal "This step failed."`, "node.start a@1@R3", `message.end a@1@R3 turn/m "x"`,
				"node.end a@1@R3 completed",
			}, wire.Paused, nil, nil,
		},
		"an aborted sibling": {
			nil, []RunRecord{{RunID: "R1", Status: "error"}},
			[]string{begin, cpLine("02 01 R1 loop a,b", task1("1", "a", `"error":"{\"message\":\"secret\",\"name\":\"Error\"}"`), task1("2", "b", `"error":{"name":"AbortError"}`))},
			[]string{`user.message user/h "hi"`, "node.start a@1", "node.start b@2", `node.end a@1 failed internal "This step failed."`, "node.end b@2 cancelled"},
			wire.Failed, nil, nil,
		},
		"it asks": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a,b", task1("1", "a", `"interrupts":[{"id":"i","value":1}]`), task1("2", "b", done))},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "node.start b@2", "tool.call a@1 call/i i interrupt 1 client", `message.end b@2 turn/m "x"`,
				"node.end b@2 completed",
			}, wire.AwaitingClientTool, []Pending{{"i", "i"}}, nil,
		},
		"two ask, one is answered": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}, {RunID: "R2", Status: "success", Answers: []Answer{{"i", `"yes"`}}}},
			[]string{begin, cpLine("02 01 R1 loop a,b", task1("1", "a", `"interrupts":[{"id":"i","value":1}],"result":{}`), task1("2", "b", `"interrupts":[{"id":"j","value":2}]`))},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "node.start b@2", "tool.call a@1 call/i i interrupt 1 client",
				"tool.call b@2 call/j j interrupt 2 client", `tool.result a@1 result/i i "yes"`, "node.end a@1 completed",
			}, wire.AwaitingClientTool, []Pending{{"j", "j"}}, nil,
		},
		"it asked twice, and the first is no longer kept": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}, {RunID: "R2", Status: "success", Answers: []Answer{{"i", "1"}}}, {RunID: "R3", Status: "success", Answers: []Answer{{"", "2"}}}},
			[]string{begin, cpLine("02 01 R1 loop a,b", task1("1", "a", `"interrupts":[{"id":"j","value":2}],"result":{}`), task1("2", "b", "")), cpLine("03 02 R3 loop")},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "node.start b@2", "node.end b@2 completed", "tool.call a@1 call/j j interrupt 2 client", `tool.result a@1 result/j j "2"`,
				"node.end a@1 completed",
			}, wire.Paused, nil, []string{"what run 2 answered: the server keeps only the last interrupt of a task"},
		},
		"answered by a run that is no longer kept": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a", task1("1", "a", `"interrupts":[{"id":"i","value":2}],"result":{}`)), cpLine("03 02 R2 loop")},
			[]string{`user.message user/h "hi"`, "node.start a@1", "tool.call a@1 call/i i interrupt 2 client", `tool.result a@1 result/i i ""`, "node.end a@1 completed"},
			wire.Paused, nil, nil,
		},
		"a client tool's call": {
			planOf(t, "a llm", "b tool", "tool approve client"), []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{
				begin, cpLine("02 01 R1 loop a", task1("1", "a", `"result":{"messages":[`+aiCalls("m", "", "c1 approve {}")+`]}`)),
				strings.Replace(cpLine("03 02 R1 loop b", task1("2", "b", `"interrupts":[{"id":"i","value":1}]`)), `"values":{}`, `"values":`+messages(aiCalls("m", "", "c1 approve {}")), 1),
			},
			[]string{
				`user.message user/h "hi"`, "node.start a@1 llm", "tool.call a@1 call/c1 c1 approve {} client", "node.end a@1 completed",
				"edge.fired a->b", "node.start b@2 tool",
			}, wire.AwaitingClientTool, []Pending{{"c1", "i"}}, nil,
		},
		"a client tool's call that was sent": {
			planOf(t, "tool approve client"), []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{
				begin, cpLine("02 01 R1 loop a", task1("1", "a", `"result":{"messages":[`+aiCalls("m", "", "c1 approve {}", "c2 approve {}")+`]}`)),
				strings.Replace(cpLine("03 02 R1 loop b,b", `{"id":"2","name":"b","path":["__pregel_push",0,false],"result":{}}`, `{"id":"3","name":"b","path":["__pregel_push",1,false],"interrupts":[{"id":"i"}]}`),
					`"values":{}`, `"values":`+messages(aiCalls("m", "", "c1 approve {}", "c2 approve {}")), 1),
			},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "tool.call a@1 call/c1 c1 approve {} client", "tool.call a@1 call/c2 c2 approve {} client",
				"node.end a@1 completed", "edge.fired a->b", "node.start b@2[1]", "edge.fired a->b", "node.start b@3[2]", "node.end b@2[1] completed",
			}, wire.AwaitingClientTool, []Pending{{"c2", "i"}}, nil,
		},
		"a join that waited": {
			planOf(t, "a -> x", "a -> b", "b -> x"), []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{
				begin, cpLine("02 01 R1 loop a", task1("1", "a", "")), cpLine("03 02 R1 loop b", task1("2", "b", "")), cpLine("04 03 R1 loop x", task1("3", "x", "")),
				cpLine("05 04 R1 loop"),
			},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "node.end a@1 completed", "edge.fired a->b", "node.start b@2", "node.end b@2 completed",
				"edge.fired a->x", "edge.fired b->x", "node.start x@3", "node.end x@3 completed",
			}, wire.Paused, nil, nil,
		},
		"several could have": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a,b", task1("1", "a", ""), task1("2", "b", "")), cpLine("03 02 R1 loop x", task1("3", "x", "")), cpLine("04 03 R1 loop")},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", "node.start b@2", "node.end a@1 completed", "node.end b@2 completed", "node.start x@3",
				"node.end x@3 completed",
			}, wire.Paused, nil, []string{"what led to x: it may be a or b"},
		},
		"what was gone back from is not told": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}, {RunID: "R2", Status: "success"}},
			[]string{begin, cpLine("02 01 R1 loop a", task1("1", "a", done)), cpLine("03 02 R1 loop b", task1("2", "b", "")), cpLine("04 02 R2 fork c", task1("3", "c", "")), cpLine("05 04 R2 loop")},
			[]string{
				`user.message user/h "hi"`, "node.start a@1", `message.end a@1 turn/m "x"`, "node.end a@1 completed", "node.start c@3", "node.end c@3 completed",
			}, wire.Paused, nil, nil,
		},
		"a message that came from outside": {
			nil, []RunRecord{{RunID: "R1", Status: "success"}},
			[]string{cpLine("01 - R1 input", task1("s", "__start__", `"result":`+messages(ai("old", "before")))), cpLine("02 01 R1 loop a", task1("1", "a", `"result":`+messages(ai("old", "before"), ai("m", "x")))), cpLine("03 02 R1 loop")},
			[]string{"node.start a@1", `message.end a@1 turn/m "x"`, "node.end a@1 completed"}, wire.Paused, nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			past := pastOf(t, c.plan, c.runs, c.root...)
			assert.Equal(t, c.want, rowsOf(past))
			assert.Equal(t, c.status, past.Head.Status)
			assert.Equal(t, c.pending, past.Pending)
			assert.Equal(t, c.unknown, past.Unknown)
			assert.Equal(t, c.status == wire.Failed, past.Head.Retryable)
		})
	}
}

// A history that was not read to its start says so.
func TestAPartOfAHistory(t *testing.T) {
	h := NewHistory(ThreadInfo{ThreadID: "T", AgentID: "A"}, nil)
	assert.Equal(t, []string{""}, h.Wanted())
	require.NoError(t, h.Add("", []byte("["+cpLine("05 04 R1 loop")+","+cpLine("04 03 R1 loop a", task1("1", "a", `"result":`+messages(ai("m", "x"))))+"]")))
	assert.Equal(t, "04", h.Earlier(""))
	past := h.Fold()
	assert.True(t, past.HasEarlier)
	assert.True(t, past.Head.HasEarlier)
	require.NoError(t, h.Add("", []byte("["+cpLine("03 - R1 input")+"]")))
	assert.Equal(t, "", h.Earlier(""))
	assert.False(t, h.Fold().HasEarlier)
	assert.Error(t, h.Add("", []byte(`{"detail":"x"}`)))
	assert.NoError(t, h.Add("x", []byte(`[1,{},{"checkpoint":{"checkpoint_id":""}}]`)))
}

// Which namespaces are to be read: those that the server tells, those that the plan says, and without a plan those
// of tasks that failed.
func TestWanted(t *testing.T) {
	root := "[" + cpLine("02 - R1 loop a,b,c", task1("1", "a", `"checkpoint":{"checkpoint_ns":"a:1"}`), task1("2", "b", `"error":{"name":"Error"}`), task1("3", "c", "")) + "]"
	h := NewHistory(ThreadInfo{ThreadID: "T", AgentID: "A"}, nil)
	require.NoError(t, h.Add("", []byte(root)))
	assert.Equal(t, []string{"a:1", "b:2"}, h.Wanted())
	h = NewHistory(ThreadInfo{ThreadID: "T", AgentID: "A", Plan: planOf(t, "c/x")}, nil)
	require.NoError(t, h.Add("", []byte(root)))
	assert.Equal(t, []string{"a:1", "c:3"}, h.Wanted())
}

// The head's own facts.
func TestPastHead(t *testing.T) {
	long := strings.Repeat("word ", 40)
	past := pastOf(t, nil, []RunRecord{{RunID: "R1", Status: "error", Human: []HumanMessage{{"h", " " + long + "\nmore"}}}}, cpLine("07 - R1 input"), cpLine("09 07 R1 loop"))
	assert.Equal(t, strings.TrimSpace(long[:79])+"…", past.Head.Title)
	assert.Equal(t, simTime(0), past.Head.CreatedAt)
	assert.Equal(t, simTime(9), past.Head.UpdatedAt)
	assert.Equal(t, &wire.PublicError{Kind: wire.ErrorInternal, Message: messageRun}, past.Head.Error)
	assert.Equal(t, "T", past.Head.ConversationID)
	assert.Equal(t, "A", past.Head.AgentID)
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte("[" + cpLine("02 01 R1 loop a", task1("1", "a", `"interrupts":[{"id":"i"}],"result":`+messages(ai("m", "x")))) + "," + cpLine("01 - R1 input") + "]"))
	f.Add([]byte("[" + cpLine("01 02 R1 loop a") + "," + cpLine("02 01 R1 loop a") + "]"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		runs := []RunRecord{{RunID: "R1", Status: "error"}, {RunID: "R2", Status: "success", Answers: []Answer{{"i", "1"}}}}
		h := NewHistory(ThreadInfo{ThreadID: "T", AgentID: "A"}, runs)
		for _, namespace := range []string{"", "a:1", "a:1|b:2"} {
			if h.Add(namespace, answer) != nil {
				return
			}
		}
		foldedPast(t, h.Fold())
	})
}
