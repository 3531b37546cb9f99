package bus

import "inlaygraph/projection"

// Format is the version of what this package writes. A reader takes it and every one before it.
const Format = 1

// Kind is what a record does to a conversation.
type Kind uint8

// The kinds.
const (
	// Begin begins a state anew, from Inputs alone. It is not shown before Show.
	Begin Kind = iota + 1
	// Show puts the state that was begun last in the place of the one that is shown.
	Show
	// Told are inputs as upstream told them, for the state that was begun last.
	Told
	// Earlier is a page of earlier rows, for every state there is.
	Earlier
	// Happened are effects of what viewers asked for.
	Happened
	// Own says that By reads upstream from now on, under a term of its own.
	Own
	// Yield says that By has ceased to.
	Yield
)

// Record is one entry of a conversation's log.
type Record struct {
	Kind Kind
	// ID tells it from every other; Append gives it.
	ID string
	// By is the instance that appended it; Append says so.
	By string
	// Window and Limits, of a Begin, bound the state: how many rows it may hold, 0 for any number, and how much beside.
	Window int
	Limits projection.Limits
	// Inputs of a Begin, a Told and an Earlier: frames, rows, heads, pages, what was skipped, plans.
	Inputs []projection.Input
	// Effects of a Happened, and of a Begin all those that still hold.
	Effects []Effect
}

// Effect is how a tool's result travels, or that something asked of upstream is in flight: the one member or the other.
type Effect struct {
	Delivery *Delivery
	Latch    *Latch
}

// Delivery is how the delivery of a result stands.
type Delivery struct {
	projection.ToolDelivery
	// By is the instance that delivers.
	By string
	// Digest stands for the result, so that the same one is known again.
	Digest string
}

// Latch says that something is in flight at an instance, or no longer.
type Latch struct {
	projection.Latch
	// By is the instance that asked upstream.
	By string
	// Taken, of a cancel: upstream took it, and it is in flight until the run that stood at Status has ended.
	Taken  bool
	Status projection.ChatStatus
}

// Event is what a follower is told: a record, or that a place was used up by something that is none.
type Event struct {
	// Seq is the place. They ascend.
	Seq uint64
	// ID is the message's, by which Log.Stands knows it again; "" for one that is not this package's.
	ID string
	// Record is nil where the place holds none: a part of a longer one, or what was passed over.
	Record *Record
	// Gap: something is missing before it.
	Gap bool
	// Newer: it is of a newer format than this package can read.
	Newer bool
}
