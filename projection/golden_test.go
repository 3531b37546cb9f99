package projection_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden is what a recording folds to, and what was not taken.
type golden struct {
	Timeline []*model.Row   `json:"timeline"`
	Chat     model.Chat     `json:"chat"`
	Run      model.Run      `json:"run"`
	NotTaken []notTakenLine `json:"notTaken"`
	Lost     int64          `json:"lost"` // frames that offsets jumped over
}

type notTakenLine struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Whole recordings, and what they fold to: testdata/recordings/NAME.ndjson and NAME.json.
func TestRecordings(t *testing.T) {
	names, err := filepath.Glob("testdata/recordings/*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".ndjson"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			s := projection.New("")
			g := golden{NotTaken: []notTakenLine{}}
			for r := wire.NewReader(bytes.NewReader(data), 0); ; {
				line, err := r.Next()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				if line.Rejected != nil {
					s.Apply(projection.Skipped{Offset: line.Rejected.Offset})
					g.NotTaken = append(g.NotTaken, notTakenLine{line.Number, line.Rejected.Error()})
					continue
				}
				c := s.Apply(line.Record)
				g.Lost += c.Lost
				if c.Outcome != projection.Applied {
					g.NotTaken = append(g.NotTaken, notTakenLine{line.Number, short(c)})
				}
			}
			s.CheckInvariants(t)
			snap := s.Snapshot()
			g.Timeline, g.Chat, g.Run = rowsOf(snap.Timeline()), chatOf(snap), runOf(snap.Run())
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			require.NoError(t, enc.Encode(g))
			file := strings.TrimSuffix(name, ".ndjson") + ".json"
			if *update {
				require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String())
		})
	}
}
