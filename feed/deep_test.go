package feed_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// deepPlan is so many subgraphs in one another; each holds a fan-out with the next one in a branch.
func deepPlan(levels int) *wire.Plan {
	p := &wire.Plan{AgentID: "a", AgentVersion: 1}
	var path []string
	at := func(id string) []string { return append(path[:len(path):len(path)], id) }
	for range levels {
		for _, id := range []string{"k", "l", "m"} {
			p.Nodes = append(p.Nodes, wire.PlanNode{Path: at(id), Kind: "llm"})
		}
		g := at("g")
		p.Nodes = append(p.Nodes, wire.PlanNode{Path: g, Kind: "subgraph"})
		p.Regions = append(p.Regions, wire.PlanRegion{Source: at("k"), Join: at("m"), Branches: []wire.PlanBranch{
			{Entry: at("l"), Members: [][]string{at("l")}}, {Entry: g, Members: [][]string{g}},
		}})
		path = g
	}
	p.Nodes = append(p.Nodes, wire.PlanNode{Path: at("n"), Kind: "llm"})
	return p
}

// deepRegions is one level with so many regions, each in a branch of the one before.
func deepRegions(count int) *wire.Plan {
	p := &wire.Plan{AgentID: "a", AgentVersion: 1}
	name := func(what string, i int) []string { return []string{fmt.Sprint(what, i)} }
	var inside [][]string
	for i := count - 1; i >= 0; i-- {
		for _, what := range []string{"k", "l", "r", "m"} {
			p.Nodes = append(p.Nodes, wire.PlanNode{Path: name(what, i), Kind: "llm"})
		}
		left := append([][]string{name("l", i)}, inside...)
		p.Regions = append(p.Regions, wire.PlanRegion{Source: name("k", i), Join: name("m", i), Branches: []wire.PlanBranch{
			{Entry: left[0], Members: left}, {Entry: name("r", i), Members: [][]string{name("r", i)}},
		}})
		inside = append(left, name("k", i), name("r", i), name("m", i))
	}
	return p
}

// widePlan is one level with so many nodes, and regions that each have ten of them.
func widePlan(nodes, regions int) *wire.Plan {
	p := &wire.Plan{AgentID: "a", AgentVersion: 1}
	name := func(i int) []string { return []string{fmt.Sprint("n", i)} }
	for i := range nodes {
		p.Nodes = append(p.Nodes, wire.PlanNode{Path: name(i), Kind: "llm"})
	}
	for i := range regions {
		r := wire.PlanRegion{Source: name(10 * i), Join: name(10*i + 9)}
		for branch := 1; branch < 9; branch++ {
			r.Branches = append(r.Branches, wire.PlanBranch{Entry: name(10*i + branch), Members: [][]string{name(10*i + branch)}})
		}
		p.Regions = append(p.Regions, r)
	}
	return p
}

func shapeOf(t testing.TB, p *wire.Plan) *feed.Shape {
	t.Helper()
	index, err := wire.NewPlanIndex(p)
	require.NoError(t, err)
	return feed.NewShape(index)
}

// deepest is the row in the innermost of so many subgraphs.
func deepest(levels int) wire.Spine {
	s := wire.Spine{NodeID: "n", Activation: "x"}
	for range levels {
		s.SubgraphPath = append(s.SubgraphPath, "g")
	}
	return s
}

// Sixty-four subgraphs in one another, each in a branch of a fan-out: two cards a level, and a token in the
// innermost makes all of them anew and no other.
func TestDeepPlans(t *testing.T) {
	const levels = 64
	s := begin(t, shapeOf(t, deepPlan(levels)))
	at := deepest(levels)
	for depth := range levels {
		for _, id := range []string{"k", "l"} {
			sp := wire.Spine{NodeID: id, SubgraphPath: at.SubgraphPath[:depth], Activation: "x"}
			s.apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: sp, ID: fmt.Sprint(id, depth), Content: "text", HasContent: true}})
		}
	}
	token := &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: at, ID: "n", Content: "token", HasContent: true}}
	s.apply(token)
	before := s.feed()
	entries := before.Entries()
	require.Len(t, entries, 4*levels+1)
	parents := map[string]*string{}
	for _, e := range entries {
		parents[e.Key] = e.Parent
	}
	depth := 0
	for parent := entries[len(entries)-1].Parent; parent != nil; parent = parents[*parent] {
		depth++
	}
	require.Equal(t, "n", entries[len(entries)-1].Key)
	require.Equal(t, 2*levels, depth)

	kept := cards(s.kept.Feed().Rows())
	s.apply(token)
	now := cards(s.kept.Feed().Rows())
	require.Len(t, now, 2*levels)
	for i := range kept {
		require.NotSame(t, kept[i], now[i])
	}
	require.Equal(t, dump(s.feed()), dump(s.kept.Feed()))
}

// Regions in one another on one level, as deep as a plan may have them.
func TestDeepRegions(t *testing.T) {
	const count = 100
	s := begin(t, shapeOf(t, deepRegions(count)))
	for i := range count {
		s.tell(fmt.Sprintf("k%d.x r%d.x", i, i))
	}
	s.tell(fmt.Sprintf("l%d.x", count-1))
	all := cards(s.feed().Rows())
	require.Len(t, all, count, "each in a branch of the one before")
	for i, card := range all {
		require.Equal(t, fmt.Sprint("k", i), *card.(*feed.FanOutRow).NodeID())
	}
	require.Equal(t, 1, len(cards([]feed.Row{all[count-1]})))
	s.tell("m0.x l5.x")
	require.Equal(t, count+6, len(cards(s.feed().Rows())), "the outermost join closes all; six are opened anew")
}

// A plan of ten thousand nodes and a thousand regions: a firing of each, and again, is composed in the time that its
// rows need and not in rows times regions, of which there are sixteen million here.
func TestWidePlans(t *testing.T) {
	shape := shapeOf(t, widePlan(10_000, 1_000))
	s := begin(t, shape)
	start := time.Now()
	for firing := range 2 {
		for n := range 1_000 {
			for _, i := range []int{0, 1, 4, 9} {
				sp := wire.Spine{NodeID: fmt.Sprint("n", 10*n+i), Activation: fmt.Sprint(firing)}
				s.apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: sp, ID: fmt.Sprint(sp), Content: "text", HasContent: true}})
			}
		}
	}
	f := s.feed()
	require.Less(t, time.Since(start), 20*time.Second)
	require.Len(t, cards(f.Rows()), 2_000)
	require.Len(t, f.Rows(), 6_000)
}

// BenchmarkDeep is a token in the innermost of 64 subgraphs, which makes 128 cards anew.
func BenchmarkDeep(b *testing.B) {
	s := begin(b, shapeOf(b, deepPlan(64)))
	frame := &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: deepest(64), ID: "n", Content: "token ", HasContent: true}}
	b.ReportAllocs()
	for b.Loop() {
		s.apply(frame)
		s.kept.Feed()
	}
}

// BenchmarkWide is a plan of ten thousand nodes and a thousand regions: making it ready, and composing 8,000 rows in
// 2,000 cards from scratch.
func BenchmarkWide(b *testing.B) {
	plan := widePlan(10_000, 1_000)
	b.Run("shape", func(b *testing.B) {
		for b.Loop() {
			shapeOf(b, plan)
		}
	})
	b.Run("compose", func(b *testing.B) {
		shape := shapeOf(b, plan)
		state := projection.New("")
		state.Apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{RunID: "r", ConversationID: "c", AgentID: "a", AgentVersion: 1}})
		for i := range 8_000 {
			sp := wire.Spine{NodeID: fmt.Sprint("n", 10*(i/4%1_000)+[]int{0, 1, 4, 9}[i%4]), Activation: fmt.Sprint(i / 4_000)}
			state.Apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: sp, ID: fmt.Sprint("row", i), Content: "text", HasContent: true}})
		}
		snap := state.Snapshot()
		for b.Loop() {
			require.Len(b, feed.Compose(snap, pin(1), shape).Rows(), 6_000)
		}
	})
}
