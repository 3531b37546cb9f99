package projection

import (
	"time"

	"inlaygraph/wire"
)

// Entry is one entry of the ordered timeline: a Row, or an invisible *Mark.
type Entry interface {
	// Seq is the append position in the durable log, nil until persisted.
	Seq() *int64
}

// MarkKind is what an invisible entry marks.
type MarkKind uint8

// The marks. Run starts and the user's turns bound the search for a failure's reason, run stops say
// which nodes a stopped run left behind.
const (
	MarkStart MarkKind = iota + 1
	MarkEnd
	MarkEdge
	MarkRunStart
	MarkRunStop // the run had stopped its nodes, and here it went on
	MarkTurn    // the user's turn was here, and a trim dropped it
	MarkBound   // the output was here that a name is still bound to, and a trim dropped it
	MarkCut     // here ends what a trim dropped
)

// Mark is an invisible entry of the timeline: it keeps the lifecycle facts in the order of the rows.
// Immutable.
type Mark struct {
	Kind       MarkKind
	logged     bool        // the log told of it first
	status     wire.Status // MarkEnd
	place      *Place      // of the node; of an edge's source
	activation string
	seq        int64
	at         time.Time

	kind  string            // MarkStart: the node's kind
	err   *wire.PublicError // MarkEnd
	usage *wire.Usage       // MarkEnd
	edge  *edgeFacts        // MarkEdge
}

// Seq is the append position in the durable log, nil until persisted.
func (m *Mark) Seq() *int64 { return optional(&m.seq) }

// Place is the node's path; nil for a run start.
func (m *Mark) Place() *Place { return m.place }

// Activation names the visit, "" when the wire can't say.
func (m *Mark) Activation() string { return m.activation }

// At is when it happened, nil when the wire can't say.
func (m *Mark) At() *time.Time {
	if m.at.IsZero() {
		return nil
	}
	return &m.at
}
