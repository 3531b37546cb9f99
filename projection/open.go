package projection

import (
	"slices"

	"inlaygraph/wire"
)

// openRow is what a row that still takes text keeps beside its value: the growing buffers.
type openRow struct {
	slot      slotKey
	content   *text // an assistant row's content or an output row's value, nil until it grows
	reasoning *text
}

func (s *State) slotOf(b *wire.Body) slotKey {
	k := slotKey{activation: b.Activation, iteration: int32(b.Iteration)}
	if b.NodeID != "" {
		k.place = s.cur.places.at(b.SubgraphPath, b.NodeID)
	}
	return k
}

// spineOf is the spine of a row that a frame or persisted row opens.
func (s *State) spineOf(b *wire.Body) Spine {
	k := s.slotOf(b)
	return Spine{id: b.ID, seq: b.Seq, place: k.place, activation: s.sharedActivation(k), iteration: k.iteration, at: b.At}
}

// sharedActivation is the slot's activation in the memory that the visit's start already holds.
func (s *State) sharedActivation(k slotKey) string {
	if f := s.nodes[k.place]; f != nil {
		if m := f.visits[k.activation].start.mark; m != nil {
			return m.activation
		}
	}
	return k.activation
}

func slotOfRow(sp *Spine) slotKey {
	return slotKey{place: sp.place, activation: sp.activation, iteration: sp.iteration}
}

// slot holds the keys of a slot's open rows, in timeline order.
type slot struct{ turns, outputs []uint64 }

func (l *slot) list(r Row) *[]uint64 {
	if _, ok := r.(*AssistantRow); ok {
		return &l.turns
	}
	return &l.outputs
}

// opened remembers that the row under key takes text.
func (s *State) opened(key uint64, r Row) {
	k := slotOfRow(r.Common())
	s.open[key] = &openRow{slot: k}
	l := s.slots[k]
	if l == nil {
		l = &slot{}
		s.slots[k] = l
		v := visitKey{k.place, k.activation}
		if s.visits[v] == nil {
			s.visits[v] = map[slotKey]struct{}{}
		}
		s.visits[v][k] = struct{}{}
	}
	rows := l.list(r)
	*rows = insertKey(*rows, key)
}

// insertKey keeps keys in timeline order, each once.
func insertKey(keys []uint64, key uint64) []uint64 {
	i, known := slices.BinarySearch(keys, key)
	if known {
		return keys
	}
	return slices.Insert(keys, i, key)
}

// shut forgets that a row takes text.
func (s *State) shut(key uint64, r Row) {
	o := s.open[key]
	if o == nil {
		return
	}
	delete(s.open, key)
	l := s.slots[o.slot]
	rows := l.list(r)
	*rows = slices.DeleteFunc(*rows, func(k uint64) bool { return k == key })
	if len(l.turns)+len(l.outputs) > 0 {
		return
	}
	delete(s.slots, o.slot)
	v := visitKey{o.slot.place, o.slot.activation}
	delete(s.visits[v], o.slot)
	if len(s.visits[v]) == 0 {
		delete(s.visits, v)
	}
}

// reslot follows an open row whose slot may have moved.
func (s *State) reslot(key uint64, old, r Row) {
	if o := s.open[key]; o != nil && o.slot != slotOfRow(r.Common()) {
		s.shut(key, old)
		s.opened(key, r)
		s.open[key].content, s.open[key].reasoning = o.content, o.reasoning
	}
}

// lastTurn returns the last open assistant row of a slot that has no id yet.
func (s *State) lastTurn(k slotKey) (*AssistantRow, uint64) {
	if l := s.slots[k]; l != nil {
		for _, key := range slices.Backward(l.turns) {
			if r := s.row(key).(*AssistantRow); r.id == "" {
				return r, key
			}
		}
	}
	return nil, 0
}

// lastOutput returns the last incomplete output row of a slot and name.
func (s *State) lastOutput(k slotKey, name string) (*OutputRow, uint64) {
	if l := s.slots[k]; l != nil {
		for _, key := range slices.Backward(l.outputs) {
			if r := s.row(key).(*OutputRow); r.Name == name {
				return r, key
			}
		}
	}
	return nil, 0
}

// interrupt closes the open assistant rows of a slot: an accepted tool call or output ends the turn
// (docs/fold.md, rule 5).
func (s *State) interrupt(k slotKey) {
	if l := s.slots[k]; l != nil {
		s.closeRows(slices.Clone(l.turns), true)
	}
}

// closeVisit closes every open row of (path, activation), in timeline order. An end that an earlier page
// tells closes only what stands before it.
func (s *State) closeVisit(v visitKey) {
	var keys []uint64
	for k := range s.visits[v] {
		keys = append(append(keys, s.slots[k].turns...), s.slots[k].outputs...)
	}
	if s.front() {
		keys = slices.DeleteFunc(keys, func(key uint64) bool { return !slices.Contains(s.page.opened, key) })
	}
	s.closeRows(keys, true)
}

// closeAll closes every open row, in timeline order. Only after a pause may a turn's own end still come.
func (s *State) closeAll(late bool) {
	s.closedAll = s.closedAll || s.begun
	keys := make([]uint64, 0, len(s.open))
	for key := range s.open {
		keys = append(keys, key)
	}
	s.closeRows(keys, late)
}

func (s *State) closeRows(keys []uint64, late bool) {
	slices.Sort(keys)
	for _, key := range keys {
		switch r := s.row(key).(type) {
		case *AssistantRow:
			s.closeTurn(key, r, late)
		case *OutputRow:
			s.closeOutput(key, r)
		}
	}
}

// closeTurn completes a turn with text and sweeps an empty one. With late its own end may still come.
func (s *State) closeTurn(key uint64, r *AssistantRow, late bool) {
	o := s.open[key]
	s.shut(key, r)
	if r.empty() {
		s.removeRow(key, r)
		return
	}
	c := *r
	c.Complete, c.lateEnd = true, late
	if late && c.id == "" {
		k := slotOfRow(&c.Spine)
		s.late[k] = insertKey(s.late[k], key)
	}
	if o != nil {
		c.Content, c.reasoning = o.content.settled(c.Content), o.reasoning.settled(c.reasoning)
	}
	s.replaceRow(key, r, &c)
}

// closeOutput tells that no more is expected; the status stays as it was.
func (s *State) closeOutput(key uint64, r *OutputRow) {
	o := s.open[key]
	s.shut(key, r)
	c := *r
	c.Complete = true
	if o != nil && c.Value.isText {
		c.Value.text = o.content.settled(c.Value.text)
	}
	s.replaceRow(key, r, &c)
}
