// Package resolvers answers the fields of graph/schema.graphqls that a Go type can't answer by itself: the roots, and
// fields whose arguments have bounds or whose answers are the caller's own. A resolver finds the slice and returns it.
//
// Promises:
//  1. A subscription's first message is the value as it stands; after that every wake-up of its slices makes exactly one
//     message, read from the newest snapshot at that moment.
//  2. A subscription reads no slice that its operation does not need: chat follows the parts that are selected, in
//     fragments too, and of feeds those of its pins; nothing else wakes it.
//  3. A subscription's channel is closed, and its goroutine and its place among the subscribers are gone, soon after its
//     context ends. It also ends when the conversation can't be followed any longer, and then says why
//     (coded.EndWith).
//  4. Arguments out of bounds are BAD_USER_INPUT, name the argument and its bounds, and are refused before
//     anything is opened or asked for.
//  5. Nothing is done or read for whoever has no session: every root field is UNAUTHENTICATED, before the bounds of its
//     arguments are looked at. What is read on demand is read with the caller's own token, and no subscription reaches it.
//     One that several share is nobody's: each of them is admitted with its own session first (Share), which stays attached.
//  6. An empty or unknown path, call, output or table is no error: its slice is empty, until something is there. Nor is a
//     pin that does not hold, or a plan that nobody knows.
//  7. A subscription that several share gives, message by message, what one of a caller's own gives. It is read when it is
//     asked to, and waits in between for what would wake that one.
package resolvers
