// Package platform speaks the HTTP contract of docs/wire.md ("Endpoints") to a platform: the head, the log, live
// frames over Server-Sent Events, plans, the history list and backlinks; it starts, retries and cancels runs; and it
// carries JSON objects for the endpoints whose objects it does not know (billing).
//
// What it promises, beyond what package upstream says of every Source, Driver and History:
//
//  1. Nothing waits for ever: connecting, the headers of every answer, an answer that is no stream to its last byte,
//     silence on a stream and within a refusal all have a limit, after which the call answers.
//  2. Nothing grows for ever: an answer over its limit is nonsense (Unavailable), an oversized frame is
//     skipped without being held and told with the offset of its `id:`, what a refusal says is clipped.
//  3. The stream reader takes what the wire page tolerates: CRLF, CR, a BOM, comments, data in several lines,
//     a last event without its blank line. A frame that was cut off is not delivered. The streams that start a run
//     are read by the same code as the one that follows it.
//  4. Redirects are not followed, so that a token goes nowhere but to the configured base URL.
//  5. An id from a client can't leave its place in the path.
//  6. A POST is sent once. Where the connection breaks before an answer came, that is Unavailable, though it may
//     have acted.
//  7. A status means the same everywhere (docs/wire.md, "Statuses"), but that 204 and 404 say of the stream that
//     follows a run what they can say of no other request.
//  8. A token is in the Authorization header and nowhere else. Where a refusal repeats it, in whole or in part, the
//     detail has it masked; and of what refuses a body the detail holds the code alone, since a message may quote
//     what a user wrote.
package platform
