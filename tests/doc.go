// Package tests holds the end-to-end tests: they build the server's binary, start it as a process and talk to it over
// real sockets as a client does. What a subscriber may rely on (docs/guarantees.md) is checked by one named validator
// for each promise, run over what every subscription of these tests received:
//
//  1. Ordered: a slice never goes back to an older value.
//  2. Complete: the last message before quiet equals the slice as a query reads it.
//  3. NoGaps: replaying the operations of rowChanges gives the rows exactly, with no gap and no repeat; where that
//     can't be kept there is one RowsReset.
//  4. Isolated: no message for a slice that did not change.
//  5. Resumable: rowChanges after a cursor goes on exactly there, or begins with a reset.
//  6. Atomic: nothing is lost between the first value and the first change.
//  7. Scoped: nothing of another conversation, in data or in errors.
//  8. Bounded: one client costs the others nothing; no subscriber gets more messages than there were changes.
//
// held_test.go runs them when a test ends; planted_test.go plants one bug for each of them between a server and its client.
//
// What stands behind the server is the embedded demo, or one of three upstreams that a test plays: a platform says the
// frames of a recording when it is told to; a tenancy knows whose token it is asked with, keeps conversations for some
// users of a tenant, and runs their agent; a cutting shows a film of a scenario, which it cuts wherever it likes, to a
// server in the test's own process.
//
// The folders beside this file: model is a naive reading of docs/fold.md to compare with, gen makes conversations for
// property tests, bus breaks what stands between several servers, attack tries to fill the server's memory, conformance runs audits and real clients of other projects against the
// binary, browser looks at the page in Chromium, soak is a crowd that follows the binary for ten minutes, figures prints what
// all of them counted.
package tests
