package projection

import (
	"slices"
	"strings"

	"inlaygraph/wire"
)

// Snapshot is one conversation at one moment. It is immutable and shares what did not change with the
// snapshots before and after it.
type Snapshot struct {
	id string

	// Names of everything seen; shared by all snapshots, append-only.
	places   *places
	names    *symbols[string]    // output names
	inners   *symbols[innerName] // output names within subagents
	tools    *symbols[string]    // tool call ids
	tableIDs *symbols[string]

	entries    tree[Entry] // rows and marks, in order
	cut        uint64      // the window begins behind it: of what stands before only rows are in it
	rows       tree[struct{}]
	top        tree[struct{}]
	transcript tree[struct{}]
	at         tree[placeRows] // by place

	outputs      tree[tree[struct{}]] // own output rows, by name
	innerOutputs tree[tree[struct{}]] // subagents' own, by inner name
	keptOwn      map[uint64]*Binding  // what no row says: the working set, and rows that were dropped; replaced, never changed
	keptInner    map[uint64]*Binding

	pairs      tree[pair]             // by tool call id
	pending    tree[*PendingToolCall] // by the call row's key
	toolStates []*ToolDelivery        // replaced, never changed
	tables     tree[tableRows]

	nodeRuns  tree[*NodeRun]   // by place
	nodeOrder tree[*Place]     // by NodeRun.order
	edges     tree[*FiredEdge] // by last firing
	exits     tree[*string]    // by place: the port of the last fired edge out
	counts    tree[Counts]     // by place: its strict descendants
	run       *runCell

	plan *Plan // of the conversation's agent version, nil while unknown
	chat scalars
}

// scalars are the chat's small facts, compared by value when a change settles.
type scalars struct {
	status       ChatStatus
	conversation *ConversationRef
	err          *wire.PublicError
	retryable    bool
	hasEarlier   bool
	capabilities Capabilities
	canRetry     bool
	runStatus    RunStatus
}

// placeRows are the rows exactly at a path and those at or below it. Until a deeper row comes the two are
// the same, and only exact is kept.
type placeRows struct {
	exact, below tree[struct{}]
	deeper       bool
}

// ID is the conversation's id, "" while a recording has not named it.
func (s *Snapshot) ID() string { return s.id }

// Plan is the plan of the conversation's own agent version, nil while it is not known.
func (s *Snapshot) Plan() *wire.PlanIndex {
	if s.plan == nil {
		return nil
	}
	return s.plan.Index
}

// Status is the chat's single lifecycle answer.
func (s *Snapshot) Status() ChatStatus { return s.chat.status }

// Conversation is the identity, nil before the first opener.
func (s *Snapshot) Conversation() *ConversationRef { return s.chat.conversation }

// Error is the customer-safe reason, only while failed.
func (s *Snapshot) Error() *wire.PublicError { return s.chat.err }

// Retryable is the platform's own word.
func (s *Snapshot) Retryable() bool { return s.chat.retryable }

// HasEarlier tells that the window is a tail of the log.
func (s *Snapshot) HasEarlier() bool { return s.chat.hasEarlier }

// Capabilities say what may be done now.
func (s *Snapshot) Capabilities() Capabilities { return s.chat.capabilities }

// CanRetry is failed, retryable, and nothing in flight.
func (s *Snapshot) CanRetry() bool { return s.chat.canRetry }

// ToolStates are the deliveries this server made, in order of their first step.
func (s *Snapshot) ToolStates() []*ToolDelivery {
	if s.toolStates == nil {
		return []*ToolDelivery{}
	}
	return s.toolStates
}

// rowAt returns the row under a key that a list holds.
func (s *Snapshot) rowAt(key uint64) Row {
	e, _ := s.entries.Get(key)
	r, _ := e.(Row)
	return r
}

func (s *Snapshot) list(keys tree[struct{}]) []Row {
	out := make([]Row, 0, keys.Len())
	for key := range keys.All() {
		out = append(out, s.rowAt(key))
	}
	return out
}

// Timeline is every row of every depth, in order.
func (s *Snapshot) Timeline() []Row { return s.list(s.rows) }

// TopLevel is the rows that no subgraph encloses.
func (s *Snapshot) TopLevel() []Row { return s.list(s.top) }

// Transcript is the top-level user and assistant rows.
func (s *Snapshot) Transcript() []Row { return s.list(s.transcript) }

// RowsAt is the rows whose absolute path is path; with subtree also those below it. An empty path alone
// has none; with subtree it has every row of a node.
func (s *Snapshot) RowsAt(path []string, subtree bool) []Row {
	return s.list(s.keysAt(path, subtree))
}

func (s *Snapshot) keysAt(path []string, subtree bool) tree[struct{}] {
	pl := s.places.find(path)
	if pl == nil {
		return tree[struct{}]{}
	}
	p, _ := s.at.Get(pl.ord)
	if subtree && p.deeper {
		return p.below
	}
	return p.exact
}

// OutputsNamed is the conversation's own output rows with a name, oldest first.
func (s *Snapshot) OutputsNamed(name string) []*OutputRow {
	out := []*OutputRow{}
	if ord, ok := s.names.find(name); ok {
		list, _ := s.outputs.Get(ord)
		for key := range list.All() {
			out = append(out, s.rowAt(key).(*OutputRow))
		}
	}
	return out
}

// AssistantsInActivation is the assistant rows of one visit of one node, in order.
func (s *Snapshot) AssistantsInActivation(path []string, activation string) []*AssistantRow {
	out := []*AssistantRow{}
	for key := range s.keysAt(path, false).All() {
		if r, ok := s.rowAt(key).(*AssistantRow); ok && r.activation == activation {
			out = append(out, r)
		}
	}
	return out
}

// ToolCall joins a call, its result and its delivery by the call's id.
func (s *Snapshot) ToolCall(toolCallID string) *ToolCallPair {
	t := &ToolCallPair{}
	if ord, ok := s.tools.find(toolCallID); ok {
		p, _ := s.pairs.Get(ord)
		t.Call, _ = s.rowAt(p.call).(*ToolCallRow)
		t.Result, _ = s.rowAt(p.result).(*ToolResultRow)
	}
	for _, d := range s.toolStates {
		if d.ToolCallID == toolCallID {
			t.Delivery = d
		}
	}
	return t
}

// PendingTools is what waits on the app, in call order.
func (s *Snapshot) PendingTools() []*PendingToolCall {
	out := make([]*PendingToolCall, 0, s.pending.Len())
	for _, p := range s.pending.All() {
		out = append(out, p)
	}
	return out
}

// Tables are the live tables, sorted by name.
func (s *Snapshot) Tables() []*Table {
	out := make([]*Table, 0, s.tables.Len())
	for ord := range s.tables.All() {
		out = append(out, s.Table(s.tableIDs.of(ord)))
	}
	slices.SortFunc(out, func(a, b *Table) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Table is one live table, empty when unknown.
func (s *Snapshot) Table(name string) *Table {
	t := &Table{Name: name, Rows: []*TableRowView{}}
	if ord, ok := s.tableIDs.find(name); ok {
		rows, _ := s.tables.Get(ord)
		for _, r := range rows.rows.Descend(^uint64(0)) {
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}
