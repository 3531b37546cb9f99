package wire

import (
	"math"
	"strconv"
)

// Role says who speaks in a Message. Zero is no role.
type Role uint8

// The roles of docs/wire.md, "Starting a run".
const (
	System Role = iota + 1
	User
	Assistant
	Tool
)

var roleWords = words[Role]{"system", "user", "assistant", "tool"}

// String is the role's word on the wire; "" for a value outside the set.
func (r Role) String() string { return roleWords.word(r) }

// Message is one message that a run is given.
type Message struct {
	Role       Role
	Content    string
	ToolCallID string // the call that a tool's message answers; "" when absent
	Name       string // "" when absent
}

// ExecutionInput is what POST /v1/agents/{agent_id}/execute takes (docs/wire.md, "Starting a run").
type ExecutionInput struct {
	ConversationID  string // the conversation to go on with; "" starts a new one
	AgentVersion    *int   // 0 is the draft; nil leaves the choice to the platform
	Messages        []Message
	ClientRequestID string // "" when absent
}

// AppendJSON appends the input as docs/wire.md spells it, on one line without an end. Absent members are left
// out; `messages` is written also when there are none, which DecodeExecution refuses.
func (in *ExecutionInput) AppendJSON(b []byte) []byte {
	w := object{dst: append(b, '{')}
	w.said("conversation_id", in.ConversationID)
	if in.AgentVersion != nil {
		w.name("agent_version")
		w.dst = strconv.AppendInt(w.dst, int64(*in.AgentVersion), 10)
	}
	appendList(&w, "messages", in.Messages, func(w *object, m Message) {
		w.name("role")
		w.dst = appendString(w.dst, m.Role.String())
		w.text(memberContent, m.Content)
		w.said("tool_call_id", m.ToolCallID)
		w.said("name", m.Name)
	})
	w.said("client_request_id", in.ClientRequestID)
	return append(w.dst, '}')
}

var (
	executionMembers = []string{"conversation_id", "agent_version", "messages", "client_request_id"}
	messageMembers   = []string{"role", "content", "tool_call_id", "name"}
)

// DecodeExecution reads an ExecutionInput as a platform would: whole or not at all. The error is a *Rejection
// that names the member, such as `messages[1].role`. Messages are asked for, at least one, and a tool's message
// says which call it answers. The caller bounds the size of the data.
func DecodeExecution(b []byte) (*ExecutionInput, error) {
	s := states.Get().(*state)
	defer s.release()
	b, rejected := wholeObject(b)
	if rejected != nil {
		return nil, rejected
	}
	f := s.fields(b, executionMembers)
	in := &ExecutionInput{ConversationID: f.text("conversation_id", optional)}
	if raw := f.get("agent_version", optional); raw != nil {
		version, why := integer(raw, 0, math.MaxInt32)
		f.fail("agent_version", "", why)
		n := int(version)
		in.AgentVersion = &n
	}
	in.Messages = list(&f, "messages", required, s.message)
	in.ClientRequestID = f.text("client_request_id", optional)
	if f.why == "" && len(in.Messages) == 0 {
		f.fail("messages", "[0]", ReasonMissing)
	}
	if f.why != "" {
		return nil, &Rejection{Reason: f.why, Member: f.place}
	}
	return in, nil
}

func (s *state) message(raw []byte) (m Message, place string, why Reason) {
	f := s.fields(raw, messageMembers)
	if raw := f.get("role", required); raw != nil {
		m.Role, why = s.role(raw)
		f.fail("role", "", why)
	}
	if raw := f.get("content", required); raw != nil {
		m.Content, why = s.text(raw)
		f.fail("content", "", why)
	}
	m.ToolCallID = f.text("tool_call_id", optional)
	m.Name = f.text("name", optional)
	if f.why == "" && m.Role == Tool && m.ToolCallID == "" {
		f.fail("tool_call_id", "", ReasonMissing)
	}
	return m, f.place, f.why
}

func (s *state) role(raw []byte) (Role, Reason) {
	if raw[0] != '"' {
		return 0, ReasonWrongType
	}
	if role := roleWords.value(s.unquote(raw)); role != 0 {
		return role, ""
	}
	return 0, ReasonUnknownValue
}
