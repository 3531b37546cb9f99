package wire

// words holds the wire's words of one closed set, indexed by the value less one: value 1 is the first
// word, and value 0, "absent", has none. It is the one place where a value and its word meet.
type words[E ~uint8] []string

// word answers the wire's word of e, or "" when e is not of the set.
func (w words[E]) word(e E) string {
	if e == 0 || int(e) > len(w) {
		return ""
	}
	return w[e-1]
}

// value answers the value whose word is text, or 0 when text is not of the set.
func (w words[E]) value(text []byte) E {
	for i, word := range w {
		if string(text) == word {
			return E(i + 1)
		}
	}
	return 0
}

var (
	frameTypeWords = words[FrameType]{
		"run.start", "user.message", "node.start", "message.delta", "message.end", "output.delta",
		"output.set", "tool.call", "tool.result", "table.row", "table.delete", "edge.fired", "node.end",
		"run.pause", "run.end",
	}
	rowTypeWords = words[RowType]{
		"user", "assistant", "output", "tool-call", "tool-result", "node-start", "node-end", "edge",
	}
	bindingStatusWords = words[BindingStatus]{"building", "final"}
	formatWords        = words[ArtifactFormat]{"text", "markdown", "code", "html", "list"}
	errorKindWords     = words[ErrorKind]{"llm", "tool", "condition", "internal"}
	statusWords        = words[Status]{
		"running", "completed", "failed", "cancelled", "paused", "awaiting_client_tool",
	}
)

// headType is the `type` of a conversation head: the one record whose type is neither dotted nor kebab.
const headType = "conversation"

// String is the type's word on the wire, such as "message.delta"; "" for a value outside the set.
func (t FrameType) String() string { return frameTypeWords.word(t) }

// String is the type's word in the durable log, such as "tool-call"; "" for a value outside the set.
func (t RowType) String() string { return rowTypeWords.word(t) }

// String is the status's word on the wire; "" when absent.
func (s BindingStatus) String() string { return bindingStatusWords.word(s) }

// String is the format's word on the wire; "" when absent.
func (f ArtifactFormat) String() string { return formatWords.word(f) }

// String is the kind's word on the wire; "" for a value outside the set.
func (k ErrorKind) String() string { return errorKindWords.word(k) }

// String is the status's word on the wire; "" when absent.
func (s Status) String() string { return statusWords.word(s) }

// FrameTypes lists every live frame type, in the order of docs/wire.md, "Live frames".
func FrameTypes() []FrameType { return frameTypeWords.all() }

// RowTypes lists every persisted row type, in the order of docs/wire.md, "Persisted rows".
func RowTypes() []RowType { return rowTypeWords.all() }

func (w words[E]) all() []E {
	all := make([]E, len(w))
	for i := range w {
		all[i] = E(i + 1)
	}
	return all
}
