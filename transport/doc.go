// Package transport serves a GraphQL schema on one HTTP path: POST and GET requests, server-sent events (distinct
// connections) and WebSockets (graphql-transport-ws). It stands on gqlgen's executor and on gorilla/websocket's
// handshake and frame reader; everything else about the wire is its own. docs/service.md has the rules.
//
// Promises:
//
//  1. Every request passes its stages in this order: input, tokens, parse, limits, validation, coercion, execution. The limits
//     are a pass whose work is bounded by the document's size and by MaxExpandedFields, and a document it refuses is never
//     validated. Variables and extensions are counted before they are read.
//  2. Errors carry extensions.code out of package coded. An error that is not coded reads "internal error" outside and
//     is logged whole; a panic in a resolver is such an error, logged with its stack.
//  3. With introspection off, no message names a part of the schema that the client did not name itself.
//  4. HTTP status and media type follow the GraphQL over HTTP draft: parse, validation and coercion failures are 400 in
//     application/graphql-response+json and 200 in application/json; everything else follows the errors table.
//  5. No request that changes state is taken from a GET, a form, or text/plain; a foreign, null or look-alike Origin is
//     refused with 403 on every path in, the WebSocket upgrade included; with CheckHost a foreign Host over loopback too.
//  6. A WebSocket is closed with one of the reasons in closeReasons and no other code of ours.
//  7. On a WebSocket all writes, control frames included, are made by one goroutine at a time, which is there while there is
//     something to write, each with a deadline. A peer that does not read for WriteTimeout is disconnected, and costs other
//     connections nothing.
//  8. What waits for a connection is bounded in messages and in bytes; an operation that finds the queue full waits.
//  9. A rejected operation (validation, too many operations) answers one `error` and nothing else for its id. A single
//     result is one `next`, then `complete`. Once a client's `complete` is read no message of that operation is begun.
//  10. A message equal to the one before it in the same subscription is not sent, unless the subscription's field is
//     one of ChangeFields, whose messages are changes rather than values.
//  11. A result is encoded once. The exact bytes of the payload are shared by reference between whoever sends them.
//  12. Contexts end with their client: a dropped connection, a `complete`, an expired session and a drain cancel what they
//     ran, and no goroutine outlives Shutdown.
//  13. Nothing is written for a session later than ExpiryGrace after it expired; a socket that cannot take the
//     close frame by then is reset.
//  14. A custom scalar gets a number as the client spelled it, whether it stands in the document or in a variable, and
//     whatever its size: it is the scalar that takes or refuses it, in a variable before anything runs where Options.Scalars has it.
//     An enum's value is none of any custom scalar's.
//
// Shared execution (docs/service.md, "Who may see what"):
//
//  15. Once: subscribers whom Options.Share gave seats with one key, and who sent the same operation and variables, are
//     a group: one execution, which reads and encodes once for each change, under a context of its own in which no
//     subscriber's values are. What makes no difference is left out of the comparison: layout, comments, other operations
//     of the document, what variables stand for positions of changes (`after`). Each is let in by itself before it joins, and
//     gets the bytes that it would get alone, under its own operation id. Only the locations in an error are those of the
//     document that began the group.
//  16. Slow: each connection has at most one value of each of its subscriptions waiting, the newest. Whoever is slower
//     than the stream skips, each on its own, never gets an older value after a newer one, and in the end the last.
//  17. Late: whoever joins gets the value as it stands: the group's last one where nothing moved since it was read, else
//     one that is read for it; never an older one, and none twice. The pace (minIntervalMs) is the group's: the second
//     message may come sooner after the first than the interval, those after it do not.
//  18. Ends: an error of the shared execution, its end, a panic in it and a value that is too long end all members: each
//     gets the error in `next`, then `complete`. Changes that are too long end those who stand where they are needed from. A member's own end (its session, its client, a `complete`) is its own
//     alone. The execution ends with the last member, whose seat is given back after that.
//  19. Changes: the members that stand at one position get the same bytes. A few changes may wait for a member; with more it
//     misses what comes, has them taken first, and then goes on from its position by a message of its own: all that was
//     changed since, or what a subscription begins with when that is not known any more. None is lost, doubled or out of
//     order.
//
// A group is read by turns, one after the other, which is what puts everything it sends in order. A turn for all is due when
// something moved; a turn for those who wait for their first message when somebody joins. Values are given to everybody as
// one; for changes (ChangeFields) a turn reads once for each position at which members stand, which is one but for those
// who joined or fell behind since the last turn: after it, they stand where the others do. A member has no goroutine: what
// it is given waits in the outbox of its connection for the writer (outbox.go, ws_write.go, sse.go), as a reference to bytes
// that all share. Payloads of some length go out from where they are, between the head and the tail of the member's own
// message, in one system call; short ones are copied, which costs less than another buffer does.
package transport
