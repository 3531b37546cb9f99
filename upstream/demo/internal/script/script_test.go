package script

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

func written(t *testing.T, s *Script) []byte {
	t.Helper()
	var b bytes.Buffer
	w := wire.NewWriter(&b)
	for _, r := range s.Records() {
		require.NoError(t, w.Write(r))
	}
	return b.Bytes()
}

// Promise 1: what is kept is what the source writes. Run `go generate ./upstream/demo` when this fails.
func TestScenariosAreGenerated(t *testing.T) {
	for _, folder := range []string{"scenarios", "plans"} {
		kept, err := filepath.Glob("../../" + folder + "/*")
		require.NoError(t, err)
		assert.Len(t, kept, len(All()), folder)
	}
	for _, s := range All() {
		plan, err := s.PlanText()
		require.NoError(t, err)
		file, err := os.ReadFile(filepath.Join("../../plans", s.PlanFile()))
		require.NoError(t, err)
		assert.Equal(t, string(file), string(plan), "%s is not as generated", s.PlanFile())
	}
	for _, s := range All() {
		file, err := os.ReadFile(filepath.Join("../../scenarios", s.File()))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(file, written(t, s)), "%s is not as generated", s.File())
	}
}

// Promise 2.
func TestScenariosAreSound(t *testing.T) {
	for _, s := range All() {
		t.Run(s.ID, func(t *testing.T) {
			lines := wire.NewReader(bytes.NewReader(written(t, s)), 0)
			var frames []*wire.Frame
			for {
				line, err := lines.Next()
				if err != nil {
					break
				}
				require.Nil(t, line.Rejected, "line %d", line.Number)
				if line.Number == 1 {
					head := line.Record.(*wire.Head)
					assert.Equal(t, s.ID, head.ConversationID)
					assert.NotEmpty(t, head.Title)
					continue
				}
				frames = append(frames, line.Record.(*wire.Frame))
			}
			for i, f := range frames {
				assert.EqualValues(t, i+1, f.Offset)
				if i > 0 {
					assert.False(t, f.At.Before(frames[i-1].At))
				}
				if f.ConversationID != "" {
					assert.Positive(t, f.AgentVersion, "a draft has no plan")
				}
			}
			last := frames[len(frames)-1]
			assert.Equal(t, wire.RunPause, last.Type)
			assert.Equal(t, wire.Paused, last.Status)
			length := last.At.Sub(frames[0].At)
			assert.True(t, 15*time.Second <= length && length <= 60*time.Second, "%v long", length)
			visits(t, frames)
		})
	}
}

// visits checks that what is entered is left, and that calls have results.
func visits(t *testing.T, frames []*wire.Frame) {
	t.Helper()
	entered, left, calls := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range frames {
		switch f.Type {
		case wire.NodeStart:
			entered[f.Activation] = 1
			assert.Zero(t, left[f.Activation], "%s is entered after it was left", f.Activation)
		case wire.NodeEnd:
			left[f.Activation]++
		case wire.ToolCall:
			calls[f.ToolCallID]++
		case wire.ToolResult:
			calls[f.ToolCallID]--
		}
		if f.NodeID != "" {
			assert.NotEmpty(t, entered[f.Activation], "offset %d is outside its visit", f.Offset)
			assert.True(t, left[f.Activation] == 0 || f.Type == wire.NodeEnd, "offset %d is after its visit", f.Offset)
		}
	}
	assert.Equal(t, entered, left)
	for id, open := range calls {
		assert.Zero(t, open, "%s", id)
	}
}

// Promise 3: together the scenarios show what the wire has.
func TestScenariosShowEverything(t *testing.T) {
	types, statuses := map[wire.FrameType]bool{}, map[string]bool{}
	errors, formats, kinds := map[wire.ErrorKind]bool{}, map[wire.ArtifactFormat]bool{}, map[string]bool{}
	shown := map[string]bool{}
	note := func(what string, yes bool) { shown[what] = shown[what] || yes }
	text := strings.Builder{}
	for _, s := range All() {
		for _, r := range s.Records() {
			f, ok := r.(*wire.Frame)
			if !ok {
				continue
			}
			types[f.Type] = true
			if f.Status != 0 {
				statuses[f.Type.String()+" "+f.Status.String()] = true
			}
			if f.Error != nil {
				errors[f.Error.Kind] = true
			}
			formats[f.Format] = true
			kinds[f.Kind] = true
			text.WriteString(f.Content)
			note("reasoning", f.Type == wire.MessageDelta && f.HasReasoning)
			note("a whole turn", f.Type == wire.MessageEnd && f.HasContent && f.HasReasoning)
			note("an abstaining sample", f.Type == wire.MessageEnd && f.HasContent && f.Content == "")
			note("iterations", f.Iteration > 1)
			note("four levels", len(f.SubgraphPath) == 3)
			note("usage with reasoning", f.Usage != nil && f.Usage.ReasoningTokens > 0)
			note("a port", f.HasFromPort)
			note("no port", f.Type == wire.EdgeFired && !f.HasFromPort)
			note("a client tool", f.RequiresClientResponse)
			note("a redacted tool", f.Type == wire.ToolCall && f.Input == "{}")
			note("retryable", f.Retryable)
			note("links", f.Links != "")
			note("a row without key", f.Type == wire.TableRow && !f.HasKey)
			note("promoted", f.HasPromoted && f.Promoted)
			note("not promoted", f.HasPromoted && !f.Promoted)
			note("a building set", f.Type == wire.OutputSet && f.ValueStatus == wire.Building)
			note("a final set that is not complete", f.Type == wire.OutputSet && f.ValueStatus == wire.Final && !f.Complete)
		}
	}
	assert.Len(t, types, len(wire.FrameTypes()))
	for _, want := range []string{
		"node.end completed", "node.end failed", "node.end cancelled",
		"run.pause paused", "run.pause awaiting_client_tool", "run.end failed",
	} {
		assert.True(t, statuses[want], want)
	}
	assert.Len(t, errors, 4)
	assert.Len(t, formats, 6, "five, and none")
	for _, kind := range []string{"llm", "grounded_answer", "router", "tool", "subgraph", "ensemble", "for_each_llm", "join"} {
		assert.True(t, kinds[kind], kind)
	}
	for what, yes := range shown {
		assert.True(t, yes, what)
	}
	assert.Contains(t, text.String(), "👩‍🍳", "an emoji of several characters")
	assert.True(t, strings.ContainsFunc(text.String(), unicode.IsMark), "a combining character")
	assert.True(t, utf8.ValidString(text.String()))
}

// Promise 4.
func TestPlansAreSound(t *testing.T) {
	for _, s := range All() {
		text, err := s.PlanText()
		require.NoError(t, err)
		plan, err := wire.DecodePlan(text)
		require.NoError(t, err, s.ID)
		assert.Equal(t, s.Agent, plan.AgentID)
		assert.Equal(t, s.Version, plan.AgentVersion)
		assert.Equal(t, s.Plan.AppendJSON(nil), plan.AppendJSON(nil))
	}
}

func TestPieces(t *testing.T) {
	for text, want := range map[string][]string{
		"":                  nil,
		"a":                 {"a"},
		"one two":           {"one", " two"},
		"  led, and\n\nled": {"  led,", " and", "\n\nled"},
		"extraordinary 👵🏽":  {"extraor", "dinary", " 👵🏽"},
		"tail ":             {"tail", " "},
	} {
		assert.Equal(t, want, pieces(text), "%q", text)
		assert.Equal(t, text, strings.Join(pieces(text), ""))
	}
}
