package langgraph

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

var updateGoldens = flag.Bool("update", false, "write the goldens anew")

// Streams in the manner of a server, with the frames they give: testdata/streams/*.sse. What a run begins and ends
// with stands in the comments at a stream's head:
//
//	: plan a -> b | tool approve client
//	: human h1 Hello there
//	: outcome interrupted
func TestGoldenStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.sse")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sse"), func(t *testing.T) {
			stream, err := os.ReadFile(file)
			require.NoError(t, err)
			info := RunInfo{ThreadID: "thread-1", RunID: "run-1", AgentID: "assistant-1", AgentVersion: 2, At: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
			o := Outcome{Status: Succeeded}
			for line := range strings.Lines(string(stream)) {
				word, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), ": "), " ")
				switch {
				case !strings.HasPrefix(line, ":"):
				case word == "plan":
					info.Plan = planOf(t, strings.Split(rest, " | ")...)
				case word == "human":
					id, text, _ := strings.Cut(rest, " ")
					info.Human = append(info.Human, HumanMessage{id, text})
				case word == "outcome":
					o.Status = map[string]OutcomeStatus{"success": Succeeded, "interrupted": Interrupted, "error": Failed, "cancelled": Cancelled}[rest]
				}
			}
			frames, r := translate(info, eventsOf(stream), o)
			require.Empty(t, r.Unknown())
			folded(t, frames)
			compare(t, strings.TrimSuffix(file, ".sse")+".frames.ndjson", framesText(frames))
		})
	}
}

func framesText(frames []*wire.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.Write(f.AppendJSON(nil))
		b.WriteByte('\n')
	}
	return b.String()
}

// Plans of graphs as a server draws them: testdata/plans/*.graph.json.
func TestGoldenPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/plans/*.graph.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			graph, err := os.ReadFile(file)
			require.NoError(t, err)
			p, _ := planned(t, string(graph))
			compare(t, strings.TrimSuffix(file, ".graph.json")+".plan.json", string(p.AppendJSON(nil))+"\n")
		})
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *updateGoldens {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
