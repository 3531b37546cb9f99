package model

import "inlaygraph/wire"

// userMessage is rule 1.
func (s *state) userMessage(f *wire.Frame) Outcome {
	if known := s.byID(f.ID); known != nil {
		if known.kind != userRow {
			return rejected("other_kind")
		}
		return duplicate("user")
	}
	s.append(newUser(&f.Body))
	return applied()
}

func newUser(b *wire.Body) *entry {
	e := opened(userRow, b)
	e.Spine = wire.Spine{}
	e.content = b.Content
	return e
}

// nodeStart is rule 2.
func (s *state) nodeStart(f *wire.Frame) Outcome {
	if s.lifecycle(startMark, &f.Body) != nil {
		return applied() // a resumed node: no second visit, no placeholder, nothing moves
	}
	mark := opened(startMark, &f.Body)
	mark.nodeKind = f.Kind
	s.append(mark)
	if f.Kind != "llm" && f.Kind != "grounded_answer" || s.byID(f.MessageID) != nil {
		return applied()
	}
	placeholder := opened(assistantRow, &f.Body)
	placeholder.id, placeholder.born, placeholder.seq, placeholder.Iteration = f.MessageID, f.MessageID, 0, 0
	s.append(placeholder)
	return applied()
}

func openTurn(e *entry) bool { return e.kind == assistantRow && !e.complete }

// idless finds the last row of the frame's slot that has no id yet and passes.
func (s *state) idless(b *wire.Body, pass func(*entry) bool) *entry {
	spine := spineOf(b)
	return s.last(func(e *entry) bool {
		return e.kind == assistantRow && e.id == "" && sameSlot(e.Spine, spine) && pass(e)
	})
}

// full is what becomes of text for a row that takes no more: one that the log told has it already.
func (e *entry) full(why string) Outcome {
	if e.logged {
		return duplicate("logged")
	}
	return rejected(why)
}

// messageDelta is rule 3.
func (s *state) messageDelta(f *wire.Frame) Outcome {
	// Choice: a delta without text does nothing before it is asked whose row it names.
	if f.Content == "" && f.Reasoning == "" {
		return applied()
	}
	row := s.byID(f.ID)
	if row != nil {
		if row.kind != assistantRow {
			return rejected("other_kind")
		}
		if row.complete {
			return row.full("complete_row")
		}
	}
	if row == nil {
		row = s.idless(&f.Body, openTurn)
	}
	if row == nil {
		row = opened(assistantRow, &f.Body)
		row.seq = 0
		s.append(row)
	}
	if row.id == "" {
		row.id = f.ID
	}
	row.content += f.Content
	row.reasoning += f.Reasoning
	return applied()
}

// messageEnd is rule 4. Choice: a late end without a known id goes to the last row of its slot that has no id
// and still waits for its end, but only when no open row would take it.
func (s *state) messageEnd(f *wire.Frame) Outcome {
	row := s.byID(f.ID)
	if row != nil {
		if row.kind != assistantRow {
			return rejected("other_kind")
		}
		if row.complete && !row.lateEnd {
			return row.full("second_end")
		}
	}
	if row == nil {
		row = s.idless(&f.Body, openTurn)
	}
	if row == nil {
		row = s.idless(&f.Body, func(e *entry) bool { return e.lateEnd })
	}
	if row == nil {
		row = opened(assistantRow, &f.Body)
		s.append(row)
	}
	if row.id == "" {
		row.id = f.ID
	}
	if f.HasContent {
		row.content = f.Content
	}
	if f.HasReasoning {
		row.reasoning = f.Reasoning
	}
	if f.Seq > 0 {
		row.seq = f.Seq
	}
	row.complete, row.lateEnd = true, false
	if row.empty() {
		s.remove(row)
	}
	return applied()
}

// interrupt is rule 5: an accepted tool.call, output.delta or output.set closes the open turn of its slot.
// Choice: where a slot has several open turns, all of them.
func (s *state) interrupt(f *wire.Frame) {
	spine := spineOf(&f.Body)
	s.closeTurns(true, func(e *entry) bool { return sameSlot(e.Spine, spine) })
}

// nodeEnd is a live node.end: a marker, unless it repeats one, and rule 8 either way.
// Choice: a repeated end still closes what its activation left open since.
func (s *state) nodeEnd(f *wire.Frame) Outcome {
	if s.lifecycle(endMark, &f.Body) == nil {
		s.append(newEnd(&f.Body))
	}
	s.closeVisit(spineOf(&f.Body))
	return applied()
}

func newEnd(b *wire.Body) *entry {
	e := opened(endMark, b)
	e.end, e.err, e.usage = b.Status, b.Error, b.Usage
	return e
}

// closeVisit is rule 8 for node.end: the open rows of one (path, activation), of any iteration.
func (s *state) closeVisit(of wire.Spine) {
	in := func(e *entry) bool { return sameVisit(e.Spine, of) }
	s.closeTurns(true, in)
	s.closeOutputs(in)
}

// closeAll is rule 8 for run.pause, run.end and a head that is not running: every open row.
// Choice: of these only a run.pause leaves a turn waiting for its late end, as rule 4 lists.
func (s *state) closeAll(lateEnd bool) {
	all := func(*entry) bool { return true }
	s.closeTurns(lateEnd, all)
	s.closeOutputs(all)
}

// closeTurns completes the open turns that pass, and sweeps the empty ones away.
func (s *state) closeTurns(lateEnd bool, pass func(*entry) bool) {
	var kept []*entry
	for _, e := range s.entries {
		if openTurn(e) && pass(e) {
			if e.empty() {
				continue
			}
			e.complete, e.lateEnd = true, lateEnd
		}
		kept = append(kept, e)
	}
	s.entries = kept
}

// closeOutputs completes the incomplete outputs that pass. They keep their status and are never swept.
func (s *state) closeOutputs(pass func(*entry) bool) {
	for _, e := range s.entries {
		if e.kind == outputRow && pass(e) {
			e.complete = true
		}
	}
}
