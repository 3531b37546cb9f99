package langgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/wire"
)

// graphServer is a LangGraph server as far as the client asks it: one assistant, whose runs are scripted. It remembers
// what it was asked, and can be told to misbehave.
type graphServer struct {
	*httptest.Server
	mu      sync.Mutex
	threads map[string]*graphThread
	order   []string
	script  func(r *graphRun) // makes up the events of a run that was just asked for
	version int
	asked   []string            // "METHOD /path?query" of every request
	headers []http.Header       // of every request
	bodies  map[string][]string // by "METHOD /path"
	odd     func(w http.ResponseWriter, r *http.Request) bool
}

type graphThread struct {
	ID, Status string
	Metadata   map[string]any
	Runs       []*graphRun
	Interrupts []map[string]any
	Point      int // counts checkpoints
	Updated    time.Time
}

type graphRun struct {
	ID, Status string
	Body       map[string]any
	At         time.Time
	events     []string // whole, as they stand in the stream, but for their ids
	shown      int      // how many of them are there yet
}

const (
	assistantID = "8cd4fb96-a23c-4b87-aae8-b0183ebf77a3"
	graphName   = "helper"
)

func newGraphServer(t *testing.T) *graphServer {
	t.Helper()
	s := &graphServer{threads: map[string]*graphThread{}, version: 3, bodies: map[string][]string{}}
	s.script = func(r *graphRun) { r.tell("Hello there, you.", "success") }
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// tell makes a run of one node that says a text, and ends so.
func (r *graphRun) tell(text, status string) {
	task, message := "t-"+r.ID, "m-"+r.ID
	around := fmt.Sprintf(`{"langgraph_node":"answer","langgraph_checkpoint_ns":"answer:%s"}`, task)
	r.add("metadata", fmt.Sprintf(`{"run_id":%q,"attempt":1}`, r.ID))
	r.add("tasks", fmt.Sprintf(`{"id":%q,"name":"answer","input":{},"triggers":["branch:to:answer"],"interrupts":[]}`, task))
	for _, word := range strings.SplitAfter(text, " ") {
		r.add("messages", fmt.Sprintf(`[{"content":%q,"id":%q,"type":"ai","tool_call_chunks":[]},%s]`, word, message, around))
	}
	r.add("tasks", fmt.Sprintf(`{"id":%q,"name":"answer","result":{"messages":[{"content":%q,"id":%q,"type":"ai"}]},"interrupts":[],"error":null}`, task, text, message))
	r.shown, r.Status = len(r.events), status
}

func (r *graphRun) add(name, data string) {
	r.events = append(r.events, fmt.Sprintf("event: %s\ndata: %s\n", name, data))
}

func (s *graphServer) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// thread makes a thread, with the runs that were told.
func (s *graphServer) thread(metadata map[string]any, texts ...string) *graphThread {
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.newThread(metadata)
	for _, text := range texts {
		r := s.newRun(th, map[string]any{"input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "say " + text, "id": "h" + text}}}})
		r.events = nil
		r.tell(text, "success")
	}
	return th
}

func (s *graphServer) newThread(metadata map[string]any) *graphThread {
	n := len(s.threads) + 1
	th := &graphThread{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), Status: "idle", Metadata: map[string]any{}, Updated: time.Unix(int64(1000+n), 0),
	}
	for k, v := range metadata {
		th.Metadata[k] = v
	}
	s.threads[th.ID] = th
	s.order = append(s.order, th.ID)
	return th
}

func (s *graphServer) newRun(th *graphThread, body map[string]any) *graphRun {
	n := 0
	for _, other := range s.threads {
		n += len(other.Runs)
	}
	r := &graphRun{ID: fmt.Sprintf("10000000-0000-4000-8000-%012d", n+1), Status: "running", Body: body, At: time.Unix(int64(2000+n), 0)}
	th.Runs = append(th.Runs, r)
	th.Metadata["assistant_id"], th.Metadata["graph_id"] = assistantID, graphName
	th.Point++
	th.Updated = r.At
	s.script(r)
	return r
}

func (r *graphRun) record(th *graphThread) map[string]any {
	kwargs := map[string]any{
		"input": r.Body["input"], "command": r.Body["command"], "stream_mode": r.Body["stream_mode"],
		"subgraphs": r.Body["stream_subgraphs"], "resumable": r.Body["stream_resumable"],
	}
	return map[string]any{
		"run_id": r.ID, "thread_id": th.ID, "assistant_id": assistantID, "status": r.Status, "kwargs": kwargs,
		"created_at": r.At.UTC().Format(time.RFC3339Nano),
	}
}

func (th *graphThread) record() map[string]any {
	return map[string]any{
		"thread_id": th.ID, "status": th.Status, "metadata": th.Metadata, "created_at": "2026-01-01T00:00:00Z",
		"updated_at": th.Updated.UTC().Format(time.RFC3339Nano), "values": map[string]any{"messages": []any{map[string]any{"type": "human", "content": "say something", "id": "h"}}},
	}
}

func (s *graphServer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	s.headers = append(s.headers, r.Header.Clone())
	s.bodies[r.Method+" "+r.URL.Path] = append(s.bodies[r.Method+" "+r.URL.Path], string(body))
	odd := s.odd
	s.mu.Unlock()
	if odd != nil && odd(w, r) {
		return
	}
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(path) == 5 && path[4] == "stream" {
		s.stream(w, r, path[1], path[3])
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	var asked map[string]any
	_ = json.Unmarshal(body, &asked)
	var th *graphThread
	if path[0] == "threads" && len(path) > 1 {
		if th = s.threads[path[1]]; th == nil && path[1] != "search" {
			http.Error(w, "Thread not found", http.StatusNotFound)
			return
		}
	}
	switch what := r.Method + " " + path[0] + "/" + strings.Join(path[min(len(path), 2):], "/"); {
	case r.URL.Path == "/info":
		answer(map[string]any{"version": "1.5.1", "context": "js"})
	case what == "GET assistants/" && (path[1] == assistantID || path[1] == graphName):
		answer(map[string]any{"assistant_id": assistantID, "graph_id": graphName, "version": s.version, "name": "Helper"})
	case what == "GET assistants/graph":
		answer(map[string]any{"nodes": []any{map[string]any{"id": "__start__"}, map[string]any{"id": "answer"}, map[string]any{"id": "__end__"}},
			"edges": []any{map[string]any{"source": "__start__", "target": "answer"}, map[string]any{"source": "answer", "target": "__end__"}}})
	case what == "POST threads/" && len(path) == 1:
		metadata, _ := asked["metadata"].(map[string]any)
		answer(s.newThread(metadata).record())
	case r.URL.Path == "/threads/search":
		answer(s.search(asked))
	case what == "GET threads/":
		answer(th.record())
	case what == "DELETE threads/":
		delete(s.threads, path[1])
		w.WriteHeader(http.StatusNoContent)
	case what == "GET threads/runs":
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		list := []any{}
		for _, run := range th.Runs {
			list = append(list, run.record(th))
		}
		slices.Reverse(list) // as some do
		answer(list[min(offset, len(list)):min(offset+limit, len(list))])
	case what == "POST threads/runs":
		for _, run := range th.Runs {
			if run.Status == "running" || run.Status == "pending" {
				http.Error(w, "Thread is already running a task.", http.StatusUnprocessableEntity)
				return
			}
		}
		answer(s.newRun(th, asked).record(th))
	case what == "GET threads/state":
		answer(map[string]any{
			"values": map[string]any{}, "next": []string{}, "created_at": th.Updated.UTC().Format(time.RFC3339Nano),
			"tasks":      []any{map[string]any{"id": "t", "name": "answer", "interrupts": th.Interrupts}},
			"checkpoint": map[string]any{"checkpoint_id": strconv.Itoa(th.Point)}, "metadata": map[string]any{},
		})
	case what == "POST threads/history":
		answer([]any{})
	case len(path) == 4 && r.Method == http.MethodGet:
		for _, run := range th.Runs {
			if run.ID == path[3] {
				answer(run.record(th))
				return
			}
		}
		http.Error(w, "Run not found", http.StatusNotFound)
	case len(path) == 5 && path[4] == "cancel":
		for _, run := range th.Runs {
			if run.ID == path[3] && (run.Status == "running" || run.Status == "pending") {
				run.Status = "interrupted"
			}
		}
		w.WriteHeader(http.StatusAccepted)
	default:
		http.Error(w, "Not Found", http.StatusNotFound)
	}
}

// search lists threads, newest first, letting through those without metadata, as servers do.
func (s *graphServer) search(asked map[string]any) []any {
	list := []any{}
	ids, _ := asked["ids"].([]any)
	wanted, _ := asked["metadata"].(map[string]any)
	status, _ := asked["status"].(string)
	for _, id := range slices.Backward(s.order) {
		th := s.threads[id]
		if th == nil || len(ids) > 0 && !slices.Contains(ids, any(id)) || status != "" && th.Status != status {
			continue
		}
		fits := true
		for k, v := range wanted {
			fits = fits && (len(th.Metadata) == 0 || th.Metadata[k] == v)
		}
		if fits {
			list = append(list, th.record())
		}
	}
	limit, offset := int(asked["limit"].(float64)), int(asked["offset"].(float64))
	return list[min(offset, len(list)):min(offset+limit, len(list))]
}

// stream tells the events of a run behind Last-Event-ID, as far as they are there, until the run is over.
func (s *graphServer) stream(w http.ResponseWriter, r *http.Request, thread, run string) {
	s.mu.Lock()
	th := s.threads[thread]
	var found *graphRun
	for _, other := range th.Runs {
		if other.ID == run {
			found = other
		}
	}
	s.mu.Unlock()
	last, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if found == nil || err != nil {
		http.Error(w, "no such run, or no id", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for next := last + 1; r.Context().Err() == nil; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		over := found.Status != "running" && found.Status != "pending"
		text := ""
		for ; next < found.shown; next++ {
			text += found.events[next] + "id: " + strconv.Itoa(next) + "\n\n"
		}
		s.mu.Unlock()
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		if over {
			return
		}
	}
}

// client makes a client of the server.
func (s *graphServer) client(t *testing.T, o langgraph.Options) *langgraph.Client {
	t.Helper()
	o.BaseURL = s.URL
	c, err := langgraph.New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// say is the input of one thing said.
func say(conversation, text string) *wire.ExecutionInput {
	return &wire.ExecutionInput{ConversationID: conversation, Messages: []wire.Message{{Role: wire.User, Content: text}}}
}

func result(conversation, call, output string) *wire.ExecutionInput {
	return &wire.ExecutionInput{ConversationID: conversation, Messages: []wire.Message{{Role: wire.Tool, ToolCallID: call, Content: output}}}
}

// drain reads a stream to its end.
func drain(t *testing.T, s upstream.Stream) (frames []*wire.Frame, end error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		item, err := s.Next(ctx)
		if err != nil {
			_, again := s.Next(ctx)
			assert.Equal(t, err, again, "an end stays the end")
			return frames, err
		}
		require.NotNil(t, item.Frame, "%v", item.Rejection)
		require.Equal(t, item.Offset, item.Frame.Offset)
		frames = append(frames, item.Frame)
	}
}

// run has a stream told whole, and answers it as lines.
func told(t *testing.T, s upstream.Stream, err error) []string {
	t.Helper()
	require.NoError(t, err)
	defer s.Close()
	frames, end := drain(t, s)
	require.Equal(t, io.EOF, end)
	return lines(frames)
}

func lines(frames []*wire.Frame) []string {
	var all []string
	for _, f := range frames {
		all = append(all, string(f.AppendJSON(nil)))
	}
	return all
}

// everybody is one user of one tenant.
func owned(tenant, user string) func(string) (string, string, error) {
	return func(string) (string, string, error) { return tenant, user, nil }
}
