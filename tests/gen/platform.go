package gen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// platform runs an agent: it sends frames, keeps the facts, and writes them to its log. It knows
// nothing of how anybody folds them.
type platform struct {
	t      *rapid.T
	run    *Run
	now    time.Time
	minted int

	facts     []*fact // in the order they opened
	logged    int     // facts in the log
	persisted int     // of which flushed
	running   []*visit
	openNames map[string]bool // outputs that are still being built, by scope and name

	status    wire.Status
	err       *wire.PublicError
	retryable bool
	tables    map[string][]wire.WorkingRow
}

// fact is one row of the log in the making.
type fact struct {
	row   *wire.Row
	first int64 // offset of its first frame
	place int   // in the log, from 1; 0 while it is not banked
	swept bool  // an empty turn leaves nothing
}

func newPlatform(t *rapid.T, style Style) *platform {
	return &platform{
		t: t, run: &Run{Style: style}, now: epoch, openNames: map[string]bool{}, tables: map[string][]wire.WorkingRow{},
	}
}

func (p *platform) mint(what string) string {
	p.minted++
	return fmt.Sprintf("%s%d", what, p.minted)
}

// emit sends a frame. What stood before it is marked first, so a fact that was flushed for this frame (a node's
// end) is already in the log for a reader who comes before the frame.
func (p *platform) emit(kind wire.FrameType, b wire.Body) *wire.Frame {
	p.mark()
	p.now = p.now.Add(time.Duration(between(p.t, "ms", 1, 900)) * time.Millisecond)
	f := &wire.Frame{Type: kind, Offset: p.next(), Body: b}
	f.At = p.now
	p.run.Frames = append(p.run.Frames, f)
	return f
}

// next is the offset of the next frame.
func (p *platform) next() int64 { return int64(len(p.run.Frames)) + 1 }

// open makes a fact whose first frame is the next one. Its time is that frame's.
func (p *platform) open(kind wire.RowType, b wire.Body) *fact {
	f := &fact{row: &wire.Row{Type: kind, Body: b}, first: p.next()}
	p.facts = append(p.facts, f)
	return f
}

// bank appends a fact to the log, once. It is flushed later.
func (p *platform) bank(f *fact) int64 {
	if f.place == 0 {
		p.logged++
		f.place = p.logged
		f.row.Seq = int64(p.logged)
		if f.row.Type == wire.RowAssistant {
			f.row.HasContent, f.row.HasReasoning = true, f.row.Reasoning != ""
		}
		p.run.Log = append(p.run.Log, f.row)
	}
	return f.row.Seq
}

func (p *platform) flush() { p.persisted = p.logged }

// record sends a frame that is a fact of its own, and banks it.
func (p *platform) record(kind wire.FrameType, row wire.RowType, b wire.Body) *fact {
	f := p.open(row, b)
	if seq := p.bank(f); kind != wire.NodeStart { // whose frame has none
		b.Seq = seq
	}
	f.row.At = p.emit(kind, b).At
	if chance(p.t, "flush", 25) {
		p.flush()
	}
	return f
}

func (p *platform) runStart() {
	p.emit(wire.RunStart, wire.Body{RunID: p.mint("run"), ConversationID: conversationID, AgentID: agentID, AgentVersion: agentVersion})
	p.status, p.err, p.retryable = wire.Running, nil, false
}

func (p *platform) user() {
	p.record(wire.UserMessage, wire.RowUser, wire.Body{ID: p.mint("u"), Content: pick(p.t, "content", "Hi", "Go on", "😀?"), HasContent: true})
}

// pause ends the stream but not the conversation. Every open row is closed.
func (p *platform) pause(status wire.Status) {
	p.settleAll()
	p.emit(wire.RunPause, wire.Body{Status: status})
	p.status = status
	p.flush()
}

// close ends a run that went through.
func (p *platform) close() {
	p.settleAll()
	switch pick(p.t, "close", "completed", "pause", "failed", "cancelled", "open") {
	case "completed":
		p.end(wire.Completed)
	case "failed":
		p.end(wire.Failed)
	case "cancelled":
		p.end(wire.Cancelled)
	case "pause":
		p.pause(wire.Paused)
	}
}

func (p *platform) end(status wire.Status) {
	b := wire.Body{Status: status}
	if status == wire.Failed {
		b.Error, b.Retryable = p.maybeError(), rapid.Bool().Draw(p.t, "retryable")
	}
	p.settleAll()
	p.emit(wire.RunEnd, b)
	p.status, p.err, p.retryable = status, b.Error, b.Retryable
	p.flush()
}

// abort ends a run in the middle. The last run may leave nodes running: nothing but its end says that they
// stopped. An earlier one ends its nodes, because the log does not carry the end of a run that was retried.
func (p *platform) abort(last bool) {
	left := last && rapid.Bool().Draw(p.t, "leave nodes running")
	for len(p.running) > 0 {
		v := p.running[len(p.running)-1]
		if left {
			for _, turn := range p.settle(v) {
				p.bank(turn)
			}
			p.forget(v)
			continue
		}
		p.nodeEnd(v, pick(p.t, "status", wire.Cancelled, wire.Failed))
	}
	if last && chance(p.t, "cancel", 40) {
		p.end(wire.Cancelled)
		return
	}
	p.end(wire.Failed)
	p.retryable = p.retryable || !last
	p.run.Frames[len(p.run.Frames)-1].Retryable = p.retryable
}

func (p *platform) maybeError() *wire.PublicError {
	if rapid.Bool().Draw(p.t, "says why") {
		return &wire.PublicError{Kind: wire.ErrorLLM, Message: "The model did not answer."}
	}
	return nil
}

func (p *platform) finish() *Run {
	p.flush()
	p.mark()
	p.run.strip()
	return p.run
}

// mark notes how things stand after the frames so far.
func (p *platform) mark() {
	n := int64(len(p.run.Frames))
	m := mark{persisted: p.persisted}
	m.head = wire.Head{
		ConversationID: conversationID, AgentID: agentID, AgentVersion: agentVersion, Status: p.status,
		Error: p.err, HasRetryable: true, Retryable: p.retryable, SaysEarlier: true,
		HasLastOffset: true, LastOffset: n, WorkingSet: p.workingSet(),
	}
	for _, f := range p.facts {
		flushed := f.place > 0 && f.place <= p.persisted
		switch {
		case f.swept:
		case f.first <= n && !flushed:
			m.head.LastOffset = min(m.head.LastOffset, f.first-1)
		case f.first > n && flushed:
			m.overlapped = true
		}
	}
	if m.head.LastOffset < n {
		m.overlapped = true
	}
	p.run.marks = append(p.run.marks, m)
}

// workingSet is the latest value of every output and table.
func (p *platform) workingSet() *wire.WorkingSet {
	top, inner := map[string]wire.WorkingBinding{}, map[string]wire.WorkingBinding{}
	for _, f := range p.facts {
		r := f.row
		if r.Type != wire.RowOutput || f.first > int64(len(p.run.Frames)) {
			continue
		}
		b := wire.WorkingBinding{Name: r.Name, Value: r.Value, Status: r.ValueStatus, Format: r.Format}
		if len(r.SubgraphPath) == 0 || r.Promoted {
			top[r.Name] = b
			continue
		}
		b.Path = slices.Clone(r.SubgraphPath)
		inner[strings.Join(b.Path, "/")+"/"+b.Name] = b
	}
	ws := &wire.WorkingSet{}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		ws.Bindings = append(ws.Bindings, top[key])
	}
	for _, key := range slices.Sorted(maps.Keys(inner)) {
		ws.SubagentBindings = append(ws.SubagentBindings, inner[key])
	}
	for _, name := range slices.Sorted(maps.Keys(p.tables)) {
		ws.Tables = append(ws.Tables, wire.WorkingTable{Name: name, Rows: append([]wire.WorkingRow(nil), p.tables[name]...)})
	}
	return ws
}
