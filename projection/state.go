package projection

import "inlaygraph/wire"

// State is one conversation as its owner folds it. It is not safe for concurrent use: one goroutine
// applies, and hands out snapshots to whoever reads.
type State struct {
	cur    Snapshot // what a snapshot copies
	tok    *token
	runTok *token // of the trees that s.cur.run keeps

	ids  map[string]uint64 // row id -> key
	seqs map[seqKey]uint64 // place in the log -> key of the entry
	keys keySpace

	open   map[uint64]*openRow
	slots  map[slotKey]*slot
	visits map[visitKey]map[slotKey]struct{} // the slots of a visit that hold open rows

	late map[slotKey][]uint64 // turns without an id that wait for their end, in timeline order

	nodes   map[*Place]*nodeFacts
	running map[*Place]struct{}
	edges   map[edgeID]*edgeFacts
	exits   map[*Place]exit
	reasons []uint64 // keys of the entries that give a failure's reason, or part it from those before
	stops   []uint64 // keys after which a stopped run had stopped its nodes
	stopped bool     // the run stands stopped: the stop is behind every entry
	ran     bool     // a run frame was seen
	headed  bool     // a head was seen
	marks   int      // lifecycle facts seen

	offset     int64   // the greatest live offset used up
	missing    []span  // offsets below it that never came
	headOffset int64   // the greatest last_offset of a head, -1 when none named one
	logSeen    bool    // a persisted row was seen
	foldedFrom int64   // what the log has from this seq on was folded, 0 while that is not known
	page       *paging // the page that is being folded, nil while none is
	begun      bool    // a frame or a persisted row was seen
	closedAll  bool    // every open row was closed since

	plans       map[version]*Plan // told so far; the one that counts is the snapshot's
	statusError *wire.PublicError
	saysEarlier bool
	hasFirst    bool // seq 1 is in the window
	latches     [latchKinds]bool
	deliveries  map[string]*ToolDelivery

	tables map[uint64]*tableIndex
	stamp  uint64 // of the latest move of a table row

	// What a trim left behind.
	trimmed  bool        // rows are missing that were here
	through  int64       // the greatest seq that is known of them
	heldFrom int64       // what the log has from this seq on is here; 0: not known
	passed   []passedRow // rows that stand before the window, in order

	limits     Limits
	entryBytes int64  // of rows and marks
	tableBytes int64  // of the rows of tables
	keptBytes  int64  // of the values that no row in memory says
	edgeBytes  int64  // of edges
	horizon    uint64 // facts up to it are added up, and their marks forgotten; 0: none
	forgotten  int    // lifecycle facts whose marks are

	// The change under way.
	c                    Change
	marked               map[Slice]struct{}
	bindings             []bindingBefore
	runMoved, errorMoved bool
	reordered            []*Place // nodes of which a fact moved, which may change their or a subagent's place in the run
}

// slotKey is (path, activation, iteration): where one turn of text or one output can be open.
type slotKey struct {
	place      *Place
	activation string
	iteration  int32
}

// visitKey is (path, activation).
type visitKey struct {
	place      *Place
	activation string
}

// New returns the state of a conversation nothing was told of. id is the conversation's id, or "" to take
// it from the first opener (a recording).
func New(id string) *State {
	s := &State{
		keys:       keySpace{steps: farApart},
		tok:        &token{},
		runTok:     &token{},
		ids:        map[string]uint64{},
		seqs:       map[seqKey]uint64{},
		open:       map[uint64]*openRow{},
		slots:      map[slotKey]*slot{},
		visits:     map[visitKey]map[slotKey]struct{}{},
		late:       map[slotKey][]uint64{},
		nodes:      map[*Place]*nodeFacts{},
		running:    map[*Place]struct{}{},
		edges:      map[edgeID]*edgeFacts{},
		exits:      map[*Place]exit{},
		headOffset: -1,
		deliveries: map[string]*ToolDelivery{},
		tables:     map[uint64]*tableIndex{},
		marked:     map[Slice]struct{}{},
	}
	s.cur = Snapshot{
		id:       id,
		places:   newPlaces(),
		names:    newSymbols(stringBytes),
		inners:   newSymbols(func(n innerName) int { return len(n.name) }),
		tools:    newSymbols(stringBytes),
		tableIDs: newSymbols(stringBytes),
		run:      &runCell{},
		chat:     scalars{capabilities: Capabilities{CanSend: true}},
	}
	return s
}

// Snapshot returns the state as it stands. It costs the same however much the state holds, is immutable,
// and may be read by any number of goroutines while the owner goes on.
func (s *State) Snapshot() *Snapshot {
	snap := s.cur
	s.tok, s.runTok = &token{}, &token{}
	return &snap
}

// Apply folds one input and says what moved. It has no clock, no I/O and no randomness, and does not fail
// half way: an input is taken whole or not at all (docs/fold.md).
func (s *State) Apply(in Input) Change {
	s.runMoved, s.errorMoved = false, false
	before := s.cur.chat
	switch in := in.(type) {
	case *wire.Frame:
		s.applyFrame(in)
	case *wire.Row:
		s.applyRow(in)
	case *wire.Head:
		s.applyHead(in)
	case *wire.Page:
		s.applyPage(in)
	case Skipped:
		s.useOffset(in.Offset)
	case Plan:
		s.applyPlan(in)
	case Delivery:
		s.applyDelivery(in.ToolDelivery)
	case Latch:
		s.latches[in.Kind] = in.On
	case Trim:
		s.applyTrim(in)
	}
	if s.trimmed && s.hasFirst {
		s.whole()
	}
	s.settle(&before)
	c := s.c
	s.c, s.bindings, s.reordered = Change{}, s.bindings[:0], s.reordered[:0]
	clear(s.marked)
	return c
}

func (s *State) reject(reason string) { s.c.Outcome, s.c.Reason = Rejected, reason }

func (s *State) applyFrame(f *wire.Frame) {
	if !s.useOffset(f.Offset) {
		return
	}
	b := &f.Body
	s.begun = true
	if s.over() && s.overflows(f) {
		s.reject(ReasonFull)
		return
	}
	defer s.noteFirst(b)
	switch f.Type {
	case wire.RunStart:
		s.applyRunStart(b)
	case wire.RunPause, wire.RunEnd:
		s.applyRunStop(b, f.Type == wire.RunEnd)
	case wire.UserMessage:
		s.applyUser(b)
	case wire.NodeStart:
		s.applyNodeStart(b, false)
	case wire.NodeEnd:
		s.applyNodeEnd(b, false)
	case wire.EdgeFired:
		s.applyEdge(b, false)
	case wire.MessageDelta:
		s.applyMessageDelta(b)
	case wire.MessageEnd:
		s.applyMessageEnd(b)
	case wire.OutputDelta:
		s.applyOutputDelta(b)
	case wire.OutputSet:
		s.applyOutputSet(b)
	case wire.ToolCall:
		s.applyToolCall(b)
	case wire.ToolResult:
		s.applyToolResult(b)
	case wire.TableRow:
		s.applyTableRow(b)
	case wire.TableDelete:
		s.applyTableDelete(b)
	}
}

func (s *State) applyRow(r *wire.Row) {
	b := &r.Body
	s.begun = true
	s.logSeen = true
	if s.foldedFrom == 0 || b.Seq < s.foldedFrom {
		s.foldedFrom = b.Seq
	}
	if s.over() && s.overflowsLogged(r) {
		s.reject(ReasonFull)
		return
	}
	defer s.noteFirst(b)
	if s.returned() {
		s.applyReturned(r)
		return
	}
	switch r.Type {
	case wire.RowNodeStart:
		s.applyNodeStart(b, true)
	case wire.RowNodeEnd:
		s.applyNodeEnd(b, true)
	case wire.RowEdge:
		s.applyEdge(b, true)
	default:
		s.applyLoggedRow(r)
	}
}

// noteFirst notes that the log's first row is in the window.
func (s *State) noteFirst(b *wire.Body) {
	if b.Seq == 1 && s.c.Outcome == Applied {
		s.hasFirst = true
	}
}

// Seqs returns the seq from which on the window holds what the log has, and the greatest seq known; 0 for none.
func (s *State) Seqs() (least, greatest int64) {
	least = s.foldedFrom
	if s.trimmed {
		least = s.heldFrom
	}
	return least, max(s.cur.entries.MaxSeq(), s.through)
}

// Unread tells whether the log has a row at a place that lies before everything that was read of it.
func (s *State) Unread(seq int64) bool {
	return seq < s.foldedFrom && s.cur.chat.hasEarlier
}
