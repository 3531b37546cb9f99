package projection

import (
	"maps"
	"slices"
)

// rekey deals the keys of all entries anew, far apart and in the same order. It is needed only when a log
// arrives in an order that keeps halving one gap; whoever follows moves by key starts over.
func (s *State) rekey() {
	s.c.Reset = true
	to := map[uint64]uint64{0: 0}
	before := s.cur.entries
	s.keys.restart()
	for key := range s.cur.entries.All() {
		to[key], _ = s.keys.atEnd()
	}
	at := func(place uint64) uint64 { // of what may be gone
		key, _ := before.Before(place + 1)
		return to[key]
	}
	s.cur.cut = at(s.cur.cut)
	s.cur.keptOwn, s.cur.keptInner = rekeyKept(s.cur.keptOwn, at), rekeyKept(s.cur.keptInner, at)

	s.cur.entries = tree[Entry]{}
	for key, e := range before.All() {
		s.cur.entries.Set(s.tok, to[key], e, seqOf(e))
	}
	list := func(t tree[struct{}]) (u tree[struct{}]) {
		for key := range t.All() {
			u.Set(s.tok, to[key], struct{}{}, 0)
		}
		return u
	}
	s.cur.rows, s.cur.top, s.cur.transcript = list(s.cur.rows), list(s.cur.top), list(s.cur.transcript)
	mapTree(s, &s.cur.at, func(p placeRows) placeRows {
		p.exact, p.below = list(p.exact), list(p.below)
		return p
	})
	mapTree(s, &s.cur.outputs, list)
	mapTree(s, &s.cur.innerOutputs, list)
	mapTree(s, &s.cur.pairs, func(p pair) pair { return pair{to[p.call], to[p.result], p.answered} })
	pending := s.cur.pending
	s.cur.pending = tree[*PendingToolCall]{}
	for key, p := range pending.All() {
		s.cur.pending.Set(s.tok, to[key], p, 0)
	}
	for id, key := range s.ids {
		s.ids[id] = to[key]
	}
	for seq, key := range s.seqs {
		s.seqs[seq] = to[key]
	}
	if p := s.page; p != nil {
		p.last, p.start = to[p.last], to[p.start]
		for i, key := range p.ahead {
			p.ahead[i] = to[key]
		}
		for i, key := range p.opened {
			p.opened[i] = to[key]
		}
	}
	for i, p := range s.passed {
		s.passed[i].key = to[p.key]
	}
	for i, key := range s.reasons {
		s.reasons[i] = to[key]
	}
	for k, keys := range s.late {
		keys = slices.DeleteFunc(keys, func(key uint64) bool { return to[key] == 0 }) // its row is gone
		for i := range keys {
			keys[i] = to[keys[i]]
		}
		s.late[k] = keys
	}
	s.rekeyOpen(to)
	s.horizon = at(s.horizon)
	s.rekeyRun(to, at)
}

// rekeyKept maps the places of bindings whose rows a trim dropped.
func rekeyKept(kept map[uint64]*Binding, at func(uint64) uint64) map[uint64]*Binding {
	out := maps.Clone(kept)
	for ord, b := range out {
		if b.key != 0 {
			c := *b
			c.key = at(b.key)
			out[ord] = &c
		}
	}
	return out
}

func mapTree[V any](s *State, t *tree[V], f func(V) V) {
	was := *t
	*t = tree[V]{}
	for ord, v := range was.All() {
		t.Set(s.tok, ord, f(v), 0)
	}
}

func (s *State) rekeyOpen(to map[uint64]uint64) {
	open := make(map[uint64]*openRow, len(s.open))
	for key, o := range s.open {
		open[to[key]] = o
	}
	s.open = open
	for _, l := range s.slots {
		for _, keys := range [][]uint64{l.turns, l.outputs} {
			for i := range keys {
				keys[i] = to[keys[i]]
			}
		}
	}
}

func (s *State) rekeyRun(to map[uint64]uint64, at func(uint64) uint64) {
	for i := range s.stops {
		s.stops[i] = to[s.stops[i]]
	}
	s.cur.edges = tree[*FiredEdge]{}
	for _, f := range s.edges {
		if f.fired != nil {
			fired := *f.fired
			fired.lastKey = to[fired.lastKey]
			f.fired = &fired
			s.cur.edges.Set(s.runTok, fired.lastKey, &fired, 0)
		}
	}
	for pl, x := range s.exits {
		s.exits[pl] = exit{to[x.key], x.port}
	}
	s.cur.nodeOrder, s.cur.nodeRuns, s.cur.counts = tree[*Place]{}, tree[*NodeRun]{}, tree[Counts]{}
	for _, f := range s.nodes {
		if !f.known() {
			continue
		}
		f.base.rekey(to)
		f.horizon = at(f.horizon)
		for i := range f.list {
			f.list[i].key = to[f.list[i].key]
			f.note(f.list[i])
		}
		f.refold(s.stops, s.stopped)
		s.publishNode(f)
	}
	s.runMoved = true
}
