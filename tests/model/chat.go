package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"inlaygraph/wire"
)

// maxArgs is the cap on parsed tool arguments, in bytes.
const maxArgs = 64 << 10

func (s *state) chat() Chat {
	c := Chat{
		Status:           s.chatStatus(),
		Conversation:     s.ref,
		PendingTools:     s.pendingTools(),
		ToolStates:       []any{}, // kept by the server that delivers, never folded
		Bindings:         s.bindings(),
		SubagentBindings: s.subagentBindings(),
		Tables:           s.tableViews(),
		Error:            publicError(s.chatError()),
		Retryable:        s.retryable,
		HasEarlier:       s.hasEarlier(),
	}
	streaming, awaiting, paused := s.word == wire.Running, s.word == wire.AwaitingClientTool, s.word == wire.Paused
	c.Capabilities = Capabilities{CanSend: !streaming && !awaiting, CanCancel: streaming || awaiting || paused}
	c.CanRetry = s.word == wire.Failed && s.retryable
	return c
}

func (s *state) chatStatus() string {
	switch s.word {
	case 0:
		return "IDLE"
	case wire.Running:
		return "STREAMING"
	}
	return statusWords[s.word]
}

func (s *state) hasEarlier() bool { return (s.earlier || s.trimmed) && !s.firstSeen }

// chatError is only there while FAILED: the run's own error, else that of the last failed node since the
// latest run.start or user row.
func (s *state) chatError() *wire.PublicError {
	if s.word != wire.Failed {
		return nil
	}
	if s.runError != nil {
		return s.runError
	}
	var err *wire.PublicError
	for _, e := range s.entries {
		switch {
		case e.kind == userRow || e.kind == turnMark || e.kind == wordMark && e.opener:
			err = nil
		case e.kind == endMark && e.end == wire.Failed:
			err = e.err
		}
	}
	return err
}

func (s *state) pendingTools() []*PendingTool {
	pending := []*PendingTool{}
	for _, e := range s.entries {
		if e.kind != callRow || !e.client || s.tool(resultRow, e.callID) != nil {
			continue
		}
		spine := spineView(e)
		pending = append(pending, &PendingTool{
			ToolCallID: e.callID, ToolName: e.toolName, Args: args(e.input), ArgumentsJSON: e.input,
			NodeID: spine.NodeID, SubgraphPath: spine.SubgraphPath, Path: spine.Path, Activation: spine.Activation,
		})
	}
	return pending
}

// args is the parsed input: its own text without spaces, so that numbers pass through unchanged.
func args(input string) json.RawMessage {
	if len(input) > maxArgs || !json.Valid([]byte(input)) {
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(input)); err != nil {
		return nil
	}
	return b.Bytes()
}

// published says whether an output belongs to the bindings: top-level, or promoted.
func published(e *entry) bool { return e.kind == outputRow && own(e) }

func own(e *entry) bool { return len(e.SubgraphPath) == 0 || e.promoted }

// binds says whether an entry binds its name.
func binds(e *entry) bool { return e.kind == outputRow || e.kind == boundMark }

func binding(name string, value wire.JSON, status wire.BindingStatus, format wire.ArtifactFormat) *Binding {
	return &Binding{Name: name, Value: raw(value), Status: bindingWords[status], Format: formatWord(format)}
}

func (s *state) bindings() []*Binding {
	byName := map[string]*Binding{}
	if s.workingSet != nil {
		for _, b := range s.workingSet.Bindings {
			byName[b.Name] = binding(b.Name, b.Value, b.Status, b.Format)
		}
	}
	for _, e := range s.entries { // a later row overwrites: the last of the timeline stays
		if binds(e) && own(e) {
			byName[e.name] = binding(e.name, e.value, e.status, e.format)
		}
	}
	return sorted(byName)
}

func sorted(byName map[string]*Binding) []*Binding {
	list := []*Binding{}
	for _, b := range byName {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *Binding) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (s *state) subagentBindings() []*SubagentBindings {
	paths := map[string][]string{}
	byPath := map[string]map[string]*Binding{}
	put := func(path []string, b *Binding) {
		key := joined(path)
		if byPath[key] == nil {
			paths[key], byPath[key] = path, map[string]*Binding{}
		}
		byPath[key][b.Name] = b
	}
	if s.workingSet != nil {
		for _, b := range s.workingSet.SubagentBindings {
			if len(b.Path) == 0 {
				continue // Choice: no subagent has the empty path
			}
			put(b.Path, binding(b.Name, b.Value, b.Status, b.Format))
		}
	}
	for _, e := range s.entries {
		if binds(e) && !own(e) {
			put(e.SubgraphPath, binding(e.name, e.value, e.status, e.format))
		}
	}
	list := []*SubagentBindings{}
	for key, names := range byPath {
		list = append(list, &SubagentBindings{Path: paths[key], Bindings: sorted(names)})
	}
	slices.SortFunc(list, func(a, b *SubagentBindings) int { return slices.Compare(a.Path, b.Path) })
	return list
}

func (s *state) tableViews() []*Table {
	views := []*Table{}
	for _, t := range s.tables {
		v := &Table{Name: t.name, Rows: []*TableRow{}}
		for _, r := range t.rows {
			row := &TableRow{RowID: r.RowID, Value: raw(r.Value), Status: bindingWords[r.Status], Links: raw(r.Links)}
			if r.HasKey {
				row.Key = &r.Key
			}
			v.Rows = append(v.Rows, row)
		}
		views = append(views, v)
	}
	slices.SortFunc(views, func(a, b *Table) int { return strings.Compare(a.Name, b.Name) })
	return views
}
