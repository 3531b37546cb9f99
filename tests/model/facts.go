package model

import (
	"encoding/json"
	"slices"
	"strings"

	"inlaygraph/wire"
)

// outputFrame is rule 6.
func (s *state) outputFrame(f *wire.Frame) Outcome {
	spine := spineOf(&f.Body)
	row := s.byID(f.ID)
	if row != nil && row.kind != outputRow {
		return rejected("other_kind")
	}
	if row != nil && row.name != f.Name {
		return rejected("other_name") // an output's id never changes its name
	}
	if f.ID == "" {
		row = s.last(func(e *entry) bool {
			return e.kind == outputRow && !e.complete && e.name == f.Name && sameSlot(e.Spine, spine)
		})
	}
	delta := f.Type == wire.OutputDelta
	if row != nil && delta {
		// Choice: a row is persisted once its seq is known, from the log or from a frame.
		if row.complete || row.seq > 0 {
			return row.full("complete_row")
		}
		if _, text := stringOf(row.value); !text {
			return rejected("not_text")
		}
	}
	s.interrupt(f)
	if row == nil {
		row = opened(outputRow, &f.Body)
		row.name, row.value, row.status = f.Name, `""`, wire.Building
		if delta {
			row.seq = 0
		}
		s.append(row)
	}
	if delta {
		text, _ := stringOf(row.value)
		row.value = stringValue(text + f.Delta)
	} else {
		row.value, row.status, row.complete = f.Value, f.ValueStatus, f.Complete
		if f.Seq > 0 {
			row.seq = f.Seq
		}
	}
	row.hints(&f.Body)
	return applied()
}

// hints keeps format and promoted where they are left out.
func (e *entry) hints(b *wire.Body) {
	if b.Format != 0 {
		e.format = b.Format
	}
	if b.HasPromoted {
		e.promoted = b.Promoted
	}
}

func stringOf(v wire.JSON) (string, bool) {
	if !strings.HasPrefix(string(v), `"`) {
		return "", false
	}
	var text string
	err := json.Unmarshal([]byte(v), &text)
	return text, err == nil
}

func stringValue(text string) wire.JSON {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return wire.JSON(b)
}

// toolFrame is rule 7.
func (s *state) toolFrame(f *wire.Frame) Outcome {
	k := callRow
	if f.Type == wire.ToolResult {
		k = resultRow
	}
	if s.tool(k, f.ToolCallID) != nil {
		return duplicate("tool")
	}
	if s.byID(f.ID) != nil {
		return rejected("other_kind")
	}
	if k == callRow {
		s.interrupt(f)
	}
	s.append(newTool(k, &f.Body))
	return applied()
}

func (s *state) tool(k kind, callID string) *entry {
	return s.first(func(e *entry) bool { return e.kind == k && e.callID == callID })
}

func newTool(k kind, b *wire.Body) *entry {
	e := opened(k, b)
	e.callID, e.toolName, e.input, e.output, e.client = b.ToolCallID, b.ToolName, b.Input, b.Output, b.RequiresClientResponse
	return e
}

// edgeFired appends an edge. Choice: a live edge whose seq is known already repeats it.
func (s *state) edgeFired(f *wire.Frame) Outcome {
	e := newEdge(&f.Body)
	if s.sameEdge(e) != nil {
		return duplicate("edge")
	}
	s.append(e)
	return applied()
}

func newEdge(b *wire.Body) *entry {
	e := opened(edgeMark, b)
	e.Spine = wire.Spine{SubgraphPath: slices.Clone(b.SubgraphPath)} // its ends are nodes of this subgraph
	e.from, e.to, e.port, e.hasPort = b.From, b.To, b.FromPort, b.HasFromPort
	return e
}

func (s *state) sameEdge(n *entry) *entry {
	return s.first(func(e *entry) bool {
		return e.kind == edgeMark && e.seq > 0 && e.seq == n.seq && sameEdge(e, n)
	})
}

func sameEdge(a, b *entry) bool {
	return slices.Equal(a.SubgraphPath, b.SubgraphPath) && a.from == b.from && a.to == b.to &&
		a.hasPort == b.hasPort && a.port == b.port
}

// table is one collection, most recently moved row first.
type table struct {
	name string
	rows []wire.WorkingRow
}

// newTable is a table of the working set. Choice: of rows with one id the first, which moved last, counts.
func newTable(w wire.WorkingTable) *table {
	t := &table{name: w.Name}
	for _, r := range w.Rows {
		if !slices.ContainsFunc(t.rows, func(o wire.WorkingRow) bool { return o.RowID == r.RowID }) {
			t.rows = append(t.rows, r)
		}
	}
	return t
}

// tableFrame keeps the live tables. Choice: deleting from a table nobody has heard of makes no table.
func (s *state) tableFrame(f *wire.Frame) Outcome {
	i := slices.IndexFunc(s.tables, func(t *table) bool { return t.name == f.Table })
	if i < 0 {
		if f.Type == wire.TableDelete {
			return applied()
		}
		i = len(s.tables)
		s.tables = append(s.tables, &table{name: f.Table})
	}
	t := s.tables[i]
	t.rows = slices.DeleteFunc(t.rows, func(r wire.WorkingRow) bool { return r.RowID == f.RowID })
	if f.Type == wire.TableRow {
		moved := wire.WorkingRow{RowID: f.RowID, Key: f.Key, HasKey: f.HasKey, Value: f.Value, Status: f.ValueStatus, Links: f.Links}
		t.rows = slices.Insert(t.rows, 0, moved)
	}
	return applied()
}
