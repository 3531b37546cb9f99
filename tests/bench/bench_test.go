package main

import (
	"bytes"
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

// TestMain also serves as the bare broadcast, which is the program itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == bareArm {
		if err := run(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// TestEverythingWorks runs all rows with a few viewers, without what needs Node or a module of its own. Nothing is judged
// by time, but every message is checked (promise 4).
func TestEverythingWorks(t *testing.T) {
	var out bytes.Buffer
	b := &bench{scale: scales[2], ctx: t.Context(), out: &out, arms: []string{ours, bareArm}}
	require.Equal(t, smoke, b.name)
	require.NoError(t, look())
	require.NoError(t, b.all(nil), "%s", &out)
	for _, row := range rows {
		assert.Contains(t, out.String(), "## "+row.name)
	}
	for _, v := range b.verdicts { // what does not depend on how fast the machine is
		if v.goal == "at most 1.05× envelope and text" {
			assert.True(t, v.met, v.measured)
		}
	}
	_, err := os.Stat(b.dir)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

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

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"slow"}, {"smoke", "nothing"}, {"--arms"}} {
		assert.ErrorContains(t, run(t.Context(), args), "usage: bench", args)
	}
}
