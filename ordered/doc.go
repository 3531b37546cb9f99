// Package ordered holds a persistent ordered list: items under ascending 64-bit keys, counted.
//
// Promises:
//  1. A copy of a Tree is a snapshot: nothing that is done to the original under another Token changes it.
//  2. Every operation on one item costs O(log n); an iteration costs what it yields.
//  3. What a Token owns is changed in place: between two snapshots an item costs one path copy at most.
package ordered
