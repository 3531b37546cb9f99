// The program bench measures the real server beside stock gqlgen, graphql-yoga and a bare broadcast of the same bytes,
// all in one run, and prints what came of each goal (README.md).
//
// Promises:
//  1. Each server is a process of its own, and so are the viewers: this program, which plays upstream too. What a server
//     used is what it says itself of its own process.
//  2. Arms take turns: every round starts each of them anew, in another order. What is compared is compared within a
//     round; a figure is the median of the rounds.
//  3. Two arms are the same bare broadcast. How far they are apart is the noise.
//  4. Messages are checked: each for its place in the order, and a part of them whole, against the story and not
//     against any server. What is wrong ends the run.
//  5. The real server is its own program, with one file more in which it answers what it used.
package main

//go:generate go generate -C stock .
