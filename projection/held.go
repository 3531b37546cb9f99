package projection

// Limits bound what a state holds in bytes. A member that is 0 is no bound. What the window holds is bounded by trims,
// of whoever owns the state; the limits are for what a trim can't help with (docs/service.md, "Memory").
type Limits struct {
	// RowBytes is how long the texts of one row may grow by deltas.
	RowBytes int64
	// WindowBytes is what a trim keeps the window to. Once it holds twice as much, what would be added and could not be
	// dropped is rejected.
	WindowBytes int64
	// StateBytes is how much is held beside the window: tables, values of the working set and of rows that are gone,
	// paths, edges and names.
	StateBytes int64
}

// NewBounded is New with limits.
func NewBounded(id string, limits Limits) *State {
	s := New(id)
	s.limits = limits
	return s
}

// RowCost is what a row counts for beside what it says, in bytes (docs/service.md, "Memory").
const RowCost = 512

// What other entries count for: about what each takes with its places in the indexes.
const (
	markCost  = 256
	placeCost = 512
	edgeCost  = 512
	nameCost  = 128
	valueCost = 256
)

// Held is what a state holds, in rows and bytes. Asking costs the same however much it is.
type Held struct {
	Rows int
	// WindowBytes are those of rows, finished or not, and of starts, ends and edges: what they say, and a fixed
	// amount for each.
	WindowBytes int64
	// StateBytes are those of what is held beside them.
	StateBytes int64
}

// Held counts.
func (s *State) Held() Held {
	return Held{Rows: s.cur.rows.Len(), WindowBytes: s.entryBytes, StateBytes: s.stateBytes()}
}

// stateBytes is what is held beside the entries.
func (s *State) stateBytes() int64 {
	return s.tableBytes + s.keptBytes + int64(s.cur.places.bytes+s.cur.names.bytes+s.cur.inners.bytes+s.cur.tableIDs.bytes) + s.edgeBytes
}

// rowBytes is what a row counts for: what it says, ids and names included.
func rowBytes(row Row) int64 {
	sp := row.Common()
	n := RowCost + len(sp.id) + len(sp.activation)
	if sp.born != nil {
		n += len(*sp.born)
	}
	switch r := row.(type) {
	case *UserRow:
		n += len(r.Content)
	case *AssistantRow:
		n += len(r.Content) + len(r.reasoning)
	case *OutputRow:
		n += len(r.Name) + r.Value.bytes() + errorBytes(r.schemaErrors)
	case *ToolCallRow:
		n += len(r.ToolCallID) + len(r.ToolName) + len(r.Input)
	case *ToolResultRow:
		n += len(r.ToolCallID) + len(r.Output)
	}
	return int64(n)
}

func (v Value) bytes() int { return len(v.text) + len(v.json) }

func errorBytes(errs []string) (n int) {
	for _, e := range errs {
		n += len(e)
	}
	return n
}

// markBytes is what a mark counts for.
func markBytes(m *Mark) int64 {
	n := markCost + len(m.activation) + len(m.kind)
	if m.err != nil {
		n += len(m.err.Message)
	}
	return int64(n)
}

func bindingBytes(b *Binding) int64 {
	return int64(valueCost + len(b.Name) + b.Value.bytes() + errorBytes(b.schemaErrors))
}

func tableRowBytes(r *TableRowView) int64 {
	n := valueCost + len(r.RowID) + r.Value.bytes() + len(r.links) + errorBytes(r.schemaErrors)
	if r.Key != nil {
		n += len(*r.Key)
	}
	return int64(n)
}
