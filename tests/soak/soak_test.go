package main

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Promises 1 to 7, in short: a hundred subscribers for ten seconds.
func TestAShortSoak(t *testing.T) {
	var out bytes.Buffer
	err := settings{lasts: 10 * time.Second, subscribers: 100, speed: 4, seed: uint64(time.Now().UnixNano()), raced: raced, out: &out}.run(t.Context())
	require.NoError(t, err, out.String())
	assert.Contains(t, out.String(), "leaks 0")
	_, err = out.WriteTo(os.Stdout)
	require.NoError(t, err)
}
