// The program stock is gqlgen as it comes, its own handler and WebSocket transport, over the part of the schema that is
// measured.
//
// Promises:
//  1. Nothing is generated but by gqlgen's own command, and nothing that it generates is changed.
//  2. A resolver only hands on what is in memory: a list that is made once for all viewers.
//  3. A viewer that subscribes is sent the list as it stands; each that comes afterwards is sent in order.
package main

//go:generate go tool gqlgen generate --config gqlgen.yml
