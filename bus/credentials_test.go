package bus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operator runs a server whose users are an operator's: an account with JetStream, and users in files.
type operator struct {
	dir     string
	url     string
	server  *server.Server
	account nkeys.KeyPair
	revoke  func(t *testing.T, user string) // takes a user's credentials back
}

func startOperator(t *testing.T) *operator {
	t.Helper()
	o := &operator{dir: t.TempDir()}
	root, err := nkeys.CreateOperator()
	require.NoError(t, err)
	rootKey, err := root.PublicKey()
	require.NoError(t, err)
	name := func(pair nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		require.NoError(t, err)
		key, err := pair.PublicKey()
		require.NoError(t, err)
		return pair, key
	}
	accounts := &server.MemAccResolver{}
	enrol := func(key string, jetstream bool) {
		claims := jwt.NewAccountClaims(key)
		if jetstream {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		text, err := claims.Encode(root)
		require.NoError(t, err)
		require.NoError(t, accounts.Store(key, text))
	}
	_, system := name(nkeys.CreateAccount())
	enrol(system, false)
	pair, key := name(nkeys.CreateAccount())
	enrol(key, true)
	o.account = pair
	claims := jwt.NewOperatorClaims(rootKey)
	claims.SystemAccount = system
	_, err = claims.Encode(root)
	require.NoError(t, err)
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: filepath.Join(o.dir, "store"), NoSigs: true, NoLog: true,
		TrustedOperators: []*jwt.OperatorClaims{claims}, SystemAccount: system, AccountResolver: accounts,
	})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(patience))
	o.url, o.server = s.ClientURL(), s
	o.revoke = func(t *testing.T, user string) {
		t.Helper()
		known, err := s.LookupAccount(key)
		require.NoError(t, err)
		claims := jwt.NewAccountClaims(key)
		claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		claims.Revoke(user)
		text, err := claims.Encode(root)
		require.NoError(t, err)
		require.NoError(t, accounts.Store(key, text))
		s.UpdateAccountClaims(known, claims)
	}
	return o
}

// user writes the credentials of a user of the account.
func (o *operator) user(t *testing.T, signer nkeys.KeyPair, change func(*jwt.UserClaims)) (file string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	key, err := pair.PublicKey()
	require.NoError(t, err)
	seed, err := pair.Seed()
	require.NoError(t, err)
	claims := jwt.NewUserClaims(key)
	change(claims)
	text, err := claims.Encode(signer)
	require.NoError(t, err)
	spelled, err := jwt.FormatUserConfig(text, seed)
	require.NoError(t, err)
	file = filepath.Join(o.dir, key+".creds")
	require.NoError(t, os.WriteFile(file, spelled, 0o600))
	return file
}

// What a server of this project has to be allowed (docs/scaling.md, "Permissions").
var (
	leastPublish = []string{
		"inlay.log.*.*", "$KV.inlay_instances.*", "$KV.inlay_claims.*",
		"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.UPDATE.*", "$JS.API.STREAM.PURGE.*", "$JS.API.STREAM.MSG.GET.*",
		"$JS.API.DIRECT.GET.KV_inlay_claims.>", "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.DELETE.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.FC.KV_inlay_instances.>",
	}
	leastSubscribe = []string{"_INBOX.>"}
)

func leastPermissions(c *jwt.UserClaims) {
	c.Pub.Allow.Add(leastPublish...)
	c.Sub.Allow.Add(leastSubscribe...)
}

// anything holds a user to nothing.
func anything(*jwt.UserClaims) {}

// A server joins with the credentials of an operator's user, and needs no more than the page says; whoever has none, or
// those of another account, or old ones, is told, and no secret with it.
func TestCredentials(t *testing.T) {
	o := startOperator(t)
	least := o.user(t, o.account, leastPermissions)
	opts := Options{URL: o.url, Credentials: least, Lease: time.Second}
	first, second := open(t, opts), open(t, opts)
	seq, err := first.Log("t", "c").Append(t.Context(), 0, skipped(1))
	require.NoError(t, err)
	told := make(chan Event, 10)
	f, err := second.Log("t", "c").Follow(t.Context(), 0, func(e Event) { told <- e })
	require.NoError(t, err)
	defer f.Stop()
	select {
	case e := <-told:
		assert.Equal(t, seq, e.Seq)
	case <-time.After(patience):
		require.Fail(t, "nothing came")
	}
	last, err := second.Log("t", "c").Last(t.Context())
	require.NoError(t, err)
	assert.Equal(t, seq, last)
	require.NoError(t, first.Log("t", "c").Cut(t.Context(), seq))
	require.Eventually(t, func() bool { return first.Stats().Instances == 2 && second.Stats().Instances == 2 }, patience, 5*time.Millisecond)

	stranger, err := nkeys.CreateAccount()
	require.NoError(t, err)
	broken := filepath.Join(o.dir, "broken.creds")
	require.NoError(t, os.WriteFile(broken, []byte("no credentials: hunter2"), 0o600))
	cut := filepath.Join(o.dir, "cut.creds")
	text, err := os.ReadFile(least)
	require.NoError(t, err)
	token, _, _ := strings.Cut(string(text), "*****")
	require.NoError(t, os.WriteFile(cut, []byte(token), 0o600))
	says := map[string]string{
		"none": "Authorization Violation", "of another account": "Authorization Violation", "over": "Authorization Violation",
		"a file that is something else": "broken.creds holds no token of a NATS user", "without a seed": "cut.creds holds no seed of a NATS user",
		"no file": "no such file", "not allowed to": "Permissions Violation for Publish",
	}
	for name, file := range map[string]string{
		"none":                          "",
		"of another account":            o.user(t, stranger, leastPermissions),
		"over":                          o.user(t, o.account, func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Minute).Unix() }),
		"a file that is something else": broken,
		"without a seed":                cut,
		"no file":                       filepath.Join(o.dir, "none.creds"),
		"not allowed to":                o.user(t, o.account, func(c *jwt.UserClaims) { c.Pub.Allow.Add("other.>"); c.Sub.Allow.Add("_INBOX.>") }),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), Options{URL: o.url, Credentials: file, Lease: time.Second})
			require.Error(t, err)
			assert.Contains(t, err.Error(), says[name])
			if name == "not allowed to" {
				assert.ErrorIs(t, err, ErrNotAllowed)
			} else {
				assert.ErrorIs(t, err, ErrNotLetIn)
			}
			for _, secret := range []string{"hunter2", "SEED", "eyJ"} {
				assert.NotContains(t, err.Error(), secret)
			}
		})
	}
}
