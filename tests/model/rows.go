package model

import (
	"cmp"
	"slices"
)

// View is everything that can be read of the conversation, computed now.
func (m *Model) View() *View {
	s := m.now
	v := &View{Timeline: s.rows(func(*entry) bool { return true }), Chat: s.chat(), Run: s.runSnapshot()}
	v.Transcript = s.rows(func(e *entry) bool {
		return len(e.SubgraphPath) == 0 && (e.kind == userRow || e.kind == assistantRow)
	})
	v.RowsAt = s.slices(v.Run.Nodes)
	v.ToolCalls = s.toolCalls()
	v.OutputsNamed = s.outputsNamed()
	v.Assistants = s.assistants()
	return v
}

// rows are the durable rows that pass, in timeline order.
func (s *state) rows(pass func(*entry) bool) []*Row {
	rows := []*Row{}
	for _, e := range s.entries {
		if e.durable() && pass(e) {
			rows = append(rows, rowView(e))
		}
	}
	return rows
}

var kindWords = map[kind]string{userRow: "user", assistantRow: "assistant", outputRow: "output", callRow: "tool-call", resultRow: "tool-result"}

func spineView(e *entry) Spine {
	v := Spine{
		Type: kindWords[e.kind], ID: absent(e.id), Seq: absent(e.seq), NodeID: absent(e.NodeID),
		Path: pathOf(e.Spine), Activation: absent(e.Activation), Iteration: absent(e.Iteration), At: when(e.at),
	}
	if len(e.SubgraphPath) > 0 {
		v.SubgraphPath = list(e.SubgraphPath)
	}
	return v
}

func rowView(e *entry) *Row {
	content := e.content
	return &Row{
		Spine: spineView(e), Content: &content, Reasoning: absent(e.reasoning), Complete: e.complete,
		Name: e.name, Value: raw(e.value), Status: bindingWords[e.status], Format: formatWord(e.format),
		ToolCallID: e.callID, ToolName: e.toolName, Input: e.input, RequiresClientResponse: e.client, Output: e.output,
	}
}

// slices is rowsAt for [] and every path at which, or below which, there is a row or a run.
func (s *state) slices(nodes []*NodeRun) []Slice {
	paths := [][]string{{}}
	note := func(path []string) {
		for n := 1; n <= len(path); n++ {
			paths = append(paths, list(path[:n]))
		}
	}
	for _, e := range s.entries {
		if e.durable() {
			note(pathOf(e.Spine))
		}
	}
	for _, n := range nodes {
		note(n.Path)
	}
	slices.SortFunc(paths, slices.Compare[[]string])
	paths = slices.CompactFunc(paths, slices.Equal[[]string])
	var out []Slice
	for _, p := range paths {
		exact := s.rows(func(e *entry) bool { return e.NodeID != "" && slices.Equal(pathOf(e.Spine), p) })
		below := s.rows(func(e *entry) bool {
			path := pathOf(e.Spine)
			return e.NodeID != "" && len(path) >= len(p) && slices.Equal(path[:len(p)], p)
		})
		out = append(out, Slice{Path: p, Rows: exact}, Slice{Path: p, Subtree: true, Rows: below})
	}
	return out
}

func (s *state) toolCalls() []ToolCallPair {
	pairs := []ToolCallPair{}
	for _, e := range s.entries {
		if e.kind != callRow && e.kind != resultRow {
			continue
		}
		i := slices.IndexFunc(pairs, func(p ToolCallPair) bool { return p.ToolCallID == e.callID })
		if i < 0 {
			i = len(pairs)
			pairs = append(pairs, ToolCallPair{ToolCallID: e.callID})
		}
		if e.kind == callRow {
			pairs[i].Call = rowView(e)
		} else {
			pairs[i].Result = rowView(e)
		}
	}
	return pairs
}

func (s *state) outputsNamed() []NamedOutputs {
	named := []NamedOutputs{}
	for _, e := range s.entries {
		if !published(e) {
			continue
		}
		if !slices.ContainsFunc(named, func(n NamedOutputs) bool { return n.Name == e.name }) {
			named = append(named, NamedOutputs{Name: e.name, Rows: s.rows(func(o *entry) bool { return published(o) && o.name == e.name })})
		}
	}
	slices.SortFunc(named, func(a, b NamedOutputs) int { return cmp.Compare(a.Name, b.Name) })
	return named
}

func (s *state) assistants() []Assistants {
	all := []Assistants{}
	for _, e := range s.entries {
		if e.kind != assistantRow || e.NodeID == "" || e.Activation == "" {
			continue
		}
		path := pathOf(e.Spine)
		known := func(a Assistants) bool { return a.Activation == e.Activation && slices.Equal(a.Path, path) }
		if !slices.ContainsFunc(all, known) {
			in := func(o *entry) bool { return o.kind == assistantRow && sameVisit(o.Spine, e.Spine) }
			all = append(all, Assistants{Path: path, Activation: e.Activation, Rows: s.rows(in)})
		}
	}
	slices.SortFunc(all, func(a, b Assistants) int {
		return cmp.Or(slices.Compare(a.Path, b.Path), cmp.Compare(a.Activation, b.Activation))
	})
	return all
}
