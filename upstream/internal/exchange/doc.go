// Package exchange is what every client of an upstream over HTTP needs, whatever its API: one request and its answer,
// within limits of time and size, or a stream of server-sent events. What a refusal means is the client's to say.
//
// Promises, which are those of package upstream and of its clients as far as they concern one exchange:
//
//  1. Nothing waits for ever: connecting, the headers of every answer, an answer that is no stream to its last byte,
//     silence on a stream and within a refusal all have a limit, after which the call answers.
//  2. Nothing grows for ever: an answer over its limit is nonsense, an oversized event is skipped without being held
//     and told with its id, of a refusal no more than 16 KiB are read.
//  3. The reader of events takes CRLF, CR, a BOM, comments, data in several lines, and a last event without its blank
//     line, which it marks as cut.
//  4. Redirects are not followed, so that a secret goes nowhere but to the configured base URL.
//  5. A segment of a path can't leave its place in it.
//  6. A request is sent once.
//  7. A caller's token is in the Authorization header and nowhere else. Where a refusal repeats it or a configured
//     header, in whole or in part, [Options.Refuse] is handed the means to mask it.
package exchange
