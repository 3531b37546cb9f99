package projection

import "inlaygraph/wire"

// findOutput finds the row that an output frame refines: by id, without one the last incomplete row of
// the slot and name (docs/fold.md, rule 6). ok is false when the frame contradicts the row with its id,
// and the frame is then rejected.
func (s *State) findOutput(b *wire.Body) (r *OutputRow, key uint64, ok bool) {
	if b.ID == "" {
		r, key = s.lastOutput(s.slotOf(b), b.Name)
		return r, key, true
	}
	known, key := s.rowByID(b.ID)
	if known == nil {
		return nil, 0, true
	}
	r, ok = known.(*OutputRow)
	switch {
	case !ok:
		s.reject(ReasonIDTaken)
	case r.Name != b.Name:
		s.reject(ReasonNameChanged)
		ok = false
	}
	return r, key, ok
}

// applyOutputDelta appends text to a streamed artifact's value.
func (s *State) applyOutputDelta(b *wire.Body) {
	r, key, ok := s.findOutput(b)
	if !ok {
		return
	}
	if r == nil {
		s.openOutput(b)
		return
	}
	o := s.open[key]
	if o == nil || r.seq != 0 {
		s.refuseText(r)
		return
	}
	was, isText := r.Value.Text()
	if !isText {
		s.reject(ReasonNotText)
		return
	}
	if s.outgrows(len(was) + len(b.Delta)) {
		s.reject(ReasonRowFull)
		return
	}
	s.interrupt(s.slotOf(b))
	if o.content == nil {
		o.content = newText(was)
	}
	c := *r
	offset := o.content.units
	c.Value = TextValue(o.content.append(b.Delta))
	c.hint(b)
	switch {
	case c.format != r.format || b.Delta == "":
		s.replaceRow(key, r, &c)
	default:
		s.growRow(key, r, &c, FieldValue, offset, b.Delta)
	}
}

// openOutput opens a building output with its first text.
func (s *State) openOutput(b *wire.Body) {
	s.interrupt(s.slotOf(b))
	sp := s.spineOf(b)
	sp.seq = 0
	key, r := s.keyAtEnd(), &OutputRow{Spine: sp, Name: b.Name, Status: wire.Building, format: b.Format, Promoted: b.Promoted}
	s.opened(key, r)
	grown := newText("")
	s.open[key].content, r.Value = grown, TextValue(grown.append(b.Delta))
	s.insertRow(key, r)
}

// hint takes over format and promoted; both stay when a frame leaves them out.
func (r *OutputRow) hint(b *wire.Body) {
	if b.Format != 0 {
		r.format = b.Format
	}
	if b.HasPromoted {
		r.Promoted = b.Promoted
	}
}

// applyOutputSet makes or refines an output row with a whole value.
func (s *State) applyOutputSet(b *wire.Body) {
	r, key, ok := s.findOutput(b)
	if !ok {
		return
	}
	s.interrupt(s.slotOf(b))
	if r == nil {
		key, r := s.keyAtEnd(), s.newOutputRow(b)
		s.reopen(key, r)
		s.insertRow(key, r)
		return
	}
	c := *r
	c.set(b)
	s.reopen(key, &c)
	s.replaceRow(key, r, &c)
}

// reopen keeps an output row among the open ones exactly while it is incomplete; a value that came whole
// has no buffer behind it.
func (s *State) reopen(key uint64, r *OutputRow) {
	switch o := s.open[key]; {
	case r.Complete:
		s.shut(key, r)
	case o != nil:
		o.content = nil
	default:
		s.opened(key, r)
	}
}

func (s *State) newOutputRow(b *wire.Body) *OutputRow {
	r := &OutputRow{Spine: s.spineOf(b), Name: b.Name}
	r.set(b)
	return r
}

// set takes over what a whole value says.
func (r *OutputRow) set(b *wire.Body) {
	if b.Seq != 0 {
		r.seq = b.Seq
	}
	r.Value, r.Status, r.Complete = JSONValue(b.Value), b.ValueStatus, b.Complete
	r.hint(b)
}

// sameAs compares what a reader of the row can see, the spine aside: where it is promoted to is told by the bindings.
func (r *OutputRow) sameAs(q *OutputRow) bool {
	return r.Value.equal(q.Value) && r.Status == q.Status && r.format == q.format && r.Complete == q.Complete &&
		sameErrors(r.schemaErrors, q.schemaErrors)
}

// innerName is the scope of a subagent's own output.
type innerName struct {
	path *Place // the subagent
	name string
}

// indexOutput keeps the per-name lists of output rows up to date: old leaves, r enters, either may be nil
// or no output.
func (s *State) indexOutput(old, r Row, key uint64) {
	was, _ := old.(*OutputRow)
	is, _ := r.(*OutputRow)
	if was == nil && is == nil {
		return
	}
	if was != nil && is != nil && was.own() == is.own() {
		return
	}
	if was != nil {
		s.editOutputs(was, func(t *tree[struct{}]) { t.Del(s.tok, key) })
	}
	if is != nil {
		s.editOutputs(is, func(t *tree[struct{}]) { t.Set(s.tok, key, struct{}{}, 0) })
	}
}

func (s *State) editOutputs(r *OutputRow, edit func(*tree[struct{}])) {
	sc := s.scope(r)
	t, _ := sc.rows.Get(sc.ord)
	edit(&t)
	sc.rows.Set(s.tok, sc.ord, t, 0)
}

// outputScope is where an output binds its name: the conversation or a subagent.
type outputScope struct {
	rows *tree[tree[struct{}]] // by the ordinals of names
	kept *map[uint64]*Binding  // what they read beside those rows
	ord  uint64                // of the output's name
}

func (s *State) scope(r *OutputRow) outputScope {
	if r.own() {
		return outputScope{&s.cur.outputs, &s.cur.keptOwn, s.cur.names.add(r.Name)}
	}
	return outputScope{&s.cur.innerOutputs, &s.cur.keptInner, s.cur.inners.add(innerName{r.place.Parent, r.Name})}
}
