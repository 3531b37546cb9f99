// Package projection folds what the wire says of one conversation into what its readers read: rows, chat, run and
// views. A State is changed by one function, Apply, and read by snapshots; docs/fold.md says what follows from what.
//
// Promises; tests name them by number.
//
//  1. Pure: Apply has no clock, I/O, goroutine or randomness. The same inputs in the same order give the same states
//     and the same changes (Change.Slices as a set). An input is not kept by reference but for what is immutable.
//  2. One fold: a live frame, a persisted row, a head and a page go through the same function, so that a run told
//     live, from the log, from a window with the pages before it, or by any mix says the same facts ("Parity"). A
//     page of earlier rows gives the state of the longer window. Where it repeats what live frames told before it
//     came, what those frames did stands, and Change.Overlap says so.
//  3. Whole or not at all: an input that is rejected or dropped changes nothing but which offsets are used up. A page
//     is taken row by row.
//  4. A Snapshot costs the same however much it holds, never changes, and may be read by any number of goroutines
//     while the owner goes on. Rows, bindings, runs and what else is reached from it are immutable values.
//  5. Derived values are never edited: what is kept step by step (bindings, pending tools, run, roll-ups, every index)
//     is what comes out from scratch. What was not sent is absent.
//  6. Every field belongs to a slice, and Change.Slices holds exactly the slices whose value moved, each once. There
//     are two exceptions that mark more: a page marks what any of its rows moved, even when a later one moved it back;
//     and where keys are dealt anew (9) every node and the run are marked.
//  7. Change.Rows are the moves of timeline rows in sequence. MoveAppend is the pure growth of one text field; anything
//     else in a row is a MoveReplace.
//  8. A Journal turns moves into operations on one row slice. Replaying those since any version it still has gives the
//     slice; it has at least the last JournalDepth.
//  9. Keys order rows, marks and edges alike, in every slice. They are stable while a gap for the next one is left;
//     when there is none all are dealt anew, in the same order, and Change.Reset says so: who follows keys starts over.
//  10. Text offsets are UTF-16 units. Text grows in place: a string handed out is a prefix that stays as it is.
//  11. Cost. A text delta and the marking of its slices cost the same whatever stands before it, rows or text
//     (amortised: a text's buffer doubles); with a snapshot taken after it, O(log n) more. A persisted or lifecycle
//     entry costs O(log n) in the timeline and the facts of its own node when it comes out of order. What is
//     delivered costs its own size. A snapshot shares everything with the state but what changed since.
//  12. A Trim drops rows and nothing that follows from them: bindings, tables, the run and the calls that wait read on.
//     Pages bring the rows back to where they stood, and count nothing twice (docs/fold.md, "A full window").
//     It costs O(log n) for each row that goes or is passed over. What is left of a row are its node's facts; a trim to
//     bytes adds those up, and forgets them one by one.
//  13. Counted and bounded: Held is what a count from scratch gives, at no cost. A state with Limits and an owner who
//     trims holds no more than twice its window's bytes, its state's bytes, and an input on top, whatever a stream
//     says: what would add to it is rejected whole ("row_full", "conversation_full"), what ends something is taken.
//
// Figures of bench_test.go, on two busy cores of an AMD EPYC, Go 1.26: allocations are exact, times the least of four
// runs.
//
//	BenchmarkApplyDelta         0.32 to 0.40 µs, 3 allocations, 540 B at 10, 1,000 and 10,000 rows and 1 KB and 1 MB of text
//	  with a snapshot each      0.8 to 1.0 µs and 1.4 KB at 10 rows, 1.6 to 2.1 µs and 2.6 KB at 1,000 and 10,000
//	BenchmarkFold               0.5 (generated, mostly lifecycle) to 1.3 million frames a second
//	BenchmarkHeld               0.75 MB for 1,000 rows of 200 B of text: 553 B a row beyond its text, 525 B of 10,000 rows,
//	                            the ids of rows, visits and calls (36 B each) included
//
// Commands: go test -run xxx -bench . ./projection; go test -fuzz FuzzApply ./projection; -rapid.checks=N for longer
// property tests.
package projection
