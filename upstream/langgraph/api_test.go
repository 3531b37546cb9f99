package langgraph

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseRun(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for name, c := range map[string]struct {
		kwargs  string
		human   []HumanMessage
		answers []Answer
	}{
		"nothing":             {`{}`, nil, nil},
		"a message":           {`{"input":{"messages":[{"role":"user","content":"hi","id":"h"},{"role":"system","content":"x"}]}}`, []HumanMessage{{"h", "hi"}}, nil},
		"of another kind":     {`{"input":{"messages":[{"type":"human","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}]}}`, []HumanMessage{{"", "ab"}}, nil},
		"one, not in a list":  {`{"input":{"messages":{"role":"human","content":"hi"}}}`, []HumanMessage{{"", "hi"}}, nil},
		"a text":              {`{"input":{"messages":"hi"}}`, []HumanMessage{{"", "hi"}}, nil},
		"texts and pairs":     {`{"input":{"messages":["hi",["user","yo"],["ai","x"]]}}`, []HumanMessage{{"", "hi"}, {"", "yo"}}, nil},
		"another channel":     {`{"input":{"question":{"role":"user","content":"hi"}}}`, []HumanMessage{{"", "hi"}}, nil},
		"no messages":         {`{"input":{"question":"hi"}}`, nil, nil},
		"an answer by id":     {`{"input":null,"command":{"resume":{"0123456789abcdef0123456789abcdef": {"ok": true}}}}`, nil, []Answer{{"0123456789abcdef0123456789abcdef", `{"ok":true}`}}},
		"an answer":           {`{"command":{"resume":{"ok":true}}}`, nil, []Answer{{"", `{"ok":true}`}}},
		"an answer, a text":   {`{"command":{"resume":"yes"}}`, nil, []Answer{{"", `"yes"`}}},
		"an answer, false":    {`{"command":{"resume":false}}`, nil, []Answer{{"", "false"}}},
		"a command of others": {`{"command":{"goto":"x","resume":null}}`, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRun([]byte(`{"run_id":"R","assistant_id":"A","status":"success","created_at":"2026-01-02T03:04:05.678Z","kwargs":` + c.kwargs + `}`))
			require.NoError(t, err)
			assert.Equal(t, RunRecord{RunID: "R", AssistantID: "A", Status: "success", At: at, Human: c.human, Answers: c.answers}, r)
		})
	}
	for _, bad := range []string{``, `[]`, `{}`, `{"detail":"Not Found"}`} {
		_, err := ParseRun([]byte(bad))
		assert.Error(t, err)
	}
	runs, err := ParseRuns([]byte(`[{"run_id":"R1"},{},{"run_id":"R2","created_at":"yesterday"}]`))
	require.NoError(t, err)
	assert.Equal(t, []RunRecord{{RunID: "R1"}, {RunID: "R2"}}, runs)
	_, err = ParseRuns([]byte(`{"detail":"Not Found"}`))
	assert.Error(t, err)
}

// What is sent is what is read.
func TestHumanInput(t *testing.T) {
	for _, m := range []HumanMessage{{"h", "hi \"there\"\n"}, {"", ""}, {"x", "\xff"}} {
		r, err := ParseRun([]byte(`{"run_id":"R","kwargs":{"input":` + string(HumanInput(m.Content, m.ID)) + `}}`))
		require.NoError(t, err)
		if m.Content == "\xff" {
			m.Content = "\ufffd"
		}
		assert.Equal(t, []HumanMessage{m}, r.Human)
	}
}

func TestParseState(t *testing.T) {
	s, err := ParseState([]byte(`{"values":{},"next":["a","b"],"tasks":[
		{"id":"1","interrupts":[{"id":"i","value":{"q": 1}},{"id":"i","value":2}],"result":null},
		{"id":"2","interrupts":[{"id":"done"}],"result":{"messages":[]}},
		{"id":"3","interrupts":[{"interrupt_id":"old"}],"error":{"message":"x","name":"ValueError"}},
		{"id":"4","error":"{\"message\":\"x\",\"name\":\"AbortError\"}"},{"id":"5","error":"KeyError('x')"},{"id":"6","error":"just so"}],
		"metadata":{"run_id":"R"},"created_at":"2026-01-02T03:04:05+01:00","checkpoint":{}}`))
	require.NoError(t, err)
	assert.Equal(t, &State{
		RunID: "R", At: time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC), Next: []string{"a", "b"},
		Interrupts: []Interrupt{{"i", `{"q":1}`}, {"old", "null"}}, Errors: []string{"ValueError", "AbortError", "KeyError", ""},
	}, s)
	for _, bad := range []string{``, `{}`, `[]`, `{"detail":"x"}`} {
		_, err := ParseState([]byte(bad))
		assert.Error(t, err)
	}
}

// A stream has no end of its own: how a run ended is asked.
func TestOutcomeOf(t *testing.T) {
	asks := &State{Interrupts: []Interrupt{{"i", "1"}}, Next: []string{"a"}}
	for name, c := range map[string]struct {
		status string
		state  *State
		want   Outcome
		ended  bool
	}{
		"pending":              {"pending", nil, Outcome{}, false},
		"running":              {"running", asks, Outcome{}, false},
		"a word of the future": {"resting", nil, Outcome{}, false},
		"done":                 {"success", &State{}, Outcome{Status: Succeeded}, true},
		"done, state unread":   {"success", nil, Outcome{Status: Succeeded}, true},
		"it asks":              {"success", asks, Outcome{Status: Interrupted, Interrupts: asks.Interrupts}, true},
		"a breakpoint":         {"success", &State{Next: []string{"a"}}, Outcome{Status: Interrupted}, true},
		"cancelled":            {"interrupted", asks, Outcome{Status: Cancelled}, true},
		"failed":               {"error", &State{Errors: []string{"AbortError", "ValueError"}}, Outcome{Status: Failed, Error: "ValueError"}, true},
		"failed, unread":       {"error", nil, Outcome{Status: Failed}, true},
		"too long":             {"timeout", &State{}, Outcome{Status: Failed, Error: "TimeoutError"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			o, ended := OutcomeOf(RunRecord{Status: c.status}, c.state)
			assert.Equal(t, c.want, o)
			assert.Equal(t, c.ended, ended)
		})
	}
	lines, _ := toldRun(t, RunInfo{}, Outcome{Status: Failed, Error: "TimeoutError"})
	assert.Equal(t, []string{`run.end failed internal "The run took too long."`}, lines)
}
