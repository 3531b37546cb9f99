package model

import (
	"encoding/json"
	"slices"
)

// Facts is what docs/fold.md, "Parity" compares: the run projection, the bindings, and the rows as a set (each
// row says its path, so equal sets are equal sets per path), seq aside.
type Facts struct {
	Run              Run                 `json:"run"`
	Bindings         []*Binding          `json:"bindings"`
	SubagentBindings []*SubagentBindings `json:"subagentBindings"`
	Rows             []string            `json:"rows"` // as JSON, sorted
}

// FactsOf takes the facts out of a view. What the log does not carry is left out: whether a run was open before
// there was any lifecycle row. With times false, when a row opened is left out too: a turn that a reader only
// finds again by its text is not known to have opened at its node's start.
func FactsOf(v *View, times bool) (*Facts, error) {
	f := &Facts{Run: v.Run, Bindings: v.Chat.Bindings, SubagentBindings: v.Chat.SubagentBindings}
	if len(f.Run.Nodes) == 0 && len(f.Run.Edges) == 0 {
		f.Run.Status = ""
	}
	for _, r := range v.Timeline {
		row := *r
		row.Seq = nil
		if !times {
			row.At = nil
		}
		b, err := json.Marshal(&row)
		if err != nil {
			return nil, err
		}
		f.Rows = append(f.Rows, string(b))
	}
	slices.Sort(f.Rows)
	return f, nil
}
