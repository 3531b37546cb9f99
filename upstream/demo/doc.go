// Package demo is an agent platform in miniature: a real HTTP upstream that speaks docs/wire.md, so that whoever starts
// the server without a platform has something live to query and to drive. It plays recordings: some again and again by
// themselves, and any of them in answer to what people send. Its scenarios, and what they answer to, are described in
// README.md beside this file.
//
// What it promises:
//
//  1. Always live: every conversation of its own is played again and again. Each loop is a new turn of the same
//     conversation and ends in run.pause (docs/cli.md), with a few seconds of rest between two; a run that
//     failed, as recorded, is retried by what follows it, unless a person retries it first.
//  2. Never twice: offsets and seqs go on across loops, by exactly 1 a frame and a row; every row id, activation,
//     tool call and run of a later loop is one that was not seen before, in any conversation.
//  3. Like a platform: what a frame makes lasting is in the log before the frame is forwarded, frames say the
//     seq of what they persisted, and where a recording has no row ids the demo mints them. The head's
//     last_offset lies below the first frame of everything the log has not got.
//  4. Reattaching: a stream that asks for the frames after any offset of the kept loops gets exactly those, and
//     ends with the run that was in flight when it attached.
//  5. Bounded: the log and the streams reach back ten loops, or ten turns of what a person sent. What falls out of the
//     log stays in the working set: the latest value of each output, and the tables.
//  6. The pace is the recording's own, and times are the present's. A run that begins by itself while somebody is
//     interested waits, after its first frame, until a stream attaches or some seconds have passed.
//  7. On loopback only. Nobody needs a token, unless Options.Identify asks for one; then every endpoint wants one that it
//     accepts (401), but for the hosted pages, whose address nobody can guess.
//  8. Nothing runs after Close, and nothing is begun.
//  9. The agents of the built-in scenarios have plans, in plans/, which know every node, edge, output, table and
//     tool that the scenarios show, and whose schemas accept what they produce, but for the studio's `headcount`,
//     which is there to show how a value that fails its schema looks. Other recordings' agents have none.
//  10. Sending: a message begins a conversation, or is the next turn of one that rests (paused), a scenario's own
//     included; otherwise 409. The answer is the run's stream from run.start on: the message, then what the scenario has.
//     The message chooses the scenario, README.md says how; the run has that scenario's agent and version. A
//     conversation stays with its agent. The same client_request_id of the same user is the same run for ten minutes,
//     given again from its start; with another request it is 409. A run does not care who reads it.
//  11. Client tools: the log has what a person answers, in the place of the recorded answer, and what follows mentions it.
//     One pause may wait for several; each is answered by itself, and the run goes on with the last. After a no
//     nothing is done. A scenario's own conversation answers by itself after a while what nobody answers, one that a
//     person began waits for ever. An unknown call is 400, one that does not wait 409.
//  12. Cancelling: the run in flight ends at once, its nodes first, and the conversation is over; so is one that waits for
//     a person. What is over is 409. A scenario's own conversation begins its next loop after the usual rest. Retrying: a
//     run that failed and may be retried goes on as recorded, or is played again without its failures.
//  13. Who sees what: scenarios are for all; what a user sent is that user's alone, and 404 for others. A list has what
//     moved last first. At most 1,000 sent conversations are kept, and those that rest longest are forgotten first.
//  14. Billing is the user's own, and adds up: usage is what runs that the user began or drove said they used, line by
//     line; the plan's allowance pays first, then credit, what lapses first before the rest. All of it is made up.
//  15. A checkout's page is on the demo's own address, which nobody can guess, for an hour and to be paid once. It
//     asks for no card, shows everything as text, and links back to http and https only.
//  16. Backlinks are the rows, of the conversation's tables as they are now, whose links say `"to": "TABLE/ROW_ID"`. A row
//     that is not there and that nothing links to is 404.
//  17. Bodies, texts, remembered requests, accounts, their uses and checkouts are bounded; what is beyond is refused or, of what
//     is remembered, the oldest.
package demo
