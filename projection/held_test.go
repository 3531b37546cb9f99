package projection

import (
	"github.com/stretchr/testify/require"
)

// checkHeld counts anew what the state holds.
func checkHeld(t require.TestingT, s *State) {
	var window, tables, kept, edges int64
	for _, e := range s.cur.entries.All() {
		switch e := e.(type) {
		case Row:
			window += rowBytes(e)
		case *Mark:
			window += markBytes(e)
		}
	}
	for _, table := range s.cur.tables.All() {
		for _, r := range table.rows.All() {
			tables += tableRowBytes(r)
		}
	}
	for _, bindings := range []map[uint64]*Binding{s.cur.keptOwn, s.cur.keptInner} {
		for _, b := range bindings {
			kept += bindingBytes(b)
		}
	}
	for id := range s.edges {
		edges += int64(edgeCost + len(id.port) + len(id.to))
	}
	require.Equal(t, window, s.entryBytes)
	require.Equal(t, []int64{tables, kept, edges}, []int64{s.tableBytes, s.keptBytes, s.edgeBytes})
	places, names := 0, 0
	for key := range s.cur.places.key {
		if key != "" {
			places += placeCost + 2*len(key)
		}
	}
	for name := range s.cur.names.ord {
		names += nameCost + len(name)
	}
	require.Equal(t, []int{places, names}, []int{s.cur.places.bytes, s.cur.names.bytes})
	held := s.Held()
	require.Equal(t, window, held.WindowBytes)
	require.Equal(t, s.RowCount(), held.Rows)
}
