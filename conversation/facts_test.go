package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

// rowText spells everything a client can read of a row; without place, neither its seq nor when it opened,
// which need not be the same live and from the log (docs/fold.md, "Parity").
func rowText(row projection.Row, place bool) string {
	sp := row.Common()
	m := map[string]any{
		"type": row.Type(), "id": sp.ID(), "path": sp.Path(), "subgraphPath": sp.SubgraphPath(),
		"activation": sp.Activation(), "iteration": sp.Iteration(),
	}
	if place {
		m["seq"], m["at"] = sp.Seq(), sp.At()
	}
	switch r := row.(type) {
	case *projection.UserRow:
		m["content"] = r.Content
	case *projection.AssistantRow:
		m["content"], m["reasoning"], m["complete"] = r.Content, r.Reasoning(), r.Complete
	case *projection.OutputRow:
		m["name"], m["value"], m["status"] = r.Name, json.RawMessage(r.Value.AppendJSON(nil)), r.Status
		m["format"], m["complete"] = r.Format(), r.Complete
	case *projection.ToolCallRow:
		m["call"], m["tool"], m["input"], m["client"] = r.ToolCallID, r.ToolName, r.Input, r.RequiresClientResponse
	case *projection.ToolResultRow:
		m["call"], m["output"] = r.ToolCallID, r.Output
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // these always encode
	}
	return string(b)
}

// facts is what two readers of one conversation must agree on.
type facts struct {
	Status, Run, Chat string
	Rows              []string
}

func factsOf(t testing.TB, c *Conversation, place bool) facts {
	t.Helper()
	s := c.Snapshot()
	f := facts{Status: fmt.Sprint(s.Status())}
	for _, r := range s.Timeline() {
		f.Rows = append(f.Rows, rowText(r, place))
	}
	if !place {
		slices.Sort(f.Rows)
	}
	run := s.Run()
	var nodes []string
	for _, n := range run.Nodes {
		nodes = append(nodes, fmt.Sprint(n.Path(), said(t, n)))
	}
	if !place { // the order of first starts is that of the log, or of the frames
		slices.Sort(nodes)
	}
	f.Run = said(t, run.Status, nodes, run.Edges, run.TotalUsage, run.Subagents)
	chat := []any{s.Conversation(), s.Error(), s.Retryable(), s.Capabilities(), s.CanRetry(), s.ToolStates()}
	for _, b := range s.Bindings() {
		chat = append(chat, b.Name, string(b.Value.AppendJSON(nil)), b.Status)
	}
	for _, in := range s.SubagentBindings() {
		for _, b := range in.Bindings {
			chat = append(chat, in.Path, b.Name, string(b.Value.AppendJSON(nil)), b.Status)
		}
	}
	for _, table := range s.Tables() {
		for _, r := range table.Rows {
			chat = append(chat, table.Name, r.RowID, r.Key, string(r.Value.AppendJSON(nil)), r.Status)
		}
	}
	for _, p := range s.PendingTools() {
		chat = append(chat, p.ToolCallID(), p.ArgumentsJSON())
	}
	f.Chat = said(t, chat...)
	return f
}

func said(t testing.TB, v ...any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
