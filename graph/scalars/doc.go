// Package scalars holds how leaf values cross the border between our Go types and GraphQL: the scalars of
// graph/schema.graphqls, and the word of each enum value. gqlgen.yml binds every one of them by name.
//
// Promises:
//  1. An input is taken only when it is what the scalar's description says. Everything else is an error that names
//     the scalar and what it takes, written for clients.
//  2. JSON keeps its text: compact, numbers as they were spelled, no newline at the end, null when absent.
//  3. A number outside its scalar's range and an instant that RFC 3339 can't spell are never written: they marshal to
//     graphql.Null, which is an error wherever the schema says non-null.
//  4. A Go value outside an enum's closed set never reaches a client: it is an error (docs/service.md, "Numbers and JSON").
//  5. Every enum value has exactly one Go value and every Go value one name; a test compares both with the schema.
package scalars
