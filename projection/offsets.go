package projection

import "slices"

// NextOffset returns the offset that the next live frame should have, and false while that is not known.
// A reader that can reload compares it before it applies a frame.
func (s *State) NextOffset() (int64, bool) {
	last := max(s.offset, s.headOffset)
	switch {
	case last > 0 || s.headOffset == 0:
		return last + 1, true
	case s.headed || s.logSeen:
		return 0, false
	}
	return 1, true
}

// LastOffset returns the offset to follow the stream after: the last one used up, or a head's word.
func (s *State) LastOffset() int64 { return max(s.offset, s.headOffset, 0) }

// useOffset takes a frame's offset and tells whether the frame is new.
func (s *State) useOffset(offset int64) bool {
	if offset == 0 {
		return true
	}
	if offset <= s.offset {
		if s.fillMissing(offset) {
			return true
		}
		s.c.Outcome = Duplicate
		return false
	}
	if next, known := s.NextOffset(); known && offset > next {
		s.c.Lost = offset - next
	}
	if offset > s.offset+1 && len(s.missing) < maxMissing {
		s.missing = append(s.missing, span{s.offset + 1, offset - 1})
	}
	s.offset = offset
	return true
}

// span is a range of offsets, both ends included.
type span struct{ from, to int64 }

// maxMissing is how many ranges of lost offsets are remembered; what is lost beyond is taken for known.
const maxMissing = 1024

// fillMissing takes an offset out of the lost ones and reports whether it was one of them.
func (s *State) fillMissing(offset int64) bool {
	for i, m := range s.missing {
		if offset < m.from || offset > m.to {
			continue
		}
		rest := make([]span, 0, 2)
		if m.from < offset {
			rest = append(rest, span{m.from, offset - 1})
		}
		if offset < m.to {
			rest = append(rest, span{offset + 1, m.to})
		}
		s.missing = slices.Replace(s.missing, i, i+1, rest...)
		return true
	}
	return false
}
