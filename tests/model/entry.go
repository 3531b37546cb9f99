package model

import (
	"slices"
	"time"

	"inlaygraph/wire"
)

// kind says what an entry of the timeline is: one of the five durable rows, or something invisible.
type kind uint8

const (
	userRow kind = iota + 1
	assistantRow
	outputRow
	callRow
	resultRow
	startMark // a node was entered
	endMark   // a node ended
	edgeMark  // an edge fired
	wordMark  // run.start, run.pause, run.end or a head: the run's own words, never in the log
	turnMark  // a user row stood here that a trim dropped
	boundMark // an output that a trim dropped: it goes on binding its name until a working set says otherwise
	spentMark // another row stood here, or an output that binds no longer
)

// entry is one place of the timeline. Which members are used follows from the kind.
type entry struct {
	kind kind
	wire.Spine
	at  time.Time // when it opened
	id  string
	seq int64

	born  string // the id it opened with, if no other row did
	bears string // the same, if one did

	content, reasoning string // user, assistant
	complete           bool   // assistant, output
	lateEnd            bool   // assistant: closed by something else, its own message.end may still come (rule 4)
	logged             bool   // the log told it

	name     string // output
	value    wire.JSON
	format   wire.ArtifactFormat
	promoted bool
	status   wire.BindingStatus

	callID, toolName, input, output string // tool rows
	client                          bool

	nodeKind string // start

	end   wire.Status // end
	err   *wire.PublicError
	usage *wire.Usage

	from, to, port string // edge
	hasPort        bool

	gone bool // of a mark: it is not in the window
	cut  bool // here ends what a trim dropped

	word   wire.Status // word: Running also for run.start
	opener bool        // word: a run.start
}

// spineOf is where the frame or row happened. A frame without a node is in no subgraph either.
func spineOf(b *wire.Body) wire.Spine {
	s := b.Spine
	s.SubgraphPath = slices.Clone(s.SubgraphPath)
	if s.NodeID == "" {
		s.SubgraphPath = nil
	}
	return s
}

func opened(k kind, b *wire.Body) *entry {
	return &entry{kind: k, Spine: spineOf(b), at: b.At, id: b.ID, born: b.ID, seq: b.Seq}
}

// pathOf is the absolute path of a spine: nil in no node.
func pathOf(s wire.Spine) []string {
	if s.NodeID == "" {
		return nil
	}
	return append(slices.Clone(s.SubgraphPath), s.NodeID)
}

func samePath(a, b wire.Spine) bool { return slices.Equal(pathOf(a), pathOf(b)) }

// sameVisit says whether two spines are of one (path, activation).
func sameVisit(a, b wire.Spine) bool { return samePath(a, b) && a.Activation == b.Activation }

// sameSlot says whether two spines are of one (path, activation, iteration).
func sameSlot(a, b wire.Spine) bool { return sameVisit(a, b) && a.Iteration == b.Iteration }

func (e *entry) durable() bool { return e.kind <= resultRow }
func (e *entry) empty() bool   { return e.content == "" && e.reasoning == "" }

// first is the first entry that passes, last the last one; nil when none does.
func (s *state) first(pass func(*entry) bool) *entry {
	for _, e := range s.entries {
		if pass(e) {
			return e
		}
	}
	return nil
}

func (s *state) last(pass func(*entry) bool) *entry {
	for i := len(s.entries) - 1; i >= 0; i-- {
		if pass(s.entries[i]) {
			return s.entries[i]
		}
	}
	return nil
}

// byID is the durable row with that id. Choice: markers and edges have no id here, whatever the log says,
// because docs/fold.md matches them by other things.
func (s *state) byID(id string) *entry {
	if id == "" {
		return nil
	}
	return s.first(func(e *entry) bool { return e.durable() && e.id == id })
}

func (s *state) append(e *entry) {
	s.name(e)
	s.entries = append(s.entries, e)
}

// name keeps two rows from being known by one id. Choice: the log may give a tool row another id, and the first one to
// another row; that one is then known by none.
func (s *state) name(e *entry) {
	if s.first(func(o *entry) bool { return o.durable() && e.durable() && o.born == e.born }) != nil {
		e.born, e.bears = "", e.born
	}
}

func (s *state) remove(gone *entry) {
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool { return e == gone })
}

// fill gives an entry what it could not say so far.
func (e *entry) fill(b *wire.Body) {
	if e.at.IsZero() {
		e.at = b.At
	}
	if e.kind == userRow || e.kind == edgeMark {
		return
	}
	if e.NodeID == "" && b.NodeID != "" {
		e.NodeID, e.SubgraphPath = b.NodeID, slices.Clone(b.SubgraphPath)
	}
	if e.Activation == "" {
		e.Activation = b.Activation
	}
	if e.Iteration == 0 {
		e.Iteration = b.Iteration
	}
}
