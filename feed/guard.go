package feed

import (
	"fmt"

	"inlaygraph/projection"
)

// Pin is the agent and version that a client was made for.
type Pin struct {
	AgentID      string
	AgentVersion *int // nil: no expected version
}

// Mode is how a feed was made.
type Mode uint8

// The modes.
const (
	Composed     Mode = iota + 1 // cards
	FlatGuarded                  // a pin that does not hold: the whole timeline, flat
	FlatUnpinned                 // no pin: the top-level rows
)

// Guard decides the mode (docs/feed.md, "Pin and plan"). The reason says in words why a pin does not hold, nil otherwise.
func Guard(pin *Pin, conversation *projection.ConversationRef, plan *Shape) (Mode, *string) {
	if pin == nil {
		return FlatUnpinned, nil
	}
	guarded := func(format string, args ...any) (Mode, *string) {
		reason := fmt.Sprintf(format, args...)
		return FlatGuarded, &reason
	}
	switch {
	case pin.AgentVersion == nil:
		return guarded("the pin names no agent version")
	case *pin.AgentVersion <= 0:
		return guarded("the pin is to a draft")
	case conversation == nil:
		return guarded("the conversation's agent is not known yet")
	case conversation.AgentID != pin.AgentID:
		return guarded("the conversation is another agent's")
	case conversation.AgentVersion != *pin.AgentVersion:
		return guarded("the conversation ran version %d", conversation.AgentVersion)
	case plan == nil || !plan.knows(pin.AgentID, *pin.AgentVersion):
		return guarded("the plan of this version is not known")
	}
	return Composed, nil
}
