// Package demo is an agent platform in miniature: a real HTTP upstream that speaks docs/wire.md and plays
// recordings, so that whoever starts the server without a platform has something live to query. Its
// scenarios are described in README.md beside this file.
//
// What it promises:
//
//  1. Always live: every conversation is played again and again. Each loop is a new turn of the same
//     conversation and ends in run.pause (docs/cli.md), with a few seconds of rest between two; a run that
//     failed, as recorded, is retried by what follows it.
//  2. Never twice: offsets and seqs go on across loops, by exactly 1 a frame and a row; every row id, activation,
//     tool call and run of a later loop is one that was not seen before.
//  3. Like a platform: what a frame makes lasting is in the log before the frame is forwarded, frames say the
//     seq of what they persisted, and where a recording has no row ids the demo mints them. The head's
//     last_offset lies below the first frame of everything the log has not got.
//  4. Reattaching: a stream that asks for the frames after any offset of the kept loops gets exactly those, and
//     ends with the run that was in flight when it attached.
//  5. Bounded: the log and the streams reach back ten loops. What falls out of the log stays in the working
//     set: the latest value of each output, and the tables.
//  6. The pace is the recording's own, and times are the present's. A run that begins while somebody is
//     interested waits, after its first frame, until a stream attaches or some seconds have passed.
//  7. On loopback only, and nobody needs a token.
//  8. Nothing runs after Close.
//  9. The agents of the built-in scenarios have plans, in plans/, which know every node, edge, output, table and
//     tool that the scenarios show, and whose schemas accept what they produce, but for the studio's `headcount`,
//     which is there to show how a value that fails its schema looks. Other recordings' agents have none.
package demo
