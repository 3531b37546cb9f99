// Package platform reads a platform that speaks the HTTP contract of docs/wire.md ("Endpoints"): the head,
// the log, live frames over Server-Sent Events, and plans.
//
// What it promises, beyond what package upstream says of every Source:
//
//  1. Nothing waits for ever: connecting, reading a head, a page or a plan, and silence on a stream all have a
//     limit, after which the call answers Unavailable.
//  2. Nothing grows for ever: an answer over its limit is nonsense (Unavailable), an oversized frame is
//     skipped without being held and told with the offset of its `id:`.
//  3. The stream reader takes what the wire page tolerates: CRLF, CR, a BOM, comments, data in several lines,
//     a last event without its blank line. A frame that was cut off is not delivered.
//  4. Redirects are not followed, so that a token goes nowhere but to the configured base URL.
//  5. An id from a client can't leave its place in the path.
package platform
