package projection

import "slices"

// Outcome says what became of an input.
type Outcome uint8

// The outcomes.
const (
	// Applied: folded, whether or not anything moved.
	Applied Outcome = iota
	// Duplicate: it was known already; dropped and to be counted.
	Duplicate
	// Rejected: it contradicts what is known; dropped whole and to be counted by reason.
	Rejected
)

// The reasons for which the fold rejects an input. The words are stable: they are metric labels.
const (
	ReasonForeignConversation = "foreign_conversation" // an opener of another conversation
	ReasonRowComplete         = "row_complete"         // text for a row that takes no more
	ReasonIDTaken             = "id_taken"             // the id belongs to another row
	ReasonNotText             = "not_text"             // a delta on a value that is no string
	ReasonNameChanged         = "name_changed"         // an output's id under another name
	ReasonRowFull             = "row_full"             // the row's texts are as long as one row's may be
	ReasonFull                = "conversation_full"    // the conversation holds as much as one may, and this would add to it
)

// Change is what one Apply did: its outcome, and what moved.
type Change struct {
	Outcome Outcome
	// Reason is why the input was rejected.
	Reason string
	// RowReasons are the reasons for which rows of a page were rejected, each by itself.
	RowReasons []string
	// Overlap: a page of earlier rows told again what live frames had told. Nothing is lost or doubled, but what
	// those frames did when they came (open a placeholder, interrupt a turn) stands, which the longer window
	// would have kept them from doing: a reader that wants the longer window to the letter reads it anew.
	Overlap bool
	// Lost is how many frames an offset jumped over (docs/wire.md, "gap").
	Lost int64
	// OtherOpener: the opener named another agent or version than the conversation's (its run opened all the same).
	OtherOpener bool
	// Rows are the moves of timeline rows, in order.
	Rows []RowMove
	// Marks are the lifecycle facts that came, in order.
	Marks []MarkMove
	// MarksMended: a known fact learnt its activation or moved, so that whoever follows marks starts over.
	MarksMended bool
	// Slices are the slices whose value moved, each once.
	Slices []Slice
	// Reset: row keys were dealt anew, so that moves can't be told one by one; whoever follows them starts over.
	Reset bool
}

// Has tells whether a slice moved.
func (c *Change) Has(s Slice) bool {
	return slices.Contains(c.Slices, s)
}

// SliceKind names what a subscription can read. Every field of the state belongs to one: a test fails for
// a field that is not classified.
type SliceKind uint8

// The slice kinds. The comment says which members of Slice they use.
const (
	SliceTimeline         SliceKind = iota + 1
	SliceTranscript                 // top-level user and assistant rows
	SliceTopLevel                   // all top-level rows
	SliceRowsAt                     // Path: rows exactly there
	SliceSubtree                    // Path: rows there and below
	SliceRun                        // the whole run projection
	SliceNode                       // Path: the node run, its edges out included
	SliceToolCall                   // Name: the tool call id
	SlicePendingTools               //
	SliceBinding                    // Path (of the subagent; "" for the conversation's own) and Name
	SliceBindings                   // any of the conversation's own
	SliceSubagentBindings           // any subagent's
	SliceTable                      // Name
	SliceTables                     // any table
	SliceToolStates                 //
	SliceStatus                     //
	SliceConversation               // the identity
	SliceError                      //
	SliceRetryable                  //
	SliceHasEarlier                 //
	SliceCapabilities               //
	SliceCanRetry                   //
	SlicePlan                       // the plan became known
	SliceBelow                      // Path: node runs strictly below
	SliceOutputsOf                  // Path: a subagent's own outputs
	sliceKinds
	// SliceFeed is no slice of the fold: Name is a pin, and whoever composes its feed marks it.
	SliceFeed
)

// Slice identifies one slice of a conversation. Path is a PathKey.
type Slice struct {
	Kind SliceKind
	Path string
	Name string
}

// MarkMove is one lifecycle fact that entered the timeline.
type MarkMove struct {
	Key  uint64
	Mark *Mark
}

// MoveKind is how a row moved.
type MoveKind uint8

// The moves.
const (
	MoveInsert MoveKind = iota + 1
	MoveReplace
	MoveAppend // one text field grew at its end
	MoveRemove
)

// TextField is the text field that grew.
type TextField uint8

// The text fields.
const (
	FieldContent TextField = iota + 1
	FieldReasoning
	FieldValue
)

// RowMove is one step of the timeline: applied in sequence to the rows before, the moves of a Change give
// the rows after. Key orders the rows of every slice alike.
type RowMove struct {
	Kind MoveKind
	Key  uint64
	Row  Row // the row as it stands after this move; for MoveRemove as it last stood
	// For MoveAppend: the field, the UTF-16 units it already had, and what was added.
	Field  TextField
	Offset int
	Text   string
}
