package projection

import "inlaygraph/wire"

// outgrows tells whether a row's texts would be longer than they may be.
func (s *State) outgrows(bytes int) bool {
	return s.limits.RowBytes > 0 && int64(bytes) > s.limits.RowBytes
}

// windowFull tells whether the window holds so much that trims can't have helped.
func (s *State) windowFull() bool {
	return s.limits.WindowBytes > 0 && s.entryBytes > 2*s.limits.WindowBytes
}

// stateFull tells whether there is no room for more bytes beside the window.
func (s *State) stateFull(more int64) bool {
	return s.limits.StateBytes > 0 && s.stateBytes()+more > s.limits.StateBytes
}

// over tells whether anything is full, so that it is worth to ask what an input would add.
func (s *State) over() bool { return s.windowFull() || s.stateFull(0) }

// overflows tells whether a frame would add what there is no room for. Ends are taken, which let rows go.
func (s *State) overflows(f *wire.Frame) bool {
	b := &f.Body
	if s.windowFull() {
		switch f.Type {
		case wire.MessageDelta, wire.OutputDelta, wire.OutputSet, wire.ToolCall, wire.NodeStart:
			return true
		case wire.NodeEnd:
			if b.Error != nil {
				return true
			}
		}
	}
	if !s.stateFull(0) {
		return false
	}
	switch f.Type {
	case wire.EdgeFired:
		return s.newEdge(b)
	case wire.OutputDelta, wire.OutputSet:
		return s.newOutput(b)
	case wire.TableRow:
		return s.growsTable(b)
	}
	return s.newPlace(b.SubgraphPath, b.NodeID)
}

// overflowsLogged is overflows for a row of the log.
func (s *State) overflowsLogged(r *wire.Row) bool {
	b := &r.Body
	if s.windowFull() {
		switch r.Type {
		case wire.RowToolCall, wire.RowNodeStart:
			return true
		case wire.RowOutput:
			if !b.Complete {
				return true
			}
		case wire.RowNodeEnd:
			if b.Error != nil {
				return true
			}
		}
	}
	if !s.stateFull(0) {
		return false
	}
	switch r.Type {
	case wire.RowEdge:
		return s.newEdge(b)
	case wire.RowOutput:
		return s.newOutput(b)
	}
	return s.newPlace(b.SubgraphPath, b.NodeID)
}

func (s *State) newPlace(subgraph []string, node string) bool {
	return node != "" && s.cur.places.known(subgraph, node) == nil
}

func (s *State) newEdge(b *wire.Body) bool {
	from := s.cur.places.known(b.SubgraphPath, b.From)
	return from == nil || s.edges[edgeID{from: from, port: b.FromPort, hasPort: b.HasFromPort, to: b.To}] == nil
}

func (s *State) newOutput(b *wire.Body) bool {
	if s.newPlace(b.SubgraphPath, b.NodeID) {
		return true
	}
	if b.Promoted || len(b.SubgraphPath) == 0 {
		_, known := s.cur.names.find(b.Name)
		return !known
	}
	_, known := s.cur.inners.find(innerName{s.cur.places.known(b.SubgraphPath, b.NodeID).Parent, b.Name})
	return !known
}

func (s *State) growsTable(b *wire.Body) bool {
	ord, known := s.cur.tableIDs.find(b.Table)
	if !known || s.tables[ord] == nil {
		return true
	}
	stamp, known := s.tables[ord].stamps[b.RowID]
	if !known {
		return true
	}
	t, _ := s.cur.tables.Get(ord)
	was, _ := t.rows.Get(stamp)
	return tableRowBytes(newTableRow(b)) > tableRowBytes(was)
}
