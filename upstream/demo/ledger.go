package demo

import (
	"slices"
	"sort"
	"strconv"

	"inlaygraph/wire"
)

// ledger is what a platform keeps of one conversation: the durable log and the working set, derived from the
// frames as they are sent (docs/wire.md, "Persisted rows"). It also does the platform's part for frames whose
// recording left it out: it mints the ids of rows and says the seq of what it persisted.
//
// A row is never changed, only replaced, so that a page handed out stays as it was.
type ledger struct {
	conversationID string

	rows    []*wire.Row // ascending by seq
	nextSeq int64
	loops   []int64 // the first seq of each loop that rows still reach into

	known  map[string]any    // a row's id to its *turn, *output, or its seq when it is neither
	alias  map[string]string // an id of the recording to the one under which its row is known
	calls  map[string]int64  // tool_call_id to the seq of its call row
	answer map[string]int64  // tool_call_id to the seq of its result row
	starts map[string]int64  // a visit to the seq of its node-start row
	ends   map[string]int64  // a visit to the seq of its node-end row

	waiting []wire.Body // client tools' calls without a result, in the order of the calls
	entered []wire.Body // starts of nodes that have not ended, in their order

	turns   []*turn   // open ones, in the order opened
	outputs []*output // all of the kept loops, in the order opened
	working workingSet

	offset    int64 // of the last frame taken
	status    wire.Status
	err       *wire.PublicError
	retryable bool
}

// newLedger starts a log with what a recording says was there before its first frame.
func newLedger(conversationID string, head *wire.Head, rows []*wire.Row) *ledger {
	l := &ledger{conversationID: conversationID, nextSeq: 1, working: newWorkingSet(head)}
	l.forget()
	if head != nil {
		l.status, l.err, l.retryable = head.Status, head.Error, head.Retryable
		l.offset = head.LastOffset
	}
	for _, row := range slices.SortedStableFunc(slices.Values(rows), bySeq) {
		if row.Seq < l.nextSeq {
			continue // said twice
		}
		l.rows = append(l.rows, row)
		l.nextSeq = row.Seq + 1
		l.adopt(row)
	}
	return l
}

func bySeq(a, b *wire.Row) int { return int(min(max(a.Seq-b.Seq, -1), 1)) }

// adopt makes an earlier row known, so that frames which touch it do not make a second one.
func (l *ledger) adopt(row *wire.Row) {
	switch row.Type {
	case wire.RowAssistant:
		l.know(row.ID, &turn{spine: row.Spine, id: row.ID, ended: true, row: row})
		return
	case wire.RowOutput:
		o := outputOf(row)
		l.outputs = append(l.outputs, o)
		l.know(row.ID, o)
		return
	case wire.RowToolCall:
		l.waitFor(row.Body)
		l.calls[row.ToolCallID] = row.Seq
	case wire.RowToolResult:
		l.answered(row.ToolCallID)
		l.answer[row.ToolCallID] = row.Seq
	case wire.RowNodeStart:
		l.enter(row.Body)
		l.starts[visitKey(row.Spine)] = row.Seq
	case wire.RowNodeEnd:
		l.leave(row.Spine)
		l.ends[visitKey(row.Spine)] = row.Seq
	case wire.RowUser, wire.RowEdge:
	}
	l.know(row.ID, row.Seq)
}

func (l *ledger) know(id string, what any) {
	if id != "" {
		l.known[id] = what
	}
}

// forget clears what only frames of one loop refer to: the next loop's ids are fresh.
func (l *ledger) forget() {
	l.known, l.alias = map[string]any{}, map[string]string{}
	l.calls, l.answer = map[string]int64{}, map[string]int64{}
	l.starts, l.ends = map[string]int64{}, map[string]int64{}
	l.waiting, l.entered, l.turns = nil, nil, nil
}

// beginLoop starts the next loop's rows and drops those of loops beyond the last keep, whose outputs live on
// in the working set.
func (l *ledger) beginLoop(keep int) {
	if len(l.loops) > 0 {
		l.forget()
	}
	l.loops = append(l.loops, l.nextSeq)
	if len(l.loops) <= keep {
		return
	}
	l.loops = l.loops[len(l.loops)-keep:]
	first := l.loops[0]
	l.rows = slices.Clone(l.rows[l.at(first):])
	kept := l.outputs[:0:0]
	for _, o := range l.outputs {
		if o.row != nil && o.row.Seq < first {
			l.working.bind(o)
			continue
		}
		kept = append(kept, o)
	}
	l.outputs = kept
}

// at is the place of the first row whose seq is not below seq.
func (l *ledger) at(seq int64) int {
	return sort.Search(len(l.rows), func(i int) bool { return l.rows[i].Seq >= seq })
}

// append persists a row and returns its seq.
func (l *ledger) append(t wire.RowType, body wire.Body) *wire.Row {
	body.Seq = l.nextSeq
	row := &wire.Row{Type: t, Body: body}
	l.nextSeq++
	l.rows = append(l.rows, row)
	return row
}

// replace refines a row in place; one that was dropped meanwhile stays so.
func (l *ledger) replace(old *wire.Row, body wire.Body) *wire.Row {
	body.Seq = old.Seq
	row := &wire.Row{Type: old.Type, Body: body}
	if i := l.at(old.Seq); i < len(l.rows) && l.rows[i].Seq == old.Seq {
		l.rows[i] = row
	}
	return row
}

// take persists what the frame makes lasting, and completes the frame with the id of the row it makes or
// touches and with the seq of what it persisted. Its offset is set already.
func (l *ledger) take(f *wire.Frame) {
	l.offset = f.Offset
	switch f.Type {
	case wire.RunStart:
		l.status, l.err, l.retryable = wire.Running, nil, false
	case wire.UserMessage:
		l.takeFact(f, wire.RowUser, nil, "")
	case wire.NodeStart:
		l.takeStart(f)
	case wire.MessageDelta:
		l.takeDelta(f)
	case wire.MessageEnd:
		l.takeEnd(f)
	case wire.OutputDelta:
		l.takeOutputDelta(f)
	case wire.OutputSet:
		l.takeOutputSet(f)
	case wire.ToolCall:
		if _, again := l.calls[f.ToolCallID]; !again {
			l.interrupt(f.Spine)
			l.waitFor(f.Body)
		}
		l.takeFact(f, wire.RowToolCall, l.calls, f.ToolCallID)
	case wire.ToolResult:
		l.answered(f.ToolCallID)
		l.takeFact(f, wire.RowToolResult, l.answer, f.ToolCallID)
	case wire.TableRow:
		l.working.moveRow(f.Table, workingRow(f))
	case wire.TableDelete:
		l.working.deleteRow(f.Table, f.RowID)
	case wire.EdgeFired:
		f.Seq = l.append(wire.RowEdge, f.Body).Seq
	case wire.NodeEnd:
		l.takeNodeEnd(f)
	case wire.RunPause:
		l.closeAll(nil)
		l.status = f.Status
	case wire.RunEnd:
		l.closeAll(nil)
		l.entered = nil // a run that is over leaves no node running
		l.status, l.err, l.retryable = f.Status, f.Error, f.Retryable
	}
}

// takeFact persists a frame that is a row by itself. A second one under the same key or id makes no second
// row.
func (l *ledger) takeFact(f *wire.Frame, t wire.RowType, keys map[string]int64, key string) {
	if seq, again := keys[key]; again {
		f.Seq = seq
		return
	}
	if f.ID == "" {
		f.ID = l.mint()
	} else if before, again := l.known[f.ID]; again {
		f.Seq, _ = before.(int64)
		return
	}
	f.Seq = l.append(t, f.Body).Seq
	l.know(f.ID, f.Seq)
	if keys != nil {
		keys[key] = f.Seq
	}
}

// mint makes the id of a row that the frame at hand opens: no other frame has its offset.
func (l *ledger) mint() string {
	return l.conversationID + "#" + strconv.FormatInt(l.offset, 10)
}

func (l *ledger) takeStart(f *wire.Frame) {
	visit := visitKey(f.Spine)
	if seq, again := l.starts[visit]; again && f.Activation != "" {
		f.Seq = seq // a resumed node starts again without a second visit
		return
	}
	l.enter(f.Body)
	f.Seq = l.append(wire.RowNodeStart, f.Body).Seq
	l.starts[visit] = f.Seq
	if f.Kind != "llm" && f.Kind != "grounded_answer" {
		return
	}
	if _, again := l.known[f.MessageID]; again {
		return
	}
	l.open(f, f.MessageID)
}

// takeNodeEnd flushes the node's completion: its open rows first, then the end itself.
func (l *ledger) takeNodeEnd(f *wire.Frame) {
	visit := visitKey(f.Spine)
	l.closeAll(&visit)
	l.leave(f.Spine)
	if seq, again := l.ends[visit]; again && f.Activation != "" {
		f.Seq = seq
		return
	}
	f.Seq = l.append(wire.RowNodeEnd, f.Body).Seq
	l.ends[visit] = f.Seq
}
