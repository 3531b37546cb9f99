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

// Entries is the feed as an adjacency list, depth-first (docs/feed.md, rule 17).
func (f *Feed) Entries() []*Entry {
	w := walker{out: []*Entry{}}
	w.list(f.items(), Entry{})
	w.nameRows(f.snap.ID())
	return w.out
}

type walker struct {
	out  []*Entry
	keys []uint64 // of rows, what orders them
}

// list adds the items of one list, each followed by what it holds. of carries what they have in common.
func (w *walker) list(items iter.Seq2[uint64, Row], of Entry) {
	index := 0
	for key, r := range items {
		e := of
		e.Index, e.Row = index, r
		index++
		w.out, w.keys = append(w.out, &e), append(w.keys, key)
		card, isCard := r.(Composite)
		if !isCard {
			continue
		}
		e.Key = card.Key()
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

// nameRows gives each row a key for as long as it stands: the id it opened with, else its place in the timeline's
// order, which is never dealt twice. An id that a row opened with and has no longer may have gone to another row,
// which came later and does without.
func (w *walker) nameRows(conversation string) {
	first := map[string]uint64{} // the keys of rows that have another id than they opened with, by that id
	for i, e := range w.out {
		if id, now := opened(e.Row); id != "" && id != now {
			if known, taken := first[id]; !taken || w.keys[i] < known {
				first[id] = w.keys[i]
			}
		}
	}
	for i, e := range w.out {
		if e.Key != "" {
			continue // a card
		}
		id, _ := opened(e.Row)
		if owner, taken := first[id]; id == "" || taken && owner != w.keys[i] {
			id = hash("row", conversation, strconv.FormatUint(w.keys[i], 36))
		}
		e.Key = id
	}
}

// opened is the id that a row opened with, and the one it has; "" for none, and for cards.
func opened(r Row) (then, now string) {
	row, ok := r.(projection.Row)
	if !ok {
		return "", ""
	}
	if id := row.Common().ID(); id != nil {
		now = *id
	}
	return row.Common().OpenedID(), now
}
