package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// look reads the folders that the server is built from. go test answers with an earlier result while what a test has
// looked at is the same, and would not know of these.
func look() error {
	return filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "tests" || strings.HasPrefix(filepath.Base(path), ".git")) {
			return fs.SkipDir
		}
		return err
	})
}

// The bounds of the small attacks, and what the server may hold by them: each of the bounds twice, for buffers that double
// and what the collector has not given back, and a fixed amount for everything else.
const (
	windowBytes = 4 << 20
	stateBytes  = 4 << 20
	otherBytes  = 16 << 20
	allowed     = 2*(2*windowBytes+stateBytes) + otherBytes
)

// Promises 1 and 2: however much a conversation is told, what is held of it has a bound, of a fraction of what it was told.
func TestStreams(t *testing.T) {
	require.NoError(t, look())
	p, err := build(t.Context())
	require.NoError(t, err)
	defer p.remove()
	flags := []string{
		"--max-window-bytes", fmt.Sprint(windowBytes), "--max-state-bytes", fmt.Sprint(stateBytes),
		"--max-row-bytes", fmt.Sprint(1 << 20), "--row-cache-bytes", fmt.Sprint(1 << 20),
	}
	for _, c := range []struct {
		name   string
		visits int // that the run says afterwards; below 0: any
		attack func(context.Context) (*figures, error)
	}{
		{"50 MB into one row", 0, func(ctx context.Context) (*figures, error) { return oneRow(ctx, p, 50e6, flags...) }},
		{"50 MB in rows of a megabyte", 0, func(ctx context.Context) (*figures, error) { return longRows(ctx, p, 50e6, flags...) }},
		{"100,000 rows", 100_000, func(ctx context.Context) (*figures, error) { return manyRows(ctx, p, 100_000, flags...) }},
		{"20,000 of everything", -1, func(ctx context.Context) (*figures, error) { return everything(ctx, p, 20_000, flags...) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := c.attack(t.Context())
			require.NoError(t, err)
			t.Logf("%+v", f)
			assert.LessOrEqual(t, f.heap-f.before, int64(allowed))
			assert.True(t, f.visits == c.visits || c.visits < 0, "%d visits", f.visits)
		})
	}
}

// Promises 1 and 2: one user's conversations leave memory before a limit is reached, or before the user has too many; and
// others go on.
func TestConversations(t *testing.T) {
	require.NoError(t, look())
	p, err := build(t.Context())
	require.NoError(t, err)
	defer p.remove()
	const rows, limit = 200, 80 << 20
	f, err := manyConversations(t.Context(), p, crowd{conversations: 2000, rows: rows, limit: limit})
	require.NoError(t, err)
	t.Logf("%+v", f)
	assert.LessOrEqual(t, f.heap, int64(limit))

	const mine = 50
	f, err = manyConversations(t.Context(), p, crowd{conversations: 1000, rows: rows}, "--max-conversations-per-user", fmt.Sprint(mine), "--row-cache-bytes", "0")
	require.NoError(t, err)
	t.Logf("%+v", f)
	assert.LessOrEqual(t, f.heap-f.before, int64(2*mine*rows*1024+otherBytes), "two thousand bytes a row of fifty conversations")
}

// Promise 3, and what the program prints.
func TestProgram(t *testing.T) {
	require.NoError(t, look())
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, strings.Fields("-stream-bytes 3000000 -rows 100 -each 100 -conversations 20")))
	assert.Equal(t, 2+6, strings.Count(out.String(), "\n"), "%s", &out)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range left {
		assert.False(t, strings.HasPrefix(entry.Name(), "attack"), entry.Name())
	}
	assert.Error(t, run(t.Context(), &out, []string{"-rows", "x"}))
}
