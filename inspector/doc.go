// Package inspector serves the page at / and GraphiQL at /graphiql, out of the binary (docs/inspector.md).
//
// Promises:
//  1. Offline: every byte that the pages need is embedded, and their Content-Security-Policy lets them reach the server that
//     they came from and nothing else.
//  2. A file whose name holds its hash may be kept for a year; whatever has no hash is asked for again each time.
//  3. What is served is what `inspector/build.sh` builds from web/ and playground/: the same bytes every time (.ci/run compares).
//  4. GraphiQL and its files are there only where Options.Playground says so; elsewhere they are 404 like any other path.
//  5. Whoever does not ask for text/html at / gets the plain text that the caller gives.
//  6. Nothing here knows a user, a token or a conversation. The pages use the public API like every other client.
package inspector
