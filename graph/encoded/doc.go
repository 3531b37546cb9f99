// Package encoded writes lists of rows and of node views straight to JSON, and keeps what it wrote of a row.
//
// The executor resolves each field of each element on its own: some 90 allocations and a goroutine for an element. Here
// the selection is compiled once for each concrete type, and an element is then one pass over a flat list of writers.
// A row is an immutable value, so that its text can be kept for as long as anybody asks for the same of it: when one row
// of a list changes, one row is written.
//
// Generated code asks this package first whenever it marshals such a list (graph/internal/generate puts the question
// there), and does it the plain way when the answer is nil.
//
// Promises:
//
//  1. What is written is byte for byte what the executor writes.
//  2. Whatever could end in an error, and whatever is not known here, goes the plain way, whole: a field without a
//     writer, a directive other than @skip and @include, two different fields under one response name, a null where the
//     schema has none, a value that a scalar does not take. Errors are the executor's, with its paths.
//  3. Fields are collected by the executor's own function: order, merging, fragments and conditions are its.
//  4. Of one row and one selection there is one text, whoever asks: selections with the same fields under the same
//     names share it, across documents and variables.
//  5. A text is found by the row's value itself, not by what it says of itself, and no other row is taken for it, also one that
//     comes to its place in memory.
//  6. What is kept is bounded in bytes; what was not asked for longest goes first. It keeps no row alive, and goes with the
//     row at the latest.
//  7. Kept is what is likely to be asked for again: a settled row, not too long, under a selection that came before.
package encoded
