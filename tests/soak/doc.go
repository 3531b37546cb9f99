// The program soak lets a crowd follow a running server for a long time while everything around it goes wrong, and holds
// what each of the crowd receives against the validators of package tests (docs/guarantees.md).
//
// Promises:
//
//  1. The server is its own program, in a process of its own, with one file more in which it tells what it holds
//     (tests/bench/probe). Upstream is the demo, in this process, behind what cuts, hangs and refuses (upstream.go).
//  2. Every subscription field is followed, by WebSocket and by server-sent events, by users of several tenants: the demo's
//     own conversations, and conversations that the users have among themselves, which nobody else may see.
//  3. Chance decides when upstream's answers are cut, hang or are refused, and when clients drop, stall and leave. The
//     seed is printed, and decides what chance decides; not when it happens.
//  4. Every message is validated when it comes, against the one before it, across connections where a cursor says so. Now
//     and then upstream stands still: then everybody must have what a query reads.
//  5. An error that no fault explains, a connection that ended for no reason, and a server that ended are faults too.
//  6. In the end everybody leaves: the server must hold no more goroutines and heap than before the crowd came.
//  7. It leaves with 0 and prints its figures, or with 1 and says what was wrong.
package main
