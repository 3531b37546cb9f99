package feed

import (
	"iter"
	"strconv"

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

// Entry is one item of the feed as an adjacency list.
type Entry struct {
	// Key is the card's key, or the id the row opened with, else an opaque one that is kept when an id arrives.
	Key string
	// Parent is the key of the card that holds the item, nil at the top.
	Parent *string
	// Track is the list within a fan-out or repeat, from 0; nil elsewhere.
	Track *int
	// Iteration is the track's stamp in a repeat.
	Iteration *int32
	// Index is the place within the list, from 0.
	Index int
	Row   Row
}

// Entries is the feed as an adjacency list, depth-first.
func (f *Feed) Entries() []*Entry {
	w := walker{conversation: f.snap.ID(), out: []*Entry{}, used: map[string]bool{}}
	w.list(f.items(), Entry{})
	return w.out
}

type walker struct {
	conversation string
	out          []*Entry
	used         map[string]bool // row keys
}

// list adds the items of one list, each followed by what it holds. of carries what they have in common.
func (w *walker) list(items iter.Seq2[uint64, Row], of Entry) {
	index := 0
	for key, r := range items {
		e := of
		e.Index, e.Row = index, r
		index++
		card, isCard := r.(Composite)
		if !isCard {
			e.Key = w.rowKey(key, r)
			w.out = append(w.out, &e)
			continue
		}
		e.Key = card.Key()
		w.out = append(w.out, &e)
		for i, track := range card.lists() {
			below := Entry{Parent: &e.Key}
			switch c := card.(type) {
			case *FanOutRow:
				below.Track = &i
			case *RepeatRow:
				below.Track, below.Iteration = &i, &c.iterations[i]
			}
			w.list(track.All(), below)
		}
	}
}

// rowKey names a row for as long as it stands: by the id it opened with, else by its place in the timeline's
// order, which is never dealt twice.
func (w *walker) rowKey(key uint64, r Row) string {
	if id := r.(projection.Row).Common().OpenedID(); id != "" && !w.used[id] {
		w.used[id] = true
		return id
	}
	return hash("row", w.conversation, strconv.FormatUint(key, 36))
}
