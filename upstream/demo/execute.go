package demo

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"time"

	"inlaygraph/wire"
)

// The sizes of what is sent.
const (
	maxBody = 2 << 20
	maxText = wire.DefaultMaxRecord - 8<<10 // spelled as JSON, so that the frame it becomes is within a reader's limit
)

// bodyTimeout is how long a client may take to send a body.
const bodyTimeout = 10 * time.Second

// execute starts a run, or resumes one, and answers its stream.
func (d *Demo) execute(w http.ResponseWriter, r *http.Request, user string) {
	body, no := readBody(w, r)
	if no != nil {
		no.answer(w)
		return
	}
	in, err := wire.DecodeExecution(body)
	if err != nil {
		invalid("no ExecutionInput: " + err.Error()).answer(w)
		return
	}
	b, no := d.begin(user, r.PathValue("agent_id"), in)
	if no != nil {
		no.answer(w)
		return
	}
	b.conversation.asked()
	d.stream(w, r, b.conversation, b.before, b.before)
}

// retry runs a failed conversation again, and answers the run's stream.
func (d *Demo) retry(w http.ResponseWriter, r *http.Request, user string, c *conversation) {
	before, no := c.retry(d.meterFor(user, c))
	if no != nil {
		no.answer(w)
		return
	}
	d.stream(w, r, c, before, before)
}

func (d *Demo) cancel(w http.ResponseWriter, _ *http.Request, _ string, c *conversation) {
	if no := c.cancel(); no != nil {
		no.answer(w)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// begin finds the run that the input asks for: a new one, or the one that the same request began before.
func (d *Demo) begin(user, agentID string, in *wire.ExecutionInput) (begun, *refusal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return begun{}, closing
	}
	if in.ClientRequestID == "" {
		return d.start(user, agentID, in)
	}
	key, now := keyOf(user, in.ClientRequestID), d.stage.now()
	asks := sha256.Sum256(in.AppendJSON([]byte(agentID + "\n")))
	if before := d.requests.find(key, now); before != nil {
		switch {
		case before.asks != asks:
			return begun{}, conflict("the client_request_id belongs to another request")
		case d.byID[before.conversation.id] != before.conversation || !before.conversation.keeps(before.before):
			return begun{}, conflict("the run of this client_request_id is not kept any more")
		}
		return before.begun, nil
	}
	b, no := d.start(user, agentID, in)
	if no == nil {
		d.requests.remember(&request{key: key, asks: asks, at: now, begun: b})
	}
	return b, no
}

// start begins the run. The lock is held.
func (d *Demo) start(user, agentID string, in *wire.ExecutionInput) (begun, *refusal) {
	if no := checkMessages(in.Messages); no != nil {
		return begun{}, no
	}
	first := in.Messages[0]
	if in.ConversationID == "" {
		if first.Role == wire.Tool {
			return begun{}, invalid("a tool's message needs the conversation_id")
		}
		t := choose(d.tapes, agentID, in.AgentVersion, first.Content)
		if t == nil {
			return begun{}, unknown("no such agent or version")
		}
		c, no := d.registry.begin(d.stage, t, user, titleOf(first.Content))
		if no != nil {
			return begun{}, no
		}
		before, no := c.say(first.Content, nil, d.meterFor(user, c))
		return begun{c, before}, no
	}
	c := d.seen(in.ConversationID, user)
	if c == nil {
		return begun{}, noConversation
	}
	if no := c.is(agentID, in.AgentVersion); no != nil {
		return begun{}, no
	}
	m := d.meterFor(user, c)
	if first.Role == wire.Tool {
		before, no := c.answer(in.Messages, m)
		return begun{c, before}, no
	}
	before, no := c.say(first.Content, d.tapeFor(c, first.Content), m)
	return begun{c, before}, no
}

// is checks that a request names the agent, and the version if it names one, that the conversation is with.
func (c *conversation) is(agentID string, version *int) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case agentID != c.tape.agentID:
		return invalid("the conversation is with another agent")
	case version != nil && *version != c.tape.agentVersion:
		return unknown("no such version of the agent in this conversation")
	}
	return nil
}

// tapeFor is the tape that answers what is said in a conversation: it stays with its agent, and one that loops with its
// tape.
func (d *Demo) tapeFor(c *conversation, text string) *tape {
	if c.looping {
		return nil
	}
	c.mu.Lock()
	agentID, version := c.tape.agentID, c.tape.agentVersion
	c.mu.Unlock()
	var own []*tape
	for _, t := range d.tapes {
		if t.agentID == agentID && t.agentVersion == version {
			own = append(own, t)
		}
	}
	return named(own, text)
}

// checkMessages wants one message of the user's, or results of client tools.
func checkMessages(messages []wire.Message) *refusal {
	for _, m := range messages {
		switch {
		case len(stringJSON(m.Content)) > maxText:
			return &refusal{http.StatusRequestEntityTooLarge, "too_large", "a message is too long"}
		case m.Role == wire.User && m.Content == "":
			return invalid("the message is empty")
		case m.Role != messages[0].Role || m.Role != wire.Tool && (m.Role != wire.User || len(messages) > 1):
			return invalid("messages takes one user's message, or tools' results")
		}
	}
	return nil
}

// readBody reads a body of at most maxBody bytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	// A writer that has no deadlines, such as a test's recorder, has no slow client either.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &refusal{http.StatusRequestEntityTooLarge, "too_large", "the body is too long"}
	case err != nil:
		return nil, invalid("the body broke off")
	}
	// The server goes on reading, to see the client leave: it may take its time with that.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, nil
}
