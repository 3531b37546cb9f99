package langgraph

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// streamModes are what a run is asked to stream. The others that servers know (custom, tools) tell nothing that the wire
// has a place for, and not every server knows them.
var streamModes = []string{"tasks", "messages-tuple", "updates"}

// asked is what an execution asks for: something that a user says, or answers to calls.
type asked struct {
	human   *HumanMessage
	answers []wire.Message
}

// askedBy reads an input: one message of a user, or results of tools. It is all that a chat needs; other roles have no
// one meaning in graphs.
func askedBy(in *wire.ExecutionInput) (*asked, error) {
	ask := &asked{}
	for _, m := range in.Messages {
		switch {
		case m.Role == wire.User && ask.human == nil:
			ask.human = &HumanMessage{ID: newUUID(), Content: m.Content}
		case m.Role == wire.Tool:
			ask.answers = append(ask.answers, m)
		default:
			return nil, refusal(opExecute, upstream.Refused, "a LangGraph server takes one message of a user, or results of tools")
		}
	}
	if (ask.human == nil) == (len(ask.answers) == 0) {
		return nil, refusal(opExecute, upstream.Refused, "a LangGraph server takes one message of a user, or results of tools")
	}
	return ask, nil
}

const opExecute, opRetry = "execute", "retry"

// Execute implements upstream.Driver. A conversation is a thread, an agent an assistant or a graph's name. A message for
// a thread whose latest run failed or was cancelled begins a new one (docs/wire.md, "Starting a run").
func (c *Client) Execute(ctx context.Context, auth, agentID string, in *wire.ExecutionInput) (upstream.Stream, error) {
	ask, err := askedBy(in)
	if err != nil {
		return nil, err
	}
	if in.ConversationID == "" && ask.human == nil {
		return nil, refusal(opExecute, upstream.Refused, "a result without a conversation")
	}
	a, err := c.readAssistant(ctx, opExecute, agentID)
	if err != nil {
		return nil, err
	}
	if in.AgentVersion != nil && *in.AgentVersion != a.version {
		return nil, refusal(opExecute, upstream.Refused, "a LangGraph server runs an assistant's newest version only")
	}
	if in.ConversationID == "" {
		return c.executeNew(ctx, auth, a, ask)
	}
	l, err := c.lookAtRest(ctx, opExecute, auth, in.ConversationID)
	if err != nil {
		return nil, err
	}
	if a.id != l.assistant {
		return nil, refusal(opExecute, upstream.Refused, "the conversation is another agent's")
	}
	if outcome := l.outcome().Status; outcome == Failed || outcome == Cancelled {
		if ask.human == nil {
			return nil, refusal(opExecute, upstream.Conflict, "the run is over")
		}
		return c.executeNew(ctx, auth, a, ask)
	}
	known, pending, err := c.knownOf(ctx, l)
	if err != nil {
		return nil, err
	}
	if ask.human != nil {
		if len(pending) > 0 {
			return nil, refusal(opExecute, upstream.Conflict, "a call waits for its answer")
		}
		return c.say(ctx, l.id, a, ask, known, false)
	}
	answers, command, err := resume(ask.answers, pending)
	if err != nil {
		return nil, err
	}
	return c.start(ctx, opExecute, l.id, a, runRequest{Command: command}, RunRecord{Answers: answers}, known, false)
}

// lookAtRest reads a thread with its state, which has no run in flight, so that one can begin.
func (c *Client) lookAtRest(ctx context.Context, op, auth, id string) (*look, error) {
	l, err := c.look(ctx, op, auth, id)
	if err != nil {
		return nil, err
	}
	if l.current() != nil {
		return nil, refusal(op, upstream.Conflict, "a run is in flight")
	}
	return l, c.readState(ctx, l)
}

// latestTold is what the latest run of a thread told, and how the thread stood then.
type latestTold struct {
	run, point string
	known      *Known
	pending    []Pending
}

// knownOf is what a thread at rest knows for its next run.
func (c *Client) knownOf(ctx context.Context, l *look) (*Known, []Pending, error) {
	c.numbersOf(l.id, false).rests(l.lastRun(), l.point)
	if t, ok := c.told.get(l.id); ok && t.run == l.lastRun() && t.point == l.point {
		return t.known, t.pending, nil
	}
	past, err := c.restingPast(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	return past.Known, past.Pending, nil
}

// executeNew makes a thread and has it say the user's words.
func (c *Client) executeNew(ctx context.Context, auth string, a *assistant, ask *asked) (upstream.Stream, error) {
	owner, err := c.ownerOf(opExecute, auth)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]string{ownerKey: owner}})
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Read(ctx, exchange.Call{Op: opExecute, Method: http.MethodPost, Path: []string{"threads"}, Body: body})
	if err != nil {
		return nil, err
	}
	t, ok := readThread(sound(answer))
	if !ok || !isUUID(t.id) {
		return nil, errUnlike(opExecute, errors.New("the answer is no thread"))
	}
	s, err := c.say(ctx, t.id, a, ask, nil, true)
	if e, ok := errors.AsType[*upstream.Error](err); ok && e.Status/100 == 4 { // nothing was begun there
		c.discard(context.WithoutCancel(ctx), t.id)
	}
	return s, err
}

// discard takes away a thread that was just made and that nothing will be run in. Without that it is listed nowhere.
func (c *Client) discard(ctx context.Context, id string) {
	err := c.http.Do(ctx, exchange.Call{Op: "discard", Method: http.MethodDelete, Path: []string{"threads", id}})
	if err != nil {
		c.opts.Logger.Debug("an empty thread stays", "conversation", id, "error", err)
	}
}

// say runs a thread with a user's words.
func (c *Client) say(ctx context.Context, thread string, a *assistant, ask *asked, known *Known, fresh bool) (upstream.Stream, error) {
	r := runRequest{Input: HumanInput(ask.human.Content, ask.human.ID)}
	return c.start(ctx, opExecute, thread, a, r, RunRecord{Human: []HumanMessage{*ask.human}}, known, fresh)
}

// resume makes the command by which answers to calls resume what waits for them.
func resume(messages []wire.Message, pending []Pending) ([]Answer, *runCommand, error) {
	var answers []Answer
	byID := map[string]jsontext.Value{}
	for _, m := range messages {
		waits := ""
		found := false
		for _, p := range pending {
			if p.ToolCallID == m.ToolCallID {
				waits, found = p.InterruptID, true
			}
		}
		if !found || byID[waits] != nil {
			return nil, nil, refusal(opExecute, upstream.Conflict, "no call of that id waits for an answer")
		}
		value := resumeValue(m.Content)
		byID[waits] = value
		answers = append(answers, Answer{InterruptID: waits, Value: wire.JSON(value)})
	}
	if plain, ok := byID[""]; ok { // a server that names no interrupts
		if len(byID) > 1 {
			return nil, nil, refusal(opExecute, upstream.Refused, "the server takes one answer at a time")
		}
		return answers, &runCommand{Resume: plain}, nil
	}
	all, err := json.Marshal(byID)
	if err != nil {
		return nil, nil, err
	}
	return answers, &runCommand{Resume: all}, nil
}

// resumeValue is an answer as the graph gets it: the JSON that it spells, else its text.
func resumeValue(output string) jsontext.Value {
	if value := jsontext.Value(output); value.IsValid() {
		return value
	}
	return jsontext.Value(quoted(output))
}

// Retry implements upstream.Driver: a new run goes on from the last checkpoint.
func (c *Client) Retry(ctx context.Context, auth, id string) (upstream.Stream, error) {
	l, err := c.lookAtRest(ctx, opRetry, auth, id)
	if err != nil {
		return nil, err
	}
	if l.outcome().Status != Failed {
		return nil, refusal(opRetry, upstream.Conflict, "there is no failed run")
	}
	a, err := c.readAssistant(ctx, opRetry, l.assistant)
	if err != nil {
		return nil, err
	}
	known, _, err := c.knownOf(ctx, l)
	if err != nil {
		return nil, err
	}
	return c.start(ctx, opRetry, id, a, runRequest{Input: jsontext.Value("null")}, RunRecord{}, known, false)
}

// Cancel implements upstream.Driver. What waits behind the run in flight is cancelled with it.
func (c *Client) Cancel(ctx context.Context, auth, id string) error {
	const op = "cancel"
	l, err := c.look(ctx, op, auth, id)
	if err != nil {
		return err
	}
	current := l.current()
	if current == nil {
		return refusal(op, upstream.Conflict, "no run is in flight")
	}
	ids := []string{current.RunID}
	for _, r := range l.runs {
		if r.inFlight() && r.RunID != current.RunID {
			ids = append(ids, r.RunID)
		}
	}
	for _, run := range ids {
		// Not to wait for the end is what a server does unasked; there are some that take any word for yes.
		err := c.http.Do(ctx, exchange.Call{
			Op: op, Method: http.MethodPost, Path: []string{"threads", id, "runs", run, "cancel"},
			Query: map[string][]string{"action": {"interrupt"}},
		})
		switch {
		case errors.Is(err, upstream.NotFound):
			return refusal(op, upstream.Conflict, "the run has ended")
		case err != nil:
			return err
		}
	}
	return nil
}

// runRequest is the body of POST /threads/{thread}/runs.
type runRequest struct {
	AssistantID string         `json:"assistant_id"`
	Input       jsontext.Value `json:"input,omitzero"`
	Command     *runCommand    `json:"command,omitzero"`
	StreamMode  []string       `json:"stream_mode"`
	Subgraphs   bool           `json:"stream_subgraphs"`
	Resumable   bool           `json:"stream_resumable"`
	Disconnect  string         `json:"on_disconnect"`
	Multitask   string         `json:"multitask_strategy"`
}

type runCommand struct {
	Resume jsontext.Value `json:"resume"`
}

// start begins a run, and answers its stream. It is begun on its own and then joined, so that its id is known at once
// whatever the server is busy with, and so that it is read by the same code as when it is joined later.
func (c *Client) start(
	ctx context.Context, op, thread string, a *assistant, r runRequest, sent RunRecord, known *Known, fresh bool,
) (upstream.Stream, error) {
	r.AssistantID, r.StreamMode, r.Subgraphs, r.Resumable = a.id, streamModes, true, true
	r.Disconnect, r.Multitask = "continue", "reject"
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Read(ctx, exchange.Call{
		Op: op, Method: http.MethodPost, Path: []string{"threads", thread, "runs"}, Body: body,
	})
	if err != nil {
		return nil, err
	}
	record, err := ParseRun(answer)
	if err != nil {
		return nil, errUnlike(op, err)
	}
	sent.RunID, sent.At = record.RunID, record.At // the rest as it was sent: the server spells it its own way
	n := c.numbersOf(thread, fresh)
	t, _ := n.tells(record.RunID, n.newest())
	return c.tell(ctx, op, n, t, n.tellWith(t, c.info(ctx, op, thread, a, sent, known)), 0)
}

// newUUID makes a random id, of version 4.
func newUUID() string {
	var u [16]byte
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	h := hex.EncodeToString(u[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
