package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/projection"
	"inlaygraph/session"
	source "inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// opened is what somebody sees who opens a film at a moment of a run to a window of so many rows: at once, and when the run
// is over.
func opened(t *testing.T, f *film, m moment, window int) (atOnce, later []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cutting{film: f, reattaches: true, told: m.told, hold: m.told, release: make(chan struct{})}
		client, err := source.New(source.Options{BaseURL: "http://film", Transport: c})
		require.NoError(t, err)
		defer client.Close()
		hub := conversation.NewHub(conversation.Options{Source: client, WindowRows: window})
		defer hub.Close()
		v, err := hub.Open(t.Context(), session.Anonymous(), f.id)
		require.NoError(t, err)
		defer v.Subscribe([]projection.Slice{{Kind: projection.SliceTimeline}}, 0).Close()
		atOnce = spelled(t, v)
		close(c.release)
		time.Sleep(time.Second)
		later = spelled(t, v)
		assert.Empty(t, hub.Stats().Rejected)
	})
	return atOnce, later
}

// spelled is the timeline with everything that can be read of its rows.
func spelled(t *testing.T, v *conversation.Viewer) (rows []string) {
	t.Helper()
	for _, row := range v.Conversation().Timeline() {
		sp := row.Common()
		spine, err := json.Marshal([]any{sp.ID(), sp.Seq(), sp.Path(), sp.Activation(), sp.Iteration(), sp.At()})
		require.NoError(t, err)
		text := ""
		switch r := row.(type) {
		case *projection.UserRow:
			text = r.Content
		case *projection.AssistantRow:
			reasoning, _ := json.Marshal(r.Reasoning())
			text = fmt.Sprint(r.Content, string(reasoning), r.Complete)
		case *projection.OutputRow:
			text = fmt.Sprint(r.Name, string(r.Value.AppendJSON(nil)), r.Status, r.Complete)
		case *projection.ToolCallRow:
			text = fmt.Sprint(r.ToolCallID, r.ToolName, r.Input)
		case *projection.ToolResultRow:
			text = fmt.Sprint(r.ToolCallID, r.Output)
		}
		rows = append(rows, fmt.Sprint(row.Type(), string(spine), text))
	}
	return rows
}

// isEndOf tells whether rows are the last of the whole.
func isEndOf(t *testing.T, whole, rows []string, of string) bool {
	t.Helper()
	end := whole[max(0, len(whole)-len(rows)):]
	return assert.Equal(t, strings.Join(end, "\n"), strings.Join(rows, "\n"), of)
}

// startedOnce is the film in which a node that goes on after a tool opens no placeholder. A window that does not reach back
// to its first start can't know that it is no other visit.
func (f *film) startedOnce() *film {
	once := *f
	once.frames = slices.Clone(f.frames)
	started := map[string]bool{}
	for i, frame := range once.frames {
		if visit := fmt.Sprint(frame.SubgraphPath, frame.NodeID, frame.Activation); frame.Type == wire.NodeStart {
			if started[visit] {
				again := *frame
				again.Kind, once.frames[i] = "again", &again
			}
			started[visit] = true
		}
	}
	return &once
}

// Whoever opens a run of the demo, at one of many moments and to however small a window, sees the end of what a window of
// everything has, at once and when the run is over. (docs/service.md, "Following a run")
func TestAnyWindowIsTheEndOfTheWhole(t *testing.T) {
	t.Parallel()
	some := 16
	if raced || testing.Short() {
		some = 5
	}
	for _, f := range films(t) {
		if strings.HasPrefix(f.name, "recordings ") { // the fold's: odd ones, whose log is rewritten by what comes late
			continue
		}
		f = f.startedOnce()
		for i := 0; i < len(f.moments); i += 1 + len(f.moments)/some {
			m := f.moments[i]
			if m.head.Status != wire.Running {
				continue
			}
			whole, wholeLater := opened(t, f, m, 10_000)
			for _, window := range []int{1, 2, 3, 5, 500} {
				rows, later := opened(t, f, m, window)
				of := fmt.Sprintf("%s after frame %d, window %d", f.name, m.told, window)
				if !isEndOf(t, whole, rows, of) || !isEndOf(t, wholeLater, later, of+", later") {
					return
				}
			}
		}
	}
}
