package gen_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// requireRoundTrip says that a record is one the decoder could have given.
func requireRoundTrip(t *rapid.T, rec wire.Record) {
	var line []byte
	switch rec := rec.(type) {
	case *wire.Frame:
		line = rec.AppendJSON(nil)
	case *wire.Row:
		line = rec.AppendJSON(nil)
	case *wire.Head:
		line = rec.AppendJSON(nil)
	case *wire.Page:
		for _, row := range rec.Rows {
			requireRoundTrip(t, row)
		}
		return
	}
	again, err := wire.Decode(line)
	require.NoError(t, err, "%s", line)
	require.Equal(t, rec, again, "%s", line)
}

// Promises 1 and 2: what a run says is what the wire can say.
func TestRunsAreOnTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := gen.NewRun(t)
		for _, rec := range append(run.Live(), run.Logged()...) {
			requireRoundTrip(t, rec)
		}
		if o, ok := run.Reopen(t); ok {
			requireRoundTrip(t, o.Head)
		}
	})
}

// Promise 4: chaos keeps to what a decoder lets through.
func TestChaosIsOnTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, rec := range gen.Chaos(t) {
			requireRoundTrip(t, rec)
		}
	})
}

// Promise 3: a raw noise line is never a record, and uses up the offset that it says.
func TestRawNoiseIsNoRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, line := range gen.Noise(t, gen.NewRun(t).Live()) {
			if line.Record != nil {
				continue
			}
			_, err := wire.Decode([]byte(line.Raw))
			var rejection *wire.Rejection
			require.ErrorAs(t, err, &rejection, "%s", line.Raw)
			require.Equal(t, line.Offset, rejection.Offset, "%s", line.Raw)
		}
	})
}
