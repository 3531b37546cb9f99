package feed

import (
	"iter"
	"strconv"

	"inlaygraph/projection"
)

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
	l := lister{out: []*Entry{}}
	l.list(f.items(), Entry{})
	l.nameRows(f.snap.ID())
	return l.out
}

type lister struct {
	out  []*Entry
	keys []uint64 // of rows, what orders them
}

// list adds the items of one list, each followed by what it holds. of carries what they have in common.
func (l *lister) list(items iter.Seq2[uint64, Row], of Entry) {
	index := 0
	for key, r := range items {
		e := of
		e.Index, e.Row = index, r
		index++
		l.out, l.keys = append(l.out, &e), append(l.keys, key)
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
			l.list(track.All(), below)
		}
	}
}

// nameRows gives each row a key for as long as it stands: the id it opened with, else its place in the timeline's
// order, which it has for as long as it stands. An id that a row opened with and has no longer may have gone to another row,
// which came later and does without.
func (l *lister) nameRows(conversation string) {
	first := map[string]uint64{} // the keys of rows that have another id than they opened with, by that id
	for i, e := range l.out {
		if id, now := opened(e.Row); id != "" && id != now {
			if known, taken := first[id]; !taken || l.keys[i] < known {
				first[id] = l.keys[i]
			}
		}
	}
	for i, e := range l.out {
		if e.Key != "" {
			continue // a card
		}
		id, _ := opened(e.Row)
		if owner, taken := first[id]; id == "" || taken && owner != l.keys[i] {
			id = hash("row", conversation, strconv.FormatUint(l.keys[i], 36))
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
