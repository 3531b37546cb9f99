package bus

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// partitions is how many streams the logs are spread over: reading one conversation costs in proportion to what else is
// in its stream. It is a part of the format: instances must agree on it.
const partitions = 16

// repeatWindow is how long the bus knows a message again. It must be longer than an append may take.
const repeatWindow = 30 * time.Second

func streamName(partition int) string { return fmt.Sprintf("INLAY_%02d", partition) }

// subjectOf names the log of a conversation. What clients or upstream chose is in it as a hash alone.
func subjectOf(scope, tenant, id string) (stream, subject string) {
	sum := sha256.New()
	for _, name := range []string{scope, tenant, id} {
		sum.Write(binary.AppendUvarint(nil, uint64(len(name)))) // where each ends is a part of it
		sum.Write([]byte(name))
	}
	h := sum.Sum(nil)
	partition := int(h[0]) % partitions
	name := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h[1:26]))
	return streamName(partition), fmt.Sprintf("inlay.log.%02d.%s", partition, name)
}

// The buckets.
const (
	peersBucket  = "inlay_instances"
	claimsBucket = "inlay_claims"
)

// attemptPatience is how long one attempt may take: a cluster that has just begun loses some questions.
const attemptPatience = 6 * time.Second

// prepare sees to it that streams and buckets are there, and says that the bus can be used.
func (b *Bus) prepare(ctx context.Context) error {
	b.mu.Lock()
	b.denied = nil
	b.mu.Unlock()
	err := b.prepareOnce(ctx)
	for ctx.Err() == nil && err != nil && !refused(err) && b.isDenied() == nil && !b.conn.IsClosed() { // a cluster may be electing
		select {
		case <-time.After(200 * time.Millisecond):
			err = b.prepareOnce(ctx)
		case <-ctx.Done():
		}
	}
	if err != nil {
		if denied := b.isDenied(); denied != nil {
			err = denied
		}
		return away(err)
	}
	b.setReady(nil)
	return nil
}

// isDenied is what the bus has not allowed since prepare began.
func (b *Bus) isDenied() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.denied
}

func (b *Bus) prepareOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attemptPatience)
	defer cancel()
	if !b.conn.IsConnected() {
		return ErrAway
	}
	b.mu.Lock()
	done, deaf := b.ready, b.peers.deaf
	b.mu.Unlock()
	if done {
		err := b.beat(ctx)
		if err == nil && deaf {
			err = b.watch(ctx)
		}
		if err != nil && b.conn.IsConnected() { // perhaps the servers lost what they keep in memory
			b.mu.Lock()
			b.ready = false
			b.mu.Unlock()
		}
		return err
	}
	var group sync.WaitGroup
	faults := make([]error, partitions+2)
	for p := range partitions { // at once: a cluster elects a leader for each
		group.Go(func() { faults[p] = b.ensureStream(ctx, p) })
	}
	var peers, claims jetstream.KeyValue
	group.Go(func() { peers, faults[partitions] = b.ensureBucket(ctx, peersBucket, 3*b.opts.Lease) })
	group.Go(func() { claims, faults[partitions+1] = b.ensureBucket(ctx, claimsBucket, ClaimedFor) })
	group.Wait()
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	b.mu.Lock()
	b.peers.bucket, b.claims = peers, claims
	b.mu.Unlock()
	if err := b.beat(ctx); err != nil {
		return err
	}
	if err := b.watch(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	b.ready = true
	b.mu.Unlock()
	return nil
}

// ensureStream makes a stream, or gives it this instance's limits where it has others.
func (b *Bus) ensureStream(ctx context.Context, partition int) error {
	want := jetstream.StreamConfig{
		Name: streamName(partition), Subjects: []string{fmt.Sprintf("inlay.log.%02d.*", partition)},
		Storage: jetstream.FileStorage, Replicas: b.opts.Replicas,
		MaxAge: b.opts.MaxAge, MaxBytes: b.opts.MaxBytes / partitions, Discard: jetstream.DiscardOld,
		Duplicates: repeatWindow,
	}
	stream, err := b.js.Stream(ctx, want.Name)
	switch {
	case err == nil:
		is := stream.CachedInfo().Config
		if is.Replicas == want.Replicas && is.MaxAge == want.MaxAge && is.MaxBytes == want.MaxBytes {
			return nil
		}
		want.FirstSeq = is.FirstSeq
		_, err = b.js.UpdateStream(ctx, want)
	case errors.Is(err, jetstream.ErrStreamNotFound):
		want.FirstSeq = b.firstPlace(time.Now())
		_, err = b.js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another instance made it meanwhile
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", want.Name, err)
	}
	return nil
}

// firstPlace is where a stream that is made now begins: behind every place that one of its name can have dealt which was
// lost. Else whoever followed that would take the new one's records for the rest of it, once they had got so far. Time in
// microseconds passes any number of messages; highest makes up for a clock that was set back.
func (b *Bus) firstPlace(now time.Time) uint64 {
	return max(uint64(max(now.UnixMicro(), 0)), b.highest.Load()) + 1
}

// saw notes a place.
func (b *Bus) saw(seq uint64) {
	for {
		was := b.highest.Load()
		if seq <= was || b.highest.CompareAndSwap(was, seq) {
			return
		}
	}
}

// ensureBucket makes a bucket in memory.
func (b *Bus) ensureBucket(ctx context.Context, name string, keeps time.Duration) (jetstream.KeyValue, error) {
	bucket, err := b.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		bucket, err = b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: name, TTL: keeps, Storage: jetstream.MemoryStorage, Replicas: b.opts.Replicas, MaxBytes: reserve / 4,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", name, err)
	}
	return bucket, nil
}
