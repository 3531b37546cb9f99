package langgraph

// Skip is why something of a stream made no frame. The words are stable: they are metric labels.
type Skip string

// The reasons for which something is passed over.
const (
	SkipMalformed   Skip = "malformed"    // not the JSON it should be, or without what identifies it
	SkipMode        Skip = "unknown_mode" // a stream mode that is not asked for or not known
	SkipCustom      Skip = "custom"       // what a node writes by itself: it has no place in the wire
	SkipTools       Skip = "tools"        // a tool's start and end: its call and result are messages
	SkipMessageKind Skip = "message_kind" // a message of a node that is neither a model's nor a tool's
	SkipRepeated    Skip = "repeated"     // a message or call that another task told, or an earlier run
	SkipWrapped     Skip = "wrapped"      // a message that repeats, under an id of its own, a turn that was streamed
	SkipUnplaced    Skip = "unplaced"     // a message whose task is not told
	SkipAfterEnd    Skip = "after_end"    // an event after the end
)
