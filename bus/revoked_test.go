package bus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 9: credentials that are taken back in mid-run are an outage, however long nobody gives new ones; with new ones in
// the file everything goes on by itself.
func TestRevokedCredentials(t *testing.T) {
	o := startOperator(t)
	first, second := o.user(t, o.account, leastPermissions), o.user(t, o.account, leastPermissions)
	file := filepath.Join(o.dir, "current.creds")
	give := func(from string) {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
	give(first)
	b := open(t, Options{URL: o.url, Credentials: file, Lease: time.Second})
	seq, err := b.Log("t", "c").Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
	e := follow(t, b.Log("t", "c"), 0)
	await(t, func() bool { return len(e.records()) == 1 })

	o.revoke(t, strings.TrimSuffix(filepath.Base(first), ".creds"))
	await(t, func() bool { return b.Ready() != nil })
	_, err = Open(t.Context(), Options{URL: o.url, Credentials: first})
	assert.ErrorIs(t, err, ErrNotLetIn)
	time.Sleep(3 * time.Second) // some refusals, after which nats.go gives up unless it is told not to
	require.ErrorIs(t, b.Ready(), ErrAway)

	give(second)
	await(t, func() bool { return b.Ready() == nil })
	_, err = b.Log("t", "c").Append(t.Context(), seq, skipped(2))
	require.NoError(t, err)
	await(t, func() bool { return len(e.records()) == 2 })
	assert.False(t, e.list()[1].Gap)
}

// What the page says is needed is needed and enough for as long as a server runs: signs of others go on to come after more of
// them than the bus sends without being told that they came.
func TestPermissionsLast(t *testing.T) {
	o := startOperator(t)
	b := open(t, Options{URL: o.url, Credentials: o.user(t, o.account, leastPermissions), Lease: time.Second})
	conn, err := nats.Connect(o.url, nats.UserCredentials(o.user(t, o.account, anything)))
	require.NoError(t, err)
	defer conn.Close()
	for range 40 { // much more than 2 MiB, which may be under way at once
		_, err := conn.Request("$KV."+peersBucket+".filler", make([]byte, 512<<10), patience)
		require.NoError(t, err)
	}
	other := open(t, Options{URL: o.url, Credentials: o.user(t, o.account, leastPermissions), Lease: time.Second})
	await(t, func() bool { return b.Alive(other.ID()) && b.Stats().Instances == 2 })
	assert.NoError(t, b.isDenied())
}

// Promise 9: an optional bus that refuses the credentials is away, until the file has others.
func TestOptionalBusThatRefuses(t *testing.T) {
	o := startOperator(t)
	file, good := o.user(t, o.account, leastPermissions), o.user(t, o.account, leastPermissions)
	o.revoke(t, strings.TrimSuffix(filepath.Base(file), ".creds"))
	b := open(t, Options{URL: o.url, Credentials: file, Lease: time.Second, Optional: true})
	require.ErrorIs(t, b.Ready(), ErrAway)
	time.Sleep(2 * time.Second)
	require.ErrorIs(t, b.Ready(), ErrAway)
	text, err := os.ReadFile(good)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	await(t, func() bool { return b.Ready() == nil })
}
