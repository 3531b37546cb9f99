package projection

import "math"

// keySpace deals the keys that order the timeline's entries. Keys are far apart, so that an entry can be
// put between two others without touching them; when a gap is used up the state deals all keys anew.
type keySpace struct {
	last   uint64 // the greatest key ever dealt
	recent uint64 // the key dealt last in the middle: its neighbours are where the next one is likely to go
	steps  keySteps
}

// keySteps are the distances between neighbours: at the end, before the first, and in the middle, where
// windows of the log fill a gap going up, and windows that come the latest first go down.
type keySteps struct{ end, front, up, down uint64 }

// farApart leaves room for eight million entries at the end, half a million pages before the first, and
// between two entries for four thousand windows that come the latest first, of a million rows each.
var farApart = keySteps{end: 1 << 40, front: 1 << 44, up: 1 << 8, down: 1 << 28}

const firstKey = uint64(1) << 63

// restart forgets what was dealt.
func (k *keySpace) restart() { k.last, k.recent = 0, 0 }

// atEnd deals a key behind all others; ok is false when there is no room.
func (k *keySpace) atEnd() (key uint64, ok bool) {
	switch {
	case k.last == 0:
		key = firstKey
	case k.last > math.MaxUint64-2*k.steps.end:
		return 0, false
	default:
		key = k.last + k.steps.end
	}
	k.last = key
	return key, true
}

// between deals a key between a and b; a is 0 when b is the first of all.
func (k *keySpace) between(a, b uint64) (key uint64, ok bool) {
	gap := b - a
	if gap < 2 {
		return 0, false
	}
	switch {
	case a == 0 && gap > 2*k.steps.front:
		key = b - k.steps.front
	case k.recent == b: // going down: the next one is likely to go before this one, or between it and b
		key = b - min(k.steps.down, gap/2)
	case k.recent == a: // going up
		key = a + min(k.steps.up, gap/2)
	default:
		key = a + gap/2
	}
	k.recent = key
	return key, true
}
