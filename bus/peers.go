package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// peers are the instances on the bus. Guarded by Bus.mu.
type peers struct {
	bucket jetstream.KeyValue
	known  bool   // who was there at first is known
	deaf   bool   // the watch may miss signs, and is to begin anew
	stop   func() // ends the watch
	seen   map[string]sign
}

// sign is the latest of an instance.
type sign struct {
	at    time.Time // here
	lease time.Duration
}

// peerState is what an instance says of itself.
type peerState struct {
	LeaseMS int64 `json:"lease_ms"`
	Format  int   `json:"format"`
}

// beat gives a sign of this instance.
func (b *Bus) beat(ctx context.Context) error {
	b.mu.Lock()
	bucket := b.peers.bucket
	b.mu.Unlock()
	if bucket == nil {
		return ErrAway
	}
	value, err := json.Marshal(peerState{b.opts.Lease.Milliseconds(), Format})
	if err != nil {
		return err
	}
	if _, err := bucket.Put(ctx, b.id, value); err != nil {
		return fmt.Errorf("giving a sign: %w", err)
	}
	return nil
}

// keepAlive gives signs until the bus is closed, and finds out who has stopped to.
func (b *Bus) keepAlive() {
	tick := time.NewTicker(b.opts.Lease / 4)
	defer tick.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-tick.C:
		}
		b.listen(time.Now())
		ctx, cancel := context.WithTimeout(b.ctx, b.opts.Lease/2)
		err := b.prepareOnce(ctx)
		cancel()
		if b.ctx.Err() != nil {
			return
		}
		if err != nil {
			err = ErrAway
		}
		b.setReady(err)
		if b.conn.IsConnected() && b.forgetSilent(time.Now()) {
			b.tell()
		}
	}
}

// listen notes that the watch is deaf when not even this instance's own signs come.
func (b *Bus) listen(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, seen := b.peers.seen[b.id]; b.ready && (!seen || now.Sub(s.at) >= s.lease) {
		b.peers.deaf = true
	}
}

// watch learns who is there, and goes on to.
func (b *Bus) watch(ctx context.Context) error {
	b.mu.Lock()
	bucket := b.peers.bucket
	b.mu.Unlock()
	watching, stop := context.WithCancel(b.ctx)
	watcher, err := bucket.WatchAll(watching)
	if err != nil {
		stop()
		return fmt.Errorf("watching the instances: %w", err)
	}
	var there []jetstream.KeyValueEntry
	for {
		select {
		case entry := <-watcher.Updates():
			if entry != nil {
				there = append(there, entry)
				continue
			}
			b.noteAll(there)
			b.forgetSilent(time.Now())
			b.mu.Lock()
			if b.peers.stop != nil {
				b.peers.stop()
			}
			b.peers.known, b.peers.deaf, b.peers.stop = true, false, stop
			b.mu.Unlock()
			b.begin(func() { b.goOn(watching, watcher) })
			return nil
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
}

func (b *Bus) goOn(ctx context.Context, watcher jetstream.KeyWatcher) {
	for {
		select {
		case entry, more := <-watcher.Updates():
			if !more {
				return
			}
			if entry != nil && b.note(entry, time.Now()) {
				b.tell()
			}
		case <-ctx.Done():
			return
		}
	}
}

// noteAll takes the signs that were there at first. How old each is, this instance's own tells, which was given last: they
// were stamped by one clock.
func (b *Bus) noteAll(there []jetstream.KeyValueEntry) {
	latest := time.Time{}
	for _, entry := range there {
		if entry.Created().After(latest) {
			latest = entry.Created()
		}
	}
	for _, entry := range there {
		b.note(entry, time.Now().Add(-latest.Sub(entry.Created())))
	}
}

// note takes a sign that was given at some time, and tells whether somebody came or went.
func (b *Bus) note(entry jetstream.KeyValueEntry, at time.Time) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.peers.seen == nil {
		b.peers.seen = map[string]sign{}
	}
	_, was := b.peers.seen[entry.Key()]
	if entry.Operation() != jetstream.KeyValuePut {
		delete(b.peers.seen, entry.Key())
		return was
	}
	var state peerState
	if err := json.Unmarshal(entry.Value(), &state); err != nil || state.LeaseMS <= 0 || state.LeaseMS > time.Hour.Milliseconds() {
		b.counts.reject(reasonForeign)
		return false
	}
	b.peers.seen[entry.Key()] = sign{at, time.Duration(state.LeaseMS) * time.Millisecond}
	return !was
}

// forgetSilent forgets who gave no sign for its lease, and tells whether there was anybody.
func (b *Bus) forgetSilent(now time.Time) (any bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, s := range b.peers.seen {
		if id != b.id && now.Sub(s.at) >= s.lease {
			delete(b.peers.seen, id)
			any = true
		}
	}
	return any
}

// grace gives everybody a lease's time from now on.
func (p *peers) grace(now time.Time) {
	for id, s := range p.seen {
		s.at = now
		p.seen[id] = s
	}
}

func (p *peers) count() int { return len(p.seen) }

// Alive tells whether an instance is there, as far as this one knows.
func (b *Bus) Alive(instance string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, seen := b.peers.seen[instance]
	return instance == b.id || seen || !b.peers.known
}

// leave takes this instance's sign away.
func (b *Bus) leave() {
	b.mu.Lock()
	bucket := b.peers.bucket
	b.mu.Unlock()
	if bucket == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := bucket.Delete(ctx, b.id); err != nil {
		b.opts.Logger.Info("the others will know only when the lease is over", "error", err)
	}
}
