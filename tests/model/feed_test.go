package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
)

type composing struct{ name, words, want string }

func checkFeeds(t *testing.T, plan string, all []composing) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			f := lived(t, c.words).Feed(planned(t, plan), pin(1))
			require.Equal(t, model.Composed, f.Mode)
			require.Equal(t, c.want, shown(f.Rows))
			require.Empty(t, model.SameFeed(f, f))
		})
	}
}

// docs/feed.md, "The guard".
func TestGuard(t *testing.T) {
	plan := planned(t, "node n llm\nnode g subgraph\nnode g/n llm")
	m := lived(t, "user n.x g/n.y")
	other := *plan
	other.AgentVersion = 2
	for _, c := range []struct {
		name, mode string
		feed       *model.Feed
	}{
		{"a pin that fits", model.Composed, m.Feed(plan, pin(1))},
		{"another version", model.FlatGuarded, m.Feed(plan, pin(2))},
		{"a foreign agent, the same version", model.FlatGuarded, m.Feed(plan, &model.Pin{AgentID: "b", AgentVersion: pin(1).AgentVersion})},
		{"a draft", model.FlatGuarded, m.Feed(plan, pin(0))},
		{"no expected version", model.FlatGuarded, m.Feed(plan, &model.Pin{AgentID: "a"})},
		{"no plan", model.FlatGuarded, m.Feed(nil, pin(1))},
		{"another version's plan", model.FlatGuarded, m.Feed(&other, pin(1))},
		{"identity not yet known", model.FlatGuarded, model.New().Feed(plan, pin(1))},
		{"no pin", model.FlatUnpinned, m.Feed(plan, nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.mode, c.feed.Mode)
			require.Equal(t, c.mode == model.FlatGuarded, c.feed.Reason != nil)
			switch {
			case c.feed.Mode == model.FlatUnpinned:
				require.Equal(t, "user n.x", shown(c.feed.Rows), "inner rows stay out")
			case c.feed.Mode == model.FlatGuarded && len(m.View().Timeline) > 0 && c.name != "identity not yet known":
				require.Equal(t, "user n.x g/n.y", shown(c.feed.Rows), "nothing is dropped")
			}
			require.Empty(t, model.SameFeed(c.feed, c.feed))
		})
	}
}

// docs/feed.md, step 1.
func TestSubagents(t *testing.T) {
	checkFeeds(t, `
		node n llm
		node g subgraph
		node g/n llm
		node g/h subgraph
		node g/h/n llm
		node b subgraph hidden
		node b/n llm
		node never subgraph`, []composing{
		{"one card, whatever its visits, at its first row", "n.x g/n.y n.z g/n.w", "n.x g{g/n.y g/n.w} n.z"},
		{"composed in turn", "g/n.x g/h/n.y g/n.z", "g{g/n.x g/h{g/h/n.y} g/n.z}"},
		{"a card stands at the start at its path", "start:g.x n.y g/n.z", "g{g/n.z} n.y"},
		{"a card stands at an end below its path", "end:g/h/n.x n.y g/n.z", "g{g/h{} g/n.z} n.y"},
		{"a start and no rows", "n.x start:b.y", "n.x b{}"},
		{"a black box that tells all the same", "b/n.x", "b{b/n.x}"},
		{"an edge alone gives none", "n.x edge:g/a>b edge:n>g", "n.x"},
		{"an unreached one has none", "n.x", "n.x"},
		{"rows of the subgraph node itself are not inside", "g.x g/n.y", "g.x g{g/n.y}"},
		{"no such subgraph in the plan: flat, not grouped further", "n.x u/n.y u/v/n.z g/u/n.w", "n.x u/n.y u/v/n.z g{g/u/n.w}"},
		{"a row inside without an activation", "g/n", "g{g/n}"},
		{"a start below an unknown one gives none", "start:u/n.x start:n/m.y", ""},
	})
}

// docs/feed.md, step 1: counts and nodeStatus.
func TestSubagentCounts(t *testing.T) {
	plan := planned(t, "node g subgraph\nnode g/h subgraph\nnode b subgraph hidden")
	m := lived(t, "start:g.x start:g/h.y start:g/n.z failed:g/n.z start:g/h/m.w end:g/h/m.w g/u/n start:b.v start:b/n.u end:b/n.u")
	f := m.Feed(plan, pin(1))
	g, h, b := cards(f)[0], cards(f)[1], cards(f)[2]
	require.Equal(t, []int{1, 1, 1}, []int{*g.RunningCount, *g.DoneCount, *g.FailedCount}, "strict descendants at any depth")
	require.Equal(t, "RUNNING", *g.NodeStatus)
	require.Equal(t, []int{0, 1, 0}, []int{*h.RunningCount, *h.DoneCount, *h.FailedCount})
	require.Nil(t, b.RunningCount, "a black box has no counts")
	require.Nil(t, b.DoneCount)
	require.Nil(t, b.FailedCount)
	require.Equal(t, "RUNNING", *b.NodeStatus)
	require.Equal(t, "The g", *g.NodeName)
	require.Nil(t, g.SubgraphPath)
	require.Equal(t, []string{"g"}, h.SubgraphPath)

	unknown := cards(lived(t, "g/n").Feed(plan, pin(1)))[0]
	require.Nil(t, unknown.NodeStatus, "absent when unknown")
	require.Equal(t, 0, *unknown.DoneCount)
}

// docs/feed.md, step 2.
func TestRepeats(t *testing.T) {
	checkFeeds(t, `
		node n llm
		node v ensemble samples=4
		node e for_each_llm
		node g subgraph
		node g/v ensemble`, []composing{
		{"one card per activation, at its first row, by ascending iteration, without empty tracks",
			"v.x.4 n.y v.x.2 v.x.4 v.z.1", "v(2: v.x.2 4: v.x.4 v.x.4') n.y v(1: v.z.1)"},
		{"rows of every kind", "e.x.1 call:e.x.1 e.x.1 call:e.x.2", "e(1: e.x.1 call:e.x.1 e.x.1' 2: call:e.x.2)"},
		{"without a stamp: flat", "v.x v..1 v.x.1 v", "v.x v..1 v(1: v.x.1) v"},
		{"a node of another kind does not repeat", "n.x.1 n.x.2", "n.x.1 n.x.2"},
		{"inside a subagent", "g/v.x.1 g/v.x.2", "g{g/v(1: g/v.x.1 2: g/v.x.2)}"},
		{"an activation is of its path", "v.x.1 e.x.1", "v(1: v.x.1) e(1: e.x.1)"},
		{"a user row in the middle splits nothing", "v.x.1 user v.x.2", "v(1: v.x.1 2: v.x.2) user"},
	})
	f := lived(t, "v.x.4 v.x.2 e.x.1").Feed(planned(t, "node v ensemble samples=4\nnode e for_each_llm samples=3"), pin(1))
	v, e := cards(f)[0], cards(f)[1]
	require.Equal(t, "PARALLEL", v.Mode)
	require.Equal(t, 2, v.Done)
	require.Equal(t, 4, *v.Total)
	require.Equal(t, "SEQUENTIAL", e.Mode)
	require.Nil(t, e.Total)
}

const oneRegion = `
	node k llm
	node l llm
	node l2 llm
	node r llm
	node m llm
	node n llm
	node g subgraph
	node g/n llm
	node v ensemble
	region k > l l2 g | r v > m`

// docs/feed.md, step 3, with one region.
func TestFanOuts(t *testing.T) {
	checkFeeds(t, oneRegion, []composing{
		{"members at the place of the first, each track in order", "user k.a l.b n.x r.c l2.d m.e", "user k.a k[l.b l2.d | r.c] n.x m.e"},
		{"possibly empty tracks", "k.a r.b", "k.a k[ | r.b]"},
		{"no card without an item", "k.a m.b start:l.x", "k.a m.b"},
		{"without an activation: flat", "k.a l r.b l2", "k.a l k[ | r.b] l2"},
		{"the source closes", "k.a l.b k.c l.d", "k.a k[l.b | ] k.c k[l.d | ]"},
		{"the join closes, and a late member opens a new card", "k.a l.b m.c r.d", "k.a k[l.b | ] m.c k[ | r.d]"},
		{"before its first item nothing is closed", "l.a k.b r.c", "k[l.a | ] k.b k[ | r.c]"},
		{"a source without an activation closes nothing", "l.a k r.b m l.c", "k[l.a l.c | r.b] k m"},
		{"a silent source and a silent join close nothing", "l.a start:m.x start:k.y l.b", "k[l.a l.b | ]"},
		{"a repeated branch node alone closes nothing", "l.a l.b l.a", "k[l.a l.b l.a' | ]"},
		{"after a user row: a held activation goes on", "l.a user l.a r.b", "k[l.a l.a' | ] user k[ | r.b]"},
		{"after a user row: any other opens a new card", "l.a r.b user l.c r.b l.a", "k[l.a | r.b] user k[l.c l.a' | r.b']"},
		{"after a user row: held, again and again", "l.a r.b user l.a r.b user r.b l.a", "k[l.a l.a' l.a'' | r.b r.b' r.b''] user user'"},
		{"an activation is of its path", "l.a user r.a", "k[l.a | ] user k[ | r.a]"},
		{"a user row before the card", "user l.a r.b", "user k[l.a | r.b]"},
		{"a subagent is an item, and stands once", "k.a start:g.b r.c m.d g/n.e", "k.a k[g{g/n.e} | r.c] m.d"},
		{"an empty subagent too", "start:g.b", "k[g{} | ]"},
		{"after a user row a subagent opens a new card", "l.a user g/n.b l.c", "k[l.a | ] user k[g{g/n.b} l.c | ]"},
		{"a repeat is an item", "l.a v.b.2 v.b.1 v.c.1", "k[l.a | v(1: v.b.1 2: v.b.2) v(1: v.c.1)]"},
		{"a held repeat after a user row", "v.b.1 user v.b.2 v.b", "k[ | v(1: v.b.1 2: v.b.2) v.b] user"},
		{"other nodes stand around", "n.x l.a n.y r.b n.z", "n.x k[l.a | r.b] n.y n.z"},
	})
}

// docs/feed.md, step 3: repeats and subagents as source or join.
func TestFanOutBoundariesOfEveryKind(t *testing.T) {
	checkFeeds(t, `
		node s subgraph
		node s/n llm
		node v ensemble
		node l llm
		node r llm
		region s > l | r > v`, []composing{
		{"a repeat closes", "l.a v.b.1 r.c v.b.2", "s[l.a | ] v(1: v.b.1 2: v.b.2) s[ | r.c]"},
		{"a subagent closes where it stands", "l.a s/n.b r.c", "s[l.a | ] s{s/n.b} s[ | r.c]"},
		{"and only there", "s/n.a l.b s/n.c l.d", "s{s/n.a s/n.c} s[l.b l.d | ]"},
		{"even empty", "l.a start:s.b r.c", "s[l.a | ] s{} s[ | r.c]"},
	})
}

// docs/feed.md, "regions may nest", and step 3: innermost first.
func TestNestedFanOuts(t *testing.T) {
	const nested = `
		node k llm
		node s llm
		node a llm
		node b llm
		node j llm
		node r llm
		node m llm
		region k > s a b j | r > m
		region s > a | b > j`
	checkFeeds(t, nested, []composing{
		{"the inner card in a track of the outer", "k.1 s.2 a.3 r.4 b.5 j.6 m.7", "k.1 k[s.2 s[a.3 | b.5] j.6 | r.4] m.7"},
		{"the inner source closes the inner card only", "s.1 a.2 s.3 a.4", "k[s.1 s[a.2 | ] s.3 s[a.4 | ] | ]"},
		{"the outer source closes both", "s.1 a.2 k.3 a.4", "k[s.1 s[a.2 | ] | ] k.3 k[s[a.4 | ] | ]"},
		{"the outer join closes both", "a.1 m.2 b.3", "k[s[a.1 | ] | ] m.2 k[s[ | b.3] | ]"},
		{"a held activation after a user row goes on in both", "a.1 r.2 user a.1 r.2", "k[s[a.1 a.1' | ] | r.2 r.2'] user"},
		{"any other opens both", "a.1 r.2 user b.3 a.1", "k[s[a.1 | ] | r.2] user k[s[a.1' | b.3] | ]"},
		{"an inner card counts by its first item", "a.1 s.2 user a.1 b.3", "k[s[a.1 | ] s.2 s[a.1' | b.3] | ] user"},
	})
	checkFeeds(t, `
		node k llm
		node s llm
		node a llm
		node b llm
		node r llm
		node m llm
		region s > a | b > m
		region k > s a b | r > m`, []composing{
		{"a shared join: nesting does not look at it", "k.1 s.2 a.3 b.4 r.5 m.6 a.7", "k.1 k[s.2 s[a.3 | b.4] | r.5] m.6 k[s[a.7 | ] | ]"},
	})
	checkFeeds(t, `
		node k llm
		node a llm
		node b llm
		node c llm
		node m llm
		region k > a b | c > m
		region k > b c | a > m`, []composing{
		{"regions that overlap without nesting: plan order, first match", "k.1 a.2 b.3 c.4", "k.1 k[a.2 b.3 | c.4]"},
	})
	checkFeeds(t, `
		node g subgraph
		node g/k llm
		node g/l llm
		node g/r llm
		node g/m llm
		region g/k > g/l | g/r > g/m`, []composing{
		{"in a subagent, where no user row is", "g/k.1 g/l.2 user g/l.3 g/r.4 g/m.5", "g{g/k.1 g/k[g/l.2 g/l.3 | g/r.4] g/m.5} user"},
	})
}

// docs/feed.md, step 3: branchStatus is of the region's last card.
func TestBranchStatus(t *testing.T) {
	plan := planned(t, `
		node k llm
		node a llm
		node a2 llm
		node b llm
		node c llm
		node d llm
		node m llm
		region k > a a2 | b | c | d > m`)
	f := lived(t, "start:k.0 k.0 start:a.1 a.1 m.2 start:a.3 a2.4 end:a.3 start:a2.4 start:b.5 start:c.6 failed:c.6").Feed(plan, pin(1))
	first, last := cards(f)[0], cards(f)[1]
	require.Nil(t, first.BranchStatus)
	require.Equal(t, []string{"DONE", "RUNNING", "FAILED", "UNKNOWN"}, last.BranchStatus, "of the branch entries alone")
	require.Equal(t, []string{"m"}, last.Join)
	require.Equal(t, "k", last.NodeID)
	require.Equal(t, "The k", *last.NodeName)
}

// docs/feed.md, "hasEarlier".
func TestCardsHaveEarlier(t *testing.T) {
	checkFeeds(t, oneRegion, []composing{
		{"a window with nothing earlier", "g/n.a l.b v.c.1", "k[g{g/n.a} l.b | v(1: v.c.1)]"},
		{"no start is in the window", "earlier g/n.a l.b v.c.1", "k[g{g/n.a}* l.b | v(1: v.c.1)*]*"},
		{"a start of the subgraph's path", "earlier g/n.a start:g.x", "k[g{g/n.a} | ]*"},
		{"a start below is none of its path", "earlier start:g/n.a g/n.a", "k[g{g/n.a}* | ]*"},
		{"a start of the repeat's activation", "earlier v.c.1 start:v.d v.d.1", "k[ | v(1: v.c.1)* v(1: v.d.1)]*"},
		{"a start of the source before the first item", "earlier start:k.a l.b", "k[l.b | ]"},
		{"a row of the source before the first item", "earlier k l.b", "k k[l.b | ]"},
		{"a start of the source after it", "earlier l.b start:k.a r.c", "k[l.b | r.c]*"},
		{"a later card whose source was silent", "earlier k.a l.b m.c l.d", "k.a k[l.b | ] m.c k[l.d | ]"},
	})
	require.True(t, lived(t, "earlier n.a").Feed(planned(t, oneRegion), pin(1)).HasEarlier)
}

// docs/feed.md, "entries".
func TestEntries(t *testing.T) {
	f := lived(t, "user k.a l.b v.c.2 v.c.1 g/n.d llm:n.e").Feed(planned(t, oneRegion), pin(1))
	require.Equal(t, "user k.a k[l.b g{g/n.d} | v(1: v.c.1 2: v.c.2)] llm:n.e", shown(f.Rows))
	type place struct {
		key, parent             string
		track, iteration, index int
	}
	got := []place{}
	for _, e := range f.Entries {
		p := place{key: e.Key, track: -1, iteration: -1, index: e.Index}
		if e.Row.Card != nil {
			require.Equal(t, e.Row.Card.Key, e.Key)
			p.key = e.Row.Card.Type
		}
		if e.Parent != nil {
			for _, c := range cards(f) {
				if c.Key == *e.Parent {
					p.parent = c.Type
				}
			}
		}
		if e.Track != nil {
			p.track = *e.Track
		}
		if e.Iteration != nil {
			p.iteration = *e.Iteration
		}
		got = append(got, p)
	}
	require.Equal(t, []place{
		{"user", "", -1, -1, 0}, {"k.a", "", -1, -1, 1}, {"fan-out", "", -1, -1, 2},
		{"l.b", "fan-out", 0, -1, 0}, {"subagent", "fan-out", 0, -1, 1}, {"g/n.d", "subagent", -1, -1, 0},
		{"repeat", "fan-out", 1, -1, 0}, {"v.c.1", "repeat", 0, 1, 0}, {"v.c.2", "repeat", 1, 2, 0},
		{"llm:n.e", "", -1, -1, 3},
	}, got)
}
