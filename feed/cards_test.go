package feed_test

// What is promised of cards, sentence by sentence in our own words, and the test that shows it (docs/feed.md).
//
// Of all cards:
//   an agent without such shapes has the five kinds of rows alone ............ TestCards/no_shapes
//   only the shapes of the plan make cards .................................... TestCards/shapes_of_the_plan
//   without a pin the feed is flat ............................................ TestModes/no_pin
//   a card has a key and no id; the key is no row's and no cursor ............. TestCardsHaveAKeyAndNoID
//   membership is that of the regions, never worked out from edges ............ TestMembership/edges_alone, /against_the_edges
//   a shape that the plan has no region for stays flat ........................ TestMembership/no_region
//   without an activation a row stays flat and is not dropped ................. TestMissingEvidence
//   a pin composes under the same agent and version alone, above 0 ............ TestModes
//   otherwise all rows stay, flat, inner ones included ........................ TestModes, TestNothingIsDropped
//   the pin to the version that ran groups them again ......................... TestModes/the_version_that_ran
//
// Fan-outs:
//   one region is one card, named after its source, with the join's path ...... TestFanOutNamesItsSource
//   one list per branch, its own rows in order, cards among them .............. TestTracks
//   the status of branches is the latest firing's alone ....................... TestBranchStatus/latest_firing
//   it is that of the node's latest visit ..................................... TestBranchStatus/latest_visit
//   it is that of the entry, whatever goes on behind it ....................... TestBranchStatus/entries_alone
//   another card needs rows that show another firing .......................... TestFirings
//   a silent source and a silent join show none ............................... TestFirings/silent
//   branches without a row or a subagent make no card ......................... TestFirings/nothing_produced
//   a turn that is swept away leaves no trace ................................. TestSweptAway
//
// Subagents:
//   one card per subgraph, the rows of all visits in order .................... TestSubagents/all_visits
//   what is in it is composed in turn ......................................... TestSubagents/composed_in_turn
//   the counts are of what ran below, the status is the node's own ............ TestSubagentCounts
//   rows show that it ran, and so do starts and ends; an edge does not ........ TestSubagents/shown_by_*
//   a black box that started may be empty, and has no counts .................. TestSubagents/black_box, TestSubagentCounts
//   one that was not reached has no card ...................................... TestSubagents/not_reached
//
// Repeats:
//   one card per node and activation; samples are parallel, items sequential .. TestRepeats/one_per_activation, TestRepeatModes
//   a track has the rows of one stamp, in the order of the stamps ............. TestRepeats/by_stamp
//   no empty tracks, so that an index is no number of a sample ................ TestRepeats/sparse, TestEntriesNameTracks
//   done counts tracks and not completions .................................... TestRepeatCounts/done
//   total is an ensemble's, where the plan has it; never a for-each's ......... TestRepeatCounts/total
//   a sample that said nothing leaves no track: done 3 of 4 ................... TestRepeatCounts/abstained
//   whether it is over is the node's status to say, not done and total ........ TestRepeatCounts/over
//   samples come whole, items stream, several turns and tools in one track .... TestRepeats/whole, /streamed
//   both stamps are needed; without one a row stays flat ...................... TestRepeats/missing_stamps
//   a card that began before the window says so ............................... TestHasEarlier
//   decisions are text like any other; unserved ones make no tracks ........... TestRepeats/structured
//
// Lists:
//   cards hold rows and cards, at any depth ................................... TestTracks/nested, TestDeepPlans

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/projection"
)

func TestCards(t *testing.T) {
	checkScenes(t, "node n llm\nnode m llm\nedge n m", []scene{
		{"no shapes", "user n.x call:n.x result:n.x out:n.x m.y", "user n.x call:n.x result:n.x out:n.x m.y"},
	})
	checkScenes(t, "node n llm\nnode g subgraph\nnode g/n llm\nnode v ensemble", []scene{
		{"shapes of the plan", "n.x n.x.1 g/n.y v.z.1 u/n.w", "n.x n.x.1 g{g/n.y} v(1: v.z.1) u/n.w"},
	})
}

func TestCardsHaveAKeyAndNoID(t *testing.T) {
	f := told(t, planned(t, family), "user k.a l.b g/n.c v.d.1 m.e").feed()
	ids, keys := map[string]bool{}, map[string]bool{}
	for _, r := range leaves(f.Rows()) {
		ids[*r.(projection.Row).Common().ID()] = true
	}
	all := cards(f.Rows())
	require.Len(t, all, 3, "one of each kind")
	for _, card := range all {
		require.NotEmpty(t, card.Key())
		require.False(t, ids[card.Key()], "no row's id")
		require.False(t, keys[card.Key()], "no other card's")
		keys[card.Key()] = true
		_, hasID := card.(interface{ ID() *string })
		require.False(t, hasID)
		_, hasSeq := card.(interface{ Seq() *int64 })
		require.False(t, hasSeq)
	}
}

// family is a plan with every kind of card: a region with a subagent and an ensemble among its branches.
const family = `
	node n llm
	node k llm
	node l llm
	node l2 llm
	node r llm
	node m llm
	node g subgraph
	node g/n llm
	node v ensemble samples=4
	region k > l l2 g | r v > m`

func TestMembership(t *testing.T) {
	const nodes = "node k llm\nnode l llm\nnode r llm\nnode m llm\n"
	checkScenes(t, nodes+"edge k l\nedge k r\nedge l m\nedge r m", []scene{
		{"edges alone", "k.a l.b r.c m.d", "k.a l.b r.c m.d"},
	})
	checkScenes(t, nodes+"edge m r\nedge r k\nregion k > l | r > m", []scene{
		{"against the edges", "k.a l.b r.c m.d", "k.a k[l.b | r.c] m.d"},
	})
	checkScenes(t, nodes+"edge k l\nedge k m\nedge l k\nregion k > r > m", []scene{
		{"no region", "k.a l.b m.c k.d l.e", "k.a l.b m.c k.d l.e"},
	})
	checkScenes(t, nodes+"node s llm\nedge m s\nedge s m\nregion k > l | r > m", []scene{
		{"a cycle behind the join", "k.a l.b m.c s.d m.e s.f r.g", "k.a k[l.b | ] m.c s.d m.e s.f k[ | r.g]"},
	})
}

func TestMissingEvidence(t *testing.T) {
	checkScenes(t, family, []scene{
		{"members without an activation stay flat", "k.a l r.b l2 m.c", "k.a l k[ | r.b] l2 m.c"},
		{"all of them", "k l r l2 m", "k l r l2 m"},
		{"nothing is closed by a row without an activation", "l.a k l.b m r.c", "k[l.a l.b | r.c] k m"},
		{"samples without one of the stamps stay flat", "v.a.1 v..2 v.a", "k[ | v(1: v.a.1) v.a] v..2"},
		{"a subagent needs none", "g/n", "k[g{g/n} | ]"},
	})
}

func TestFanOutNamesItsSource(t *testing.T) {
	f := told(t, planned(t, `
		node g subgraph
		node g/k llm
		node g/l llm
		node g/m llm
		node k llm nameless
		node l llm
		node m llm
		region g/k > g/l > g/m
		region k > l > m`), "l.a g/l.b").feed()
	require.Equal(t, "k[l.a] g{g/k[g/l.b]}", shown(f.Rows()))
	all := cards(f.Rows())
	top, inner := all[0].(*feed.FanOutRow), all[2].(*feed.FanOutRow)
	require.Equal(t, "k", *top.NodeID())
	require.Nil(t, top.SubgraphPath())
	require.Nil(t, top.NodeName(), "the plan has no name for it")
	require.Equal(t, []string{"m"}, top.Join)
	require.Equal(t, "k", *inner.NodeID())
	require.Equal(t, []string{"g"}, inner.SubgraphPath())
	require.Equal(t, "The k", *inner.NodeName())
	require.Equal(t, []string{"g", "m"}, inner.Join)
}

func TestTracks(t *testing.T) {
	checkScenes(t, family, []scene{
		{"one list per branch, interleaved rows apart", "l.a r.b l.a call:r.b l2.c result:r.b out:l.a", "k[l.a l.a' l2.c out:l.a | r.b call:r.b result:r.b]"},
		{"in the order of the plan, whichever came first", "r.a l.b", "k[l.b | r.a]"},
		{"a branch without rows has an empty list", "r.a", "k[ | r.a]"},
		{"at the place of the first item", "user k.a n.b l.c n.d r.e m.f", "user k.a n.b k[l.c | r.e] n.d m.f"},
		{"nested: subagents and repeats", "l.a g/n.b v.c.2 l.d v.c.1", "k[l.a g{g/n.b} l.d | v(1: v.c.1 2: v.c.2)]"},
	})
	checkScenes(t, nested, []scene{
		{"nested: fan-outs", "k.1 s.2 a.3 r.4 b.5 j.6 m.7", "k.1 k[s.2 s[a.3 | b.5] j.6 | r.4] m.7"},
	})
}

// nested is a region in a branch of another.
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

func TestSubagents(t *testing.T) {
	checkScenes(t, `
		node n llm
		node g subgraph
		node g/n llm
		node g/h subgraph
		node g/h/n llm
		node b subgraph hidden
		node never subgraph
		node e llm
		node e/n llm`, []scene{
		{"all visits", "start:g.1 g/n.y end:g.1 n.z start:g.2 g/n.w end:g.2", "g{g/n.y g/n.w} n.z"},
		{"composed in turn", "g/n.x g/h/n.y g/n.z", "g{g/n.x g/h{g/h/n.y} g/n.z}"},
		{"shown by a row, where the first stands", "n.x g/n.y n.z", "n.x g{g/n.y} n.z"},
		{"shown by a start, and there it stands", "start:g.x n.y g/n.z", "g{g/n.z} n.y"},
		{"shown by an end below it", "end:g/h/n.x n.y g/n.z", "g{g/h{} g/n.z} n.y"},
		{"shown by rows without an activation", "g/n", "g{g/n}"},
		{"an edge shows nothing", "n.x edge:g/a>b edge:n>g", "n.x"},
		{"black box", "n.x start:b.y end:b.y", "n.x b{}"},
		{"a black box that tells all the same", "b/n.x", "b{b/n.x}"},
		{"not reached", "n.x", "n.x"},
		{"rows of the subgraph's own node are not in it", "g.x g/n.y", "g.x g{g/n.y}"},
		{"a node that the plan has nodes in is one", "e/n.x", "e{e/n.x}"},
		{"what the plan does not have stays flat where it is", "n.x u/n.y u/v/n.z g/u/n.w g/u/h/n.v", "n.x u/n.y u/v/n.z g{g/u/n.w g/u/h/n.v}"},
		{"a start below what the plan does not have shows nothing", "start:u/n.x start:n/m.y", ""},
	})
}

func TestSubagentCounts(t *testing.T) {
	s := told(t, planned(t, "node g subgraph\nnode g/h subgraph\nnode b subgraph hidden"),
		"start:g.x start:g/h.y start:g/n.z failed:g/n.z start:g/h/m.w end:g/h/m.w g/u/n start:b.v start:b/n.u end:b/n.u")
	all := cards(s.feed().Rows())
	g, h, b := all[0].(*feed.SubagentRow), all[1].(*feed.SubagentRow), all[2].(*feed.SubagentRow)
	require.Equal(t, []int{1, 1, 1}, []int{*g.RunningCount, *g.DoneCount, *g.FailedCount}, "what ran strictly below, at any depth")
	require.Equal(t, "running", g.NodeStatus.String(), "its own")
	require.Equal(t, []int{0, 1, 0}, []int{*h.RunningCount, *h.DoneCount, *h.FailedCount})
	require.Nil(t, b.RunningCount, "a black box tells nothing of what goes on in it")
	require.Nil(t, b.DoneCount)
	require.Nil(t, b.FailedCount)
	require.Equal(t, "running", b.NodeStatus.String())
	require.Equal(t, []string{"g"}, h.SubgraphPath())
	require.Equal(t, "h", *h.NodeID())
	require.Equal(t, "The h", *h.NodeName())

	s.tell("cancelled:g/h.y")
	g = cards(s.feed().Rows())[0].(*feed.SubagentRow)
	require.Equal(t, []int{0, 1, 2}, []int{*g.RunningCount, *g.DoneCount, *g.FailedCount}, "cancelled counts as failed")

	unknown := cards(told(t, planned(t, "node g subgraph"), "g/n").feed().Rows())[0].(*feed.SubagentRow)
	require.Nil(t, unknown.NodeStatus, "nothing told of its own run")
	require.Equal(t, []int{0, 0, 0}, []int{*unknown.RunningCount, *unknown.DoneCount, *unknown.FailedCount})
}

const repeating = `
	node n llm
	node v ensemble samples=4
	node w ensemble
	node e for_each_llm samples=3
	node g subgraph
	node g/v ensemble`

func TestRepeats(t *testing.T) {
	checkScenes(t, repeating, []scene{
		{"one per activation", "v.x.1 n.y v.z.1 v.x.2", "v(1: v.x.1 2: v.x.2) n.y v(1: v.z.1)"},
		{"by stamp, whichever came first", "v.x.4 v.x.2 v.x.3 v.x.2", "v(2: v.x.2 v.x.2' 3: v.x.3 4: v.x.4)"},
		{"sparse", "v.x.4 v.x.2", "v(2: v.x.2 4: v.x.4)"},
		{"whole: a sample is one row", "start:v.x v.x.2 v.x.1 end:v.x", "v(1: v.x.1 2: v.x.2)"},
		{"streamed: several turns and tools in one track", "text:e.x.1 call:e.x.1 result:e.x.1 e.x.1 text:e.x.2",
			"e(1: text:e.x.1 call:e.x.1 result:e.x.1 e.x.1 2: text:e.x.2)"},
		{"missing stamps", "v.x v..1 v v.x.1", "v.x v..1 v v(1: v.x.1)"},
		{"another kind of node does not repeat", "n.x.1 n.x.2", "n.x.1 n.x.2"},
		{"in a subagent", "g/v.x.1 g/v.x.2", "g{g/v(1: g/v.x.1 2: g/v.x.2)}"},
		{"an activation is of its path", "v.x.1 e.x.1", "v(1: v.x.1) e(1: e.x.1)"},
		{"a user row in the middle splits nothing", "v.x.1 user v.x.2", "v(1: v.x.1 2: v.x.2) user"},
		{"structured: a for-each that serves no items has its output alone", "start:e.x out:e.x end:e.x", "out:e.x"},
		{"structured: an ensemble whose decisions are not served", "start:v.x end:v.x n.y", "n.y"},
		{"a node's placeholder is no sample", "llm:v.x v.x.1", "v.x v(1: v.x.1)"},
	})
}

func TestRepeatModes(t *testing.T) {
	all := cards(told(t, planned(t, repeating), "v.x.1 e.y.1 g/v.z.1").feed().Rows())
	v, e, inner := all[0].(*feed.RepeatRow), all[1].(*feed.RepeatRow), all[3].(*feed.RepeatRow)
	require.Equal(t, feed.RepeatParallel, v.Mode)
	require.Equal(t, feed.RepeatSequential, e.Mode)
	require.Equal(t, "v", *v.NodeID())
	require.Nil(t, v.SubgraphPath())
	require.Equal(t, "The v", *v.NodeName())
	require.Equal(t, []string{"g"}, inner.SubgraphPath())
}

func TestRepeatCounts(t *testing.T) {
	repeat := func(t *testing.T, words string) (*feed.RepeatRow, *projection.NodeRun) {
		s := told(t, planned(t, repeating), words)
		r := cards(s.feed().Rows())[0].(*feed.RepeatRow)
		return r, s.state.Snapshot().NodeRun([]string{*r.NodeID()})
	}
	t.Run("done", func(t *testing.T) {
		r, _ := repeat(t, "start:e.x text:e.x.1 text:e.x.2")
		require.Equal(t, 2, r.Done(), "both still stream")
		require.Len(t, r.Tracks(), 2)
	})
	t.Run("total", func(t *testing.T) {
		v, _ := repeat(t, "v.x.1")
		require.Equal(t, 4, *v.Total)
		w, _ := repeat(t, "w.x.1")
		require.Nil(t, w.Total, "the plan does not say")
		e, run := repeat(t, "start:e.x e.x.1 end:e.x")
		require.Equal(t, "completed", run.Status.String())
		require.Nil(t, e.Total, "even after its end")
	})
	t.Run("abstained", func(t *testing.T) {
		v, run := repeat(t, "start:v.x v.x.1 v.x.4 v.x.2 end:v.x")
		require.Equal(t, "completed", run.Status.String())
		require.Equal(t, 3, v.Done())
		require.Equal(t, 4, *v.Total)
	})
	t.Run("over", func(t *testing.T) {
		v, run := repeat(t, "start:v.x v.x.1 v.x.4 v.x.2 v.x.3")
		require.Equal(t, v.Done(), *v.Total)
		require.Equal(t, "running", run.Status.String())
	})
}
