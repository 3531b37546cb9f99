package projection

import "math"

// keySpace deals the keys that order the timeline's entries. Keys are far apart, so that an entry can be
// put between two others without touching them; when a gap is used up the state deals all keys anew.
type keySpace struct {
	last   uint64 // the greatest key ever dealt
	recent uint64 // the key dealt last: its neighbours are where the next one is likely to go
}

const (
	firstKey   = uint64(1) << 63
	appendStep = uint64(1) << 32
	frontStep  = uint64(1) << 40
	middleStep = uint64(1) << 12
)

// end deals a key behind all others; ok is false when there is no room.
func (k *keySpace) end() (key uint64, ok bool) {
	if k.last == 0 {
		key = firstKey
	} else if k.last > math.MaxUint64-2*appendStep {
		return 0, false
	} else {
		key = k.last + appendStep
	}
	k.last, k.recent = key, key
	return key, true
}

// between deals a key between a and b; a is 0 when b is the first of all.
func (k *keySpace) between(a, b uint64) (key uint64, ok bool) {
	gap := b - a
	if gap < 2 {
		return 0, false
	}
	switch {
	case a == 0 && gap > 2*frontStep:
		key = b - frontStep
	case k.recent == b: // going down: the next one is likely to go before this one
		key = b - min(middleStep, gap/2)
	case k.recent == a: // going up
		key = a + min(middleStep, gap/2)
	default:
		key = a + gap/2
	}
	k.recent = key
	return key, true
}
