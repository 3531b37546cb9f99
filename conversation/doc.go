// Package conversation keeps live conversations: one owner each, who folds its inputs and wakes whoever
// reads a slice that moved.
//
// Promises:
//
//  1. One at a time: every input of a conversation is applied under its lock, in the order it came, and the
//     slices it moved are marked dirty in the same step.
//  2. Atomic subscribe: the first value of a subscription and its registration are one step, so that no
//     change between them is lost or seen twice.
//  3. Never back: a subscriber reads the newest snapshot, and never an older one after a newer one.
//  4. Constant memory per slow subscriber: a dirty flag and a wake-up of capacity one. Whoever is late skips
//     to the newest value.
//  5. Isolated: a subscriber is woken only when a slice it reads moved in value.
//  6. Row changes are complete: operations applied in sequence give the slice as it stands; where that can't
//     be kept there is one RowsReset (docs/fold.md, "rowChanges").
//  7. A run never stops because a client left; upstream's stream is followed only while somebody asks.
//  8. What the reader could not take is counted, never guessed: a gap or a refusal means reload, told by an
//     explicit reset.
//  9. A conversation with subscribers is never evicted.
//
// Locks, in this order: Hub.mu, then Live.mu. Neither is held while upstream is asked or a value is delivered.
package conversation
