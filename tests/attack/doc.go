// Command attack does to a running server what would fill its memory if nothing bounded it (docs/service.md, "Memory"),
// and prints what the server then holds: a stream that does not end, a conversation of a million rows, ten thousand
// conversations opened by one user. The server is the real one, built from this source and started as a process; behind
// it stands a platform that says whatever the attack needs.
//
// Promises:
//
//  1. An attack fails when the server ends, stops answering, or lets the attacked be felt by somebody else: another user's
//     subscription goes on while ten thousand conversations are opened, and the run's end is told after any stream.
//  2. Memory is what the process says of itself: live objects after a garbage collection while the conversation is
//     followed, and the peak of its resident memory as the system saw it (VmHWM).
//  3. Nothing is left behind: processes end with the program, and files are removed.
//
// Full size: go run ./tests/attack. The sizes are flags; the tests run small ones and hold the figures to formulas.
package main
