package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/jwt/v2"
	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strangersCredentials writes credentials of an account that nobody knows, and tells the secret in them.
func strangersCredentials(t *testing.T) (file, secret string) {
	t.Helper()
	account, err := nkeys.CreateAccount()
	require.NoError(t, err)
	user, err := nkeys.CreateUser()
	require.NoError(t, err)
	key, err := user.PublicKey()
	require.NoError(t, err)
	seed, err := user.Seed()
	require.NoError(t, err)
	token, err := jwt.NewUserClaims(key).Encode(account)
	require.NoError(t, err)
	text, err := jwt.FormatUserConfig(token, seed)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "stranger.creds")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file, string(seed)
}

// Credentials that are none are refused by check-config, those that NATS refuses by serve: by the flag's name, without a secret.
func TestBusCredentialsAreRefusedByName(t *testing.T) {
	t.Parallel()
	s, err := nats.NewServer(&nats.Options{Host: "127.0.0.1", Port: nats.RANDOM_PORT, Username: "u", Password: "p", NoSigs: true, NoLog: true})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(patience))
	stranger, seed := strangersCredentials(t)
	broken := filepath.Join(t.TempDir(), "broken.creds")
	require.NoError(t, os.WriteFile(broken, []byte("hunter2"), 0o600))
	flags := []string{"--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:1", "--insecure", "--bus", "nats://" + s.Addr().String()}
	for _, test := range []struct{ command, file, says string }{
		{"check-config", broken, "--bus-credentials: the bus does not let this server in: " + broken + " holds no token of a NATS user"},
		{"serve", broken, "--bus-credentials: the bus does not let this server in: " + broken + " holds no token of a NATS user"},
		{"serve", stranger, "--bus-credentials: joining the bus: the bus does not let this server in: nats: Authorization Violation"},
		{"serve", "", "--bus: joining the bus: the bus does not let this server in: nats: Authorization Violation (there are no --bus-credentials)"},
	} {
		args := append([]string{test.command}, flags...)
		if test.file != "" {
			args = append(args, "--bus-credentials", test.file)
		}
		got := run(t, nil, args...)
		assert.Equal(t, 2, got.code, got.stderr)
		assert.Contains(t, got.stderr, test.says)
		assert.NotContains(t, got.stdout+got.stderr, "hunter2")
		assert.NotContains(t, got.stdout+got.stderr, seed)
	}
	got := run(t, nil, append(append([]string{"check-config"}, flags...), "--bus-credentials", stranger)...)
	assert.Equal(t, 0, got.code, got.stderr)
}
