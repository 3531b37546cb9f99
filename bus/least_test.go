package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// useAll does all that a server does with the bus, as whoever has a file of credentials, and says what it could not.
func useAll(t *testing.T, o *operator, file, name string) (err error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	opts := Options{URL: o.url, Credentials: file, Lease: time.Second, MaxBytes: 256 << 20, AppendLimit: 3 * time.Second}
	b, err := Open(ctx, opts)
	if err != nil {
		return err
	}
	defer b.Close()
	defer func() { err = errors.Join(err, b.isDenied()) }()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { // what is not allowed is never answered: nobody need wait
		for b.isDenied() == nil && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	})
	l := b.Log("t", name)
	first, err := l.Append(ctx, 0, skipped(1))
	if err != nil {
		return err
	}
	told := make(chan Event, 10)
	f, err := l.Follow(ctx, 0, func(e Event) { told <- e })
	if err != nil {
		return err
	}
	select {
	case <-told:
	case <-ctx.Done():
		return errors.New("nothing comes")
	}
	f.Stop()
	last, err := l.Last(ctx)
	if err != nil || last != first {
		return fmt.Errorf("the last is %d: %w", last, err)
	}
	if err := l.Cut(ctx, first); err != nil {
		return err
	}
	own, _, err := b.Claim(ctx, name, []byte("a"))
	if err != nil {
		return err
	}
	if _, taken, err := b.Claim(ctx, name, []byte("b")); err != nil || taken == nil {
		return fmt.Errorf("the claim stands: %w", err)
	}
	if own, err = b.Reclaim(ctx, name, own, []byte("c")); err != nil {
		return err
	}
	if err := b.Unclaim(ctx, name, own); err != nil {
		return err
	}
	other, err := Open(ctx, opts)
	if err != nil {
		return err
	}
	for end := time.Now().Add(patience); !b.heard(other.ID()) || !other.heard(b.ID()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			other.Close()
			return fmt.Errorf("one does not hear the other: %w", other.isDenied())
		}
	}
	other.Close()
	opts.MaxAge = 2 * time.Hour // the streams are changed
	changed, err := Open(ctx, opts)
	if err != nil {
		return err
	}
	changed.Close()
	return errors.Join(other.isDenied(), changed.isDenied())
}

func (b *Bus) heard(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, heard := b.peers.seen[id]
	return heard
}

// The permissions of docs/scaling.md are those of this test. They are enough, and without any of them, but for what many signs
// take (TestPermissionsLast), something is not allowed, which is told.
func TestPermissions(t *testing.T) {
	page, err := os.ReadFile("../docs/scaling.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "### Permissions")
	section, _, _ = strings.Cut(section, "\n#")
	for _, subject := range append(leastSubscribe, leastPublish...) {
		assert.Contains(t, section, "`"+subject+"`")
	}
	assert.NotContains(t, section, "`$JS.API.>`")
	for i, without := range append([]string{"nothing"}, leastPublish...) {
		t.Run(strings.Trim(strings.NewReplacer("$", "", "*", "", ">", "").Replace("without "+without), "."), func(t *testing.T) {
			t.Parallel()
			o := startOperator(t) // the streams are to be made
			err := useAll(t, o, o.user(t, o.account, func(c *jwt.UserClaims) {
				c.Sub.Allow.Add(leastSubscribe...)
				for _, subject := range leastPublish {
					if subject != without {
						c.Pub.Allow.Add(subject)
					}
				}
			}), fmt.Sprint("c", i))
			if without == "nothing" || strings.HasPrefix(without, "$JS.FC.") {
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, ErrNotAllowed)
		})
	}
}
