package feed

import (
	"iter"

	"inlaygraph/projection"
)

// Feed is a conversation's rows as its client is to show them, at one moment. Immutable.
type Feed struct {
	Mode Mode
	// Reason says why a pin does not hold, nil in the other modes.
	Reason     *string
	HasEarlier bool

	snap     *projection.Snapshot
	composed rows // in mode Composed
}

// Flat is the feed of a snapshot in a mode without cards.
func Flat(mode Mode, reason *string, snap *projection.Snapshot) *Feed {
	return &Feed{Mode: mode, Reason: reason, HasEarlier: snap.HasEarlier(), snap: snap}
}

// Compose makes the feed of a snapshot from scratch: guard, then composition. shape is the plan of the pin,
// nil when it is not known.
func Compose(snap *projection.Snapshot, pin *Pin, shape *Shape) *Feed {
	mode, reason := Guard(pin, snap.Conversation(), shape)
	if mode != Composed {
		return Flat(mode, reason, snap)
	}
	return NewComposer(shape, snap).Feed()
}

// Feed is the composed feed as it stands. It costs the same however long it is.
func (c *Composer) Feed() *Feed {
	return &Feed{Mode: Composed, HasEarlier: c.snap.HasEarlier(), snap: c.snap, composed: c.rows()}
}

// items yields the feed's top-level items with the keys that order them.
func (f *Feed) items() iter.Seq2[uint64, Row] {
	if f.Mode == Composed {
		return f.composed.All()
	}
	source := f.snap.TimelineKeyed()
	if f.Mode == FlatUnpinned {
		source = f.snap.TopLevelKeyed()
	}
	return func(yield func(uint64, Row) bool) {
		for key, r := range source {
			if !yield(key, r.(Row)) {
				return
			}
		}
	}
}

// Rows are the feed's top-level items, in order.
func (f *Feed) Rows() []Row {
	out := []Row{}
	for _, r := range f.items() {
		out = append(out, r)
	}
	return out
}
