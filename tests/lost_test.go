package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lastCuts cuts a stream in the middle of every frame that ends a run.
func (f *film) lastCuts() (all []cut) {
	for _, frame := range f.frames {
		if endsARun(frame) {
			all = append(all, cut{int(frame.Offset), len(eventText(frame)) / 2})
		}
	}
	return all
}

// rest is a film of which everything was told.
func (f *film) rest() *cutting { return &cutting{film: f, reattaches: true, told: len(f.frames)} }

// What a run said while it could not be read comes from the log: where it ended just then, and where upstream has no
// streams to resume. Nothing is lost of what reached the log, nothing comes twice, and whoever followed has in the end
// what somebody reads who comes then. (docs/wire.md, "Reattaching")
func TestWhatTheStreamDidNotSay(t *testing.T) {
	t.Parallel()
	for _, f := range films(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			fresh := f.rest().watch(t, f.speaker())
			cases := map[string]*cutting{"the run ended meanwhile": {film: f, reattaches: true, lossy: true, cuts: f.lastCuts()}}
			for _, part := range []int{0, 1, 3, 8, 9} {
				offset := max(f.moments[0].told+1, len(f.frames)*part/10)
				cuts := []cut{{offset, 0}}
				if part%2 == 1 && !endsARun(f.frames[offset-1]) {
					cuts = []cut{{offset, 12}}
				}
				cases[fmt.Sprintf("no stream from frame %d on", offset)] = &cutting{film: f, lossy: true, cuts: cuts}
			}
			for name, c := range cases {
				went := t.Run(name, func(t *testing.T) {
					got := c.watch(t, f.speaker())
					assert.NotZero(t, c.broken)
					sameText(t, fresh.everything, got.everything)
					everyRowOnce(t, got.changes)
					assert.LessOrEqual(t, resets(t, got.changes), 2+len(f.lastCuts()), "a reset where it can't be told otherwise")
				})
				if !went {
					return
				}
			}
		})
	}
}

// everyRowOnce replays what a follower received: no row comes twice, at any time.
func everyRowOnce(t *testing.T, changes []string) {
	t.Helper()
	values, err := Replay("", changes)
	require.NoError(t, err)
	for i, value := range values {
		var rows []struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(value), &rows))
		seen := map[string]bool{}
		for _, row := range rows {
			require.False(t, seen[row.ID], "message %d has %q twice", i+1, row.ID)
			seen[row.ID] = row.ID != ""
		}
	}
}

// resets counts those among the messages of rowChanges.
func resets(t *testing.T, changes []string) (n int) {
	t.Helper()
	for _, change := range changes {
		ops, err := operations(change)
		require.NoError(t, err)
		for _, op := range ops {
			if op.Kind == "RowsReset" {
				n++
			}
		}
	}
	return n
}
