package projection

import "slices"

// forget adds up the facts before the window and lets go of their marks, so that a run that goes on and on takes no more
// memory for each visit. What they said stands: counts, usage, which activation is the current one. A mark stays whose
// place still orders something: the first and the current facts of a node, the last firing of an edge and out of a node,
// the latest reason of a failure (docs/fold.md, "A full window").
func (s *State) forget() {
	horizon := s.cur.cut
	if horizon <= s.horizon {
		return
	}
	s.horizon = horizon
	stay := map[uint64]bool{horizon: true}
	for _, f := range s.nodes {
		f.forget(horizon, s.stops)
		for _, key := range f.base.keys() {
			stay[key] = true
		}
	}
	behind, _ := slices.BinarySearch(s.stops, horizon+1)
	s.stops = slices.Clone(s.stops[behind:])
	for _, f := range s.edges {
		if f.fired != nil {
			stay[f.fired.lastKey] = true
		}
	}
	for _, x := range s.exits {
		stay[x.key] = true
	}
	if n := len(s.reasons); n > 0 {
		stay[s.reasons[n-1]] = true
	}
	s.dropMarks(horizon, stay)
	s.reasons = slices.DeleteFunc(s.reasons, func(key uint64) bool {
		_, here := s.cur.entries.Get(key)
		return !here
	})
}

// dropMarks takes marks out that stand no farther than horizon.
func (s *State) dropMarks(horizon uint64, stay map[uint64]bool) {
	s.tok = &token{} // the entries stay as they are while they are gone through
	for key, e := range s.cur.entries.All() {
		if key > horizon {
			return
		}
		m, ok := e.(*Mark)
		if !ok || stay[key] {
			continue
		}
		s.entryBytes -= markBytes(m)
		s.cur.entries.Del(s.tok, key)
		if kind, ok := markKinds[m.Kind]; ok {
			s.forgetSeq(m.seq, kind, key)
			s.forgotten++
		}
	}
}

// forget adds up a node's facts as far as horizon. stops are as refold takes them.
func (f *nodeFacts) forget(horizon uint64, stops []uint64) {
	n := f.after(horizon)
	for _, x := range f.list[:n] {
		for len(stops) > 0 && stops[0] < x.key {
			f.base.stop()
			stops = stops[1:]
		}
		f.base.step(x, f.visits)
	}
	if len(stops) > 0 && stops[0] <= horizon {
		f.base.stop()
	}
	for _, x := range f.list[:n] {
		f.forgetFact(x)
	}
	if f.half != "" && f.half != f.base.activation {
		f.forgetVisit(f.half)
	}
	f.half = ""
	if _, known := f.visits[f.base.activation]; known {
		f.half = f.base.activation
	}
	f.list = slices.Clone(f.list[n:])
	f.horizon = horizon
}

// forgetFact forgets what a visit knows by a fact. The current one is remembered, so that its end is not taken for
// another visit.
func (f *nodeFacts) forgetFact(x fact) {
	activation := x.mark.activation
	if activation == "" {
		return
	}
	v := f.visits[activation]
	if x.mark.Kind == MarkStart {
		v.start = fact{}
	} else {
		v.end = fact{}
	}
	f.visits[activation] = v
	if activation != f.base.activation {
		f.forgetVisit(activation)
	}
}

// forgetVisit forgets a visit of which no fact is left, and counts it.
func (f *nodeFacts) forgetVisit(activation string) {
	if v, known := f.visits[activation]; known && v == (visit{}) {
		delete(f.visits, activation)
		f.gone++
	}
}

// forgot tells whether a fact repeats one of the current visit that is forgotten.
func (f *nodeFacts) forgot(kind MarkKind, activation string) bool {
	x := f.base.start
	if kind == MarkEnd {
		x = f.base.end
	}
	return activation != "" && x.mark != nil && x.key <= f.horizon && x.mark.activation == activation
}

// precede takes a fact in that stands before others that are forgotten.
func (f *nodeFacts) precede(x fact) {
	b := &f.base
	if x.mark.activation != "" {
		if _, known := f.visits[x.mark.activation]; !known {
			f.gone++
		}
	}
	if x.mark.Kind == MarkEnd {
		b.usage = addUsage(b.usage, x.mark.usage)
		if b.firstEnd == 0 || x.key < b.firstEnd {
			b.firstEnd = x.key
		}
		return
	}
	b.starts++
	if x.mark.activation == "" {
		b.bareStarts++
	}
	if b.firstStart == 0 || x.key < b.firstStart {
		b.firstStart = x.key
	}
	if x.mark.kind == "subgraph" && (b.firstSubgraph == 0 || x.key < b.firstSubgraph) {
		b.firstSubgraph = x.key
	}
	if b.start.mark == nil { // no other start is known so far back
		b.start, b.activation = x, x.mark.activation
	}
}

// keys are those of the marks that a sum still points at.
func (n *nodeSum) keys() []uint64 {
	return []uint64{n.start.key, n.end.key, n.firstStart, n.firstEnd, n.firstSubgraph}
}

// rekey maps the sum's keys.
func (n *nodeSum) rekey(to map[uint64]uint64) {
	n.start.key, n.end.key = to[n.start.key], to[n.end.key]
	n.firstStart, n.firstEnd, n.firstSubgraph = to[n.firstStart], to[n.firstEnd], to[n.firstSubgraph]
}
