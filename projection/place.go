package projection

import (
	"sync"

	"inlaygraph/wire"
)

// Place is an absolute path in the agent's graph, interned: one conversation has one Place per path, so
// that rows of one node share it and places compare by pointer. Its fields must not be changed.
type Place struct {
	// NodeID is the last segment of the path; "" for the root.
	NodeID string
	// Path is the absolute path, outermost first; empty for the root, which is no node.
	Path []string
	// SubgraphPath is Path without NodeID; empty at the top level.
	SubgraphPath []string
	// Parent is the place of the enclosing subgraph; the root's is nil.
	Parent *Place

	ord uint64
	key string // PathKey(Path)
}

// Below tells whether p is a strict descendant of q.
func (p *Place) Below(q *Place) bool {
	for p = p.Parent; p != nil; p = p.Parent {
		if p == q {
			return true
		}
	}
	return false
}

// places interns paths. Like symbols it only grows, and readers may look up while the owner adds.
type places struct {
	mu    sync.RWMutex
	root  *Place
	key   map[string]*Place
	bytes int // what they count for; the owner's own
}

func newPlaces() *places {
	root := &Place{Path: []string{}, SubgraphPath: []string{}}
	return &places{root: root, key: map[string]*Place{"": root}}
}

// PathKey returns a string that identifies a path: two paths have the same key only if they are equal.
func PathKey(path []string) string { return wire.PathKey(path) }

// at returns the place of subgraph + node, adding it if need be.
func (p *places) at(subgraph []string, node string) *Place {
	var buf [256]byte
	whole := wire.AppendPathKey(wire.AppendPathKey(buf[:0], subgraph...), node)
	p.mu.RLock()
	pl := p.key[string(whole)]
	p.mu.RUnlock()
	if pl != nil {
		return pl
	}
	parent := p.root
	if n := len(subgraph); n > 0 {
		parent = p.at(subgraph[:n-1], subgraph[n-1])
	}
	path := append(append(make([]string, 0, len(subgraph)+1), parent.Path...), node)
	pl = &Place{NodeID: node, Path: path, SubgraphPath: path[:len(path)-1], Parent: parent}
	p.mu.Lock()
	defer p.mu.Unlock()
	pl.ord, pl.key = uint64(len(p.key)), string(whole)
	p.key[pl.key] = pl
	p.bytes += placeCost + 2*len(pl.key) // the path is spelled twice
	return pl
}

// of returns the place of an absolute path, adding it if need be.
func (p *places) of(path []string) *Place {
	if n := len(path); n > 0 {
		return p.at(path[:n-1], path[n-1])
	}
	return p.root
}

// known returns the place of subgraph + node, nil when nothing was ever seen there.
func (p *places) known(subgraph []string, node string) *Place {
	var buf [256]byte
	return p.byKey(string(wire.AppendPathKey(wire.AppendPathKey(buf[:0], subgraph...), node)))
}

// find returns the place of an absolute path, nil when nothing was ever seen there.
func (p *places) find(path []string) *Place {
	var buf [256]byte
	key := wire.AppendPathKey(buf[:0], path...)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.key[string(key)]
}

// Key identifies the path: PathKey(p.Path).
func (p *Place) Key() string { return p.key }

// byKey returns the place with a PathKey, nil when nothing was ever seen there.
func (p *places) byKey(key string) *Place {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.key[key]
}
