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

// The marks. Run starts bound the search for a failure's reason, run stops say
// which nodes a stopped run left behind.
const (
	MarkStart MarkKind = iota + 1
	MarkEnd
	MarkEdge
	MarkRunStart
	MarkRunStop // the run had stopped its nodes, and here it went on
)

// Mark is an invisible entry of the timeline: it keeps the lifecycle facts in the order of the rows.
// Immutable.
type Mark struct {
	Kind       MarkKind
	logged     bool   // the log told of it first
	place      *Place // of the node; of an edge's source
	activation string
	seq        int64
	at         time.Time

	kind string // MarkStart: the node's kind

	status wire.Status // MarkEnd
	err    *wire.PublicError
	usage  *wire.Usage

	edge edgeID // MarkEdge
}

// Seq is the append position in the durable log, nil until persisted.
func (m *Mark) Seq() *int64 { return optional(&m.seq) }

// Place is the node's path; nil for a run start.
func (m *Mark) Place() *Place { return m.place }

// Activation names the visit, "" when the wire can't say.
func (m *Mark) Activation() string { return m.activation }

// edgeSeq is one persisted traversal of an edge.
type edgeSeq struct {
	edge edgeID
	seq  int64
}

// edgeID is an edge's semantic identity.
type edgeID struct {
	from    *Place
	port    string
	hasPort bool
	to      string
}

// At is when it happened, nil when the wire can't say.
func (m *Mark) At() *time.Time { return optionalTime(m.at) }
