package projection_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// FuzzApply folds whatever recording the bytes hold: nothing panics, every index stands, and what is read is
// what the model reads.
func FuzzApply(f *testing.F) {
	chaos := rapid.Custom(tidyChaos)
	for seed := range 8 {
		f.Add(recording(chaos.Example(seed)), seed%2 == 0)
	}
	scenarios, err := filepath.Glob("../upstream/demo/scenarios/*.ndjson")
	require.NoError(f, err)
	for _, name := range scenarios {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		lines := bytes.SplitAfter(b, []byte("\n"))
		f.Add(bytes.Join(lines[:min(len(lines), 40)], nil), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, crowded bool) {
		recs := distinctSeqs(recordsOf(t, data, 60))
		s, m := projection.New(""), model.New()
		if crowded {
			s = projection.NewCrowded("")
		}
		for i, rec := range recs {
			s.Apply(rec)
			m.Apply(rec)
			if trims := len(data)%2 == 1; trims && i%7 == 6 {
				s.Apply(projection.Trim{Keep: 5})
				m.Trim(5)
			}
			s.CheckInvariants(t)
		}
		want := m.View()
		require.Empty(t, model.Diff(want, viewOf(s.Snapshot(), want)))
	})
}

func recording(recs []wire.Record) []byte {
	var b bytes.Buffer
	w := wire.NewWriter(&b)
	for _, rec := range recs {
		if _, page := rec.(*wire.Page); page {
			continue
		}
		if err := w.Write(rec); err != nil {
			panic(err) // a buffer takes everything
		}
	}
	return b.Bytes()
}

// recordsOf reads the records of a recording, at most so many.
func recordsOf(t require.TestingT, data []byte, most int) (recs []wire.Record) {
	for r := wire.NewReader(bytes.NewReader(data), 1<<14); len(recs) < most; {
		line, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if line.Record != nil {
			recs = append(recs, line.Record)
		}
	}
	return recs
}
