package model

import (
	"slices"

	"inlaygraph/wire"
)

// row folds one persisted row: rule 9, and what rule 8 says of persisted rows. Nothing here interrupts a turn
// (rule 5) and nothing opens a placeholder (rule 2).
func (s *state) row(r *wire.Row) Outcome {
	s.before = true
	out := s.persisted(r)
	if out.Result == Applied && r.Seq == 1 {
		s.firstSeen = true
	}
	return out
}

func (s *state) persisted(r *wire.Row) Outcome {
	switch r.Type {
	case wire.RowNodeStart:
		fresh := opened(startMark, &r.Body)
		fresh.nodeKind = r.Kind
		s.refineMark(s.lifecycle(startMark, &r.Body), fresh, r)
		return applied()
	case wire.RowNodeEnd:
		s.refineMark(s.lifecycle(endMark, &r.Body), newEnd(&r.Body), r)
		s.closeVisit(spineOf(&r.Body))
		return applied()
	case wire.RowEdge:
		fresh := newEdge(&r.Body)
		s.refineMark(s.sameEdge(fresh), fresh, r)
		return applied()
	}
	k := durableKind[r.Type]
	match := s.byID(r.ID)
	if match != nil {
		if match.kind != k {
			return rejected("other_kind")
		}
		if k == outputRow && match.name != r.Name {
			return rejected("other_name")
		}
		if (k == callRow || k == resultRow) && match.callID != r.ToolCallID {
			return rejected("other_call")
		}
	}
	if match == nil {
		match = s.bySeq(k, r)
	}
	if match == nil && (k == callRow || k == resultRow) {
		match = s.tool(k, r.ToolCallID)
	}
	if match == nil {
		match = s.insert(persistedRow(k, r))
	}
	match.refine(r)
	if match.kind == assistantRow && match.empty() {
		s.remove(match) // a persisted assistant row without text is not shown
	}
	return applied()
}

var durableKind = map[wire.RowType]kind{
	wire.RowUser: userRow, wire.RowAssistant: assistantRow, wire.RowOutput: outputRow,
	wire.RowToolCall: callRow, wire.RowToolResult: resultRow,
}

func persistedRow(k kind, r *wire.Row) *entry {
	switch k {
	case userRow:
		return newUser(&r.Body)
	case callRow, resultRow:
		return newTool(k, &r.Body)
	}
	e := opened(k, &r.Body)
	e.name = r.Name
	return e
}

// bySeq is the row of the same kind at that place of the log. Choice: a row that is known to be another one
// (another id, output name or tool call) is no match, whatever its seq.
func (s *state) bySeq(k kind, r *wire.Row) *entry {
	return s.first(func(e *entry) bool {
		return e.kind == k && e.seq == r.Seq &&
			(e.id == "" || r.ID == "") &&
			(k != outputRow || e.name == r.Name) &&
			(k != callRow && k != resultRow || e.callID == r.ToolCallID)
	})
}

// refine takes over what the log says of a row, in place. Choice: the spine and `at`, which are from when the
// row opened, are only filled in; tool rows never mutate, so they take id and seq alone.
func (e *entry) refine(r *wire.Row) {
	if r.ID != "" {
		e.id = r.ID
	}
	e.seq, e.logged = r.Seq, true
	e.fill(&r.Body)
	switch e.kind {
	case userRow:
		e.content = r.Content
	case assistantRow:
		e.content, e.reasoning, e.complete, e.lateEnd = r.Content, r.Reasoning, true, false
	case outputRow:
		e.value, e.status, e.complete = r.Value, r.ValueStatus, r.Complete
		e.hints(&r.Body)
	}
}

// lifecycle finds the marker that a start or end repeats: by (path, activation), else by seq. Choice: by seq
// only a marker of the same path that is of no other activation.
func (s *state) lifecycle(k kind, b *wire.Body) *entry {
	spine := spineOf(b)
	same := s.first(func(e *entry) bool {
		return e.kind == k && b.Activation != "" && sameVisit(e.Spine, spine)
	})
	if same != nil || b.Seq == 0 {
		return same
	}
	return s.first(func(e *entry) bool {
		return e.kind == k && e.seq == b.Seq && samePath(e.Spine, spine) && (e.Activation == "" || b.Activation == "")
	})
}

// refineMark fills in a marker that the log repeats, or puts a new one in its place. Choice: a repeat changes
// nothing that is known, and adds no usage, status or error.
func (s *state) refineMark(match, fresh *entry, r *wire.Row) {
	if match == nil {
		s.insert(fresh)
		return
	}
	if match.seq == 0 {
		match.seq = r.Seq
	}
	match.fill(&r.Body)
}

// insert puts an entry before the first one with a greater seq, else at the end.
func (s *state) insert(n *entry) *entry {
	i := slices.IndexFunc(s.entries, func(e *entry) bool { return e.seq > n.seq })
	if i < 0 {
		i = len(s.entries)
	}
	s.name(n)
	n.gone = s.isCut(i)
	s.entries = slices.Insert(s.entries, i, n)
	return n
}
