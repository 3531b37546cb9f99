package projection

import (
	"bytes"
	"encoding/json"
	"slices"

	"inlaygraph/wire"
)

// maxArgs is the longest input that is parsed for PendingToolCall.Args, in bytes (docs/fold.md).
const maxArgs = 64 << 10

// pair is a tool call's two rows by key; 0 is none.
type pair struct {
	call, result uint64
	answered     bool // though the result is not here: the call came back after a trim
}

// applyToolCall appends a call; a known tool_call_id is a duplicate (docs/fold.md, rule 7).
func (s *State) applyToolCall(b *wire.Body) {
	p := s.pairOf(b.ToolCallID)
	if p.call != 0 {
		s.c.Outcome = Duplicate
		return
	}
	if r, _ := s.rowByID(b.ID); r != nil {
		s.reject(ReasonIDTaken)
		return
	}
	s.interrupt(s.slotOf(b))
	s.insertTool(s.keyAtEnd(), s.newToolCall(b))
}

// applyToolResult appends a result; it needs no known call.
func (s *State) applyToolResult(b *wire.Body) {
	p := s.pairOf(b.ToolCallID)
	if p.result != 0 {
		s.c.Outcome = Duplicate
		return
	}
	if r, _ := s.rowByID(b.ID); r != nil {
		s.reject(ReasonIDTaken)
		return
	}
	s.insertTool(s.keyAtEnd(), s.newToolResult(b))
}

func (s *State) newToolCall(b *wire.Body) *ToolCallRow {
	return &ToolCallRow{
		Spine: s.spineOf(b), ToolCallID: b.ToolCallID, ToolName: b.ToolName, Input: b.Input,
		RequiresClientResponse: b.RequiresClientResponse,
	}
}

func (s *State) newToolResult(b *wire.Body) *ToolResultRow {
	return &ToolResultRow{Spine: s.spineOf(b), ToolCallID: b.ToolCallID, Output: b.Output}
}

// insertTool puts a call or a result into the timeline and into its pair.
func (s *State) insertTool(key uint64, row Row) {
	ord := s.cur.tools.add(toolCallID(row))
	p, _ := s.cur.pairs.Get(ord)
	switch r := row.(type) { // both share the id's memory
	case *ToolCallRow:
		r.ToolCallID, p.call = s.cur.tools.of(ord), key
	case *ToolResultRow:
		r.ToolCallID, p.result = s.cur.tools.of(ord), key
	}
	s.insertRow(key, row)
	s.cur.pairs.Set(s.tok, ord, p, 0)
	s.toolMoved(toolCallID(row))
}

// removeTool takes a call or a result out of the timeline and out of its pair.
func (s *State) removeTool(key uint64, row Row) {
	s.removeRow(key, row)
	ord := s.cur.tools.add(toolCallID(row))
	p, _ := s.cur.pairs.Get(ord)
	if _, ok := row.(*ToolCallRow); ok {
		p.call = 0
	} else {
		p.result = 0
	}
	if p.call == 0 && p.result == 0 {
		s.cur.pairs.Del(s.tok, ord)
		s.forgetCalls()
	} else {
		s.cur.pairs.Set(s.tok, ord, p, 0)
	}
	if _, waited := s.cur.pending.Get(key); waited {
		s.cur.pending.Del(s.tok, key)
		s.mark(Slice{Kind: SlicePendingTools})
	}
	s.mark(Slice{Kind: SliceToolCall, Name: toolCallID(row)})
}

// idleCalls is how many ids of calls that are gone are kept at least, before they are let go all at once.
const idleCalls = 1024

// forgetCalls lets go of the ids of calls of which no row is left, once they are as many as the others.
func (s *State) forgetCalls() {
	if s.cur.tools.len() > 2*s.cur.pairs.Len()+idleCalls {
		pairs := s.cur.pairs
		s.cur.tools = s.cur.tools.without(func(ord uint64) bool {
			_, here := pairs.Get(ord)
			return !here
		})
	}
}

// noteAnswered notes that a call is not to be asked for, though its result is not here.
func (s *State) noteAnswered(toolCallID string) {
	ord := s.cur.tools.add(toolCallID)
	p, _ := s.cur.pairs.Get(ord)
	p.answered = true
	s.cur.pairs.Set(s.tok, ord, p, 0)
}

// isTool tells whether a row is a call or a result.
func isTool(row Row) bool {
	switch row.(type) {
	case *ToolCallRow, *ToolResultRow:
		return true
	}
	return false
}

// toolCallID is the id of the call that a tool row belongs to, "" for any other row.
func toolCallID(row Row) string {
	switch r := row.(type) {
	case *ToolCallRow:
		return r.ToolCallID
	case *ToolResultRow:
		return r.ToolCallID
	}
	return ""
}

func (s *State) pairOf(toolCallID string) pair {
	if ord, ok := s.cur.tools.find(toolCallID); ok {
		p, _ := s.cur.pairs.Get(ord)
		return p
	}
	return pair{}
}

// toolMoved marks a call's slice and derives its place among the pending ones anew.
func (s *State) toolMoved(toolCallID string) {
	s.mark(Slice{Kind: SliceToolCall, Name: toolCallID})
	p := s.pairOf(toolCallID)
	if p.call == 0 {
		return
	}
	call := s.row(p.call).(*ToolCallRow)
	delivery := s.deliveries[toolCallID]
	waits := call.RequiresClientResponse && p.result == 0 && !p.answered && (delivery == nil || delivery.Status != ToolCancelled)
	was, waited := s.cur.pending.Get(p.call)
	switch {
	case waits:
		now := &PendingToolCall{call: call, Delivery: delivery}
		if waited {
			now.args = was.args
		} else {
			now.args = parseArgs(call.Input)
		}
		s.cur.pending.Set(s.tok, p.call, now, 0)
		if waited && was.sameAs(now) {
			return // the row took over an id or a seq, which the pending call does not show
		}
	case waited:
		s.cur.pending.Del(s.tok, p.call)
	default:
		return
	}
	s.mark(Slice{Kind: SlicePendingTools})
}

// parseArgs returns the input as compacted JSON, "" when it is none (RFC 8259) or over maxArgs.
func parseArgs(input string) wire.JSON {
	var b bytes.Buffer
	if len(input) > maxArgs || json.Compact(&b, []byte(input)) != nil {
		return ""
	}
	return wire.JSON(b.String())
}

// maxDeliveries is how many deliveries are remembered; beyond, the oldest go whose calls are answered or gone.
const maxDeliveries = 1000

// forgetDelivery makes room for another delivery.
func (s *State) forgetDelivery() {
	if len(s.cur.toolStates) < maxDeliveries {
		return
	}
	for i, t := range s.cur.toolStates {
		p := s.pairOf(t.ToolCallID)
		if t.Status != ToolPending && t.Status != ToolSubmitting && (p.call == 0 || p.result != 0 || p.answered) {
			delete(s.deliveries, t.ToolCallID)
			s.cur.toolStates = slices.Delete(slices.Clone(s.cur.toolStates), i, i+1)
			s.mark(Slice{Kind: SliceToolCall, Name: t.ToolCallID})
			return
		}
	}
}

// applyDelivery records how a result's delivery is going. A cancelled call stays cancelled.
func (s *State) applyDelivery(d ToolDelivery) {
	switch was := s.deliveries[d.ToolCallID]; {
	case was == nil:
	case was.Status == ToolCancelled:
		s.c.Outcome = Duplicate
		return
	case was.Status == d.Status && same(was.Error, d.Error):
		return
	}
	s.deliveries[d.ToolCallID] = &d
	s.forgetDelivery()
	states := make([]*ToolDelivery, 0, len(s.cur.toolStates)+1)
	found := false
	for _, t := range s.cur.toolStates {
		if t.ToolCallID == d.ToolCallID {
			t, found = &d, true
		}
		states = append(states, t)
	}
	if !found {
		states = append(states, &d)
	}
	s.cur.toolStates = states
	s.mark(Slice{Kind: SliceToolStates})
	s.toolMoved(d.ToolCallID)
}
