package conversation

import (
	"context"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// SendInput is a message for an agent.
type SendInput struct {
	AgentID string
	// ConversationID is the conversation to go on with; nil begins one.
	ConversationID *string
	Content        string
	// AgentVersion is the version to run; nil leaves it to upstream.
	AgentVersion *int
	// ClientRequestID makes the same send, asked for again, one send.
	ClientRequestID *string
}

// Sent is what became of a message.
type Sent struct {
	Conversation *Conversation
	// Fresh says that a conversation which had ended was replaced by a new one.
	Fresh bool
}

// Send gives an agent a message, and answers once the run that takes it has begun. A conversation that has ended
// takes no message: a new one is begun in its place. The same ClientRequestID of one user means the same send for
// ten minutes. Errors are coded: CONFLICT, with the reason, when the state does not allow it.
func (h *Hub) Send(ctx context.Context, who *session.Session, in SendInput) (*Sent, error) {
	if err := h.checkSend(who, &in); err != nil {
		return nil, err
	}
	s, err := h.sending(ctx, who, &in)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.done:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return nil, upstream.Coded(err)
	}
	v, err := h.Open(ctx, who, s.id)
	if err != nil {
		return nil, err
	}
	return &Sent{Conversation: v.Conversation(), Fresh: s.fresh}, nil
}

func (h *Hub) checkSend(who *session.Session, in *SendInput) error {
	if err := checkSession(who); err != nil {
		return err
	}
	switch {
	case in.AgentID == "":
		return coded.New(coded.BadUserInput, "agentId is empty")
	case in.Content == "":
		return coded.New(coded.BadUserInput, "content is empty")
	case len(in.Content) > h.opts.MaxContentBytes:
		return coded.Newf(coded.BadUserInput, "content takes at most %d bytes, not %d", h.opts.MaxContentBytes, len(in.Content))
	case in.ConversationID != nil && *in.ConversationID == "":
		return coded.New(coded.BadUserInput, "conversationId is empty")
	case in.AgentVersion != nil && *in.AgentVersion < 0:
		return coded.Newf(coded.BadUserInput, "agentVersion takes a version, or 0 for the draft, not %d", *in.AgentVersion)
	case in.ClientRequestID != nil && *in.ClientRequestID == "":
		return coded.New(coded.BadUserInput, "clientRequestId is empty")
	case in.ClientRequestID != nil && len(*in.ClientRequestID) > maxRequestID:
		return coded.Newf(coded.BadUserInput, "clientRequestId takes at most %d bytes", maxRequestID)
	case h.opts.Driver == nil:
		return errNoDriver
	}
	return nil
}

// send asks upstream for the run, and says which conversation took the message.
func (h *Hub) send(ctx context.Context, who *session.Session, in *SendInput) (id string, fresh bool, err error) {
	input := &wire.ExecutionInput{
		AgentVersion: in.AgentVersion, Messages: []wire.Message{{Role: wire.User, Content: in.Content}},
	}
	if in.ClientRequestID != nil {
		input.ClientRequestID = *in.ClientRequestID
	}
	execute := func(ctx context.Context) (upstream.Stream, error) {
		return h.opts.Driver.Execute(ctx, who.Token(), in.AgentID, input)
	}
	if in.ConversationID == nil {
		if err := h.share(who); err != nil {
			return "", false, err
		}
		r, err := h.drive(ctx, nil, who, false, execute)
		if err != nil {
			return "", false, err
		}
		return r.id, false, nil
	}
	v, err := h.mayDrive(ctx, who, *in.ConversationID)
	if err != nil {
		return "", false, err
	}
	snap := v.Conversation().Snapshot()
	if ref := snap.Conversation(); ref != nil && ref.AgentID != in.AgentID {
		return "", false, coded.Newf(coded.BadUserInput, "agentId: the conversation is of agent %q", ref.AgentID)
	}
	if err := v.seize(projection.LatchSend, whyNoSend); err != nil {
		return "", false, err
	}
	defer v.release(projection.LatchSend)
	if !isOver(v.Conversation().Snapshot().Status()) { // a terminal one takes no message
		input.ConversationID = *in.ConversationID
	}
	r, err := h.drive(ctx, v, who, false, execute)
	if err != nil {
		return "", false, err
	}
	// Upstream has the last word: it may find that the conversation has ended just now.
	return r.id, r.id != *in.ConversationID, nil
}

func whyNoSend(s *projection.Snapshot) string {
	switch {
	case s.Capabilities().CanSend:
		return ""
	case s.Status() == projection.ChatAwaitingClientTool:
		return "a tool call waits for its answer"
	}
	return "the run is in progress"
}

func isOver(status projection.ChatStatus) bool {
	return status == projection.ChatCompleted || status == projection.ChatFailed || status == projection.ChatCancelled
}
