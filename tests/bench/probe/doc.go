// Package probe lets the program that measures ask a server under test what it used. It is linked into every Go server
// of tests/bench, also into the real one, which is built with one more file for that.
//
// Promises:
//  1. Nothing happens unless the environment names a socket ([Socket]).
//  2. CPU is the whole process's own, user and system, as getrusage tells it.
//  3. Memory is told after garbage was collected and given back to the system.
package probe
