package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// Whoever comes at whatever moment of a run, to however small a window, and loads what lies before it, has every row of
// the log once, with its whole text: at that moment, and when the run is over. (docs/wire.md, "Heads")
func TestAWindowOpenedAnywhere(t *testing.T) {
	t.Parallel()
	for _, f := range films(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for i := 0; i < len(f.moments); i += 1 + len(f.moments)/8 {
				m := f.moments[i]
				if m.head.Status != wire.Running || !f.whole(m) {
					continue
				}
				went := t.Run(fmt.Sprintf("after frame %d", m.told), func(t *testing.T) {
					c := &cutting{film: f, reattaches: true, told: m.told, hold: m.told, release: make(chan struct{})}
					s := c.showWith(t, 5)
					rows := dial(t, s).subscribe(t, rowChanges().operation(c.id))
					rows.message(t, 1)
					loadAll(t, s, c.id)
					hasRows(t, s, c.id, m.rows)
					close(c.release)
					status := dial(t, s).subscribe(t, chat(standing).operation(c.id))
					eventually(t, patience, func() string {
						if err := c.left(); err != nil {
							return err.Error()
						}
						if last := chat("").latest(t, status); last != f.rests() {
							return "its chat is " + last
						}
						return ""
					})
					hasRows(t, s, c.id, f.at(len(f.frames)).rows)
					everyRowOnce(t, allChanges(t, rows, timeline("").read(t, s, c.id)))
				})
				if !went {
					return
				}
			}
		})
	}
}

// whole tells whether the log of a moment has every turn as it has it in the end: a turn in the log is whole
// (docs/wire.md, "Persisted rows"), but the demo plays recordings too in which more comes of it.
func (f *film) whole(m moment) bool {
	last := map[string]string{}
	for _, row := range f.moments[len(f.moments)-1].rows {
		last[row.ID] = row.Content
	}
	for _, row := range m.rows {
		if row.Type == wire.RowAssistant && row.Content != last[row.ID] {
			return false
		}
	}
	return true
}

// loadAll loads everything that lies before the window.
func loadAll(t *testing.T, s *server, id string) {
	t.Helper()
	for {
		data := s.query(t, fmt.Sprintf(`mutation { loadEarlier(conversationId: %q, limit: 7) { conversation { chat { hasEarlier } } } }`, id))
		if string(at(t, data, "loadEarlier", "conversation", "chat", "hasEarlier")) == "false" {
			return
		}
	}
}

// hasRows looks for the rows of a log in the timeline.
func hasRows(t *testing.T, s *server, id string, log []*wire.Row) {
	t.Helper()
	var got []struct {
		ID      string
		Content string
	}
	data := s.query(t, fmt.Sprintf(`{ conversation(id: %q) { timeline { id ... on UserRow { content } ... on AssistantRow { content } } } }`, id))
	require.NoError(t, json.Unmarshal(at(t, data, "conversation", "timeline"), &got))
	there := map[string][]string{}
	for _, row := range got {
		there[row.ID] = append(there[row.ID], row.Content)
	}
	for _, row := range log {
		switch row.Type {
		case wire.RowUser, wire.RowAssistant, wire.RowOutput, wire.RowToolCall, wire.RowToolResult:
			assert.Equal(t, []string{row.Content}, there[row.ID], "%s, %s", row.Type, row.ID)
		case wire.RowNodeStart, wire.RowNodeEnd, wire.RowEdge:
		}
	}
}
