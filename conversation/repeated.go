package conversation

import (
	"strings"
	"time"

	"inlaygraph/wire"
)

// repeated is what is known of what a stream repeats, frame by frame, so that asking costs the same however much it is.
type repeated struct {
	some  bool      // it told anything
	began time.Time // when the first of it was that says so
	least int64     // the least seq that it told of, 0 for none
	names map[rowName]struct{}
}

// rowName is one of the names by which a frame and a row of the log are known to be of the same.
type rowName struct {
	of   wire.RowType // whose call or visit it is; 0 for a seq or an id
	seq  int64
	name string
}

// note takes one frame more.
func (p *repeated) note(f *wire.Frame) {
	p.some = true
	if p.began.IsZero() {
		p.began = f.At
	}
	if f.Seq != 0 && (p.least == 0 || f.Seq < p.least) {
		p.least = f.Seq
	}
	if p.names == nil {
		p.names = map[rowName]struct{}{}
	}
	for _, name := range namesOf(&f.Body, rowTypes[f.Type]) {
		if name != (rowName{}) {
			p.names[name] = struct{}{}
		}
	}
}

// tellsOf tells whether a row was told of by one of those frames that make one.
func (p *repeated) tellsOf(r *wire.Row) bool {
	for _, name := range namesOf(&r.Body, r.Type) {
		if _, told := p.names[name]; told && name != (rowName{}) {
			return true
		}
	}
	return false
}

// rowTypes is which rows that have names beside seq and id are told by which frames.
var rowTypes = map[wire.FrameType]wire.RowType{
	wire.ToolCall: wire.RowToolCall, wire.ToolResult: wire.RowToolResult,
	wire.NodeStart: wire.RowNodeStart, wire.NodeEnd: wire.RowNodeEnd,
}

func namesOf(b *wire.Body, of wire.RowType) (names [3]rowName) {
	names[0].seq, names[1].name = b.Seq, b.ID
	switch of {
	case wire.RowToolCall, wire.RowToolResult:
		names[2] = rowName{of: of, name: b.ToolCallID}
	case wire.RowNodeStart, wire.RowNodeEnd:
		if b.Activation != "" {
			names[2] = rowName{of: of, name: strings.Join(append([]string{b.Activation, b.NodeID}, b.SubgraphPath...), "\x00")}
		}
	}
	return names
}

// bodyBytes is how long what a frame or a row says is.
func bodyBytes(b *wire.Body) int64 {
	n := len(b.NodeID) + len(b.Activation) + len(b.ID) + len(b.RunID) + len(b.ConversationID) + len(b.AgentID) + len(b.Kind) +
		len(b.MessageID) + len(b.Content) + len(b.Reasoning) + len(b.Name) + len(b.Delta) + len(b.Value) + len(b.ToolCallID) +
		len(b.ToolName) + len(b.Input) + len(b.Output) + len(b.Table) + len(b.RowID) + len(b.Key) + len(b.Links) + len(b.From) +
		len(b.FromPort) + len(b.To)
	for _, segment := range b.SubgraphPath {
		n += len(segment)
	}
	if b.Error != nil {
		n += len(b.Error.Message)
	}
	return int64(n)
}
