package transport

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	errDraining = errors.New("the server is draining")
	errFull     = errors.New("too many connections")
)

// connection is a WebSocket or an SSE stream, as Shutdown sees it.
type connection interface {
	drain() // asks it to end, the client being told to come back
	kill()  // ends it at once
	// waiting is what it has not taken yet.
	waiting() (messages, bytes int)
}

// registry counts the open connections and ends them all.
type registry struct {
	mu       sync.Mutex
	max      int
	draining bool
	open     map[connection]struct{}
	empty    chan struct{} // closed once draining and nothing is open
}

func newRegistry(max int) *registry {
	return &registry{max: max, open: map[connection]struct{}{}, empty: make(chan struct{})}
}

// add lets c in, or says why there is no room. What was let in is taken out by remove.
func (r *registry) add(c connection) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.draining:
		return errDraining
	case len(r.open) >= r.max:
		return errFull
	}
	r.open[c] = struct{}{}
	return nil
}

func (r *registry) remove(c connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.open[c]; !ok {
		return
	}
	delete(r.open, c)
	if r.draining && len(r.open) == 0 {
		close(r.empty)
	}
}

func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}

// shutdown drains every connection and waits until all have ended. Those left when ctx ends are killed, and its error
// is returned once they are gone too, or after patience: a resolver that does not look at its context cannot be ended.
func (r *registry) shutdown(ctx context.Context, patience time.Duration) error {
	r.mu.Lock()
	if !r.draining {
		r.draining = true
		if len(r.open) == 0 {
			close(r.empty)
		}
	}
	open := r.snapshot()
	r.mu.Unlock()
	for _, c := range open {
		c.drain()
	}
	select {
	case <-r.empty:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	open = r.snapshot()
	r.mu.Unlock()
	for _, c := range open {
		c.kill()
	}
	select {
	case <-r.empty:
	case <-time.After(patience):
	}
	return ctx.Err()
}

func (r *registry) snapshot() []connection {
	open := make([]connection, 0, len(r.open))
	for c := range r.open {
		open = append(open, c)
	}
	return open
}
