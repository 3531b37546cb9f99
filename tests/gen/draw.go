package gen

import (
	"math/bits"

	"pgregory.net/rapid"
)

// rapid's own ranges and samples prefer small numbers and first elements by far. A conversation made of those is
// short and poor, so these draws are even. They still shrink to the first choice.

// upTo draws a number from 0 to n-1.
func upTo(t *rapid.T, label string, n int) int {
	if n <= 1 {
		return 0
	}
	return rapid.Custom(func(t *rapid.T) int {
		v := 0
		for range bits.Len(uint(n-1)) + 3 { // three bits more than needed keep the remainder nearly even
			v <<= 1
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v % n
	}).Draw(t, label)
}

// between draws a number from low to high.
func between(t *rapid.T, label string, low, high int) int { return low + upTo(t, label, high-low+1) }

// pick draws one of the words.
func pick[T any](t *rapid.T, label string, words ...T) T { return words[upTo(t, label, len(words))] }

// chance is true so many times in a hundred, and shrinks to false.
func chance(t *rapid.T, label string, percent int) bool { return upTo(t, label, 100) >= 100-percent }
