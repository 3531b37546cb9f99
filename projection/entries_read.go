package projection

import "iter"

// Entries yields the window's rows and marks in timeline order, with the keys that order them.
func (s *Snapshot) Entries() iter.Seq2[uint64, Entry] {
	return func(yield func(uint64, Entry) bool) {
		for key, row := range s.TimelineKeyed() { // those that a trim passed over
			if key > s.cut {
				break
			}
			if !yield(key, row) {
				return
			}
		}
		for key, e := range s.entries.From(s.cut + 1) {
			if !yield(key, e) {
				return
			}
		}
	}
}

// FirstRowKey is the key of the first row exactly at a path, 0 for none.
func (s *Snapshot) FirstRowKey(path []string) uint64 {
	key, _ := s.keysAt(path, false).After(0)
	return key
}

// PlaceByKey is the place behind a PathKey, nil when nothing was ever seen there.
func (s *Snapshot) PlaceByKey(key string) *Place { return s.places.byKey(key) }

// OpenedID is the id that the row opened with, "" when it had none then.
func (s *Spine) OpenedID() string {
	if s.born != nil {
		return *s.born
	}
	return s.id
}

// TimelineKeyed yields every row in order, with the keys that order them.
func (s *Snapshot) TimelineKeyed() iter.Seq2[uint64, Row] { return s.keyed(s.rows) }

// TopLevelKeyed yields the rows that no subgraph encloses, with the keys that order them.
func (s *Snapshot) TopLevelKeyed() iter.Seq2[uint64, Row] { return s.keyed(s.top) }

func (s *Snapshot) keyed(keys tree[struct{}]) iter.Seq2[uint64, Row] {
	return func(yield func(uint64, Row) bool) {
		for key := range keys.All() {
			if !yield(key, s.rowAt(key)) {
				return
			}
		}
	}
}
