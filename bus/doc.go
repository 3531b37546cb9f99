// Package bus is what several instances of the server share: for each conversation one ordered log of what was folded,
// on NATS JetStream, and who is there (docs/scaling.md). It folds nothing itself, and no token goes through it.
//
// Promises; tests name them by number.
//
//  1. Ordered: the records of one conversation are in one order, and everybody who follows them gets each once, in that
//     order, behind the place that was asked for.
//  2. Fenced: a record is appended right behind the place that its writer has seen, or not at all. Whoever has not seen
//     the latest is told so (ErrBehind), whatever it believes to be. An append that timed out and is tried again is
//     appended once.
//  3. Whole: a record is delivered whole, however long, or not at all. One whose writer stopped in its midst is none.
//  4. No silent gap: where records are missing before one that is delivered, it says so (Event.Gap). A stream that was lost
//     and is made anew deals no place that the lost one did, so that neither is taken for the other.
//  5. Apart: conversations of two tenants never share a log, whatever their names are; a conversation's name can't reach
//     another subject.
//  6. Foreign and malformed messages are passed over and counted, and their place is used up. One of a newer format is
//     told to who follows (Event.Newer): it can't be folded, and must not be skipped in silence.
//  7. Alive: an instance counts as alive until its lease has passed without a sign of it, as measured here; after an
//     outage of the connection everybody gets a lease's time anew. One that closed is gone at once.
//  8. Claimed once: of several that claim a word, one gets it, until it is let go or its time is over.
//  9. Nothing waits for ever: every call ends with its context, or after AppendLimit. Without the server each answers
//     ErrAway, and everything goes on by itself when it is back.
//  10. Bounded: records go when they are older or more than the limits; the log of a conversation can be cut behind its
//     latest beginning. What is gone is told as a gap.
//  11. Nothing runs after Close.
//
// A conversation's subject is inlay.log.PP.HASH: PP one of 16 streams, HASH of scope, tenant and id. Messages have the headers
// Inlay-Format (the version of what is written in this package), Inlay-Part where a record has several, and those by which
// JetStream fences and tells repeats apart. The body is text: a line that says what the record is, then a line for each
// input, a letter and what docs/wire.md spells.
package bus
