package langgraph

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// role is what kind of message a message is.
type role uint8

const (
	roleOther role = iota // a system message, a removal, anything else
	roleHuman
	roleModel
	roleTool
)

// message is a message of a stream or of a state, as far as it is told on.
type message struct {
	id    string
	role  role
	chunk bool // a piece of a message that goes on
	parts []part
	calls []callPiece
	usage *wire.Usage
	ended bool // nothing of the message follows

	// of a tool's result
	callID string
	name   string
	failed bool
}

// part is a piece of a message's text, or the place of a call in it.
type part struct {
	content, reasoning jsontext.Value // strings; at most one is there
	call               string         // the id of the call that stands here
	isCall             bool
	apart              bool // the text is a block of content: its place among the calls is known
}

// callPiece is a call, or a piece of one.
type callPiece struct {
	id, name, args string
	index          int64
	hasIndex       bool
	whole          bool // args is the whole input
}

// roles are the words for the kinds of messages, in states, in streams and in what users send.
var roles = map[string]role{
	"human": roleHuman, "user": roleHuman, "HumanMessage": roleHuman, "HumanMessageChunk": roleHuman,
	"ai": roleModel, "assistant": roleModel, "AIMessage": roleModel, "AIMessageChunk": roleModel,
	"tool": roleTool, "ToolMessage": roleTool, "ToolMessageChunk": roleTool,
	"system": roleOther, "developer": roleOther, "SystemMessage": roleOther, "SystemMessageChunk": roleOther,
	"function": roleOther, "chat": roleOther, "remove": roleOther, "generic": roleOther,
}

// asMessage reads a message; false when v is none.
func asMessage(v jsontext.Value) (*message, bool) {
	o, ok := asObject(v)
	if !ok {
		return nil, false
	}
	word := o.text("type")
	if word == "" {
		word = o.text("role")
	}
	r, ok := roles[word]
	if !ok || len(o["content"]) == 0 && r != roleOther {
		return nil, false
	}
	m := &message{id: o.text("id"), role: r}
	switch r {
	case roleHuman:
		m.parts = contentParts(o["content"])
	case roleTool:
		m.parts = contentParts(o["content"])
		m.callID, m.name, m.failed = o.text("tool_call_id"), o.text("name"), o.text("status") == "error"
		if !m.hasText() && kindOfValue(o["content"]) != '"' {
			m.parts = []part{{content: jsontext.Value(quoted(compact(o["content"])))}}
		}
	case roleModel:
		m.readModel(o, word)
	}
	return m, true
}

func (m *message) readModel(o object, word string) {
	_, pieces := o["tool_call_chunks"]
	m.chunk = word == "AIMessageChunk" || pieces
	kwargs := o.object("additional_kwargs")
	if r := kwargs["reasoning_content"]; kindOfValue(r) == '"' {
		m.parts = append(m.parts, part{reasoning: r})
	}
	for _, v := range kwargs.object("reasoning").array("summary") {
		if piece, ok := asObject(v); ok && kindOfValue(piece["text"]) == '"' {
			m.parts = append(m.parts, part{reasoning: piece["text"]})
		}
	}
	m.parts = append(m.parts, contentParts(o["content"])...)
	m.calls = callsOf(o)
	m.usage = usageOf(o.object("usage_metadata"))
	response := o.object("response_metadata")
	m.ended = response.text("finish_reason") != "" || response.text("stop_reason") != "" ||
		response.text("done_reason") != "" || o.text("chunk_position") == "last"
}

// hasText tells whether there is any content.
func (m *message) hasText() bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return len(p.content) > 2 })
}

// contentParts reads a message's content: a string, or blocks.
func contentParts(v jsontext.Value) []part {
	switch kindOfValue(v) {
	case '"':
		return []part{{content: v}}
	case '[':
		var parts []part
		blocks, _ := asArray(v)
		for _, block := range blocks {
			parts = append(parts, blockParts(block)...)
		}
		return parts
	}
	return nil
}

// blockParts reads a block of content. What is neither text nor reasoning nor a call, such as an image, is nothing.
func blockParts(v jsontext.Value) []part {
	if kindOfValue(v) == '"' {
		return []part{{content: v, apart: true}}
	}
	o, _ := asObject(v)
	switch o.text("type") {
	case "text", "text_delta", "output_text":
		if kindOfValue(o["text"]) == '"' {
			return []part{{content: o["text"], apart: true}}
		}
	case "thinking", "thinking_delta":
		if kindOfValue(o["thinking"]) == '"' {
			return []part{{reasoning: o["thinking"], apart: true}}
		}
	case "reasoning", "reasoning_content":
		if kindOfValue(o["reasoning"]) == '"' {
			return []part{{reasoning: o["reasoning"], apart: true}}
		}
		var parts []part
		for _, piece := range o.array("summary") {
			if s, ok := asObject(piece); ok && kindOfValue(s["text"]) == '"' {
				parts = append(parts, part{reasoning: s["text"], apart: true})
			}
		}
		return parts
	case "tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta":
		return []part{{isCall: true, call: o.text("id")}}
	}
	return nil
}

// callsOf reads the calls of a message: pieces where it has them, since they have the input as the model wrote it.
func callsOf(o object) []callPiece {
	var calls []callPiece
	known := map[string]bool{}
	for _, v := range o.array("tool_call_chunks") {
		c, _ := asObject(v)
		piece := callPiece{id: c.text("id"), name: c.text("name"), args: c.text("args")}
		piece.index, piece.hasIndex = c.integer("index")
		if piece.id == "" && piece.name == "" && piece.args == "" {
			continue
		}
		calls = append(calls, piece)
		known[piece.id] = true
	}
	if len(calls) > 0 {
		return calls
	}
	raw := map[string]string{}
	for _, v := range o.object("additional_kwargs").array("tool_calls") {
		c, _ := asObject(v)
		raw[c.text("id")] = c.object("function").text("arguments")
	}
	for _, member := range []string{"tool_calls", "invalid_tool_calls"} {
		for _, v := range o.array(member) {
			c, _ := asObject(v)
			piece := callPiece{id: c.text("id"), name: c.text("name"), whole: true}
			if piece.name == "" || known[piece.id] {
				continue
			}
			switch input := raw[piece.id]; {
			case input != "":
				piece.args = input
			case kindOfValue(c["args"]) == '"':
				piece.args = c.text("args")
			default:
				piece.args = compact(c["args"])
			}
			calls = append(calls, piece)
			known[piece.id] = true
		}
	}
	return calls
}

// usageOf reads the tokens of a completion, nil when there are none told.
func usageOf(o object) *wire.Usage {
	in, hasIn := o.integer("input_tokens")
	out, hasOut := o.integer("output_tokens")
	if !hasIn && !hasOut {
		return nil
	}
	reasoning, _ := o.object("output_token_details").integer("reasoning")
	return &wire.Usage{PromptTokens: in, CompletionTokens: out, ReasoningTokens: reasoning}
}

// addUsage is the sum, as far as the wire can tell one.
func addUsage(a, b wire.Usage) wire.Usage {
	const most = 1<<53 - 1
	return wire.Usage{
		PromptTokens:     min(a.PromptTokens+b.PromptTokens, most),
		CompletionTokens: min(a.CompletionTokens+b.CompletionTokens, most),
		ReasoningTokens:  min(a.ReasoningTokens+b.ReasoningTokens, most),
	}
}

// segment is a stretch of a whole message's text, and the calls after it.
type segment struct {
	content, reasoning string
	calls              []callPiece
}

// segments cuts a whole message where calls stand in its text.
func (m *message) segments() []segment {
	all := []segment{{}}
	var text [2]halves
	placed := map[string]bool{}
	interrupted := false
	for _, p := range m.parts {
		cur := &all[len(all)-1]
		if p.isCall {
			interrupted = true
			for _, c := range m.calls {
				if c.id == p.call && p.call != "" && !placed[c.id] {
					cur.calls = append(cur.calls, c)
					placed[c.id] = true
				}
			}
			continue
		}
		if interrupted && p.apart && len(p.content)+len(p.reasoning) > 2 {
			all = append(all, segment{})
			cur = &all[len(all)-1]
			interrupted = false
		}
		cur.content += text[0].next(p.content)
		cur.reasoning += text[1].next(p.reasoning)
	}
	last := &all[len(all)-1]
	last.content += text[0].rest()
	last.reasoning += text[1].rest()
	for _, c := range m.calls {
		if !placed[c.id] || c.id == "" {
			last.calls = append(last.calls, c)
		}
	}
	return all
}

// text is all of a message's content.
func (m *message) text() string {
	var b strings.Builder
	for _, s := range m.segments() {
		b.WriteString(s.content)
	}
	return b.String()
}

// severalWrites holds what a task wrote to one channel, when that was more than once.
const severalWrites = "$writes"

// messagesIn finds the messages among what a task took or gave: in each channel a message or a list of them. Older
// servers tell a list of channels and values.
func messagesIn(v jsontext.Value) []*message {
	var found []*message
	list := func(v jsontext.Value) {
		items, _ := asArray(v)
		for _, item := range items {
			if m, ok := asMessage(item); ok {
				found = append(found, m)
			}
		}
	}
	take := func(v jsontext.Value) {
		o, isObject := asObject(v)
		if m, ok := asMessage(v); ok {
			found = append(found, m)
		} else if !isObject {
			list(v)
		} else {
			list(o[severalWrites])
			for _, write := range o.array(severalWrites) {
				list(write)
			}
		}
	}
	if list, ok := asArray(v); ok {
		for _, item := range list {
			pair, ok := asArray(item)
			if ok && len(pair) == 2 && kindOfValue(pair[0]) == '"' {
				take(pair[1])
			}
		}
		if len(found) == 0 {
			take(v)
		}
		return found
	}
	o, ok := asObject(v)
	if !ok {
		return nil
	}
	if _, ok := asMessage(v); ok {
		take(v)
		return found
	}
	for _, name := range sortedNames(o) {
		take(o[name])
	}
	return found
}

// sortedNames puts "messages" first: it is the channel by convention.
func sortedNames(o object) []string {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == "messages") != (b == "messages") {
			if a == "messages" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// quoted is a JSON string.
func quoted(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil && len(b) == 0 {
		return []byte(`""`)
	}
	return b
}
