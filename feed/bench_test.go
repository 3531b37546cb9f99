package feed_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// busyPlan is a fan-out of ten branches: nine models, and an ensemble; beside them a subagent and a node of its own.
func busyPlan() *wire.Plan {
	p := &wire.Plan{AgentID: "a", AgentVersion: 1}
	node := func(kind string, path ...string) []string {
		p.Nodes = append(p.Nodes, wire.PlanNode{Path: path, Kind: kind, Name: path[len(path)-1]})
		return path
	}
	r := wire.PlanRegion{Source: node("router", "k"), Join: node("llm", "m")}
	for i := range 10 {
		kind := "llm"
		if i == 9 {
			kind = "ensemble"
		}
		path := node(kind, fmt.Sprintf("b%d", i))
		r.Branches = append(r.Branches, wire.PlanBranch{Entry: path, Members: [][]string{path}})
	}
	p.Regions = []wire.PlanRegion{r}
	node("subgraph", "g")
	node("llm", "g", "n")
	node("llm", "n")
	return p
}

// busy is a conversation of that agent: firings of fifty rows in two cards each, the last one without a join.
type busy struct {
	state    *projection.State
	composer *feed.Composer
	minted   int
}

func newBusy(tb testing.TB, firings int) *busy {
	b := &busy{state: projection.New("")}
	b.apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{RunID: "r", ConversationID: "c", AgentID: "a", AgentVersion: 1}})
	index, err := wire.NewPlanIndex(busyPlan())
	require.NoError(tb, err)
	b.composer = feed.NewComposer(feed.NewShape(index), b.state.Snapshot())
	for i := range firings {
		b.said("k", i, 0)
		for branch := range 9 {
			node := fmt.Sprintf("b%d", branch)
			b.start(node, i)
			for range 5 {
				b.said(node, i, 0)
			}
		}
		for sample := range 3 {
			b.said("b9", i, sample+1)
		}
		if i < firings-1 {
			b.said("m", i, 0)
		}
	}
	return b
}

// apply is what an owner does with each frame while the feed is subscribed.
func (b *busy) apply(f *wire.Frame) *feed.Feed {
	change := b.state.Apply(f)
	if b.composer == nil {
		return nil
	}
	b.composer.Apply(b.state.Snapshot(), &change)
	return b.composer.Feed()
}

func (b *busy) spine(node string, visit, iteration int) wire.Spine {
	s := wire.Spine{NodeID: node, Activation: fmt.Sprintf("%s.%d", node, visit), Iteration: iteration}
	if node == "g/n" {
		s.NodeID, s.SubgraphPath = "n", []string{"g"}
	}
	return s
}

func (b *busy) start(node string, visit int) {
	b.apply(&wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: b.spine(node, visit, 0), Kind: "any"}})
}

func (b *busy) said(node string, visit, iteration int) {
	b.minted++
	b.apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{
		Spine: b.spine(node, visit, iteration), ID: fmt.Sprintf("row%d", b.minted), Content: "text", HasContent: true,
	}})
}

func (b *busy) delta(node string, visit int) *wire.Frame {
	return &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: b.spine(node, visit, 0), ID: "open " + node, Content: "token ", HasContent: true}}
}

// sizes are a hundred rows in four cards, and five thousand in two hundred.
var sizes = []struct{ rows, firings int }{{100, 2}, {5000, 100}}

// places are where a token can go: into a branch of the open card, beside the cards, into a subagent.
var places = []struct{ name, node string }{{"branch", "b3"}, {"top", "n"}, {"subagent", "g/n"}}

// What a token costs while the feed is subscribed: folding, following, and the feed as it then stands. It must
// not grow with the conversation.
func BenchmarkFeedDelta(b *testing.B) {
	for _, place := range places {
		b.Run(place.name, func(b *testing.B) {
			compare(b, 1<<30, func(c *busy, firings, _ int) { c.apply(c.delta(place.node, firings-1)) })
		})
	}
}

// The same, as far as it can be told without a clock: a token allocates about as much in the long conversation.
func TestATokenCostsAlike(t *testing.T) {
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			var allocs []float64
			for _, size := range sizes {
				c := newBusy(t, size.firings)
				frame := c.delta(place.node, size.firings-1)
				allocs = append(allocs, testing.AllocsPerRun(200, func() { c.apply(frame) }))
				timeline, made := c.state.Snapshot().Timeline(), cards(c.composer.Feed().Rows())
				require.InEpsilon(t, size.rows, len(timeline), 0.02)
				require.InEpsilon(t, 2*size.firings, len(made), 0.3)
			}
			require.Less(t, allocs[1], 1.5*allocs[0])
		})
	}
}

// What a new row costs: in a branch, beside the cards, a source and a member that open a firing, and a turn that is
// swept away.
func BenchmarkFeedRow(b *testing.B) {
	for _, bench := range []struct {
		name string
		step func(c *busy, firings, i int)
	}{
		{"branch", func(c *busy, firings, i int) { c.said("b3", firings-1, 0) }},
		{"top", func(c *busy, firings, i int) { c.said("n", i, 0) }},
		{"firing", func(c *busy, firings, i int) { c.said("k", firings+i, 0); c.said("b0", firings+i, 0) }},
		{"swept", func(c *busy, firings, i int) {
			at := c.spine("b4", firings-1, 0)
			c.apply(&wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: at, ID: "swept", Content: "x", HasContent: true}})
			c.apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: at, ID: "swept", HasContent: true}})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) { compare(b, 64, bench.step) })
	}
}

// compare measures a step in conversations of both sizes, which take turns, so that a busy machine bothers both
// alike. It reports the medians, and how many times as much the long one takes. After so many turns both start
// over, so that they stay about as long as they say.
func compare(b *testing.B, turns int, step func(c *busy, firings, i int)) {
	const steps = 16
	all := make([]*busy, len(sizes))
	times := make([][]float64, len(sizes))
	turn := 0
	for b.Loop() {
		for which, size := range sizes {
			if turn%turns == 0 {
				b.StopTimer()
				all[which] = newBusy(b, size.firings)
				step(all[which], size.firings, 0)
				b.StartTimer()
			}
			start := time.Now()
			for i := range steps {
				step(all[which], size.firings, turn%turns*steps+i+1)
			}
			times[which] = append(times[which], float64(time.Since(start).Nanoseconds())/steps)
		}
		turn++
	}
	medians := make([]float64, len(sizes))
	for which, size := range sizes {
		slices.Sort(times[which])
		medians[which] = times[which][len(times[which])/2]
		b.ReportMetric(medians[which], fmt.Sprintf("ns/%drows", size.rows))
	}
	b.ReportMetric(medians[1]/medians[0], "times")
	b.ReportMetric(0, "ns/op")
}
