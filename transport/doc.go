// Package transport serves a GraphQL schema on one HTTP path: POST and GET requests, server-sent events (distinct
// connections) and WebSockets (graphql-transport-ws). It stands on gqlgen's executor and on gorilla/websocket's
// handshake and frame reader; everything else about the wire is its own. docs/service.md has the rules.
//
// Promises:
//
//  1. Every document passes its stages in this order: tokens, parse, limits, validation, coercion, execution. The limits
//     are a pass whose work is bounded by the document's size and by MaxExpandedFields, and a document it refuses is never validated.
//  2. Errors carry extensions.code out of package coded. An error that is not coded reads "internal error" outside and
//     is logged whole; a panic in a resolver is such an error, logged with its stack.
//  3. With introspection off, no message names a part of the schema that the client did not name itself.
//  4. HTTP status and media type follow the GraphQL over HTTP draft: parse, validation and coercion failures are 400 in
//     application/graphql-response+json and 200 in application/json; everything else follows the errors table.
//  5. No request that changes state is taken from a GET, a form, or text/plain; a foreign, null or look-alike Origin is
//     refused with 403 on every path in, the WebSocket upgrade included.
//  6. A WebSocket is closed with one of the reasons in closeReasons and no other code of ours.
//  7. On a WebSocket all writes, control frames included, are made by one goroutine per connection, each with a
//     deadline. A peer that does not read for WriteTimeout is disconnected, and costs other connections nothing.
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
//     whatever its size: it is the scalar that takes or refuses it. An enum's value is none of any custom scalar's.
package transport
