package projection

// Input is what can be applied: *wire.Frame, *wire.Row, *wire.Head, *wire.Page, Skipped, Plan, Delivery,
// Latch or Trim.
type Input interface{ ConversationInput() }

// Skipped is a frame that the reader could not take: unknown or rejected. It uses up its offset.
type Skipped struct{ Offset int64 }

// Delivery is how a tool result's delivery is going, as the server that delivers it says.
type Delivery struct{ ToolDelivery }

// LatchKind is an action in flight.
type LatchKind uint8

// The latches.
const (
	LatchSend LatchKind = iota
	LatchRetry
	LatchCancel
	latchKinds
)

// Latch says that an action is in flight, or no longer.
type Latch struct {
	Kind LatchKind
	On   bool
}

// ConversationInput marks it as something a conversation folds.
func (Skipped) ConversationInput() {}

// ConversationInput marks it as something a conversation folds.
func (Delivery) ConversationInput() {}

// ConversationInput marks it as something a conversation folds.
func (Latch) ConversationInput() {}
