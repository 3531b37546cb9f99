package wire

import "time"

// FrameType is the closed set of live frame types (docs/wire.md, "Live frames").
type FrameType uint8

// The live frame types, in the order of the wire page's table.
const (
	RunStart FrameType = iota + 1
	UserMessage
	NodeStart
	MessageDelta
	MessageEnd
	OutputDelta
	OutputSet
	ToolCall
	ToolResult
	TableRow
	TableDelete
	EdgeFired
	NodeEnd
	RunPause
	RunEnd
)

// RowType is the closed set of persisted row types: the durable log's own kebab names.
type RowType uint8

// The persisted row types.
const (
	RowUser RowType = iota + 1
	RowAssistant
	RowOutput
	RowToolCall
	RowToolResult
	RowNodeStart
	RowNodeEnd
	RowEdge
)

// BindingStatus says whether a value is still being built or settled. Zero: absent.
type BindingStatus uint8

// The binding statuses.
const (
	Building BindingStatus = iota + 1
	Final
)

// ArtifactFormat is the render hint of a streamed artifact. Zero: absent (or a word we do not know).
type ArtifactFormat uint8

// The artifact formats.
const (
	FormatText ArtifactFormat = iota + 1
	FormatMarkdown
	FormatCode
	FormatHTML
	FormatList
)

// ErrorKind is the coarse class of a public failure. An unknown word reads as ErrorInternal.
type ErrorKind uint8

// The public error kinds.
const (
	ErrorLLM ErrorKind = iota + 1
	ErrorTool
	ErrorCondition
	ErrorInternal
)

// Status is a lifecycle word of a conversation, a run or a node. Which of them are legal depends on the
// member: node.end takes Completed, Failed and Cancelled, run.pause takes Paused and AwaitingClientTool,
// run.end the terminal three, a head all six. Zero: absent.
type Status uint8

// The lifecycle words.
const (
	Running Status = iota + 1
	Completed
	Failed
	Cancelled
	Paused
	AwaitingClientTool
)

// JSON is one JSON value as the wire spelled it: valid, compacted, numbers and strings untouched but for
// invalid UTF-8, which reads as U+FFFD. The empty string means absent; a JSON null is "null".
type JSON string

// PublicError is the customer-safe form of a failure.
type PublicError struct {
	Kind    ErrorKind
	Message string
}

// Usage is the raw token accounting of one completion. A member the wire left out is 0.
type Usage struct {
	PromptTokens     int64
	CompletionTokens int64
	ReasoningTokens  int64
}

// Spine says where in the graph something happened. NodeID "" means: in no node (then SubgraphPath is
// nil too, except on edge.fired, whose node ids live in SubgraphPath).
type Spine struct {
	NodeID       string
	SubgraphPath []string // enclosing subgraphs, outermost first; nil at the top level
	Activation   string   // one visit of one node; "" when the wire can't say
	Iteration    int      // one-based; 0 when absent
}

// Body is what a live frame and a persisted row have in common: the spine and every member that any
// type carries. Which members are set follows from the type; see docs/wire.md. Absent members are zero.
type Body struct {
	Spine
	At  time.Time // when it happened, in UTC; zero when absent
	ID  string    // the durable row's id
	Seq int64     // append position in the durable log, from 1; 0 when not persisted

	// run.start
	RunID          string
	ConversationID string
	AgentID        string
	AgentVersion   int // 0 is a draft

	// node.start
	Kind      string
	MessageID string

	// user.message, message.delta, message.end, assistant: Content and Reasoning. The Has flags say
	// that the member was there: message.end tells absent (keep what was accumulated) from empty (the
	// whole text is empty) by them.
	Content      string
	Reasoning    string
	HasContent   bool
	HasReasoning bool

	// output.delta, output.set
	Name        string
	Delta       string
	Value       JSON // output.set, table.row
	Format      ArtifactFormat
	Promoted    bool
	HasPromoted bool
	ValueStatus BindingStatus // output.set, table.row
	Complete    bool

	// tool.call, tool.result
	ToolCallID             string
	ToolName               string
	Input                  string
	Output                 string
	RequiresClientResponse bool

	// table.row, table.delete
	Table string
	RowID string
	Key   string
	// HasKey tells an empty key from an absent one.
	HasKey bool
	Links  JSON

	// edge.fired: From, To and FromPort are node ids and a port in SubgraphPath.
	From        string
	FromPort    string
	HasFromPort bool
	To          string

	// node.end, run.pause, run.end
	Status    Status
	Error     *PublicError
	Usage     *Usage // node.end
	Retryable bool   // run.end; absent reads as false
}

// Frame is one live frame.
type Frame struct {
	Type   FrameType
	Offset int64 // from 1; 0 when a recording left it out
	Body
}

// Row is one persisted row of the durable log. Seq is always set.
type Row struct {
	Type RowType
	Body
}

// Head is the conversation's identity and standing, as GET /v1/conversations/{id} tells it.
type Head struct {
	ConversationID string
	AgentID        string
	AgentVersion   int
	Status         Status
	Retryable      bool
	HasRetryable   bool
	Error          *PublicError
	HasEarlier     bool
	SaysEarlier    bool  // has_earlier was on the wire
	LastOffset     int64 // reattach after it; meaningful when HasLastOffset
	HasLastOffset  bool
	Title          string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	WorkingSet     *WorkingSet
}

// WorkingSet is the persisted latest value of bindings and tables, so that a reopened conversation has
// them without a live run.
type WorkingSet struct {
	Bindings         []WorkingBinding // sorted by name, Path nil
	SubagentBindings []WorkingBinding // in wire order, Path set
	Tables           []WorkingTable   // sorted by name
}

// WorkingBinding is one value of the working set.
type WorkingBinding struct {
	Path   []string
	Name   string
	Value  JSON
	Status BindingStatus
	Format ArtifactFormat
}

// WorkingTable is one table of the working set, rows most recently moved first.
type WorkingTable struct {
	Name string
	Rows []WorkingRow
}

// WorkingRow is one row of a working table.
type WorkingRow struct {
	RowID  string
	Key    string
	HasKey bool
	Value  JSON
	Status BindingStatus
	Links  JSON
}

// Page is one answer of GET /v1/conversations/{id}/rows: a stretch of the durable log, ascending by seq,
// and its word on whether earlier rows exist.
type Page struct {
	Rows       []*Row
	HasEarlier bool
}

// Record is one line of a recording: a *Frame, a *Row or a *Head. All of them, and *Page, can be folded.
type Record interface{ ConversationInput() }

// ConversationInput marks a frame as something a conversation folds.
func (*Frame) ConversationInput() {}

// ConversationInput marks a persisted row as something a conversation folds.
func (*Row) ConversationInput() {}

// ConversationInput marks a head as something a conversation folds.
func (*Head) ConversationInput() {}

// ConversationInput marks a page of the log as something a conversation folds.
func (*Page) ConversationInput() {}

// Reason classifies why a record was not taken. The words are stable: they are metric labels.
type Reason string

// The reasons for which a record is rejected or skipped (docs/wire.md, "What is rejected").
const (
	ReasonMalformed    Reason = "malformed_json"
	ReasonUnknownType  Reason = "unknown_type" // skipped, not rejected
	ReasonMissing      Reason = "missing_member"
	ReasonWrongType    Reason = "wrong_type"
	ReasonUnknownValue Reason = "unknown_value" // outside a closed set
	ReasonBadTime      Reason = "bad_time"
	ReasonOutOfRange   Reason = "out_of_range"
	ReasonTooLarge     Reason = "too_large"
)

// Rejection is the error of a record that was not taken. It never holds the record's content, only the
// member's place, so it is safe to log: names in it are printable and at most 64 bytes each.
type Rejection struct {
	Reason Reason
	Member string // dotted place of the member, such as "error.kind"; "" for the whole record
	Type   string // the record's type where it could be read, at most 64 bytes
	Offset int64  // the offset the record used up, where it could be read; else 0, as for rows and heads
	Detail string // of an invalid plan: what is wrong, in words of ours around a name of the plan
}

func (r *Rejection) Error() string {
	s := string(r.Reason)
	if r.Member != "" {
		s += " at " + r.Member
	}
	if r.Type != "" {
		s += " in " + r.Type
	}
	if r.Detail != "" {
		s += ": " + r.Detail
	}
	return s
}

// DefaultMaxRecord is the default limit on the bytes of one record (docs/wire.md): 1 MiB.
const DefaultMaxRecord = 1 << 20
