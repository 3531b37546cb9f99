//go:build race

package main

// raced tells that the tests run under the race detector; the server is built with it too.
const raced = true
