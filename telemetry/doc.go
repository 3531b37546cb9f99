// Package telemetry lets an operator see inside a running server: figures for Prometheus, traces for OpenTelemetry, what a
// log line says about its request, and whether the server is ready. docs/operations.md has all names.
//
// Promises:
//
//  1. Nothing that a user wrote, no id of a user's and no token is the value of a label. Labels take the values of fixed
//     lists; what is in none of them counts as "other" or "unknown".
//  2. A delivery costs no more than an atomic addition: what is counted often is counted where it happens and read when
//     somebody scrapes.
//  3. There is one span for an operation and one for a request to upstream, and none for a field. A subscription's span ends
//     with its first value. Attributes have the operation's name as the client gave it, cut to 64 bytes, the root field, the
//     code of the first error and the conversation's id, and nothing else that a client said.
//  4. Without an OTLP endpoint in the environment nothing is traced, and nothing is sent anywhere.
//  5. Every operation has a request id, which is in its log lines, in those of what was asked of upstream for it, and in the
//     answer's X-Request-Id. A log line about an operation has kind, field, name, code, time, ids and the client's address, and
//     no arguments.
//  6. X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto, X-Request-Id and traceparent are believed of trusted proxies, and
//     are as good as not there when anybody else sends them.
//  7. A server that drains is not ready. One that is not ready says which check failed, in words of this project. However many
//     ask, a check runs at most once in ReadyFor.
package telemetry
