package projection

import (
	"slices"

	"inlaygraph/wire"
)

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

	offset      int64                   // the greatest live offset used up
	missing     []span                  // offsets below it that never came
	headOffset  int64                   // the greatest last_offset of a head, -1 when none named one
	leastLogged int64                   // the least seq of a persisted row, 0 before any
	paging      bool                    // a page is being folded
	unsummed    map[*nodeFacts]struct{} // nodes that a row of the page told of
	front       bool                    // a row of an earlier page is being folded: it goes before what was there before the page
	frontKey    uint64                  // the last entry that the page put there, 0 before the first
	frontEnds   map[visitKey]bool       // visits that the page told the end of, which was not known before
	begun       bool                    // a frame or a persisted row was seen
	closedAll   bool                    // every open row was closed since

	plans       map[version]*Plan // told so far; the one that counts is the snapshot's
	statusError *wire.PublicError
	saysEarlier bool
	hasFirst    bool // seq 1 is in the window
	latches     [latchKinds]bool
	deliveries  map[string]*ToolDelivery

	tables map[uint64]*tableIndex
	stamp  uint64 // of the latest move of a table row

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
		frontEnds:  map[visitKey]bool{},
		unsummed:   map[*nodeFacts]struct{}{},
		deliveries: map[string]*ToolDelivery{},
		tables:     map[uint64]*tableIndex{},
		marked:     map[Slice]struct{}{},
	}
	s.cur = Snapshot{
		id:       id,
		places:   newPlaces(),
		names:    newSymbols[string](),
		inners:   newSymbols[innerName](),
		tools:    newSymbols[string](),
		tableIDs: newSymbols[string](),
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

// NextOffset returns the offset that the next live frame should have, and false while that is not known.
// A reader that can reload compares it before it applies a frame.
func (s *State) NextOffset() (int64, bool) {
	last := max(s.offset, s.headOffset)
	switch {
	case last > 0 || s.headOffset == 0:
		return last + 1, true
	case s.headed || s.leastLogged != 0:
		return 0, false
	}
	return 1, true
}

// LastOffset returns the offset to follow the stream after: the last one used up, or a head's word.
func (s *State) LastOffset() int64 { return max(s.offset, s.headOffset, 0) }

// Input is what can be applied: *wire.Frame, *wire.Row, *wire.Head, *wire.Page, Skipped, Plan, Delivery or Latch.
type Input interface{ ConversationInput() }

// Skipped is a frame that the reader could not take: unknown or rejected. It uses up its offset.
type Skipped struct{ Offset int64 }

// Delivery is how a tool result's delivery is going, as the server that delivers it says.
type Delivery struct{ ToolDelivery }

// LatchKind is an action in flight.
type LatchKind uint8

// The latches.
const (
	LatchSend LatchKind = iota
	LatchRetry
	LatchCancel
	latchKinds
)

// Latch says that an action is in flight, or no longer.
type Latch struct {
	Kind LatchKind
	On   bool
}

// ConversationInput marks it as something a conversation folds.
func (Skipped) ConversationInput() {}

// ConversationInput marks it as something a conversation folds.
func (Delivery) ConversationInput() {}

// ConversationInput marks it as something a conversation folds.
func (Latch) ConversationInput() {}

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
	}
	s.settle(&before)
	c := s.c
	s.c, s.bindings, s.reordered = Change{}, s.bindings[:0], s.reordered[:0]
	clear(s.marked)
	return c
}

// useOffset takes a frame's offset and tells whether the frame is new.
func (s *State) useOffset(offset int64) bool {
	if offset == 0 {
		return true
	}
	if offset <= s.offset {
		if s.fillMissing(offset) {
			return true
		}
		s.c.Outcome = Duplicate
		return false
	}
	if next, known := s.NextOffset(); known && offset > next {
		s.c.Lost = offset - next
	}
	if offset > s.offset+1 && len(s.missing) < maxMissing {
		s.missing = append(s.missing, span{s.offset + 1, offset - 1})
	}
	s.offset = offset
	return true
}

// span is a range of offsets, both ends included.
type span struct{ from, to int64 }

// maxMissing is how many ranges of lost offsets are remembered; what is lost beyond is taken for known.
const maxMissing = 1024

// fillMissing takes an offset out of the lost ones and reports whether it was one of them.
func (s *State) fillMissing(offset int64) bool {
	for i, m := range s.missing {
		if offset < m.from || offset > m.to {
			continue
		}
		rest := make([]span, 0, 2)
		if m.from < offset {
			rest = append(rest, span{m.from, offset - 1})
		}
		if offset < m.to {
			rest = append(rest, span{offset + 1, m.to})
		}
		s.missing = slices.Replace(s.missing, i, i+1, rest...)
		return true
	}
	return false
}

func (s *State) reject(reason string) { s.c.Outcome, s.c.Reason = Rejected, reason }

func (s *State) applyFrame(f *wire.Frame) {
	if !s.useOffset(f.Offset) {
		return
	}
	b := &f.Body
	s.begun = true
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
	if s.leastLogged == 0 || b.Seq < s.leastLogged {
		s.leastLogged = b.Seq
	}
	defer s.noteFirst(b)
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

// Seqs returns the least seq of a persisted row that was folded, and the greatest seq known; 0 for none.
func (s *State) Seqs() (least, greatest int64) {
	return s.leastLogged, s.cur.entries.MaxSeq()
}
