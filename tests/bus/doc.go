// Command bus runs three servers as processes of their own, on a cluster of three NATS servers, in front of one platform
// (the demo), with viewers of 30 conversations spread over them, and breaks one thing after the other: the server that
// reads is killed with SIGKILL, a NATS server stops, a server is frozen for longer than its lease, servers are restarted
// one by one. A viewer whose connection ends goes on at the next server at its cursor. In the end it checks what every one
// of them received, by the validators of tests/validators.go, and what each server reads, and prints figures.
//
//	tests/bus/run.sh [--viewers 300] [--conversations 30] [--loops 4]
//	tests/bus/run.sh --figures     # what a delivery costs the servers, alone and with others; Linux
//
// It exits with 1 when anything was lost, doubled, out of order or different.
package main
