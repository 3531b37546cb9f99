package model

import (
	"slices"

	"inlaygraph/wire"
)

// Result says what became of an input.
type Result uint8

// The results. A duplicate and a rejected input have no effect at all.
const (
	Applied Result = iota + 1
	Duplicate
	Rejected
)

func (r Result) String() string {
	return [...]string{"", "applied", "duplicate", "rejected"}[r]
}

// Outcome is the result of one input and what was counted with it.
type Outcome struct {
	Result     Result
	Reason     string // why it was rejected or dropped
	Gap        bool   // frames before this one were lost
	OtherAgent bool   // an opener of the same conversation with another agent or version
}

func applied() Outcome                   { return Outcome{Result: Applied} }
func duplicate(why string) Outcome       { return Outcome{Result: Duplicate, Reason: why} }
func rejected(why string) Outcome        { return Outcome{Result: Rejected, Reason: why} }
func (o Outcome) rejected() bool         { return o.Result == Rejected }
func (o Outcome) withGap(g bool) Outcome { o.Gap = g; return o }

// Counts adds up the outcomes of a history.
type Counts struct {
	Duplicates, Gaps, OtherAgents int
	Rejected                      map[string]int
}

// Model folds a conversation the slow way.
type Model struct {
	history []wire.Record // in the order of a longer window: see Apply
	now     *state
	folded  int // how often the history was folded from the start
	counts  Counts
}

// New is a conversation of which nothing was seen.
func New() *Model { return &Model{now: newState(), counts: Counts{Rejected: map[string]int{}}} }

// Fold is the view after all inputs.
func Fold(inputs []wire.Record) *View {
	m := New()
	for _, in := range inputs {
		m.Apply(in)
	}
	return m.View()
}

// Apply folds one input: *wire.Frame, *wire.Row, *wire.Head or *wire.Page.
func (m *Model) Apply(in wire.Record) Outcome {
	var out Outcome
	if page, ok := in.(*wire.Page); ok {
		out = m.page(page)
	} else {
		m.history = append(m.history, in)
		out = m.now.apply(in)
	}
	m.count(out)
	return out
}

// Skip uses up the offset of a record that could not be read.
func (m *Model) Skip(offset int64) {
	m.history = append(m.history, &skipped{offset})
	m.now.apply(&skipped{offset})
}

// Counts is what was counted so far. Loading earlier rows counts nothing again.
func (m *Model) Counts() Counts { return m.counts }

func (m *Model) count(o Outcome) {
	switch {
	case o.Result == Duplicate:
		m.counts.Duplicates++
	case o.rejected():
		m.counts.Rejected[o.Reason]++
	}
	if o.Gap {
		m.counts.Gaps++
	}
	if o.OtherAgent {
		m.counts.OtherAgents++
	}
}

// page folds a page of the log. Rows earlier than every persisted row so far are put where a longer window would have had
// them (docs/fold.md: "the same state as folding the longer window from the start"): before the first
// persisted row or frame. Later rows are folded as if they came one by one. The page's
// own word about earlier rows counts from now on.
func (m *Model) page(p *wire.Page) Outcome {
	known := m.lowestSeq()
	var earlier, later []wire.Record
	for _, r := range p.Rows {
		if known == 0 || r.Seq < known {
			earlier = append(earlier, r)
		} else {
			later = append(later, r)
		}
	}
	m.history = slices.Insert(m.history, m.windowStart(), earlier...)
	m.history = append(append(m.history, later...), &pageWord{p.HasEarlier})
	m.now = newState()
	m.folded++
	for _, in := range m.history {
		m.now.apply(in)
	}
	return applied()
}

// lowestSeq is the first persisted row's; what live frames say of seqs does not make a window.
func (m *Model) lowestSeq() int64 {
	low := int64(0)
	for _, in := range m.history {
		if r, ok := in.(*wire.Row); ok && (low == 0 || r.Seq < low) {
			low = r.Seq
		}
	}
	return low
}

func (m *Model) windowStart() int {
	i := slices.IndexFunc(m.history, func(r wire.Record) bool {
		switch r.(type) {
		case *wire.Row, *wire.Frame:
			return true
		}
		return false
	})
	if i < 0 {
		return len(m.history)
	}
	return i
}

// pageWord and skipped are what is left of a page and of an unreadable frame in the history.
type pageWord struct{ earlier bool }
type skipped struct{ offset int64 }

func (*pageWord) ConversationInput() {}
func (*skipped) ConversationInput()  {}

// state is one conversation.
type state struct {
	entries []*entry

	offsets map[int64]bool // used up
	newest  int64          // the highest of them, or what a head says was before
	told    bool           // a head said what was before
	before  bool           // a head or a persisted row stands for frames that were not seen

	ref       *ConversationRef
	word      wire.Status // the latest of run.start, run.pause, run.end, head; 0: nothing seen
	runFrame  bool        // one of the three run frames was seen
	runError  *wire.PublicError
	retryable bool

	earlier   bool // the latest head's or page's word
	firstSeen bool // seq 1 is in the window
	trimmed   bool // rows went out of the window

	workingSet *wire.WorkingSet
	tables     []*table
}

func newState() *state { return &state{offsets: map[int64]bool{}} }

func (s *state) apply(in wire.Record) Outcome {
	out := s.take(in)
	if s.trimmed && s.firstSeen {
		s.whole()
	}
	return out
}

func (s *state) take(in wire.Record) Outcome {
	switch in := in.(type) {
	case *wire.Frame:
		return s.frame(in)
	case *wire.Row:
		return s.row(in)
	case *wire.Head:
		return s.head(in)
	case *pageWord:
		s.earlier = in.earlier
		if !in.earlier {
			s.whole()
		}
	case *trim:
		s.trim(in.keep)
	case *skipped:
		s.offset(in.offset)
	}
	return applied()
}

// offset uses up a frame's offset (docs/wire.md, "Live frames"). Choice: the count starts at 0, so that a first
// frame after offset 1 is a gap; after a head it starts at the head's last_offset; and where a head without one,
// or persisted rows, stand for what was before, the first frame is no gap.
func (s *state) offset(at int64) (again, gap bool) {
	if at == 0 {
		return false, false
	}
	if s.offsets[at] {
		return true, false
	}
	known := len(s.offsets) > 0 || s.told || !s.before
	gap = known && at > s.newest+1
	s.offsets[at] = true
	s.newest = max(s.newest, at)
	return false, gap
}

func (s *state) frame(f *wire.Frame) Outcome {
	again, gap := s.offset(f.Offset)
	if again {
		return duplicate("offset")
	}
	out := s.live(f)
	if out.Result == Applied && f.Seq == 1 {
		s.firstSeen = true
	}
	return out.withGap(gap)
}

func (s *state) live(f *wire.Frame) Outcome {
	switch f.Type {
	case wire.RunStart, wire.RunPause, wire.RunEnd:
		return s.run(f)
	case wire.UserMessage:
		return s.userMessage(f)
	case wire.NodeStart:
		return s.nodeStart(f)
	case wire.MessageDelta:
		return s.messageDelta(f)
	case wire.MessageEnd:
		return s.messageEnd(f)
	case wire.OutputDelta, wire.OutputSet:
		return s.outputFrame(f)
	case wire.ToolCall, wire.ToolResult:
		return s.toolFrame(f)
	case wire.TableRow, wire.TableDelete:
		return s.tableFrame(f)
	case wire.EdgeFired:
		return s.edgeFired(f)
	case wire.NodeEnd:
		return s.nodeEnd(f)
	}
	return rejected(string(wire.ReasonUnknownType))
}
