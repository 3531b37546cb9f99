package langgraph

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/upstream/internal/exchange"
)

// FuzzRefused: whatever a server refuses with, its reason is one short line, and is not told of what a user wrote.
func FuzzRefused(f *testing.F) {
	for _, body := range []string{`{"detail":"Thread is already running a task"}`, `{"message":"no"}`, `{"detail":[{"loc":["x"]}]}`, `plain`, ``, `null`, `{"detail":"a\nb"}`, "\xff"} {
		f.Add([]byte(body), 422, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int, wrote bool) {
		k := exchange.Call{Op: "head"}
		if wrote {
			k.Body = []byte("x")
		}
		kind, err := refuse(k, status, body, func(text string) string { return text })
		switch {
		case kind == "" || err == nil:
			t.Fatalf("%q, %v", kind, err)
		case strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 4000 || !utf8.ValidString(err.Error()):
			t.Fatalf("%q", err)
		}
	})
}

// FuzzRecords: whatever a server answers where threads, runs and states should be, what is read of it is there or not, and
// nothing panics.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{
		`{"thread_id":"1","metadata":{"inlay_user":"a"},"status":"idle","created_at":"2026-01-01T00:00:00Z"}`, `{"run_id":"1","status":"success","kwargs":{"input":{"messages":[{"type":"human","content":[{"type":"text","text":"x"}]}]}}}`,
		`[{"run_id":"1","kwargs":{"command":{"resume":{"i":1}}}}]`, `{"values":{},"next":["a"],"tasks":[{"interrupts":[{"id":"i","value":1}]}],"checkpoint":{"checkpoint_id":"c"}}`, `[]`, `{}`, `null`, ``, "{\"run_id\":\"\xff\"}", `[[[]]]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		body = sound(body)
		if thread, ok := readThread(jsontext.Value(body)); ok && thread == nil {
			t.Fatal("a thread that is none")
		}
		run, err := ParseRun(body)
		if err == nil && run.RunID == "" {
			t.Fatalf("a run without an id: %+v", run)
		}
		runs, err := ParseRuns(body)
		if err != nil && runs != nil {
			t.Fatalf("%v with %v", err, runs)
		}
		state, err := ParseState(body)
		if (err == nil) == (state == nil) {
			t.Fatalf("%v with %v", err, state)
		}
		if err == nil {
			OutcomeOf(run, state)
		}
	})
}
