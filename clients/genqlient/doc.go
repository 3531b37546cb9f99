// Package example is a client of Inlay GraphQL in Go, by genqlient: documents.graphql is what it asks, generated.go the
// types and functions that genqlient makes of it. docs/clients.md explains the parts.
//
//  1. Queries and mutations go by HTTP, each subscription by a WebSocket of its own.
//  2. A subscription comes back when its connection breaks, until its context ends, or the server refuses what was asked.
//  3. A token is fetched when one is needed: at first, after close 4403, and after an answer of 401, once.
//  4. Rows go on after the last message that was applied; when one does not fit they begin anew.
package example

//go:generate go tool genqlient
