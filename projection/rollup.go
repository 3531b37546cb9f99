package projection

import "inlaygraph/wire"

// Counts are a subgraph's strict descendants at any depth, by how they stand; cancelled counts as failed.
type Counts struct{ Running, Done, Failed int }

func (c *Counts) add(status wire.Status, n int) {
	switch status {
	case wire.Running:
		c.Running += n
	case wire.Completed:
		c.Done += n
	case wire.Failed, wire.Cancelled:
		c.Failed += n
	}
}

// rollUp moves a node from where it was counted to where it is now, in every subgraph above it.
func (s *State) rollUp(old, now *NodeRun) {
	if old != nil && old.Status == now.Status {
		return
	}
	for pl := now.place.Parent; pl.Parent != nil; pl = pl.Parent {
		c, _ := s.cur.counts.Get(pl.ord)
		if old != nil {
			c.add(old.Status, -1)
		}
		c.add(now.Status, 1)
		s.cur.counts.Set(s.tok, pl.ord, c, 0)
	}
}

// Counts rolls up the nodes that ran strictly below a path.
func (s *Snapshot) Counts(path []string) Counts {
	pl := s.places.find(path)
	if pl == nil {
		return Counts{}
	}
	c, _ := s.counts.Get(pl.ord)
	return c
}
