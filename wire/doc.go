// Package wire is what the agent platform says, as Go types: live frames, persisted rows, conversation
// heads, pages of the log and plans, how they are decoded, checked and written, and the recordings that
// hold them; and what it is told: the input that starts a run. docs/wire.md is the contract it speaks. It
// imports nothing of this project.
//
// Promises; tests name them by number.
//
//  1. Whole or not at all: decoding answers a record or a *Rejection, never both, never part of one.
//  2. A rejection tells why (Reason), where (Member, a dotted place), of what type and at which offset,
//     as far as these could be read: also when the JSON breaks off after them. Of the record's content
//     it tells names only (a type, a table, a binding), at most 64 bytes each and printable.
//  3. Members are those of docs/wire.md, type by type: a missing required one, a wrong type, a word
//     outside a closed set, a time without a zone and an integer out of its range reject the record.
//     Any other member is ignored, whatever it holds.
//  4. Absent is absent: an optional member that is null is not there, nor is an empty id, node_id,
//     activation or message_id. Only `value` is there when it is null. A path without a node says
//     nothing, except on an edge; the user's turn has no node.
//  5. Two faults cost no content: an unknown format is absent, an unknown error kind is internal.
//  6. Text is UTF-8 when it leaves here: invalid bytes and lone surrogates read as U+FFFD. A BOM and
//     line ends around a record are not of it. The last of repeated names wins. JSON values keep their
//     spelling, numbers and escapes included, without the space between tokens.
//  7. The size limit is checked before anything is parsed; nesting beyond 10,000 levels is refused as
//     malformed. Nothing panics, whatever the bytes.
//  8. An answer of an endpoint is read row by row and head by head: a bad row costs only itself, and a
//     list loses of a head only the member that is bad, unless that is its id.
//  9. Nothing decoded refers to the bytes it came from, and equal bytes give equal records. Decoding is
//     safe from many goroutines at once. Times are in UTC.
//  10. AppendJSON writes one line, and what it writes of a decoded record decodes to an equal one.
//  11. A recording is read to its end: a line that is no record is told with its number, and reading
//     goes on; a line beyond the limit is never held in memory.
//  12. Promises 1 to 7, 9 and 10 hold for plans and for the input of a run too, but that the caller bounds
//     their size.
//  13. A plan's parts fit together, as docs/wire.md ("Plans") says, or it is refused as invalid_plan with
//     the place and, in Detail, what is wrong there.
//  14. A valid plan has an index, by which a node, what is in it, its edges, its regions (inner ones before
//     outer ones, else in plan order), an output, a table or a tool is found without walking the plan.
//  15. Decoding, validating and indexing a plan take work in proportion to its size, however it nests.
//
// The decoder is one pass of jsontext over the text, which notes where the known members stand and reads
// those that the type has. It was chosen by BenchmarkDecode over a mix that is four fifths deltas, 222
// bytes a frame; decode_bench_test.go has the alternatives and the command. The least of 12 runs on two
// busy cores of an AMD EPYC, Go 1.26 (idle, the first took 0.93 to 1.02 µs):
//
//	this decoder                            1.17 µs a frame,   602 B in  2 allocations
//	jsontext checks, a cursor walks         1.19 µs,           603 B in  2
//	go-json-experiment/json into a struct   1.55 µs,         1,077 B in  4
//	encoding/json into a struct             2.92 µs,         1,436 B in 15
//
// The structs tell neither places nor the offset of a broken frame; the second walk is no faster and
// needs the first one for broken frames. Sharing the memory of repeated strings costs no time here and
// saves 4 of 6 allocations.
package wire
