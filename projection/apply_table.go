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
	v := newTableRow(b)
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

func newTableRow(b *wire.Body) *TableRowView {
	v := &TableRowView{RowID: b.RowID, Value: JSONValue(b.Value), Status: b.ValueStatus, links: b.Links}
	if b.HasKey {
		key := b.Key // a copy: the frame is not kept for its sake
		v.Key = &key
	}
	return v
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
	s.dropTableRow(x, &t, b.RowID, stamp)
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
		s.dropTableRow(x, t, v.RowID, stamp)
	}
	s.stamp++
	s.tableBytes += tableRowBytes(v)
	x.stamps[v.RowID] = s.stamp
	t.rows.Set(s.tok, s.stamp, v, 0)
}

func (s *State) dropTableRow(x *tableIndex, t *tableRows, id string, stamp uint64) {
	if v, ok := t.rows.Get(stamp); ok {
		s.tableBytes -= tableRowBytes(v)
	}
	delete(x.stamps, id)
	t.rows.Del(s.tok, stamp)
}

// sameAs compares what a reader can see.
func (r *TableRowView) sameAs(o *TableRowView) bool {
	return r.RowID == o.RowID && same(r.Key, o.Key) && r.Value.equal(o.Value) && r.Status == o.Status && r.links == o.links &&
		sameErrors(r.schemaErrors, o.schemaErrors)
}

// applyWorkingSet takes the head's persisted values: tables start from it, and bindings fall back on it
// for names that no row in the window says.
func (s *State) applyWorkingSet(w *wire.WorkingSet) {
	own, inner := map[uint64]*Binding{}, map[uint64]*Binding{}
	taken := -s.keptBytes - s.tableBytes // both start over
	room := func(b wire.WorkingBinding) bool {
		n := bindingBytes(workingBinding(b))
		if s.noRoom(taken + n) {
			return false
		}
		taken += n
		return true
	}
	for _, b := range w.Bindings {
		if room(b) {
			own[s.cur.names.add(b.Name)] = workingBinding(b)
		}
	}
	for _, b := range w.SubagentBindings {
		if len(b.Path) > 0 && room(b) { // no subagent has the empty path
			inner[s.cur.inners.add(innerName{s.cur.places.of(b.Path), b.Name})] = workingBinding(b)
		}
	}
	s.replaceKept(s.checkOwn(own), &s.cur.keptOwn, s.touchOwn)
	s.replaceKept(s.checkInner(inner), &s.cur.keptInner, s.touchInner)
	s.replaceTables(w.Tables)
}

// noRoom tells whether there is no room for more bytes beside the window, and says so in the change: what a working set
// has too much is left out.
func (s *State) noRoom(more int64) bool {
	if !s.stateFull(more) {
		return false
	}
	s.c.RowReasons = append(s.c.RowReasons, ReasonFull)
	return true
}

// replaceTables starts the tables over from what the head says, and marks those that then read otherwise.
func (s *State) replaceTables(tables []wire.WorkingTable) {
	was := s.cur.tables
	clear(s.tables)
	s.cur.tables, s.tableBytes = tree[tableRows]{}, 0
	for _, w := range tables {
		if s.noRoom(0) {
			break
		}
		ord, x, t := s.table(w.Name)
		for _, v := range slices.Backward(s.workingRows(w)) {
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

// workingRows are the rows of a table that there is room for, from the top.
func (s *State) workingRows(w wire.WorkingTable) (rows []*TableRowView) {
	bytes := int64(0)
	for _, r := range w.Rows {
		v := &TableRowView{RowID: r.RowID, Value: JSONValue(r.Value), Status: r.Status, links: r.Links}
		if r.HasKey {
			key := r.Key
			v.Key = &key
		}
		s.checkTableRow(w.Name, v)
		if bytes += tableRowBytes(v); s.noRoom(bytes) {
			break
		}
		rows = append(rows, v)
	}
	return rows
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
	s.setKept(at, now)
}

// setKept puts a set of values in the old one's place.
func (s *State) setKept(at *map[uint64]*Binding, now map[uint64]*Binding) {
	for _, b := range *at {
		s.keptBytes -= bindingBytes(b)
	}
	for _, b := range now {
		s.keptBytes += bindingBytes(b)
	}
	*at = now
}
