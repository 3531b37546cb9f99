// Package conversation keeps live conversations: one owner each, who folds its inputs, wakes whoever reads a slice
// that moved, and asks upstream for what its readers want done.
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
//     nothing of it is kept. A refusal is the asker's alone.
//  12. Bounded: a conversation with subscribers is never evicted, one without is after a while, and at the
//     cap a new one gets RATE_LIMITED; journals of row changes are bounded in length and number.
//  13. Nothing runs after Hub.Close, which waits for no upstream.
//  14. A panic while one conversation is read ends that conversation, and nothing else; one in what was asked of
//     upstream fails what was asked.
//
// Sessions (docs/service.md, "Who may see what"):
//
//  15. Admitted: who opens a conversation is first asked for upstream with its own token, at most once a minute per
//     tenant, user and id, and never on the strength of a session that is over. Ids are of a tenant: the same id in two
//     tenants is two conversations. Nobody's session is refused without asking.
//  16. One reading for all: upstream is read with the token of the session that lasts longest of those attached; with
//     none of them, of those that wait. When it is over or refused the reading goes on with the next one, behind the last
//     frame folded. With none left the stream closes at once, and whoever follows reads UNAUTHENTICATED; but who leaves as
//     its session ends reads nothing, and finds the conversation as it was when it comes back with a fresh one.
//  17. Its own token is what a caller's lists, pages, backlinks, earlier rows, messages, results, cancels and retries
//     are asked with, and a failure of these is the caller's alone.
//
// Driving (docs/service.md, "Mutations"):
//
//  18. Not now: what the state does not allow is refused with CONFLICT and the reason, and not asked of upstream. Of
//     several that ask at the same time one wins. What is in flight shows as a latch, which is off again however it ends.
//  19. Begun: who asks for a run is answered once its run.start is folded; when none comes within DriveLimit, with
//     UPSTREAM_UNAVAILABLE. What was asked for is asked for once and goes on when the caller leaves. The run's own
//     stream is what subscribers follow, with no other beside it, and it is read to its end though nobody is there, until
//     its session ends or the conversation is evicted.
//  20. Sent once: the same clientRequestId of one user is one message for ten minutes, for whoever asks again before or
//     after it was answered; another message under it is a CONFLICT. One that failed is forgotten.
//  21. Delivered once: of the results for one call one is sent, whoever submits it and however often. Results go one
//     after the other, each once the run has stopped; one that failed can be submitted again. How a delivery stands
//     outlives a window that is loaded anew, and a conversation is not evicted over it.
//  22. Cancelled: once upstream took a cancel, every call that waits is cancelled for good, and the latch is on until
//     the run has ended, for a minute at most. Without a stream the head is read at once, and then with backoff.
//  23. Earlier rows widen the window for everybody, up to MaxWindowRows. Beyond, what grows at its end loses its oldest
//     rows. A window that is loaded again reaches as far back as the one before.
//  24. A window of any size is the end of the whole: where the stream of a run repeats what lies before the rows that the
//     window opens with, the log is read down to there before anything is shown, as far as MaxWindowRows allows. What is
//     told of only later means the window again. The placeholder of a node that goes on after a tool is the exception: a
//     window without its start takes it for another visit.
//
// Memory (docs/service.md, "Memory"):
//
//  25. Under pressure: with a memory limit, what nobody follows leaves early once 80 % of it is used, the longest unasked
//     first, until 70 % are expected; while that does not help nothing new is let in. Whoever follows hears nothing of it.
//     A window has a bound in rows and one in bytes, and what is beside it in bytes.
//  26. Shared out: of the places in memory one user takes no more than MaxLivePerUser; beyond, the user's own go, and when
//     those are all followed the user gets RATE_LIMITED.
//
// Several instances (docs/scaling.md). Without Options.Bus none of this is there, and a conversation costs what it did:
//
//  27. One for all: every instance folds what the bus has of a conversation, in its order and nothing else, so that whoever
//     looks from anywhere sees what everybody sees. What upstream told is folded once the bus has taken it. Who may see a
//     conversation is still asked of each viewer's own token, at its own instance; no token goes over the bus. A frame goes
//     there at once after a pause, and what a stream says within Gather of that together, in the next record.
//  28. The same: a state follows from the log alone, from its latest beginning on, the same for who joins as for who was
//     there. A log that has grown long or old is begun anew while nothing runs, with one reset.
//  29. One reads: the instance that says so last on the log, until it gives that up, because nobody is there any more, or is
//     gone. Then another that has viewers goes on behind the last frame on the log. Whoever was the reader and does not know
//     that another has begun can't put anything on the log.
//  30. Cursors of row changes hold on every instance, as long as the slice's latest operations since the state was shown
//     reach back to them.
//  31. What viewers want is asked of upstream by the instance that got it, and what is in flight is on the log: of several
//     that want the same at several instances one wins; a result and a message with a clientRequestId go upstream once. What an
//     instance had in flight when it died has failed, and can be asked for again.
//  32. Without the bus what is in memory is served and reads go on; what needs it is UPSTREAM_UNAVAILABLE. When it is back,
//     every instance goes on where it was. A log that was lost or cut is begun anew from upstream. What can't be read on the
//     log is passed over; of what a newer server wrote nothing is guessed, its followers are sent away.
//  33. A server that begins again on the log of its last life has what it had, cursors too.
//
// Locks, in this order: Hub.mu, then Live.mu. Neither is held while upstream is asked or a value is
// delivered. A conversation's reading goroutine holds neither while it waits. Live.paging is taken before both, and held
// while upstream is asked for the rows that a window begins with.
package conversation
