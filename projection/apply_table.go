package projection

import (
	"iter"
	"slices"

	"inlaygraph/wire"
)

// tableIndex finds a live table's rows by id.
type tableIndex struct{ stamps map[string]uint64 }

// tableRows are a live table's rows by the stamp of their last move, ascending.
type tableRows struct{ rows tree[*TableRowView] }

// applyTableRow puts a row, whole as it now is, on top of its table (docs/fold.md, "tables").
func (s *State) applyTableRow(b *wire.Body) {
	v := &TableRowView{RowID: b.RowID, Value: JSONValue(b.Value), Status: b.ValueStatus, links: b.Links}
	if b.HasKey {
		key := b.Key // a copy: the frame is not kept for its sake
		v.Key = &key
	}
	s.checkTableRow(b.Table, v)
	ord, x, t := s.table(b.Table)
	if stamp, known := x.stamps[v.RowID]; known && stamp == s.topStamp(&t) {
		if top, _ := t.rows.Get(stamp); top.sameAs(v) {
			return
		}
	}
	s.topRow(x, &t, v)
	s.setTable(ord, t)
}

// applyTableDelete takes a row out; an emptied table stays.
func (s *State) applyTableDelete(b *wire.Body) {
	ord, known := s.cur.tableIDs.find(b.Table)
	if !known || s.tables[ord] == nil {
		return
	}
	_, x, t := s.table(b.Table)
	stamp, known := x.stamps[b.RowID]
	if !known {
		return
	}
	delete(x.stamps, b.RowID)
	t.rows.Del(s.tok, stamp)
	s.setTable(ord, t)
}

// table returns a table and its index, making the index if need be.
func (s *State) table(name string) (ord uint64, x *tableIndex, t tableRows) {
	ord = s.cur.tableIDs.add(name)
	x = s.tables[ord]
	if x == nil {
		x = &tableIndex{stamps: map[string]uint64{}}
		s.tables[ord] = x
	}
	t, _ = s.cur.tables.Get(ord)
	return ord, x, t
}

func (s *State) setTable(ord uint64, t tableRows) {
	s.cur.tables.Set(s.tok, ord, t, 0)
	s.mark(Slice{Kind: SliceTable, Name: s.cur.tableIDs.of(ord)})
	s.mark(Slice{Kind: SliceTables})
}

func (s *State) topStamp(t *tableRows) uint64 {
	stamp, _, _ := t.rows.Last()
	return stamp
}

func (s *State) topRow(x *tableIndex, t *tableRows, v *TableRowView) {
	if stamp, ok := x.stamps[v.RowID]; ok {
		t.rows.Del(s.tok, stamp)
	}
	s.stamp++
	x.stamps[v.RowID] = s.stamp
	t.rows.Set(s.tok, s.stamp, v, 0)
}

// sameAs compares what a reader can see.
func (r *TableRowView) sameAs(o *TableRowView) bool {
	return r.RowID == o.RowID && same(r.Key, o.Key) && r.Value.equal(o.Value) && r.Status == o.Status && r.links == o.links &&
		sameErrors(r.schemaErrors, o.schemaErrors)
}

// applyWorkingSet takes the head's persisted values: tables start from it, and bindings fall back on it
// for names that no row in the window says.
func (s *State) applyWorkingSet(w *wire.WorkingSet) {
	s.replaceTables(w.Tables)
	own, inner := map[uint64]*Binding{}, map[uint64]*Binding{}
	for _, b := range w.Bindings {
		own[s.cur.names.add(b.Name)] = workingBinding(b)
	}
	for _, b := range w.SubagentBindings {
		if len(b.Path) == 0 {
			continue // no subagent has the empty path
		}
		inner[s.cur.inners.add(innerName{s.cur.places.of(b.Path), b.Name})] = workingBinding(b)
	}
	s.replaceKept(s.checkOwn(own), &s.cur.keptOwn, s.touchOwn)
	s.replaceKept(s.checkInner(inner), &s.cur.keptInner, s.touchInner)
}

// replaceTables starts the tables over from what the head says, and marks those that then read otherwise.
func (s *State) replaceTables(tables []wire.WorkingTable) {
	was := s.cur.tables
	clear(s.tables)
	s.cur.tables = tree[tableRows]{}
	for _, w := range tables {
		ord, x, t := s.table(w.Name)
		for _, r := range slices.Backward(w.Rows) {
			v := &TableRowView{RowID: r.RowID, Value: JSONValue(r.Value), Status: r.Status, links: r.Links}
			if r.HasKey {
				key := r.Key
				v.Key = &key
			}
			s.checkTableRow(w.Name, v)
			s.topRow(x, &t, v)
		}
		s.cur.tables.Set(s.tok, ord, t, 0)
	}
	for ord := range was.All() {
		if _, still := s.cur.tables.Get(ord); !still {
			s.mark(Slice{Kind: SliceTables})
		}
		s.markTable(ord, was)
	}
	for ord := range s.cur.tables.All() {
		if _, known := was.Get(ord); !known {
			s.mark(Slice{Kind: SliceTables})
		}
		s.markTable(ord, was)
	}
}

// markTable marks a table whose rows are not what they were.
func (s *State) markTable(ord uint64, was tree[tableRows]) {
	old, _ := was.Get(ord)
	now, _ := s.cur.tables.Get(ord)
	if !sameRows(old.rows, now.rows) {
		s.mark(Slice{Kind: SliceTable, Name: s.cur.tableIDs.of(ord)})
		s.mark(Slice{Kind: SliceTables})
	}
}

func sameRows(a, b tree[*TableRowView]) bool {
	if a.Len() != b.Len() {
		return false
	}
	next, stop := iter.Pull2(b.All())
	defer stop()
	for _, r := range a.All() {
		if _, o, _ := next(); !r.sameAs(o) {
			return false
		}
	}
	return true
}

func workingBinding(b wire.WorkingBinding) *Binding {
	return &Binding{Name: b.Name, Value: JSONValue(b.Value), Status: b.Status, format: b.Format}
}

// replaceKept puts a new set of values in the old one's place, marking every name of either.
func (s *State) replaceKept(now map[uint64]*Binding, at *map[uint64]*Binding, touch func(ord uint64)) {
	for _, names := range []map[uint64]*Binding{*at, now} {
		for ord := range names {
			touch(ord)
		}
	}
	*at = now
}
