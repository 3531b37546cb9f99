package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gql "github.com/vektah/gqlparser/v2/ast"
)

const (
	inPrivateTool = "canary-of-a-private-tool" // in what a private tool is given and answers
	inException   = "canary-of-an-exception"   // in what exceptions say
)

// leaky is a LangGraph server as far as one thread needs it: its one run calls a private tool, a tool that breaks, and fails;
// everything that it says of that is a canary. It can be told to refuse everything.
type leaky struct {
	http *httptest.Server

	mu     sync.Mutex
	owner  map[string]any // the thread's metadata
	ran    bool
	refuse int // with this status, 0: not
	asked  int
}

const leakyThread, leakyRun = "00000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000001"

func newLeaky(t *testing.T) *leaky {
	t.Helper()
	l := &leaky{owner: map[string]any{}}
	l.http = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(func() {
		l.http.CloseClientConnections()
		l.http.Close()
	})
	return l
}

// leakyEvents are what the run tells.
func leakyEvents() string {
	const answer, tools = `{"langgraph_node":"answer","langgraph_checkpoint_ns":"answer:t1"}`, `{"langgraph_node":"tools","langgraph_checkpoint_ns":"tools:t2"}`
	calls := fmt.Sprintf(`[{"id":"c1","name":"vault","args":{"key":%q},"type":"tool_call"},{"id":"c2","name":"weather","args":{},"type":"tool_call"}]`, inPrivateTool)
	failed := fmt.Sprintf(`{"name":"ProviderError","message":"%s at /srv/app.py"}`, inException)
	text := ""
	for n, e := range []string{
		"metadata\ndata: " + `{"run_id":"` + leakyRun + `","attempt":1}`,
		"tasks\ndata: " + `{"id":"t1","name":"answer","input":{},"triggers":["branch:to:answer"],"interrupts":[]}`,
		"messages\ndata: " + `[{"content":"Let me look.","id":"m1","type":"ai","tool_call_chunks":[]},` + answer + `]`,
		"tasks\ndata: " + `{"id":"t1","name":"answer","result":{"messages":[{"content":"Let me look.","id":"m1","type":"ai","tool_calls":` + calls + `}]},"interrupts":[],"error":null}`,
		"tasks\ndata: " + `{"id":"t2","name":"tools","input":{},"triggers":["branch:to:tools"],"interrupts":[]}`,
		"messages\ndata: " + fmt.Sprintf(`[{"content":%q,"id":"r1","type":"tool","name":"vault","tool_call_id":"c1"},%s]`, inPrivateTool, tools),
		"messages\ndata: " + fmt.Sprintf(`[{"status":"error","content":"Error: %s","id":"r2","type":"tool","name":"weather","tool_call_id":"c2"},%s]`, inException, tools),
		"tasks\ndata: " + `{"id":"t2","name":"tools","result":{},"interrupts":[],"error":` + failed + `}`,
		"error\ndata: " + failed,
	} {
		text += fmt.Sprintf("event: %s\nid: %d\n\n", e, n)
	}
	return text
}

func (l *leaky) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if l.refuse != 0 {
		w.WriteHeader(l.refuse)
		fmt.Fprintf(w, `{"detail":"%[1]s","message":"%[1]s"}`, inRefusal)
		return
	}
	var asked struct{ Metadata map[string]any }
	_ = json.Unmarshal(raw, &asked) // not every body is an object with metadata
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	const at = "2026-01-01T00:00:00Z"
	status, run := "idle", map[string]any{
		"run_id": leakyRun, "thread_id": leakyThread, "assistant_id": "helper", "status": "error", "created_at": at,
		"kwargs": map[string]any{"input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Hello", "id": "h1"}}},
			"stream_mode": []string{"tasks", "messages-tuple", "updates"}, "subgraphs": true, "resumable": true},
	}
	runs := []any{}
	if l.ran {
		status, runs = "error", []any{run}
	}
	thread := map[string]any{"thread_id": leakyThread, "status": status, "metadata": l.owner, "created_at": at, "updated_at": at, "values": map[string]any{}, "error": inException}
	threadPath := "/threads/" + leakyThread
	switch r.Method + " " + r.URL.Path {
	case "GET /info":
		answer(map[string]any{"version": "1.5.1", "context": "js"})
	case "GET /assistants/helper":
		answer(map[string]any{"assistant_id": "helper", "graph_id": "helper", "version": 3, "name": "Helper"})
	case "GET /assistants/helper/graph":
		answer(map[string]any{"nodes": []any{map[string]any{"id": "__start__"}, map[string]any{"id": "answer"}, map[string]any{"id": "tools"}},
			"edges": []any{map[string]any{"source": "__start__", "target": "answer"}, map[string]any{"source": "answer", "target": "tools"}}})
	case "POST /threads":
		l.owner = asked.Metadata
		thread["metadata"] = l.owner
		answer(thread)
	case "POST /threads/search":
		answer([]any{thread})
	case "GET " + threadPath:
		answer(thread)
	case "GET " + threadPath + "/runs":
		answer(runs)
	case "POST " + threadPath + "/runs":
		l.ran = true
		l.owner["assistant_id"], l.owner["graph_id"] = "helper", "helper"
		answer(run)
	case "GET " + threadPath + "/runs/" + leakyRun:
		answer(run)
	case "GET " + threadPath + "/runs/" + leakyRun + "/stream":
		w.Header().Set("Content-Type", mediaEvents)
		io.WriteString(w, leakyEvents())
	case "GET " + threadPath + "/state":
		answer(map[string]any{"values": map[string]any{}, "next": []string{}, "created_at": at, "checkpoint": map[string]any{"checkpoint_id": "1"}, "metadata": map[string]any{},
			"tasks": []any{map[string]any{"id": "t1", "name": "answer", "interrupts": []any{}, "error": inException}}})
	case "POST " + threadPath + "/history":
		answer([]any{})
	default:
		http.Error(w, inRefusal, http.StatusNotFound)
	}
}

// Exceptions, what a private tool is given and answers, and what a LangGraph server refuses with, come out nowhere.
func TestNoExceptionComesOut(t *testing.T) {
	t.Parallel()
	l := newLeaky(t)
	s := serve(t, "--upstream", "langgraph+"+l.http.URL, "--jwt-secret", jwtSecret, "--langgraph-private-tool", "vault", "--log-level=debug", "--drive-seconds=5", "--max-sends-per-minute-per-user=0")
	ann := token(t, "HS256", []byte(jwtSecret), map[string]any{"sub": "ann"})
	h := &heard{}
	operations := func(id string) []struct {
		kind gql.Operation
		text string
	} {
		return []struct {
			kind gql.Operation
			text string
		}{
			{gql.Query, fmt.Sprintf(`{ conversation(id: %q) { chat %s run %s timeline %s nodes { path status error { kind message } } } }`, id, chatFields, runFields, rowFields)},
			{gql.Query, fmt.Sprintf(`{ conversation(id: %q) { rowPage(limit: 10) { entries { __typename } } } }`, id)},
			{gql.Query, `{ conversations { items { conversationId title error { kind message } } } }`},
			{gql.Query, `{ agentPlan(agentId: "helper", agentVersion: 3) { name } }`},
			{gql.Subscription, timeline("").operation(id)},
			{gql.Subscription, chat(chatFields).operation(id)},
			{gql.Subscription, rowChanges().operation(id)},
			{gql.Mutation, `mutation { send(input: { agentId: "helper", content: "Hello" }) { conversation { id } } }`},
			{gql.Mutation, fmt.Sprintf(`mutation { retry(conversationId: %q) { conversation { id } } }`, id)},
			{gql.Mutation, fmt.Sprintf(`mutation { cancel(conversationId: %q) { conversation { id } } }`, id)},
		}
	}
	sent := send(t, bearing(s.newPost(t, mediaJSON, request{Query: `mutation { send(input: { agentId: "helper", content: "Hello" }) { conversation { id } } }`}), ann))
	require.Empty(t, parse(t, sent.body).Errors, sent.body)
	final := ""
	eventually(t, patience, func() string {
		final = send(t, bearing(s.newPost(t, mediaJSON, request{Query: operations(leakyThread)[0].text}), ann)).body
		if !strings.Contains(final, `"chat":{"status":"FAILED"`) {
			return short(final)
		}
		return ""
	})
	assert.Contains(t, final, `"toolName":"vault","input":"{}"`)
	assert.Contains(t, final, `"output":"The tool failed."`)
	assert.Contains(t, final, `"message":"This step failed."`)
	for _, status := range []int{0, 400, 401, 403, 404, 409, 422, 429, 500, 503} {
		l.mu.Lock()
		l.refuse = status
		l.mu.Unlock()
		id := leakyThread
		if status != 0 {
			id = fmt.Sprintf("00000000-0000-4000-8000-%012d", status) // not known of before
		}
		for _, o := range operations(id) {
			if status == 0 && o.kind == gql.Mutation {
				continue // one run is all that there is
			}
			h.everything(t, s, ann, o.kind, o.text)
		}
	}
	require.Equal(t, 0, s.stop(t))
	log := s.stderr.String()
	for _, word := range []string{inPrivateTool, inException, inRefusal, "ProviderError", "/srv/app.py", ann, "Let me look"} {
		assert.False(t, strings.Contains(log, word), "the log has %s: %s", short(word), around(log, word))
		for _, said := range h.said {
			if word != "Let me look" {
				require.NotContains(t, said, word)
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("%d answers of upstream, %d texts to clients, %d bytes of log", l.asked, len(h.said), len(log))
}
