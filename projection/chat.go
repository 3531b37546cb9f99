package projection

import "inlaygraph/wire"

// ChatStatus is the single lifecycle answer (docs/fold.md).
type ChatStatus uint8

// The chat statuses.
const (
	ChatIdle ChatStatus = iota
	ChatStreaming
	ChatAwaitingClientTool
	ChatPaused
	ChatCompleted
	ChatFailed
	ChatCancelled
)

// ConversationRef is the identity, captured from the first opener.
type ConversationRef struct {
	ConversationID string
	AgentID        string
	AgentVersion   int
}

// Capabilities say what the chat's controls may do now.
type Capabilities struct {
	CanSend   bool
	CanCancel bool
}

// PendingToolCall is one client tool call that waits on the app. Immutable.
type PendingToolCall struct {
	call *ToolCallRow
	// Args is the parsed input, compacted; "" when it does not parse or is over 64 KiB.
	args wire.JSON
	// Delivery is how the answer is travelling, nil while nobody answered.
	Delivery *ToolDelivery
}

// sameAs compares what a reader can see of two states of one call: a call's row only learns where it is from.
func (p *PendingToolCall) sameAs(q *PendingToolCall) bool {
	return p.Delivery == q.Delivery && p.call.place == q.call.place && p.call.activation == q.call.activation
}

// ToolCallID identifies the call.
func (p *PendingToolCall) ToolCallID() string { return p.call.ToolCallID }

// ToolName is the tool's name.
func (p *PendingToolCall) ToolName() string { return p.call.ToolName }

// ArgumentsJSON is the raw input, parsed or not.
func (p *PendingToolCall) ArgumentsJSON() string { return p.call.Input }

// Args is the parsed input; nil when it does not parse (RFC 8259) or is over 64 KiB.
func (p *PendingToolCall) Args() *Value {
	if p.args == "" {
		return nil
	}
	v := JSONValue(p.args)
	return &v
}

// NodeID is the calling node's id.
func (p *PendingToolCall) NodeID() *string { return p.call.NodeID() }

// SubgraphPath is the path of the enclosing subgraphs, nil at the top level.
func (p *PendingToolCall) SubgraphPath() []string { return p.call.SubgraphPath() }

// Path is the calling node's absolute path.
func (p *PendingToolCall) Path() []string { return p.call.Path() }

// Activation names the visit that called.
func (p *PendingToolCall) Activation() *string { return p.call.Activation() }

// ToolCallStatus is the delivery lifecycle of one tool call's result.
type ToolCallStatus uint8

// The delivery statuses.
const (
	ToolPending ToolCallStatus = iota + 1
	ToolSubmitting
	ToolSubmitted
	ToolFailed
	ToolCancelled
)

// ToolDelivery is how the delivery of one call's result is going. It is kept by the server that delivers,
// never folded from the log. Immutable.
type ToolDelivery struct {
	ToolCallID string
	Status     ToolCallStatus
	// Error is set while Status is ToolFailed.
	Error *string
}

// ToolCallPair is a call and its result, joined by the call's id; what is not known is nil.
type ToolCallPair struct {
	Call     *ToolCallRow
	Result   *ToolResultRow
	Delivery *ToolDelivery
}

// Binding is a published value: the latest per output name. Immutable.
type Binding struct {
	Name   string
	Value  Value
	Status wire.BindingStatus
	format wire.ArtifactFormat

	schemaErrors []string
	// row is what it is kept of, and key where it stood: a trim dropped the row. nil and 0 for any other.
	row *OutputRow
	key uint64
}

// SchemaErrors are those of the output that the value is of; nil when it was not checked.
func (b *Binding) SchemaErrors() []string { return b.schemaErrors }

// Format is the render hint, nil when the wire gave none.
func (b *Binding) Format() *wire.ArtifactFormat { return optional(&b.format) }

// SubagentBindings are one subagent's own, un-promoted outputs by name.
type SubagentBindings struct {
	Path     []string
	Bindings []*Binding
}

// Table is one live table: its rows most recently moved first.
type Table struct {
	Name string
	Rows []*TableRowView
}

// TableRowView is one row of a live table (docs/fold.md). Immutable.
type TableRowView struct {
	RowID string
	// Key is the row's collection key, nil for a single-value table.
	Key    *string
	Value  Value
	Status wire.BindingStatus
	// Links are the row's forward links, "" when the wire gave none.
	links wire.JSON

	schemaErrors []string
}

// SchemaErrors say where the settled value is not what the plan's schema declares: empty when it is, nil when it was
// not checked.
func (r *TableRowView) SchemaErrors() []string { return r.schemaErrors }

// Links are the row's forward links, nil when the wire gave none.
func (r *TableRowView) Links() *Value {
	if r.links == "" {
		return nil
	}
	v := JSONValue(r.links)
	return &v
}
