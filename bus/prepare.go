package bus

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
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

// prepare sees to it that streams and buckets are there, and says that the bus can be used.
func (b *Bus) prepare(ctx context.Context) error {
	err := b.prepareOnce(ctx)
	for ctx.Err() == nil && err != nil && !refused(err) && !b.conn.IsClosed() { // a cluster may be electing
		select {
		case <-time.After(200 * time.Millisecond):
			err = b.prepareOnce(ctx)
		case <-ctx.Done():
		}
	}
	if err != nil {
		return away(err)
	}
	b.setReady(nil)
	return nil
}

func (b *Bus) prepareOnce(ctx context.Context) error {
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
	for p := range partitions {
		_, err := b.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: streamName(p), Subjects: []string{fmt.Sprintf("inlay.log.%02d.*", p)},
			Storage: jetstream.FileStorage, Replicas: b.opts.Replicas,
			MaxAge: b.opts.MaxAge, MaxBytes: b.opts.MaxBytes / partitions, Discard: jetstream.DiscardOld,
			Duplicates: repeatWindow,
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", streamName(p), err)
		}
	}
	peers, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: peersBucket, TTL: 3 * b.opts.Lease, Storage: jetstream.MemoryStorage, Replicas: b.opts.Replicas, MaxBytes: reserve / 4,
	})
	if err != nil {
		return fmt.Errorf("bucket %s: %w", peersBucket, err)
	}
	claims, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: claimsBucket, TTL: ClaimedFor, Storage: jetstream.MemoryStorage, Replicas: b.opts.Replicas, MaxBytes: reserve / 4,
	})
	if err != nil {
		return fmt.Errorf("bucket %s: %w", claimsBucket, err)
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
