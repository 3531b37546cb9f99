package bus

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 7: who closes is gone at once, who is killed when its lease is over, and nobody while it gives signs.
func TestAlive(t *testing.T) {
	s := startServer(t, 0)
	lease := time.Second
	a := open(t, Options{URL: s.ClientURL(), Lease: lease})
	b := open(t, Options{URL: s.ClientURL(), Lease: lease})
	c := open(t, Options{URL: s.ClientURL(), Lease: lease})
	await(t, func() bool { return a.Stats().Instances == 3 && b.Stats().Instances == 3 })
	changed := make(chan struct{}, 100)
	a.OnChange(func() { changed <- struct{}{} })
	assert.True(t, a.Alive(a.ID()))
	assert.False(t, a.Alive("nobody"))
	b.Close()
	await(t, func() bool { return !a.Alive(b.ID()) })
	<-changed
	killed := time.Now()
	c.Kill()
	await(t, func() bool { return !a.Alive(c.ID()) })
	assert.GreaterOrEqual(t, time.Since(killed), lease/2)
	assert.Equal(t, 1, a.Stats().Instances)
	time.Sleep(2 * lease)
	assert.True(t, a.Alive(a.ID()))
	d := open(t, Options{URL: s.ClientURL(), Lease: lease})
	assert.True(t, d.Alive(a.ID()))
	assert.False(t, d.Alive(c.ID()), "who was gone before is known to be")
}

// Promise 7: an outage of the server's is nobody's death.
func TestAliveAfterOutage(t *testing.T) {
	s := startServer(t, 0)
	a := open(t, Options{URL: s.ClientURL(), Lease: time.Second})
	b := open(t, Options{URL: s.ClientURL(), Lease: time.Second})
	await(t, func() bool { return a.Alive(b.ID()) && b.Alive(a.ID()) })
	s.stop()
	await(t, func() bool { return a.Ready() != nil && b.Ready() != nil })
	time.Sleep(2 * time.Second)
	assert.True(t, a.Alive(b.ID()))
	s.start(t, 0)
	await(t, func() bool { return a.Ready() == nil && b.Ready() == nil })
	for range 20 {
		assert.True(t, a.Alive(b.ID()))
		assert.True(t, b.Alive(a.ID()))
		time.Sleep(100 * time.Millisecond)
	}
	b.Kill()
	await(t, func() bool { return !a.Alive(b.ID()) })
}

// Promise 8: of many that claim a word one gets it.
func TestClaim(t *testing.T) {
	s := startServer(t, 0)
	const all = 8
	var group sync.WaitGroup
	var mu sync.Mutex
	var winner *Bus
	var won *Claim
	for range all {
		b := open(t, Options{URL: s.ClientURL()})
		group.Go(func() {
			own, taken, err := b.Claim(t.Context(), "a word. of > any *", []byte(b.ID()))
			if !assert.NoError(t, err) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if own != nil {
				assert.Nil(t, winner)
				winner, won = b, own
			} else {
				assert.NotNil(t, taken)
			}
		})
	}
	group.Wait()
	require.NotNil(t, winner)
	stands, err := winner.Claimed(t.Context(), "a word. of > any *")
	require.NoError(t, err)
	assert.Equal(t, winner.ID(), string(stands.Value))
	next, err := winner.Reclaim(t.Context(), "a word. of > any *", won, []byte("done"))
	require.NoError(t, err)
	_, err = winner.Reclaim(t.Context(), "a word. of > any *", won, []byte("late"))
	require.ErrorIs(t, err, ErrBehind)
	require.NoError(t, winner.Unclaim(t.Context(), "a word. of > any *", won), "another's stays")
	stands, err = winner.Claimed(t.Context(), "a word. of > any *")
	require.NoError(t, err)
	assert.Equal(t, "done", string(stands.Value))
	require.NoError(t, winner.Unclaim(t.Context(), "a word. of > any *", next))
	stands, err = winner.Claimed(t.Context(), "a word. of > any *")
	require.NoError(t, err)
	assert.Nil(t, stands)
}

// The embedded bus keeps what was appended, for the next process, and lets one at a time in.
func TestEmbedded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	b := open(t, Options{URL: Embedded, Dir: dir})
	seq, err := b.Log("t", "c").Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
	_, err = Open(t.Context(), Options{URL: Embedded, Dir: dir})
	require.ErrorContains(t, err, "another process")
	b.Close()
	again := open(t, Options{URL: Embedded, Dir: dir, MaxBytes: 128 << 20})
	assert.NotEqual(t, b.ID(), again.ID())
	assert.False(t, again.Alive(b.ID()))
	e := follow(t, again.Log("t", "c"), 0)
	await(t, func() bool { return len(e.records()) == 1 })
	_, err = again.Log("t", "c").Append(t.Context(), seq, skipped(2))
	require.NoError(t, err)
}

// Promise 9: without a server Open says so, or with Optional begins and is ready once there is one.
func TestNoServer(t *testing.T) {
	s := startServer(t, 0)
	url := s.ClientURL()
	s.stop()
	_, err := Open(t.Context(), Options{URL: url})
	require.ErrorContains(t, err, "joining the bus")
	b := open(t, Options{URL: url, Optional: true, AppendLimit: 100 * time.Millisecond})
	require.ErrorIs(t, b.Ready(), ErrAway)
	_, err = b.Log("t", "c").Append(t.Context(), 0, skipped(1))
	require.ErrorIs(t, err, ErrAway)
	s.start(t, 0)
	await(t, func() bool { return b.Ready() == nil })
	_, err = b.Log("t", "c").Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
}

// What is asked for must make sense, and an error names no password.
func TestOptions(t *testing.T) {
	for name, opts := range map[string]Options{
		"no URL":       {},
		"no scheme":    {URL: "user:secret@host"},
		"other scheme": {URL: "http://user:secret@host"},
		"one of two":   {URL: "nats://a,user:secret@b"},
		"no folder":    {URL: Embedded},
		"credentials":  {URL: Embedded, Dir: "d", Credentials: "f"},
		"replicas":     {URL: "nats://h", Replicas: 2},
		"embedded 3":   {URL: Embedded, Dir: "d", Replicas: 3},
		"age":          {URL: "nats://h", MaxAge: time.Second},
		"certificate":  {URL: "nats://h", Cert: "f"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := Open(t.Context(), opts)
			require.Error(t, err)
			assert.Nil(t, b)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := Open(t.Context(), Options{URL: "nats://127.0.0.1:1", Credentials: filepath.Join(t.TempDir(), "none")})
	require.ErrorIs(t, err, os.ErrNotExist)
}
