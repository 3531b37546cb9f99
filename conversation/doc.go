// Package conversation keeps live conversations: one owner each, who folds its inputs and wakes whoever
// reads a slice that moved.
//
// Promises:
//
//  1. One at a time: every input of a conversation is applied under its lock, in the order it came, and the
//     slices it moved are marked dirty in the same step.
//  2. Atomic subscribe: the first value of a subscription and its registration are one step, so that no
//     change between them is lost or seen twice.
//  3. Never back: a subscriber reads the newest state that is shown, and never an older one after a newer
//     one. What was loaded anew is shown once it has caught up with what was shown before.
//  4. Constant memory per slow subscriber: a dirty flag and a wake-up of capacity one. Whoever is late skips
//     to the newest value.
//  5. Isolated: a subscriber is woken only when a slice it reads moved in value.
//  6. Paced: with an interval, a change after quiet goes out at once, then at most one value per interval,
//     and the last is the newest. A subscription's end waits for no interval, and comes after the value that
//     is pending.
//  7. Row changes are complete: operations applied in sequence give the slice as it stands; where that can't
//     be kept there is one RowsReset (docs/fold.md, "rowChanges"). A cursor carries no authority, and one
//     that can't be read is as good as none.
//  8. A run never stops because a client left; upstream's stream is followed only while somebody asks, and
//     whoever asks for one conversation at the same time shares one load and one stream.
//  9. Current: what a query reads was so at most HeadFresh ago, or is followed (docs/service.md,
//     "Subscriptions"). A run that began elsewhere is seen within IdlePoll, and its stream goes on from what
//     was folded where it can.
//  10. Complete after faults: a stream that was cut goes on behind the last frame folded; lost frames mean
//     the window again, told by an explicit reset; where upstream cannot reattach, the log is read instead.
//     What could not be taken is counted by reason, never guessed.
//  11. One answer: whoever may not see a conversation, for whatever reason, reads the same NOT_FOUND, and
//     nothing of it is kept.
//  12. Bounded: a conversation with subscribers is never evicted, one without is after a while, and at the
//     cap a new one gets RATE_LIMITED; journals of row changes are bounded in length and number.
//  13. Nothing runs after Hub.Close, which waits for no upstream.
//  14. A panic while one conversation is read ends that conversation, and nothing else.
//
// Locks, in this order: Hub.mu, then Live.mu. Neither is held while upstream is asked or a value is
// delivered. A conversation's reading goroutine holds neither while it waits.
package conversation
