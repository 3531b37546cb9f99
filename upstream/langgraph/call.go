package langgraph

import (
	"strconv"
	"strings"

	"inlaygraph/wire"
)

// assembly is a call that arrives in pieces: its id and name come with the first one only, what follows is known by
// its index in the message.
type assembly struct {
	id, name string
	index    int64
	hasIndex bool
	args     strings.Builder
	complete bool // args is whole
}

// whole is the call as a piece that is whole.
func (a *assembly) whole() callPiece {
	return callPiece{id: a.id, name: a.name, args: a.args.String(), whole: true}
}

// gather takes a piece of a call.
func (u *turn) gather(c callPiece) {
	a := u.assemblyOf(c)
	if a == nil {
		a = &assembly{index: c.index, hasIndex: c.hasIndex}
		u.calls = append(u.calls, a)
	}
	if a.id == "" {
		a.id = c.id
	}
	if a.name == "" {
		a.name = c.name
	}
	if c.whole {
		if !a.complete && a.args.Len() == 0 {
			a.args.WriteString(c.args)
		}
		a.complete = true
		return
	}
	if !a.complete {
		a.args.WriteString(c.args)
	}
}

// assemblyOf finds the call that a piece belongs to, nil for the first piece of one. Some servers repeat the id on
// every piece, some tell no index.
func (u *turn) assemblyOf(c callPiece) *assembly {
	for _, a := range u.calls {
		switch {
		case c.id != "" && a.id != "":
			if a.id == c.id {
				return a
			}
		case c.hasIndex && a.hasIndex:
			if a.index == c.index {
				return a
			}
		}
	}
	if n := len(u.calls); c.id == "" && !c.hasIndex && n > 0 {
		return u.calls[n-1]
	}
	return nil
}

// call tells a model's call.
func (t *teller) call(tk *task, message string, c callPiece) {
	if c.name == "" {
		t.skip(SkipMalformed)
		return
	}
	if c.id == "" {
		c.id = message + "#" + strconv.Itoa(len(t.known.callIDs))
	}
	facts := callFacts{wireID: c.id, message: message, private: t.isPrivate(c.name)}
	if known, ok := t.known.calls[c.id]; ok {
		if known.message == message {
			t.skip(SkipRepeated)
			return
		}
		facts.wireID = c.id + "@" + message // models of some makers count their calls from 1 in every message
	}
	if t.known.callIDs[facts.wireID] {
		t.skip(SkipRepeated)
		return
	}
	if t.plan != nil {
		if tool := t.plan.Tool(c.name); tool != nil {
			facts.client = tool.RequiresClientResponse
		}
	}
	t.known.calls[c.id] = facts
	input := c.args
	if facts.private || input == "" {
		input = "{}"
	}
	t.toolCall(tk, wire.Body{
		ID: rowID(t.thread, idCall, facts.wireID), ToolCallID: facts.wireID, ToolName: c.name, Input: input,
		RequiresClientResponse: facts.client,
	})
}

// toolCall tells a call, of a model or of an interrupt. The fold closes the open turns of its place, so they are
// ended before.
func (t *teller) toolCall(tk *task, body wire.Body) {
	if tk != nil {
		body.Spine = tk.spine
		for _, u := range tk.turns {
			t.bank(u)
		}
	}
	t.known.callIDs[body.ToolCallID] = true
	t.tell(wire.ToolCall, body.Spine, func(b *wire.Body) { *b = body })
}

// isPrivate tells whether what a tool is given and gives is not to be told.
func (t *teller) isPrivate(name string) bool {
	if t.private[name] {
		return true
	}
	if t.plan == nil {
		return false
	}
	tool := t.plan.Tool(name)
	return tool != nil && tool.Private
}

// wireCall is the wire's id of a call that a model gave an id.
func (t *teller) wireCall(id string) string {
	if facts, ok := t.known.calls[id]; ok {
		return facts.wireID
	}
	return id
}

// result tells a tool's result, once.
func (t *teller) result(spine wire.Spine, m *message) {
	if m.callID == "" {
		t.skip(SkipMalformed)
		return
	}
	id := t.wireCall(m.callID)
	if t.known.results[id] || m.id != "" && t.known.messages[m.id] {
		return
	}
	if m.id != "" {
		t.known.messages[m.id] = true
	}
	output := m.text()
	switch {
	case t.known.calls[m.callID].private || t.isPrivate(m.name):
		output = ""
	case m.failed:
		output = resultFailed // it is the text of an exception
	}
	t.toolResult(spine, id, output)
}

func (t *teller) toolResult(spine wire.Spine, id, output string) {
	t.known.results[id] = true
	t.tell(wire.ToolResult, spine, func(b *wire.Body) {
		b.ID, b.ToolCallID, b.Output = rowID(t.thread, idResult, id), id, output
	})
}
