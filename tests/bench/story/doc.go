// Package story holds what the servers are measured with: conversations with rows and with turns that grow, the
// documents that viewers ask with, and what a message must hold to be right.
//
// Promises:
//  1. A story is the same every time: nothing in it is drawn by chance.
//  2. Each token names its turn and its tick, so that the end of a message says how new it is ([TickOf]).
//  3. What is expected of a message is worked out from the story alone, not from any server's answer.
package story
