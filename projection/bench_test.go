package projection_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

var benchStart = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// conversation folds a run of so many rows in ten nodes, four rows a visit, each with 200 bytes of text. The
// frames are decoded one by one, as a reader does.
func conversation(t require.TestingT, rows int) *projection.State {
	s := projection.New("")
	goOn(t, s, 0, rows)
	return s
}

// goOn folds the rows from one to before another.
func goOn(t require.TestingT, s *projection.State, from, to int) {
	apply := func(kind wire.FrameType, b wire.Body) {
		f, err := wire.DecodeFrame((&wire.Frame{Type: kind, Body: b}).AppendJSON(nil))
		require.NoError(t, err)
		s.Apply(f)
	}
	apply(wire.RunStart, wire.Body{RunID: "r", ConversationID: "c", AgentID: "a", AgentVersion: 1, At: benchStart})
	text := strings.Repeat("word ", 40)
	for i := from; i < to; i++ {
		visit := wire.Spine{NodeID: fmt.Sprintf("node-%d", i/4%10), SubgraphPath: []string{"team"}, Activation: fmt.Sprintf("visit-%032d", i/4)}
		b := wire.Body{Spine: visit, At: benchStart.Add(time.Duration(i) * time.Second), ID: fmt.Sprintf("row-%032d", i), Seq: int64(i + 1)}
		switch i % 4 {
		case 0:
			apply(wire.NodeStart, wire.Body{Spine: visit, At: b.At, Kind: "llm", MessageID: b.ID})
			for range 10 {
				apply(wire.MessageDelta, wire.Body{Spine: visit, ID: b.ID, Content: text[:20], HasContent: true})
			}
			apply(wire.MessageEnd, b)
		case 1:
			b.ToolCallID, b.ToolName, b.Input = fmt.Sprintf("call-%032d", i), "search", text
			apply(wire.ToolCall, b)
		case 2:
			b.ToolCallID, b.Output = fmt.Sprintf("call-%032d", i-1), text
			apply(wire.ToolResult, b)
		case 3:
			b.Content, b.HasContent = text, true
			apply(wire.MessageEnd, b)
			apply(wire.NodeEnd, wire.Body{Spine: visit, At: b.At, Status: wire.Completed, Usage: &wire.Usage{PromptTokens: 100, CompletionTokens: 50}})
		}
	}
}

// BenchmarkApplyDelta: promise 11. A text delta costs the same whatever stands before it, rows or text.
func BenchmarkApplyDelta(b *testing.B) {
	for _, snapshots := range []bool{false, true} {
		for _, rows := range []int{10, 1_000, 10_000} {
			for _, text := range []int{1 << 10, 1 << 20} {
				name := fmt.Sprintf("rows=%d/text=%dKB", rows, text>>10)
				if snapshots {
					name = "snapshot/" + name
				}
				b.Run(name, func(b *testing.B) { benchmarkDelta(b, rows, text, snapshots) })
			}
		}
	}
}

func benchmarkDelta(b *testing.B, rows, text int, snapshots bool) {
	s := conversation(b, rows)
	f := &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{
		Spine: wire.Spine{NodeID: "node-1", SubgraphPath: []string{"team"}, Activation: "open"}, ID: "open", HasContent: true,
	}}
	f.Content = strings.Repeat("word ", text/5)
	s.Apply(f)
	f.Content = "next words "
	b.ReportAllocs()
	for b.Loop() {
		s.Apply(f)
		if snapshots {
			s.Snapshot()
		}
	}
}

// BenchmarkFold reports how many frames are folded in a second, decoded before.
func BenchmarkFold(b *testing.B) {
	b.Run("generated", func(b *testing.B) { benchmarkFold(b, generatedRun()) })
	files, err := filepath.Glob("../upstream/demo/scenarios/*.ndjson")
	require.NoError(b, err)
	for _, name := range files {
		b.Run("demo/"+strings.TrimSuffix(filepath.Base(name), ".ndjson"), func(b *testing.B) { benchmarkFold(b, readRecording(b, name)) })
	}
}

// generatedRun is the longest of some generated runs.
func generatedRun() (recs []wire.Record) {
	runs := rapid.Custom(func(t *rapid.T) []wire.Record { return gen.NewRun(t).Live() })
	for seed := range 50 {
		if r := runs.Example(seed); len(r) > len(recs) {
			recs = r
		}
	}
	return recs
}

func readRecording(t require.TestingT, name string) (recs []wire.Record) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	for r := wire.NewReader(f, 0); ; {
		line, err := r.Next()
		if err == io.EOF {
			return recs
		}
		require.NoError(t, err)
		require.Nil(t, line.Rejected, "line %d", line.Number)
		recs = append(recs, line.Record)
	}
}

func benchmarkFold(b *testing.B, recs []wire.Record) {
	b.ReportAllocs()
	frames := 0
	for b.Loop() {
		s := projection.New("")
		for _, rec := range recs {
			s.Apply(rec)
		}
		frames += len(recs)
	}
	b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkHeld reports what a conversation holds in memory: the whole, and a row beyond its text.
func BenchmarkHeld(b *testing.B) {
	for _, rows := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			var held float64
			for b.Loop() {
				before := heap()
				s := conversation(b, rows)
				snap := s.Snapshot()
				held = float64(heap() - before)
				runtime.KeepAlive(s)
				runtime.KeepAlive(snap)
			}
			b.ReportMetric(held, "B/conversation")
			b.ReportMetric(held/float64(rows)-200, "B/row-beyond-text")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkTrim reports what a trim costs for each row that it drops, a snapshot being held, and what is left of a row:
// its part of a visit's start and end.
func BenchmarkTrim(b *testing.B) {
	const window, slack = 20_000, 1_000
	for _, dropped := range []int{slack, 10 * slack} {
		b.Run(fmt.Sprintf("dropped=%d", dropped), func(b *testing.B) {
			s, rows, took := conversation(b, window), window, time.Duration(0)
			before := heap()
			for b.Loop() {
				goOn(b, s, rows, rows+dropped)
				rows += dropped
				snap := s.Snapshot()
				began := time.Now()
				s.Apply(projection.Trim{Keep: window})
				took += time.Since(began)
				runtime.KeepAlive(snap)
			}
			gone := float64(rows - window)
			b.ReportMetric(float64(took.Nanoseconds())/gone, "ns/row")
			b.ReportMetric((float64(heap())-float64(before))/gone, "B-left/row")
			b.ReportMetric(0, "ns/op")
			runtime.KeepAlive(s)
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Promise 11: a delta allocates the same whatever stands before it.
func TestDeltaAllocatesTheSameWhateverStandsBefore(t *testing.T) {
	allocations := func(rows, text int) float64 {
		s := conversation(t, rows)
		f := &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{
			Spine: wire.Spine{NodeID: "node-1", SubgraphPath: []string{"team"}, Activation: "open"}, ID: "open", HasContent: true,
		}}
		f.Content = strings.Repeat("x", text)
		s.Apply(f)
		f.Content = "next words "
		return testing.AllocsPerRun(500, func() { s.Apply(f) })
	}
	few := allocations(10, 1<<10)
	require.LessOrEqual(t, few, 4.0)
	require.InDelta(t, few, allocations(3_000, 1<<10), 1)
	require.InDelta(t, few, allocations(10, 1<<20), 1)
}
