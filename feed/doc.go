// Package feed composes the flat rows of a conversation into cards, by the agent's plan (docs/feed.md).
//
// Promises:
//
//  1. Nothing is dropped: every row of the timeline stands in a composed feed exactly once.
//  2. Guarded: cards are made only under a pin whose agent and version are the conversation's own, greater
//     than 0, and whose plan is known. Otherwise the rows stay flat, and the feed says why.
//  3. Membership comes from the plan's regions alone; it is never worked out from nodes and edges.
//  4. Incremental equals composed from scratch.
//  5. A change makes the cards on its path anew; every other card is the same object.
//  6. Keys name what identifies a card and never a position: they stay while the run goes on, and while
//     earlier rows are loaded for every card whose HasEarlier is false (docs/feed.md, rule 15).
//  7. A Feed is immutable and costs nothing until it is read.
//  8. What a token costs does not grow with the conversation, nor does what a row costs that comes last.
//
// How it is done: a Shape is a plan with the answers looked up that composing asks for. A Composer keeps one level for
// each subgraph that ran, with its rows. A walk takes a level's rows and subagents in order and puts each where it
// belongs (walk.go); the walk goes on when something new stands last, and begins anew when something came or went before
// that (level.go). What it puts them into are boxes: lists that are changed in place (box.go). When a change settles,
// each box that was touched makes an immutable card of itself, the innermost first (settle.go).
package feed
