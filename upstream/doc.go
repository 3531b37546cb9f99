// Package upstream is the seam to whatever runs the agents: how a conversation's head, its durable log and
// its live frames arrive, how a run is started and ended, and what is read on demand. Everything that reads a
// conversation is written against [Source], what drives one against [Driver], what lists them against
// [History]. The packages below it bring them: platform (the HTTP contract of docs/wire.md) all three,
// recording (files) a Source, and demo is a real HTTP upstream that platform reads. Beside them, planfile loads
// plans from files.
//
// What every Source promises, and every Driver and History as far as it applies:
//
//  1. Identity travels as a parameter. The auth of a call is the caller's own session token, or "" for
//     none; a Source keeps no token between calls and writes none into errors or logs.
//  2. Every failure is an [*Error] with one [Kind], or the context's own error when the caller gave up.
//     The message of an Error is ours and safe to show; its Detail, for logs, has upstream's code and no other text of it.
//  3. What could not be read is told, never guessed and never fatal: a frame or a row that does not decode
//     arrives as a [*wire.Rejection], with the offset it used up where that is known.
//  4. A stream delivers frames in the order received, unfiltered: duplicates and gaps are the reader's to
//     see. A frame that was cut off in transit is not delivered and uses up nothing.
//  5. A stream ends with io.EOF when upstream ended it, and with an Error when it broke or went silent.
//     Whether the run is over is the head's to say.
//  6. Nothing outlives Close or the context the stream was opened with.
//
// Plans are read from a [PlanSource], to which promises 1 and 2 apply, and kept by [Plans]:
//
//  7. The plan of an immutable version is read once, as long as it is among those used last; concurrent readers
//     share one reading. A draft is read each time. What upstream does not know reads as no plan, and is not
//     asked for again for 30 seconds; what fails is told and asked for again.
//  8. What is kept of one tenant is never another's. A refusal of one token is no one else's answer.
//  9. Plans given from files are for everyone, and win over upstream's.
//
// What every Driver promises besides:
//
//  10. A request that may have acted is not made again by itself, and a failure does not say that it did not
//     act: the head and the log tell.
//  11. Leaving the stream of a run, by Close or by its context, ends nobody's run.
//
// What clients are told:
//
//  12. [Coded] gives each kind one code and one message, the same for whatever Detail says; whoever may not see a
//     conversation is told so in the same words as of one that does not exist.
//
// A reader that opens a conversation reads the head before the rows: the head's last_offset then lies below
// the first frame of everything the rows do not hold, and what the stream repeats is recognised by id.
package upstream
