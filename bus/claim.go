package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ClaimedFor is how long a claim holds that nobody lets go.
const ClaimedFor = 10 * time.Minute

// Claim is a word that one instance has, with what it says beside it.
type Claim struct {
	Value    []byte
	revision uint64
}

// claimKey spells a word as the bus takes it.
func (b *Bus) claimKey(word string) string {
	_, subject := subjectOf(b.opts.Scope, "", word)
	return subject[len("inlay.log.00."):]
}

func (b *Bus) claimsBucket() (jetstream.KeyValue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.claims == nil {
		return nil, ErrAway
	}
	return b.claims, nil
}

// Claim claims a word. taken is the claim that stands, when somebody else has it; else the word is this instance's now.
func (b *Bus) Claim(ctx context.Context, word string, value []byte) (own, taken *Claim, err error) {
	bucket, err := b.claimsBucket()
	if err != nil {
		return nil, nil, err
	}
	for {
		revision, err := bucket.Create(ctx, b.claimKey(word), value)
		if err == nil {
			return &Claim{value, revision}, nil, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return nil, nil, away(fmt.Errorf("claiming: %w", err))
		}
		taken, err := b.Claimed(ctx, word)
		if taken != nil || err != nil {
			return nil, taken, err
		} // it was let go in between
	}
}

// Claimed reads the claim of a word, nil for none.
func (b *Bus) Claimed(ctx context.Context, word string) (*Claim, error) {
	bucket, err := b.claimsBucket()
	if err != nil {
		return nil, err
	}
	entry, err := bucket.Get(ctx, b.claimKey(word))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, nil
	case err != nil:
		return nil, away(fmt.Errorf("reading a claim: %w", err))
	}
	return &Claim{entry.Value(), entry.Revision()}, nil
}

// Reclaim says something else beside a claim, which must be the one that stands; else it answers ErrBehind.
func (b *Bus) Reclaim(ctx context.Context, word string, claim *Claim, value []byte) (*Claim, error) {
	bucket, err := b.claimsBucket()
	if err != nil {
		return nil, err
	}
	revision, err := bucket.Update(ctx, b.claimKey(word), value, claim.revision)
	if wrongPlace(err) || errors.Is(err, jetstream.ErrKeyExists) {
		return nil, ErrBehind
	} else if err != nil {
		return nil, away(fmt.Errorf("updating a claim: %w", err))
	}
	return &Claim{value, revision}, nil
}

// Unclaim lets go of a claim, if it is the one that stands.
func (b *Bus) Unclaim(ctx context.Context, word string, claim *Claim) error {
	bucket, err := b.claimsBucket()
	if err != nil {
		return err
	}
	err = bucket.Delete(ctx, b.claimKey(word), jetstream.LastRevision(claim.revision))
	if err != nil && !wrongPlace(err) {
		return away(fmt.Errorf("letting a claim go: %w", err))
	}
	return nil
}
