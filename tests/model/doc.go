// Package model is the naive reading of docs/fold.md and docs/feed.md: an oracle for property tests, never used by
// the server.
//
// It promises, in the words the tests refer to:
//
//  1. It keeps one plain list of entries (rows, markers of node starts and ends, fired edges, the run's own
//     words) in timeline order and scans it from end to end. There is no index to get wrong.
//  2. Everything derived (bindings, pending tools, run projection, slices) is computed from scratch by View.
//  3. A page of earlier rows is folded by definition: the history is put in the order of a longer window and
//     folded again from the start (docs/fold.md, "hasEarlier"). Trim leaves something invisible in the place of each row
//     that it drops; what a page brings back after it is not this model's.
//  4. Every numbered rule of docs/fold.md, "Rows", has a function that names it, and a test that names it.
//  5. A View marshals to JSON under the names of the GraphQL contract, so that any other fold can be compared
//     with it by Diff. Values are compared as JSON: numbers by their spelling, strings by their meaning.
//  6. Feed composes the feed of docs/feed.md from scratch, level by level, by the three numbered steps of that
//     page, each a function that names it. SameFeed compares another feed with it, but for the wording of opaque
//     keys; KeptKeys says which keys should have stayed and did not.
//  7. NodeView, Nodes and SubagentView are docs/fold.md, "The views", without schemaErrors.
//  8. Where docs/fold.md or docs/feed.md leaves a choice, the choice is a comment that starts with "Choice:".
package model
