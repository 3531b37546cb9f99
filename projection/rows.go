package projection

import (
	"time"

	"inlaygraph/wire"
)

// Row is one row of the timeline: a *UserRow, *AssistantRow, *OutputRow, *ToolCallRow or *ToolResultRow
// (docs/fold.md). Rows are immutable values: a change makes another one in its place.
type Row interface {
	// IsRow seals the union for the schema.
	IsRow()
	// IsFeedRow says that a row is also an item of the feed.
	IsFeedRow()
	// Type is the durable log's own name of the kind: "user", "assistant", "output", "tool-call" or "tool-result".
	Type() string
	// Seq is the append position in the durable log, nil until the row is persisted.
	Seq() *int64
	// Common returns what every row carries.
	Common() *Spine
}

// Spine is what every durable row carries (docs/fold.md). Absent is nil: the wire can't say.
type Spine struct {
	id         string
	seq        int64
	place      *Place // nil on a row without a node
	activation string
	iteration  int32
	logged     bool // the log told of the row, not only live frames
	marked     bool // of a user row: a trim dropped it once, and a mark stands where it did
	at         time.Time
	// born is the id the row opened with, where it has another one since: whoever named the row by it goes on.
	born *string
}

// rename gives the row another id.
func (s *Spine) rename(id string) {
	if s.born == nil {
		born := s.id
		s.born = &born
	}
	s.id = id
}

// Common returns the spine itself.
func (s *Spine) Common() *Spine { return s }

// ID is the server-minted id, kept from live to replay.
func (s *Spine) ID() *string { return optional(&s.id) }

// Seq is the append position in the durable log, nil until the row is persisted.
func (s *Spine) Seq() *int64 { return optional(&s.seq) }

// NodeID is the producing node's id.
func (s *Spine) NodeID() *string {
	if s.place == nil {
		return nil
	}
	return &s.place.NodeID
}

// SubgraphPath is the path of the enclosing subgraphs, nil at the top level.
func (s *Spine) SubgraphPath() []string {
	if s.place == nil || len(s.place.SubgraphPath) == 0 {
		return nil
	}
	return s.place.SubgraphPath
}

// Path is SubgraphPath and NodeID, nil on a row without a node.
func (s *Spine) Path() []string {
	if s.place == nil {
		return nil
	}
	return s.place.Path
}

// Place is the interned path, nil on a row without a node.
func (s *Spine) Place() *Place { return s.place }

// Activation names the visit of the node that made the row.
func (s *Spine) Activation() *string { return optional(&s.activation) }

// Iteration is the one-based item or sample of a repeatable node.
func (s *Spine) Iteration() *int32 { return optional(&s.iteration) }

// At is when the row opened.
func (s *Spine) At() *time.Time {
	if s.at.IsZero() {
		return nil
	}
	return &s.at
}

// sameAs compares what a reader can see.
func (s *Spine) sameAs(o *Spine) bool {
	return s.id == o.id && s.seq == o.seq && s.place == o.place && s.activation == o.activation && s.iteration == o.iteration && s.at.Equal(o.at)
}

// topLevel tells whether no subgraph encloses the row.
func (s *Spine) topLevel() bool { return s.place == nil || len(s.place.SubgraphPath) == 0 }

// IsRow seals the union of rows.
func (*Spine) IsRow() {}

// IsFeedRow says that every row may stand in a feed.
func (*Spine) IsFeedRow() {}

// UserRow is the user's turn. It belongs to the conversation, not to a node.
type UserRow struct {
	Spine
	Content string
}

// Type is "user".
func (*UserRow) Type() string { return "user" }

// AssistantRow is one node's assistant turn.
type AssistantRow struct {
	Spine
	Content   string
	reasoning string
	// Complete is false while the turn streams.
	Complete bool
	// lateEnd: something else closed the turn, and its own message.end may still come, once.
	lateEnd bool
}

// Type is "assistant".
func (*AssistantRow) Type() string { return "assistant" }

// Reasoning is the extended-thinking text, nil when empty.
func (r *AssistantRow) Reasoning() *string { return optional(&r.reasoning) }

func (r *AssistantRow) empty() bool { return r.Content == "" && r.reasoning == "" }

// OutputRow is a declared output at the position it happened.
type OutputRow struct {
	Spine
	Name     string
	Value    Value
	Status   wire.BindingStatus
	format   wire.ArtifactFormat
	Complete bool
	// Promoted: the output of an inner node counts as the conversation's own.
	Promoted bool
	// schemaErrors: nil when not checked, empty when valid.
	schemaErrors []string
}

// Type is "output".
func (*OutputRow) Type() string { return "output" }

// Format is the render hint, nil when the wire gave none.
func (r *OutputRow) Format() *wire.ArtifactFormat { return optional(&r.format) }

// SchemaErrors say where the settled value is not what the plan's schema declares: empty when it is, nil when it was
// not checked (no plan, no schema, still building).
func (r *OutputRow) SchemaErrors() []string { return r.schemaErrors }

// own tells whether the output counts as the conversation's: top-level or promoted (docs/fold.md, "bindings").
func (r *OutputRow) own() bool { return r.Promoted || r.topLevel() }

// ToolCallRow is a tool the agent invoked. It never changes when its result arrives.
type ToolCallRow struct {
	Spine
	ToolCallID string
	ToolName   string
	// Input is the arguments as the model produced them, unparsed.
	Input                  string
	RequiresClientResponse bool
}

// Type is "tool-call".
func (*ToolCallRow) Type() string { return "tool-call" }

// ToolResultRow is what a call returned; a failed client tool's failure arrives here too.
type ToolResultRow struct {
	Spine
	ToolCallID string
	Output     string
}

// Type is "tool-result".
func (*ToolResultRow) Type() string { return "tool-result" }

// sameRow compares what a reader can see of two states of one row.
func sameRow(a, b Row) bool {
	if !a.Common().sameAs(b.Common()) {
		return false
	}
	switch a := a.(type) {
	case *UserRow:
		return a.Content == b.(*UserRow).Content
	case *AssistantRow:
		b := b.(*AssistantRow)
		return a.Content == b.Content && a.reasoning == b.reasoning && a.Complete == b.Complete
	case *OutputRow:
		return a.sameAs(b.(*OutputRow))
	}
	return true // tool rows never change but for their spine
}

// withSpine returns a copy of row with another spine.
func withSpine(row Row, sp Spine) Row {
	switch r := row.(type) {
	case *UserRow:
		c := *r
		c.Spine = sp
		return &c
	case *AssistantRow:
		c := *r
		c.Spine = sp
		return &c
	case *OutputRow:
		c := *r
		c.Spine = sp
		return &c
	case *ToolCallRow:
		c := *r
		c.Spine = sp
		return &c
	case *ToolResultRow:
		c := *r
		c.Spine = sp
		return &c
	}
	panic("projection: a row of no kind")
}
