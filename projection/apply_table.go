package projection

import (
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
		v.Key = &b.Key
	}
	s.editTable(b.Table, func(x *tableIndex, t *tableRows) { s.topRow(x, t, v) })
}

// applyTableDelete takes a row out; an emptied table stays.
func (s *State) applyTableDelete(b *wire.Body) {
	ord, ok := s.cur.tableIDs.find(b.Table)
	if !ok {
		return
	}
	x := s.tables[ord]
	if x == nil {
		return
	}
	stamp, ok := x.stamps[b.RowID]
	if !ok {
		return
	}
	s.editTable(b.Table, func(x *tableIndex, t *tableRows) {
		delete(x.stamps, b.RowID)
		t.rows.del(s.tok, stamp)
	})
}

func (s *State) topRow(x *tableIndex, t *tableRows, v *TableRowView) {
	if stamp, ok := x.stamps[v.RowID]; ok {
		t.rows.del(s.tok, stamp)
	}
	s.stamp++
	x.stamps[v.RowID] = s.stamp
	t.rows.set(s.tok, s.stamp, v, 0)
}

func (s *State) editTable(name string, edit func(*tableIndex, *tableRows)) {
	ord := s.cur.tableIDs.add(name)
	x := s.tables[ord]
	if x == nil {
		x = &tableIndex{stamps: map[string]uint64{}}
		s.tables[ord] = x
	}
	t, _ := s.cur.tables.get(ord)
	edit(x, &t)
	s.cur.tables.set(s.tok, ord, t, 0)
	s.mark(Slice{Kind: SliceTable, Name: name})
	s.mark(Slice{Kind: SliceTables})
}

// applyWorkingSet takes the head's persisted values: tables start from it, and bindings fall back on it
// for names that no row in the window says.
func (s *State) applyWorkingSet(w *wire.WorkingSet) {
	for ord := range s.tables { // tables start over from what the head says
		name := s.cur.tableIDs.of(ord)
		s.mark(Slice{Kind: SliceTable, Name: name})
		s.mark(Slice{Kind: SliceTables})
	}
	clear(s.tables)
	s.cur.tables = tree[tableRows]{}
	for _, t := range w.Tables {
		s.editTable(t.Name, func(x *tableIndex, rows *tableRows) {
			for _, r := range slices.Backward(t.Rows) {
				v := &TableRowView{RowID: r.RowID, Value: JSONValue(r.Value), Status: r.Status, links: r.Links}
				if r.HasKey {
					v.Key = &r.Key
				}
				s.topRow(x, rows, v)
			}
		})
	}
	own, inner := map[uint64]*Binding{}, map[uint64]*Binding{}
	for _, b := range w.Bindings {
		own[s.cur.names.add(b.Name)] = workingBinding(b)
	}
	for _, b := range w.SubagentBindings {
		inner[s.cur.inners.add(innerName{s.cur.places.of(b.Path), b.Name})] = workingBinding(b)
	}
	s.replaceFallback(own, &s.cur.workingOwn, s.touchOwn)
	s.replaceFallback(inner, &s.cur.workingInner, s.touchInner)
}

func workingBinding(b wire.WorkingBinding) *Binding {
	return &Binding{Name: b.Name, Value: JSONValue(b.Value), Status: b.Status, format: b.Format}
}

// replaceFallback puts a new set of fallback values in the old one's place, marking every name of either.
func (s *State) replaceFallback(now map[uint64]*Binding, at *map[uint64]*Binding, touch func(ord uint64)) {
	for _, names := range []map[uint64]*Binding{*at, now} {
		for ord := range names {
			touch(ord)
		}
	}
	*at = now
}
