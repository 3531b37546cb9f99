// Package script writes the demo's built-in scenarios: recordings of our own making (docs/wire.md,
// "Recordings") of agents that do not exist, and the plans of these agents.
//
//  1. Deterministic: the same source gives the same bytes, so that `go generate` leaves no difference.
//  2. Every scenario is one conversation whose last frame is a run.pause, and opens with a head that says its
//     title.
//  3. Together they have every frame kind, every status that a conversation which goes on can show, every
//     error kind and every artifact format; text has emoji and combining characters.
//  4. Every scenario has its agent's plan (docs/wire.md, "Plans"), which is valid.
//  5. Each row's id, each activation, tool call and run is named once, with the conversation's id in front.
package script
