package model

import "slices"

// trim is what a cap did to the window.
type trim struct{ keep int }

func (*trim) ConversationInput() {}

// Trim is docs/fold.md, "A full window": the oldest rows go until so many are left. A page with rows after it is not
// this model's: what comes back is told by the conversation that was never trimmed.
func (m *Model) Trim(keep int) {
	m.history = append(m.history, &trim{keep})
	m.now.apply(&trim{keep})
}

func (s *state) trim(keep int) {
	excess := -keep
	for _, e := range s.entries {
		if e.durable() {
			excess++
		}
	}
	last := -1
	for i, e := range s.entries {
		if excess > 0 && e.durable() && !s.waits(e) {
			s.entries[i] = s.standIn(e)
			excess--
			last = i
		}
	}
	if last < 0 {
		return
	}
	for _, e := range s.entries {
		if owner := func(o *entry) bool { return o.durable() && o.born == e.bears }; e.bears != "" && s.first(owner) == nil {
			e.born, e.bears = e.bears, "" // whoever had it before is gone
		}
	}
	s.trimmed, s.firstSeen = true, false
	s.entries[last].cut = true
	for _, e := range s.entries[:last] {
		e.gone = true // read of marks alone
	}
}

// waits says whether something is still expected of a row: it is open, a client's call without a result, or a result
// whose call stands behind it.
func (s *state) waits(e *entry) bool {
	switch e.kind {
	case assistantRow, outputRow:
		return !e.complete
	case callRow:
		return e.client && s.tool(resultRow, e.callID) == nil
	case resultRow:
		return s.tool(callRow, e.callID) != nil
	}
	return false
}

// standIn is what a row leaves that is dropped: a user's turn goes on parting the reasons of failures, and the last
// output of a name goes on binding it.
func (s *state) standIn(e *entry) *entry {
	switch e.kind {
	case userRow:
		return &entry{kind: turnMark, seq: e.seq}
	case outputRow:
		if s.last(func(o *entry) bool { return binds(o) && sameOutput(o, e) }) == e {
			bound := *e
			bound.kind = boundMark
			return &bound
		}
	}
	return &entry{kind: spentMark}
}

// sameOutput says whether two outputs bind the same name.
func sameOutput(a, b *entry) bool {
	return a.name == b.name && own(a) == own(b) && (own(a) || slices.Equal(a.SubgraphPath, b.SubgraphPath))
}

// isCut says whether what stands at i stands in what was dropped: a mark there is not in the window.
func (s *state) isCut(i int) bool {
	return slices.ContainsFunc(s.entries[i:], func(e *entry) bool { return e.cut })
}

// whole takes everything into the window again.
func (s *state) whole() {
	s.trimmed = false
	for _, e := range s.entries {
		e.gone, e.cut = false, false
	}
}
