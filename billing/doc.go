// Package billing is a facade over the platform's billing: an end user's balance, usage, plans, invoices and credit
// grants, and the hosted pages that take a payment. docs/billing.md says what the figures mean, docs/wire.md
// ("Endpoints") where they are read. The types are those that GraphQL binds to.
//
// Promises; tests name them by number.
//
//  1. Nothing is kept: each call is one request to upstream, with the token it was given, and nothing of a request or
//     its answer outlives it. Equal calls ask again.
//  2. Who asks is the token's to say. No tenant and no user is ever an argument or a part of a request.
//  3. Money and counts are exact integers within ±(2^53-1), read from digits and never through a float. A fraction, an
//     exponent (`1e3`, `1.0`), a string or a number beyond the range makes the answer unreadable; nothing is rounded.
//  4. A member that is required and absent or null, one of a wrong type, a time without a zone, trial days or a priority
//     beyond 32 bits, a repeated member, and text that is no JSON object make the whole answer unreadable: an error, and
//     no part of it. An id that is empty is absent.
//  5. What upstream leaves out, or says with null, is nil; never a zero or another placeholder. Members that are not in
//     the tables are ignored. Bytes that are not UTF-8 read as U+FFFD.
//  6. Words of open sets (source, overage, status, interval, unit) and texts pass as they are. Times are in UTC.
//  7. An argument that is not as documented is BAD_USER_INPUT before any request.
//  8. The page of a checkout is an absolute https URL that says nothing to a browser but where to go (http for loopback
//     only), byte for byte as upstream gave it. Anything else, or none, is an error, never an empty answer.
//  9. Every error is a coded one (or the context's own), with a fixed message: of upstream's words, tokens and URLs it
//     shows nothing. The cause of an unreadable answer names the member, and has none of what stood there.
//  10. Without an upstream that bills, every call is UPSTREAM_UNAVAILABLE "this upstream has no billing".
//  11. A Facade and what it gives are safe for concurrent use. Printing or logging them shows no token.
package billing
