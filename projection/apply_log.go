package projection

import "inlaygraph/wire"

// applyLoggedRow takes a persisted user, assistant, output or tool row. One that matches a row of the
// timeline refines it in place; it is never a second row (docs/fold.md, rule 9).
func (s *State) applyLoggedRow(r *wire.Row) {
	b := &r.Body
	known, key, ok := s.matchLogged(r.Type, b)
	switch {
	case !ok && rowKinds[r.Type] == kindOutput && kindOf(known) == kindOutput:
		s.reject(ReasonNameChanged)
	case !ok:
		s.reject(ReasonIDTaken)
	case known == nil:
		s.insertLogged(r.Type, b)
	case s.front() && (s.precedes(key) || known.Common().seq > b.Seq):
		s.precede(known, key, b)
	case s.returned():
		s.returnKnown(known, key, b)
	default:
		s.refineLogged(known, key, b)
	}
}

// matchLogged finds the row that a persisted one repeats: by id, else by seq, else by tool_call_id. ok is
// false when its id belongs to a row of another kind.
func (s *State) matchLogged(t wire.RowType, b *wire.Body) (r Row, key uint64, ok bool) {
	if r, key = s.rowByID(b.ID); r != nil {
		return r, key, isKind(r, t, b)
	}
	if key, found := s.bySeq(b.Seq, rowKinds[t]); found {
		if r := s.row(key); r != nil && isKind(r, t, b) && (b.ID == "" || r.Common().id == "") {
			return r, key, true
		}
	}
	switch p := s.pairOf(b.ToolCallID); {
	case t == wire.RowToolCall && p.call != 0:
		return s.row(p.call), p.call, true
	case t == wire.RowToolResult && p.result != 0:
		return s.row(p.result), p.result, true
	}
	return nil, 0, true
}

// isKind tells whether a row may be the one that a persisted row speaks of: a row of its kind, and not known
// to be another output or call.
func isKind(r Row, t wire.RowType, b *wire.Body) bool {
	switch r := r.(type) {
	case *UserRow:
		return t == wire.RowUser
	case *AssistantRow:
		return t == wire.RowAssistant
	case *OutputRow:
		return t == wire.RowOutput && r.Name == b.Name
	case *ToolCallRow:
		return t == wire.RowToolCall && r.ToolCallID == b.ToolCallID
	case *ToolResultRow:
		return t == wire.RowToolResult && r.ToolCallID == b.ToolCallID
	}
	return false
}

func (s *State) insertLogged(t wire.RowType, b *wire.Body) {
	if t == wire.RowAssistant && b.Content == "" && b.Reasoning == "" {
		return // a persisted turn without text is not shown
	}
	key := s.keyBySeq(b.Seq)
	switch t {
	case wire.RowUser:
		r := newUserRow(b)
		r.logged, r.marked = true, s.returned()
		s.insertRow(key, r)
	case wire.RowAssistant:
		r := &AssistantRow{Spine: s.spineOf(b), Content: b.Content, reasoning: b.Reasoning, Complete: true}
		r.logged = true
		s.insertRow(key, r)
	case wire.RowOutput:
		r := s.newOutputRow(b)
		r.logged = true
		if s.returned() {
			r.Complete = true // or it would not have been dropped
			s.returnOutput(key, r)
		}
		s.reopenLogged(key, r)
		s.insertRow(key, r)
	case wire.RowToolCall:
		r := s.newToolCall(b)
		r.logged = true
		if s.returned() { // nor would one that waits
			s.noteAnswered(b.ToolCallID)
		}
		s.insertTool(key, r)
	case wire.RowToolResult:
		r := s.newToolResult(b)
		r.logged = true
		s.insertTool(key, r)
	}
}

// refineLogged takes over id and seq, and what the log holds of a turn or an output. Tool rows never mutate.
func (s *State) refineLogged(known Row, key uint64, b *wire.Body) {
	sp := *known.Common()
	if b.ID != "" && sp.id != b.ID {
		sp.rename(b.ID)
	}
	if b.Seq != 0 {
		sp.seq = b.Seq
	}
	sp.fill(s.spineOf(b), known)
	sp.logged = true
	var r Row
	switch k := known.(type) {
	case *UserRow:
		r = &UserRow{Spine: sp, Content: b.Content}
	case *AssistantRow:
		s.shut(key, k)
		c := &AssistantRow{Spine: sp, Content: b.Content, reasoning: b.Reasoning, Complete: true}
		if c.empty() {
			s.removeRow(key, k)
			return
		}
		r = c
	case *OutputRow:
		s.shut(key, k)
		c := *k
		c.set(b)
		c.Complete = c.Complete || s.returned() && k.Complete
		c.Spine = sp
		s.reopenLogged(key, &c)
		r = &c
	default:
		r = withSpine(known, sp)
	}
	s.putRefined(key, known, r)
}

// refineSpine takes over no more than what a row could not say of itself.
func (s *State) refineSpine(known Row, key uint64, b *wire.Body) {
	sp := *known.Common()
	if sp.id == "" && b.ID != "" {
		sp.rename(b.ID)
	}
	if sp.seq == 0 {
		sp.seq = b.Seq
	}
	sp.fill(s.spineOf(b), known)
	sp.logged = true
	r := withSpine(known, sp)
	s.reslot(key, known, r)
	s.putRefined(key, known, r)
}

// putRefined puts a row in a known one's place that may be of a node which the known one did not tell.
func (s *State) putRefined(key uint64, known, r Row) {
	if r.Common().place != known.Common().place { // it enters the slices of its node
		s.removeRow(key, known)
		s.insertRow(key, r)
	} else {
		s.replaceRow(key, known, r)
	}
	if isTool(r) && !sameRow(known, r) {
		s.toolMoved(toolCallID(r))
	}
}

// fill takes over what a row could not say when it opened; what it said stays. A user row has no node.
func (sp *Spine) fill(logged Spine, r Row) {
	if sp.at.IsZero() {
		sp.at = logged.at
	}
	if _, ok := r.(*UserRow); ok {
		return
	}
	if sp.place == nil {
		sp.place = logged.place
	}
	if sp.activation == "" {
		sp.activation = logged.activation
	}
	if sp.iteration == 0 {
		sp.iteration = logged.iteration
	}
}
