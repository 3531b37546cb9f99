package projection

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// CheckInvariants holds every index of the state against the entries it indexes.
func (s *State) CheckInvariants(t require.TestingT) {
	checkTree(t, s.cur.entries)
	checkRows(t, s)
	checkIndexes(t, s)
	checkOpen(t, s)
	checkRun(t, s)
	checkHeld(t, s)
}

// checkTree holds a tree's count and keys against its items.
func checkTree[V any](t require.TestingT, tr tree[V]) {
	last, count := uint64(0), 0
	for key := range tr.All() {
		require.Greater(t, key, last)
		last = key
		count++
	}
	require.Equal(t, count, tr.Len())
}

// keyList is a list of keys from scratch.
type keyList map[uint64]bool

func requireList(t require.TestingT, want keyList, got tree[struct{}]) {
	require.Equal(t, len(want), got.Len())
	for key := range got.All() {
		require.True(t, want[key])
	}
}

// checkRows holds the lists of rows against the entries.
func checkRows(t require.TestingT, s *State) {
	rows, top, transcript := keyList{}, keyList{}, keyList{}
	exact, below := map[*Place]keyList{}, map[*Place]keyList{}
	own, inner := map[string]keyList{}, map[innerName]keyList{}
	for key, e := range s.cur.entries.All() {
		r, ok := e.(Row)
		if !ok {
			continue
		}
		rows[key] = true
		sp := r.Common()
		if sp.topLevel() {
			top[key] = true
			if inTranscript(r) {
				transcript[key] = true
			}
		}
		if sp.place != nil {
			put(exact, sp.place, key)
			for pl := sp.place; pl != nil; pl = pl.Parent {
				put(below, pl, key)
			}
		}
		if o, ok := r.(*OutputRow); ok && o.own() {
			put(own, o.Name, key)
		} else if ok {
			put(inner, innerName{o.place.Parent, o.Name}, key)
		}
	}
	requireList(t, rows, s.cur.rows)
	requireList(t, top, s.cur.top)
	requireList(t, transcript, s.cur.transcript)
	for _, pl := range s.cur.places.key {
		at, _ := s.cur.at.Get(pl.ord)
		requireList(t, exact[pl], at.exact)
		if at.deeper {
			requireList(t, below[pl], at.below)
		} else {
			requireList(t, below[pl], at.exact)
		}
	}
	for ord, name := range s.cur.names.name {
		list, _ := s.cur.outputs.Get(uint64(ord))
		requireList(t, own[name], list)
	}
	for ord, name := range s.cur.inners.name {
		list, _ := s.cur.innerOutputs.Get(uint64(ord))
		requireList(t, inner[name], list)
	}
}

func put[K comparable](lists map[K]keyList, k K, key uint64) {
	if lists[k] == nil {
		lists[k] = keyList{}
	}
	lists[k][key] = true
}

// checkIndexes holds ids, seqs, calls and the pending ones against the entries.
func checkIndexes(t require.TestingT, s *State) {
	ids := 0
	pairs := map[string]pair{}
	for key, e := range s.cur.entries.All() {
		r, ok := e.(Row)
		if !ok {
			continue
		}
		if id := r.Common().id; id != "" {
			ids++
			require.Equal(t, key, s.ids[id])
		}
		p := pairs[toolCallID(r)]
		switch r := r.(type) {
		default:
			continue
		case *ToolCallRow:
			require.Zero(t, p.call)
			p.call = key
			pending, waits := s.cur.pending.Get(key)
			d := s.deliveries[r.ToolCallID]
			require.Equal(t, waits, r.RequiresClientResponse && s.pairOf(r.ToolCallID).result == 0 && !s.pairOf(r.ToolCallID).answered && (d == nil || d.Status != ToolCancelled))
			if waits {
				require.Equal(t, d, pending.Delivery)
				require.Equal(t, parseArgs(r.Input), pending.args)
				require.True(t, sameRow(r, pending.call))
			}
		case *ToolResultRow:
			require.Zero(t, p.result)
			p.result = key
		}
		pairs[toolCallID(r)] = p
	}
	require.Len(t, s.ids, ids)
	for ord, id := range s.cur.tools.name {
		p, _ := s.cur.pairs.Get(uint64(ord))
		p.answered = false // it is about no row
		require.Equal(t, pairs[id], p)
	}
	reasons := []uint64{}
	for key, e := range s.cur.entries.All() {
		if givesReason(e) {
			reasons = append(reasons, key)
		}
	}
	require.True(t, slices.Equal(reasons, s.reasons))
	for k, key := range s.seqs {
		e, ok := s.cur.entries.Get(key)
		require.True(t, ok)
		require.EqualValues(t, k>>4, *e.Seq())
	}
}

// checkOpen holds the open rows and their slots against the rows that are not complete.
func checkOpen(t require.TestingT, s *State) {
	open := map[uint64]bool{}
	slots := map[slotKey]*slot{}
	for key := range s.cur.rows.All() {
		switch r := s.row(key).(type) {
		case *AssistantRow:
			if r.Complete {
				require.False(t, r.empty())
				continue
			}
		case *OutputRow:
			if r.Complete {
				continue
			}
		default:
			continue
		}
		open[key] = true
		require.NotNil(t, s.open[key])
		r := s.row(key)
		k := slotOfRow(r.Common())
		require.Equal(t, k, s.open[key].slot)
		if slots[k] == nil {
			slots[k] = &slot{}
		}
		list := slots[k].list(r)
		*list = append(*list, key)
	}
	require.Len(t, s.open, len(open))
	require.Len(t, s.slots, len(slots))
	for k, want := range slots {
		require.True(t, slices.Equal(want.turns, s.slots[k].turns) && slices.Equal(want.outputs, s.slots[k].outputs))
		require.Contains(t, s.visits[visitKey{k.place, k.activation}], k)
	}
	n := 0
	for _, visit := range s.visits {
		n += len(visit)
	}
	require.Equal(t, len(slots), n)
	for _, keys := range s.late {
		require.True(t, slices.IsSorted(keys))
	}
}

// checkRun holds the run projection, which grows step by step, against one added up anew.
func checkRun(t require.TestingT, s *State) {
	facts, edges := map[*Place][]fact{}, map[*edgeFacts]*FiredEdge{}
	exits := map[*Place]exit{}
	marks := 0
	for key, e := range s.cur.entries.All() {
		m, ok := e.(*Mark)
		if !ok {
			continue
		}
		switch m.Kind {
		case MarkStart, MarkEnd:
			facts[m.place] = append(facts[m.place], fact{key, m})
		case MarkEdge:
			exits[m.place] = exit{key: key}
			if edges[m.edge] == nil {
				edges[m.edge] = &FiredEdge{}
			}
			edges[m.edge].Count++
			edges[m.edge].lastKey, edges[m.edge].LastFiredAt = key, m.At()
		default:
			continue
		}
		marks++
	}
	require.Equal(t, marks, s.marks-s.forgotten)
	require.Equal(t, len(edges), s.cur.edges.Len())
	for f, want := range edges {
		got, _ := s.cur.edges.Get(want.lastKey)
		if s.forgotten == 0 {
			require.Equal(t, want.Count, got.Count)
		}
		require.True(t, same(want.LastFiredAt, got.LastFiredAt))
		require.Same(t, got, f.fired)
		require.Same(t, f, s.edges[f.id])
	}
	for pl, x := range exits {
		require.Equal(t, x.key, s.exits[pl].key)
	}
	require.Equal(t, len(facts), s.cur.nodeRuns.Len())
	counts := map[*Place]Counts{}
	for pl, list := range facts {
		f := s.nodes[pl]
		anew := nodeFacts{place: pl, list: list}
		if f.base != (nodeSum{}) {
			behind := slices.IndexFunc(list, func(x fact) bool { return x.key > f.horizon })
			if behind < 0 {
				behind = len(list)
			}
			anew = nodeFacts{place: pl, list: slices.Clip(list[behind:]), visits: f.visits, base: f.base, gone: f.gone}
		}
		require.True(t, slices.Equal(anew.list, f.list))
		for _, x := range anew.list {
			anew.note(x)
		}
		require.Equal(t, anew.visits, f.visits)
		anew.refold(slices.Clone(s.stops), s.stopped)
		want := anew.sum.nodeRun(&anew)
		got, _ := s.cur.nodeRuns.Get(pl.ord)
		want.ExitedVia = got.ExitedVia
		require.True(t, want.sameAs(got), "%v: want %+v\ngot %+v", pl.Path, want, got)
		require.Equal(t, []uint64{want.order, want.evidence, want.subgraphKey}, []uint64{got.order, got.evidence, got.subgraphKey})
		_, running := s.running[pl]
		require.Equal(t, want.Status == wire.Running, running)
		for up := pl.Parent; up.Parent != nil; up = up.Parent {
			c := counts[up]
			c.add(want.Status, 1)
			counts[up] = c
		}
	}
	for _, pl := range s.cur.places.key {
		require.Equal(t, counts[pl], s.Snapshot().Counts(pl.Path))
	}
}

// Promise 5: what is kept step by step is what comes out from scratch, after every input.
func TestIncrementalEqualsRecomputed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New("")
		if rapid.Bool().Draw(t, "crowded") {
			s = NewCrowded("")
		}
		for _, rec := range drawInputs(t) {
			s.Apply(rec)
			s.CheckInvariants(t)
		}
	})
}
