package langgraph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/wire"
)

// What a run is asked for with, and that it is told from offset 1 on.
func TestExecuteBeginsAThread(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{
		Header: http.Header{"X-Api-Key": {"key"}}, Identify: func(token string) (string, string, error) { return "acme", token, nil },
	})
	stream, err := c.Execute(t.Context(), "token of ann", graphName, say("", "hi"))
	require.NoError(t, err)
	defer stream.Close()
	frames, _ := drain(t, stream)
	require.NotEmpty(t, frames)
	for i, f := range frames {
		assert.EqualValues(t, i+1, f.Offset)
	}
	thread := frames[0].ConversationID
	assert.Equal(t, wire.RunStart, frames[0].Type)
	assert.Equal(t, assistantID, frames[0].AgentID, "no assistant that the server has by itself")
	assert.Equal(t, 3, frames[0].AgentVersion)
	assert.Equal(t, wire.UserMessage, frames[1].Type)
	assert.Equal(t, "hi", frames[1].Content)
	assert.Equal(t, wire.RunPause, frames[len(frames)-1].Type)

	var body map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.bodies["POST /threads/"+thread+"/runs"][0]), &body))
	input := body["input"].(map[string]any)["messages"].([]any)[0].(map[string]any)
	assert.Len(t, input["id"], 36)
	assert.Equal(t, thread+"/user/"+input["id"].(string), frames[1].ID)
	delete(body, "input")
	assert.Equal(t, map[string]any{
		"assistant_id": assistantID, "stream_mode": []any{"tasks", "messages-tuple", "updates"}, "stream_subgraphs": true,
		"stream_resumable": true, "on_disconnect": "continue", "multitask_strategy": "reject",
	}, body)

	owner := s.threads[thread].Metadata["inlay_owner"].(string)
	assert.Len(t, owner, 64)
	for _, h := range s.headers { // no caller's token goes there
		assert.Equal(t, "key", h.Get("X-Api-Key"))
		assert.Empty(t, h.Get("Authorization"))
		assert.NotContains(t, fmt.Sprint(h), "ann")
	}
	for _, bodies := range s.bodies {
		assert.NotContains(t, fmt.Sprint(bodies), "ann")
		assert.NotContains(t, fmt.Sprint(bodies), "acme")
	}
}

// Whom the server does not know it gives an owner; two users, and two tenants, have different ones.
func TestOwners(t *testing.T) {
	s := newGraphServer(t)
	seen := map[string]bool{}
	for _, who := range [][2]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {`a"`, "b"}, {"a", `"b`}, {`a""b`, ""}, {"", ""}} {
		c := s.client(t, langgraph.Options{Identify: owned(who[0], who[1])})
		stream, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
		require.NoError(t, err)
		item, err := stream.Next(t.Context())
		require.NoError(t, err)
		stream.Close()
		owner := s.threads[item.Frame.ConversationID].Metadata["inlay_owner"].(string)
		assert.False(t, seen[owner], "%q", who)
		seen[owner] = true
	}
}

// operations are all that is asked of one conversation.
func operations(c *langgraph.Client, t *testing.T, id string) map[string]error {
	t.Helper()
	ctx := t.Context()
	errs := map[string]error{}
	_, errs["head"] = c.Head(ctx, "", id)
	_, _, errs["rows"] = c.Rows(ctx, "", id, upstream.RowsQuery{})
	_, errs["stream"] = c.Stream(ctx, "", id, 0)
	_, errs["execute"] = c.Execute(ctx, "", graphName, say(id, "hi"))
	_, errs["retry"] = c.Retry(ctx, "", id)
	errs["cancel"] = c.Cancel(ctx, "", id)
	_, errs["backlinks"] = c.Backlinks(ctx, "", id, "t", "r")
	return errs
}

// Another user's thread, one of nobody, one in which nothing was run, one that there is not: all read the same, and
// nothing is done there.
func TestWhatIsNotTheCallers(t *testing.T) {
	s := newGraphServer(t)
	ann := s.client(t, langgraph.Options{Identify: owned("acme", "ann")})
	stream, err := ann.Execute(t.Context(), "", graphName, say("", "hi"))
	require.NoError(t, err)
	frames, _ := drain(t, stream)
	hers := frames[0].ConversationID
	nobodys := s.thread(nil, "a").ID
	empty := s.thread(map[string]any{"inlay_owner": s.threads[hers].Metadata["inlay_owner"]}).ID
	before := len(s.asked)
	for name, c := range map[string]*langgraph.Client{
		"bob": s.client(t, langgraph.Options{Identify: owned("acme", "bob")}), "her namesake": s.client(t, langgraph.Options{Identify: owned("other", "ann")}),
		"bob, where threads are open": s.client(t, langgraph.Options{Identify: owned("acme", "bob"), OpenThreads: true}),
	} {
		for op, err := range operations(c, t, hers) {
			assert.ErrorIs(t, err, upstream.NotFound, "%s: %s", name, op)
			assert.True(t, upstream.Hidden(err))
		}
	}
	for _, id := range []string{nobodys, empty, ".", "..", "x", strings.ToUpper(hers) + "1", "00000000-0000-4000-8000-999999999999"} {
		for op, err := range operations(ann, t, id) {
			assert.ErrorIs(t, err, upstream.NotFound, "%q: %s", id, op)
		}
	}
	for _, asked := range s.asked[before:] {
		assert.NotRegexp(t, "^(POST|DELETE) ", asked)
	}
	_, err = s.client(t, langgraph.Options{OpenThreads: true}).Head(t.Context(), "", nobodys)
	assert.NoError(t, err)

	angry := s.client(t, langgraph.Options{Identify: func(string) (string, string, error) { return "", "", errors.New("over") }})
	for op, err := range operations(angry, t, hers) {
		assert.ErrorIs(t, err, upstream.Unauthenticated, op)
	}
	_, err = angry.List(t.Context(), "", upstream.ListQuery{})
	assert.ErrorIs(t, err, upstream.Unauthenticated)
	_, err = angry.Execute(t.Context(), "", graphName, say("", "hi"))
	assert.ErrorIs(t, err, upstream.Unauthenticated)
}

// What an execution may hold, and when.
func TestExecuteRefuses(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{OpenThreads: true})
	version := func(n int) *wire.ExecutionInput {
		in := say("", "hi")
		in.AgentVersion = &n
		return in
	}
	user, system := wire.Message{Role: wire.User, Content: "x"}, wire.Message{Role: wire.System, Content: "x"}
	for name, in := range map[string]*wire.ExecutionInput{
		"nothing": {}, "a system's word": {Messages: []wire.Message{system}}, "two of a user": {Messages: []wire.Message{user, user}},
		"a user and a tool":             {Messages: []wire.Message{user, {Role: wire.Tool, ToolCallID: "c", Content: "x"}}},
		"a result without conversation": result("", "c", "x"), "another version": version(2), "the draft": version(0),
	} {
		_, err := c.Execute(t.Context(), "", graphName, in)
		assert.ErrorIs(t, err, upstream.Refused, name)
	}
	stream, err := c.Execute(t.Context(), "", assistantID, version(3))
	assert.NotEmpty(t, told(t, stream, err))
	_, err = c.Execute(t.Context(), "", "no-such", say("", "hi"))
	assert.ErrorIs(t, err, upstream.NotFound)

	th := s.thread(nil, "a")
	_, err = c.Execute(t.Context(), "", graphName, result(th.ID, "c", "x"))
	assert.ErrorIs(t, err, upstream.Conflict, "no call waits")
	_, err = c.Retry(t.Context(), "", th.ID)
	assert.ErrorIs(t, err, upstream.Conflict, "nothing failed")
	assert.ErrorIs(t, c.Cancel(t.Context(), "", th.ID), upstream.Conflict, "nothing runs")

	s.set(func() { th.Runs[0].Status = "running" })
	_, err = c.Execute(t.Context(), "", graphName, say(th.ID, "x"))
	assert.ErrorIs(t, err, upstream.Conflict)
	_, err = c.Retry(t.Context(), "", th.ID)
	assert.ErrorIs(t, err, upstream.Conflict)
	assert.NoError(t, c.Cancel(t.Context(), "", th.ID))
	assert.Equal(t, "interrupted", th.Runs[0].Status)
	assert.Contains(t, s.asked, "POST /threads/"+th.ID+"/runs/"+th.Runs[0].ID+"/cancel?action=interrupt")
	_, err = c.Execute(t.Context(), "", graphName, result(th.ID, "c", "x"))
	assert.ErrorIs(t, err, upstream.Conflict, "the run is over")
	stream, err = c.Execute(t.Context(), "", graphName, say(th.ID, "x"))
	fresh := told(t, stream, err)
	assert.NotContains(t, fresh[0], th.ID, "a message begins a new conversation")
}

// A thread that is busy by another run between our look and our request.
func TestBusy(t *testing.T) {
	for status, body := range map[int]string{
		422: "Thread is already running a task. Wait for it to finish or choose a different multitask strategy.",
		409: `{"detail":"Thread is already running a task."}`,
	} {
		s := newGraphServer(t)
		c := s.client(t, langgraph.Options{OpenThreads: true})
		th := s.thread(nil, "a")
		s.odd = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/runs") || r.Method != http.MethodPost {
				return false
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
		_, err := c.Execute(t.Context(), "", graphName, say(th.ID, "x"))
		assert.ErrorIs(t, err, upstream.Conflict)
	}
}

// Where the run of a new thread is refused, the thread goes again.
func TestNoEmptyThreadStays(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{})
	s.odd = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/runs") || r.Method != http.MethodPost {
			return false
		}
		w.WriteHeader(http.StatusUnprocessableEntity)
		return true
	}
	_, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
	assert.ErrorIs(t, err, upstream.Refused)
	assert.Empty(t, s.threads)
}

// Answers resume what waits: by id, as the JSON that they spell or as their text, several at once.
func TestAnswers(t *testing.T) {
	for output, value := range map[string]string{
		`{"a": 1}`: `{"a":1}`, "yes": `"yes"`, `"yes"`: `"yes"`, "12": "12", "": `""`, "{": `"{"`, "null": "null", "a\nb": `"a\nb"`,
	} {
		s := newGraphServer(t)
		c := s.client(t, langgraph.Options{OpenThreads: true})
		first, second := strings.Repeat("a", 32), strings.Repeat("b", 32)
		s.script = func(r *graphRun) {
			r.add("tasks", `{"id":"t1","name":"answer","input":{},"triggers":[],"interrupts":[]}`)
			r.add("tasks", fmt.Sprintf(`{"id":"t1","name":"answer","result":{},"error":null,"interrupts":[{"id":%q,"value":{"q":1}},{"id":%q,"value":2}]}`, first, second))
			r.shown, r.Status = 2, "success"
		}
		interrupts := []map[string]any{{"id": first, "value": map[string]any{"q": 1}}, {"id": second, "value": 2}}
		s.odd = func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/state") {
				s.set(func() {
					for _, th := range s.threads {
						th.Interrupts = interrupts
					}
				})
			}
			return false
		}
		stream, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
		require.NoError(t, err)
		frames, _ := drain(t, stream)
		id := frames[0].ConversationID
		assert.Equal(t, wire.AwaitingClientTool, frames[len(frames)-1].Status)
		head, err := c.Head(t.Context(), "", id)
		require.NoError(t, err)
		assert.Equal(t, wire.AwaitingClientTool, head.Status)
		_, err = c.Execute(t.Context(), "", graphName, say(id, "never mind"))
		assert.ErrorIs(t, err, upstream.Conflict)

		interrupts = []map[string]any{{"id": second, "value": 2}}
		in := result(id, first, output)
		stream, err = c.Execute(t.Context(), "", graphName, in)
		lines := told(t, stream, err)
		assert.Contains(t, strings.Join(lines, "\n"), `"tool_call_id":"`+first+`"`)
		bodies := s.bodies["POST /threads/"+id+"/runs"]
		var body struct {
			Input   any
			Command struct{ Resume map[string]json.RawMessage }
		}
		require.NoError(t, json.Unmarshal([]byte(bodies[len(bodies)-1]), &body))
		assert.Nil(t, body.Input)
		require.Len(t, body.Command.Resume, 1)
		assert.JSONEq(t, value, string(body.Command.Resume[first]), output)

		_, err = c.Execute(t.Context(), "", graphName, result(id, "no-such", "x"))
		assert.ErrorIs(t, err, upstream.Conflict)
		twice := result(id, second, "x")
		twice.Messages = append(twice.Messages, twice.Messages[0])
		_, err = c.Execute(t.Context(), "", graphName, twice)
		assert.ErrorIs(t, err, upstream.Conflict)
	}
}

// A retry is a run without input.
func TestRetry(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{OpenThreads: true})
	th := s.thread(nil, "a")
	th.Runs[0].Status = "error"
	head, err := c.Head(t.Context(), "", th.ID)
	require.NoError(t, err)
	assert.Equal(t, wire.Failed, head.Status)
	assert.True(t, head.Retryable)
	require.NotNil(t, head.Error)
	stream, err := c.Retry(t.Context(), "", th.ID)
	lines := told(t, stream, err)
	assert.Contains(t, lines[0], `"run.start"`)
	assert.NotContains(t, lines[1], "user.message")
	assert.Contains(t, s.bodies["POST /threads/"+th.ID+"/runs"][0], `"input":null`)
}
