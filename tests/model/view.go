package model

import (
	"encoding/json"
	"time"

	"inlaygraph/wire"
)

// View is all that a fold says, under the names of the GraphQL contract (schemaErrors, the feed and the views aside).
type View struct {
	Timeline   []*Row  `json:"timeline"`
	Transcript []*Row  `json:"transcript"`
	RowsAt     []Slice `json:"rowsAt"` // for [] and every path with rows or runs at or below it
	Chat       Chat    `json:"chat"`
	Run        Run     `json:"run"`

	ToolCalls    []ToolCallPair `json:"toolCalls"`    // in order of the first row of the pair
	OutputsNamed []NamedOutputs `json:"outputsNamed"` // by name
	Assistants   []Assistants   `json:"assistantsInActivation"`
}

// Slice is rowsAt(path, subtree).
type Slice struct {
	Path    []string `json:"path"`
	Subtree bool     `json:"subtree"`
	Rows    []*Row   `json:"rows"`
}

// ToolCallPair is toolCall(toolCallId).
type ToolCallPair struct {
	ToolCallID string `json:"toolCallId"`
	Call       *Row   `json:"call"`
	Result     *Row   `json:"result"`
	Delivery   any    `json:"delivery"`
}

// NamedOutputs is outputsNamed(name).
type NamedOutputs struct {
	Name string `json:"name"`
	Rows []*Row `json:"rows"`
}

// Assistants is assistantsInActivation(path, activation).
type Assistants struct {
	Path       []string `json:"path"`
	Activation string   `json:"activation"`
	Rows       []*Row   `json:"rows"`
}

// Spine is what every row has.
type Spine struct {
	Type         string     `json:"type"`
	ID           *string    `json:"id"`
	Seq          *int64     `json:"seq"`
	NodeID       *string    `json:"nodeId"`
	SubgraphPath []string   `json:"subgraphPath"` // null at the top level
	Path         []string   `json:"path"`
	Activation   *string    `json:"activation"`
	Iteration    *int       `json:"iteration"`
	At           *time.Time `json:"at"`
}

// Row is a durable row: the spine, and the members of its kind.
type Row struct {
	Spine
	Content                *string         `json:"-"`
	Reasoning              *string         `json:"-"`
	Complete               bool            `json:"-"`
	Name                   string          `json:"-"`
	Value                  json.RawMessage `json:"-"`
	Status                 string          `json:"-"`
	Format                 *string         `json:"-"`
	ToolCallID             string          `json:"-"`
	ToolName               string          `json:"-"`
	Input                  string          `json:"-"`
	RequiresClientResponse bool            `json:"-"`
	Output                 string          `json:"-"`
}

// MarshalJSON writes the members of the row's kind, absent ones as null.
func (r *Row) MarshalJSON() ([]byte, error) {
	spine, err := json.Marshal(r.Spine)
	if err != nil {
		return nil, err
	}
	var own any
	switch r.Type {
	case "user":
		own = struct {
			Content *string `json:"content"`
		}{r.Content}
	case "assistant":
		own = struct {
			Content   *string `json:"content"`
			Reasoning *string `json:"reasoning"`
			Complete  bool    `json:"complete"`
		}{r.Content, r.Reasoning, r.Complete}
	case "output":
		own = struct {
			Name     string          `json:"name"`
			Value    json.RawMessage `json:"value"`
			Status   string          `json:"status"`
			Format   *string         `json:"format"`
			Complete bool            `json:"complete"`
		}{r.Name, r.Value, r.Status, r.Format, r.Complete}
	case "tool-call":
		own = struct {
			ToolCallID             string `json:"toolCallId"`
			ToolName               string `json:"toolName"`
			Input                  string `json:"input"`
			RequiresClientResponse bool   `json:"requiresClientResponse"`
		}{r.ToolCallID, r.ToolName, r.Input, r.RequiresClientResponse}
	case "tool-result":
		own = struct {
			ToolCallID string `json:"toolCallId"`
			Output     string `json:"output"`
		}{r.ToolCallID, r.Output}
	}
	rest, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	return append(append(spine[:len(spine)-1], ','), rest[1:]...), nil
}

// Chat is the chat snapshot without feed and transcript.
type Chat struct {
	Status           string              `json:"status"`
	Conversation     *ConversationRef    `json:"conversation"`
	PendingTools     []*PendingTool      `json:"pendingTools"`
	ToolStates       []any               `json:"toolStates"`
	Bindings         []*Binding          `json:"bindings"`
	SubagentBindings []*SubagentBindings `json:"subagentBindings"`
	Tables           []*Table            `json:"tables"`
	Error            *PublicError        `json:"error"`
	Retryable        bool                `json:"retryable"`
	HasEarlier       bool                `json:"hasEarlier"`
	Capabilities     Capabilities        `json:"capabilities"`
	CanRetry         bool                `json:"canRetry"`
}

// The parts of the chat and run snapshots, member by member as in the contract.
type (
	// Capabilities says what a client may do now.
	Capabilities struct {
		CanSend   bool `json:"canSend"`
		CanCancel bool `json:"canCancel"`
	}
	// PendingTool is a client-tool call without a result.
	PendingTool struct {
		ToolCallID    string          `json:"toolCallId"`
		ToolName      string          `json:"toolName"`
		Args          json.RawMessage `json:"args"`
		ArgumentsJSON string          `json:"argumentsJson"`
		NodeID        *string         `json:"nodeId"`
		SubgraphPath  []string        `json:"subgraphPath"`
		Path          []string        `json:"path"`
		Activation    *string         `json:"activation"`
		Delivery      any             `json:"delivery"`
	}
	// Binding is the latest value of an output name.
	Binding struct {
		Name   string          `json:"name"`
		Value  json.RawMessage `json:"value"`
		Status string          `json:"status"`
		Format *string         `json:"format"`
	}
	// SubagentBindings are the un-promoted values inside one subagent.
	SubagentBindings struct {
		Path     []string   `json:"path"`
		Bindings []*Binding `json:"bindings"`
	}
	// Table is one declared collection.
	Table struct {
		Name string      `json:"name"`
		Rows []*TableRow `json:"rows"`
	}
	// TableRow is one of its rows.
	TableRow struct {
		RowID  string          `json:"rowId"`
		Key    *string         `json:"key"`
		Value  json.RawMessage `json:"value"`
		Status string          `json:"status"`
		Links  json.RawMessage `json:"links"`
	}
	// PublicError is the customer-safe failure.
	PublicError struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	}
	// Run is the run projection.
	Run struct {
		Status     string       `json:"status"`
		Nodes      []*NodeRun   `json:"nodes"`
		Edges      []*FiredEdge `json:"edges"`
		TotalUsage *Usage       `json:"totalUsage"`
		Subagents  []*Subagent  `json:"subagents"`
		HasEarlier bool         `json:"hasEarlier"`
	}
	// NodeRun is one node's current activation.
	NodeRun struct {
		Path         []string     `json:"path"`
		NodeID       string       `json:"nodeId"`
		SubgraphPath []string     `json:"subgraphPath"`
		Kind         *string      `json:"kind"`
		Status       string       `json:"status"`
		Activation   *string      `json:"activation"`
		VisitCount   int          `json:"visitCount"`
		StartedAt    *time.Time   `json:"startedAt"`
		FinishedAt   *time.Time   `json:"finishedAt"`
		Error        *PublicError `json:"error"`
		Usage        *Usage       `json:"usage"`
		ExitedVia    *string      `json:"exitedVia"`
	}
	// FiredEdge is an edge that was traversed.
	FiredEdge struct {
		SubgraphPath []string   `json:"subgraphPath"`
		From         string     `json:"from"`
		FromPort     *string    `json:"fromPort"`
		To           string     `json:"to"`
		Count        int        `json:"count"`
		LastFiredAt  *time.Time `json:"lastFiredAt"`
	}
	// Usage is raw token accounting.
	Usage struct {
		PromptTokens     int64 `json:"promptTokens"`
		CompletionTokens int64 `json:"completionTokens"`
		ReasoningTokens  int64 `json:"reasoningTokens"`
	}
	// Subagent is a subgraph that ran, with its descendants counted.
	Subagent struct {
		Path         []string `json:"path"`
		NodeID       string   `json:"nodeId"`
		RunningCount int      `json:"runningCount"`
		DoneCount    int      `json:"doneCount"`
		FailedCount  int      `json:"failedCount"`
	}
)

var (
	statusWords = map[wire.Status]string{
		wire.Running: "RUNNING", wire.Completed: "COMPLETED", wire.Failed: "FAILED", wire.Cancelled: "CANCELLED",
		wire.Paused: "PAUSED", wire.AwaitingClientTool: "AWAITING_CLIENT_TOOL",
	}
	bindingWords = map[wire.BindingStatus]string{wire.Building: "BUILDING", wire.Final: "FINAL"}
	formatWords  = map[wire.ArtifactFormat]string{
		wire.FormatText: "TEXT", wire.FormatMarkdown: "MARKDOWN", wire.FormatCode: "CODE", wire.FormatHTML: "HTML", wire.FormatList: "LIST",
	}
	errorWords = map[wire.ErrorKind]string{
		wire.ErrorLLM: "LLM", wire.ErrorTool: "TOOL", wire.ErrorCondition: "CONDITION", wire.ErrorInternal: "INTERNAL",
	}
)

func text(s string) *string { return absent(s) }

// absent is a pointer to the value, nil for its zero.
func absent[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func list(path []string) []string { return append([]string{}, path...) }

func raw(v wire.JSON) json.RawMessage {
	if v == "" {
		return nil
	}
	return json.RawMessage(v)
}

func formatWord(f wire.ArtifactFormat) *string { return text(formatWords[f]) }

func publicError(e *wire.PublicError) *PublicError {
	if e == nil {
		return nil
	}
	return &PublicError{Kind: errorWords[e.Kind], Message: e.Message}
}

func usage(u *wire.Usage) *Usage {
	if u == nil {
		return nil
	}
	return &Usage{u.PromptTokens, u.CompletionTokens, u.ReasoningTokens}
}
