package ordered

import (
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The tree against a sorted slice, snapshots included: whatever a snapshot saw stays as it was.
func TestTreeIsAnOrderedPersistentList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type item struct {
			key, val uint64
			seq      int64
		}
		type past struct {
			tree  Tree[uint64]
			items []item
		}
		var (
			tr    Tree[uint64]
			tok   = &Token{}
			items []item
			pasts []past
		)
		find := func(k uint64) (int, bool) {
			i := sort.Search(len(items), func(i int) bool { return items[i].key >= k })
			return i, i < len(items) && items[i].key == k
		}
		check := func(tr Tree[uint64], items []item) {
			require.Equal(t, len(items), tr.Len())
			i := 0
			for k, v := range tr.All() {
				require.Equal(t, items[i].key, k)
				require.Equal(t, items[i].val, v)
				i++
			}
			require.Equal(t, len(items), i)
		}
		steps := rapid.IntRange(1, 400).Draw(t, "steps")
		ascending := rapid.Bool().Draw(t, "ascending")
		for n := range steps {
			key := uint64(rapid.IntRange(0, 300).Draw(t, "key"))
			if ascending && n%4 != 0 {
				key = uint64(1000 + n)
			}
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 6:
				it := item{key: key, val: uint64(n), seq: int64(rapid.IntRange(0, 50).Draw(t, "seq"))}
				tr.Set(tok, key, it.val, it.seq)
				if i, ok := find(key); ok {
					items[i] = it
				} else {
					items = slices.Insert(items, i, it)
				}
			case op < 8:
				if len(items) > 0 && rapid.Bool().Draw(t, "known") {
					key = items[rapid.IntRange(0, len(items)-1).Draw(t, "i")].key
				}
				tr.Del(tok, key)
				if i, ok := find(key); ok {
					items = slices.Delete(slices.Clone(items), i, i+1)
				}
			default:
				pasts = append(pasts, past{tr, slices.Clone(items)})
				tok = &Token{}
			}
			i, ok := find(key)
			require.Equal(t, i, tr.Rank(key))
			_, got := tr.Get(key)
			require.Equal(t, ok, got)
			prev, hasPrev := tr.Before(key)
			require.Equal(t, i > 0, hasPrev)
			if hasPrev {
				require.Equal(t, items[i-1].key, prev)
			}
			seq := int64(rapid.IntRange(0, 50).Draw(t, "above"))
			j := slices.IndexFunc(items, func(it item) bool { return it.seq > seq })
			first, found := tr.FirstSeqAbove(seq)
			require.Equal(t, j >= 0, found)
			if found {
				require.Equal(t, items[j].key, first)
			}
		}
		check(tr, items)
		checkTree(t, tr)
		for _, p := range pasts {
			check(p.tree, p.items)
		}
	})
}

// checkTree holds a tree's counts, keys and greatest seqs against its items.
func checkTree[V any](t require.TestingT, tr Tree[V]) {
	if tr.root == nil {
		return
	}
	var check func(n *node[V]) (count int, most int64)
	check = func(n *node[V]) (count int, most int64) {
		require.NotEmpty(t, n.keys)
		require.True(t, slices.IsSorted(n.keys))
		require.LessOrEqual(t, len(n.keys), width)
		if n.leaf() {
			require.Len(t, n.vals, len(n.keys))
			if n.seqs != nil {
				require.Len(t, n.seqs, len(n.keys))
				most = slices.Max(n.seqs)
			}
			count = len(n.keys)
		} else {
			require.Len(t, n.kids, len(n.keys))
			for i, k := range n.kids {
				require.LessOrEqual(t, n.keys[i], k.keys[0])
				c, m := check(k)
				count, most = count+c, max(most, m)
			}
		}
		require.Equal(t, n.count, count)
		require.Equal(t, n.max, most)
		return count, most
	}
	check(tr.root)
}
