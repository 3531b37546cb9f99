//go:build race

package tests

// raced tells that the tests run under the race detector; the binary is built with it too.
const raced = true
