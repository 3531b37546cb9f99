// Package feed composes the flat rows of a conversation into cards, by the agent's plan (docs/feed.md).
//
// Promises:
//
//  1. Nothing is dropped: every row of the timeline stands in a composed feed exactly once.
//  2. Guarded: cards are made only under a pin whose agent and version are the conversation's own, greater
//     than 0, and whose plan is known. Otherwise the rows stay flat, and the feed says why.
//  3. Membership comes from the plan's regions alone; it is never worked out from nodes and edges.
//  4. Incremental equals composed from scratch.
//  5. A change rebuilds the cards on its path; every other card is the same object.
//  6. Keys name what identifies a card and never a position: they stay while the run goes on, and while
//     earlier rows are loaded for every card whose HasEarlier is false.
//  7. A Feed is immutable and costs nothing until it is read.
package feed
