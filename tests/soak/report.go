package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// report counts what happened.
type report struct {
	tenants, users, sockets, streams, subscribers int // which are there
	events, cuts, hangs, refusals                 atomic.Int64
	drops, stalls, leaves, connections, ping      atomic.Int64 // the last: the slowest, in ns
	messages, resumed, resets, forgot             atomic.Int64 // the last: of resets, those by a journal that reached not far enough back
	compared, strangers                           atomic.Int64
	sent, turnedAway, late                        atomic.Int64
}

func (r *report) String() string {
	resets, forgot := r.resets.Load(), r.forgot.Load()
	return fmt.Sprintf("subscribers %d (WebSockets %d, event streams %d), tenants %d, users %d, connections %d, events %d, upstream cuts %d, hangs %d, refusals %d, client drops %d, stalls %d, leaves %d, connections too late to begin %d, runs sent %d, messages %d, resumed by cursor %d, of which resets %d (journals that reached not far enough back %d, rows that were read anew meanwhile %d), compared with a query %d, strangers turned away %d, slowest ping %s",
		r.subscribers, r.sockets, r.streams, r.tenants, r.users, r.connections.Load(), r.events.Load(), r.cuts.Load(), r.hangs.Load(), r.refusals.Load(),
		r.drops.Load(), r.stalls.Load(), r.leaves.Load(), r.late.Load(), r.sent.Load(), r.messages.Load(), r.resumed.Load(), resets, forgot, resets-forgot, r.compared.Load(), r.strangers.Load(), time.Duration(r.ping.Load()).Round(time.Millisecond))
}

// slowest notes how long a ping took.
func (r *report) slowest(took time.Duration) {
	for was := r.ping.Load(); int64(took) > was && !r.ping.CompareAndSwap(was, int64(took)); was = r.ping.Load() {
	}
}

// faults are what was wrong.
type faults struct {
	mu    sync.Mutex
	all   []error
	first chan struct{} // closed at the first
}

func newFaults() *faults { return &faults{first: make(chan struct{})} }

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) == 0 {
		close(f.first)
	}
	if len(f.all) < 10 {
		f.all = append(f.all, fmt.Errorf(format, args...))
	}
}

func (f *faults) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.all...)
}
