package projection

import (
	"slices"

	"inlaygraph/wire"
)

// applyUser appends the user's turn; a known id makes no second row (docs/fold.md, rule 1).
func (s *State) applyUser(b *wire.Body) {
	if r, _ := s.rowByID(b.ID); r != nil {
		if _, ok := r.(*UserRow); ok {
			s.c.Outcome = Duplicate
		} else {
			s.reject(ReasonIDTaken)
		}
		return
	}
	s.insertRow(s.keyAtEnd(), newUserRow(b))
}

// newUserRow makes the user's turn: it never has a node.
func newUserRow(b *wire.Body) *UserRow {
	return &UserRow{Spine: Spine{id: b.ID, seq: b.Seq, at: b.At}, Content: b.Content}
}

// openPlaceholder appends the empty turn that covers a model's prefill (docs/fold.md, rule 2).
func (s *State) openPlaceholder(b *wire.Body) {
	if r, _ := s.rowByID(b.MessageID); r != nil {
		return
	}
	sp := s.spineOf(b)
	sp.id, sp.seq, sp.iteration = b.MessageID, 0, 0
	key, r := s.keyAtEnd(), &AssistantRow{Spine: sp}
	s.insertRow(key, r)
	s.opened(key, r)
}

// findTurn finds the row that text belongs to: by id, else the last opened open row of the slot that has
// no id yet (docs/fold.md, rule 3). ok is false when the id belongs to a row of another kind.
func (s *State) findTurn(b *wire.Body) (r *AssistantRow, key uint64, ok bool) {
	if known, key := s.rowByID(b.ID); known != nil {
		r, ok = known.(*AssistantRow)
		return r, key, ok
	}
	r, key = s.lastTurn(s.slotOf(b))
	return r, key, true
}

// openTurn opens an assistant row at the end, as the frame says.
func (s *State) openTurn(b *wire.Body) (*AssistantRow, uint64) {
	sp := s.spineOf(b)
	sp.seq = 0
	key, r := s.keyAtEnd(), &AssistantRow{Spine: sp}
	return r, key
}

// applyMessageDelta appends text to a turn (docs/fold.md, rule 3).
func (s *State) applyMessageDelta(b *wire.Body) {
	if b.Content == "" && b.Reasoning == "" {
		return
	}
	r, key, ok := s.findTurn(b)
	switch {
	case !ok:
		s.reject(ReasonIDTaken)
		return
	case r == nil:
		r, key = s.openTurn(b)
		s.fill(key, r, b)
		s.insertRow(key, r)
		return
	case s.open[key] == nil:
		s.refuseText(r)
		return
	}
	if s.outgrows(len(r.Content) + len(r.reasoning) + len(b.Content) + len(b.Reasoning)) {
		s.reject(ReasonRowFull)
		return
	}
	o := s.open[key]
	if r.id != b.ID && b.ID != "" {
		c := *r
		c.rename(b.ID)
		o.grow(&c, b)
		s.replaceRow(key, r, &c)
		return
	}
	if b.Reasoning != "" {
		c := *r
		offset := o.growReasoning(&c, b.Reasoning)
		s.growRow(key, r, &c, FieldReasoning, offset, b.Reasoning)
		r = &c
	}
	if b.Content != "" {
		c := *r
		offset := o.growContent(&c, b.Content)
		s.growRow(key, r, &c, FieldContent, offset, b.Content)
	}
}

// refuseText drops text for a row that takes no more. Of one that the log told it is what the log said: a stream repeats
// what came before the log's row (docs/wire.md, "The head").
func (s *State) refuseText(r Row) {
	if r.Common().logged {
		s.c.Outcome = Duplicate
		return
	}
	s.reject(ReasonRowComplete)
}

// fill gives a row that is not in the timeline yet its first text.
func (s *State) fill(key uint64, r *AssistantRow, b *wire.Body) {
	s.opened(key, r)
	s.open[key].grow(r, b)
}

func (o *openRow) grow(r *AssistantRow, b *wire.Body) {
	if b.Reasoning != "" {
		o.growReasoning(r, b.Reasoning)
	}
	if b.Content != "" {
		o.growContent(r, b.Content)
	}
}

// growContent appends to r's content and returns the UTF-16 units it had.
func (o *openRow) growContent(r *AssistantRow, add string) (offset int) {
	if o.content == nil {
		o.content = newText(r.Content)
	}
	offset = o.content.units
	r.Content = o.content.append(add)
	return offset
}

// growReasoning appends to r's reasoning and returns the UTF-16 units it had.
func (o *openRow) growReasoning(r *AssistantRow, add string) (offset int) {
	if o.reasoning == nil {
		o.reasoning = newText(r.reasoning)
	}
	offset = o.reasoning.units
	r.reasoning = o.reasoning.append(add)
	return offset
}

// applyMessageEnd banks a turn: text given is the whole text and wins; an empty turn is swept away. A turn
// that something else closed still takes text and seq from its one late end (docs/fold.md, rule 4).
func (s *State) applyMessageEnd(b *wire.Body) {
	r, key, ok := s.findTurn(b)
	if ok && r == nil {
		r, key = s.lateTurn(s.slotOf(b))
	}
	switch {
	case !ok:
		s.reject(ReasonIDTaken)
		return
	case r == nil:
		r, key = s.openTurn(b)
		if c := s.ended(key, r, b); !c.empty() {
			s.insertRow(key, c)
		}
		return
	case r.Complete && !r.lateEnd:
		s.refuseText(r)
		return
	}
	c := s.ended(key, r, b)
	s.shut(key, r)
	if c.empty() {
		s.removeRow(key, r)
		return
	}
	s.replaceRow(key, r, c)
}

// ended returns r as a message.end leaves it.
func (s *State) ended(key uint64, r *AssistantRow, b *wire.Body) *AssistantRow {
	c := *r
	if b.ID != "" && c.id != b.ID {
		c.rename(b.ID)
	}
	if b.Seq != 0 {
		c.seq = b.Seq
	}
	if o := s.open[key]; o != nil {
		c.Content, c.reasoning = o.content.settled(c.Content), o.reasoning.settled(c.reasoning)
	}
	if b.HasContent {
		c.Content = b.Content
	}
	if b.HasReasoning {
		c.reasoning = b.Reasoning
	}
	c.Complete, c.lateEnd = true, false
	return &c
}

// forgetLate forgets that a row waits for its end.
func (s *State) forgetLate(key uint64, r *AssistantRow) {
	k := slotOfRow(&r.Spine)
	keys := s.late[k]
	if i, waits := slices.BinarySearch(keys, key); waits {
		s.late[k] = slices.Delete(keys, i, i+1)
	}
	if len(s.late[k]) == 0 {
		delete(s.late, k)
	}
}

// lateTurn returns the last row of a slot that has no id and still waits for its end.
func (s *State) lateTurn(k slotKey) (*AssistantRow, uint64) {
	keys := s.late[k]
	for len(keys) > 0 {
		key := keys[len(keys)-1]
		if r, ok := s.row(key).(*AssistantRow); ok && r.lateEnd && r.id == "" {
			s.late[k] = keys
			return r, key
		}
		keys = keys[:len(keys)-1]
	}
	delete(s.late, k)
	return nil, 0
}
