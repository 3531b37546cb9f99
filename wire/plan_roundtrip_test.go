package wire

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plans generates valid plans: a tree of nodes in any order, and on some levels regions that nest, follow or
// overlap each other.
var plans = rapid.Custom(func(t *rapid.T) *Plan {
	p := &Plan{
		AgentID:      someID.Draw(t, "agent"),
		AgentVersion: rapid.IntRange(0, 1<<31-1).Draw(t, "version"),
		Name:         either(t, anyText, "name"),
	}
	segment := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), someID)
	levels := [][]string{nil}
	taken := map[string]bool{}
	for range rapid.IntRange(0, 14).Draw(t, "nodes") {
		path := append(slices.Clone(rapid.SampledFrom(levels).Draw(t, "in")), segment.Draw(t, "id"))
		if key := PathKey(path); !taken[key] {
			taken[key] = true
			levels = append(levels, path)
			p.Nodes = append(p.Nodes, PlanNode{
				Path: path, Kind: either(t, anyName, "kind"), Name: either(t, anyText, "name"),
				HideInnerEvents: rapid.Bool().Draw(t, "hide"), Samples: either(t, rapid.IntRange(1, 1<<31-1), "samples"),
				ExitPorts: either(t, rapid.SliceOfN(anyName, 1, 3), "ports"),
			})
		}
	}
	p.Nodes = rapid.Permutation(p.Nodes).Draw(t, "order")
	for _, level := range levels {
		var ids []string
		for _, n := range p.Nodes {
			if slices.Equal(n.Path[:len(n.Path)-1], level) {
				ids = append(ids, n.Path[len(level)])
			}
		}
		if len(ids) > 0 {
			drawWays(t, p, level, ids)
		}
		for _, name := range rapid.SliceOfNDistinct(anyName, 0, 2, rapid.ID[string]).Draw(t, "outputs") {
			p.Outputs = append(p.Outputs, PlanOutput{
				Name: name, SubgraphPath: level, Format: either(t, oneOf(formatWords), "format"),
				Schema: either(t, notNull, "schema"),
			})
		}
	}
	for _, name := range rapid.SliceOfNDistinct(anyName, 0, 3, rapid.ID[string]).Draw(t, "names") {
		p.Tables = append(p.Tables, PlanTable{Name: name, Schema: either(t, notNull, "schema")})
		p.Tools = append(p.Tools, PlanTool{
			Name: name, RequiresClientResponse: rapid.Bool().Draw(t, "client"), Private: rapid.Bool().Draw(t, "private"),
			Schema: either(t, notNull, "schema"),
		})
	}
	return p
})

// drawWays draws the edges and the regions of one level.
func drawWays(t *rapid.T, p *Plan, level, ids []string) {
	id := rapid.SampledFrom(ids)
	at := func(id string) []string { return append(slices.Clone(level), id) }
	for range rapid.IntRange(0, 3).Draw(t, "edges") {
		port, has := maybe(t, anyName, "port")
		p.Edges = append(p.Edges, PlanEdge{
			SubgraphPath: level, From: id.Draw(t, "from"), FromPort: port, HasFromPort: has, To: id.Draw(t, "to"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "regions") {
		r := PlanRegion{Source: at(id.Draw(t, "source")), Join: at(id.Draw(t, "join"))}
		branches := make([]PlanBranch, 3)
		for _, id := range ids {
			which := rapid.IntRange(0, 3).Draw(t, "branch") // 3: none
			if path := at(id); which < 3 && !slices.Equal(path, r.Source) && !slices.Equal(path, r.Join) {
				branches[which].Members = append(branches[which].Members, path)
			}
		}
		for _, b := range branches {
			if len(b.Members) > 0 {
				b.Entry = rapid.SampledFrom(b.Members).Draw(t, "entry")
				r.Branches = append(r.Branches, b)
			}
		}
		if len(r.Branches) > 0 {
			p.Regions = append(p.Regions, r)
		}
	}
}

// Promises 10 and 12.
func TestPlansRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans.Draw(t, "plan")
		text := p.AppendJSON(nil)
		require.NotContains(t, string(text), "\n")
		got, err := DecodePlan(text)
		require.NoError(t, err, "%s", text)
		require.Equal(t, p, got, "%s", text)
	})
}

// Promise 14: the index says what walking the plan says.
func TestThePlanIndexIsThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans.Draw(t, "plan")
		x, err := NewPlanIndex(p)
		require.NoError(t, err)
		checkIndex(t, p, x)
	})
}

func checkIndex(t require.TestingT, p *Plan, x *PlanIndex) {
	for i := -1; i < len(p.Nodes); i++ {
		level, at := x.Root(), []string(nil)
		if i >= 0 {
			at = p.Nodes[i].Path
			level = x.Node(PathKey(at))
			require.Same(t, &p.Nodes[i], level.Node)
			require.Same(t, level.Parent, parentOf(x, at))
		}
		var children []*IndexedNode
		for j := range p.Nodes {
			if path := p.Nodes[j].Path; slices.Equal(path[:len(path)-1], at) {
				children = append(children, x.Node(PathKey(path)))
			}
		}
		require.Equal(t, len(children), len(level.Children))
		for j, child := range children {
			require.Same(t, child, level.Children[j])
		}
		edges := 0
		for j, e := range p.Edges {
			if i >= 0 && slices.Equal(append(slices.Clone(e.SubgraphPath), e.From), at) {
				require.Same(t, &p.Edges[j], level.Edges[edges])
				edges++
			}
		}
		require.Len(t, level.Edges, edges)
		checkRegionsOf(t, p, level, at)
	}
	for i, o := range p.Outputs {
		require.Same(t, &p.Outputs[i], x.Output(PathKey(o.SubgraphPath), o.Name))
		require.Contains(t, at(x, PathKey(o.SubgraphPath)).Outputs, &p.Outputs[i])
	}
}

// at is Level for what is perhaps no subgraph.
func at(x *PlanIndex, key string) *IndexedNode {
	if key == "" {
		return x.Root()
	}
	return x.Node(key)
}

func parentOf(x *PlanIndex, path []string) *IndexedNode { return at(x, PathKey(path[:len(path)-1])) }

func checkRegionsOf(t require.TestingT, p *Plan, level *IndexedNode, at []string) {
	var here []int
	for i, r := range p.Regions {
		if slices.Equal(r.Source[:len(r.Source)-1], at) {
			here = append(here, i)
		}
	}
	around := map[int][]int{}
	for _, inner := range here {
		for _, outer := range here {
			if encloses(p.Regions[outer], p.Regions[inner]) {
				around[inner] = append(around[inner], outer)
			}
		}
	}
	var got []int
	for _, r := range level.Regions {
		got = append(got, r.Ordinal)
		var enclosing []int
		for _, outer := range r.Enclosing {
			enclosing = append(enclosing, outer.Ordinal)
		}
		require.Equal(t, around[r.Ordinal], enclosing)
	}
	require.ElementsMatch(t, here, got)
	for i, earlier := range got {
		for _, later := range got[i+1:] {
			require.NotContains(t, around[later], earlier, "an inner region stands behind one around it")
			if earlier > later { // out of plan order, for the sake of a region around the earlier one
				require.True(t, slices.ContainsFunc(around[earlier], func(outer int) bool { return outer <= later }))
			}
		}
	}
}

// encloses is the page's sentence: the source and all members of the inner one are members of one branch.
func encloses(outer, inner PlanRegion) bool {
	return slices.ContainsFunc(outer.Branches, func(b PlanBranch) bool {
		has := func(path []string) bool {
			return slices.ContainsFunc(b.Members, func(m []string) bool { return slices.Equal(m, path) })
		}
		if !has(inner.Source) {
			return false
		}
		for _, branch := range inner.Branches {
			for _, m := range branch.Members {
				if !has(m) {
					return false
				}
			}
		}
		return true
	})
}

// Promises 12 and 13 on whatever bytes: a valid plan or a rejection that is fit for a log; what is taken is
// written and read again as the same, and its index is the plan's.
func FuzzDecodePlan(f *testing.F) {
	f.Add([]byte(`{"agent_id":"a","agent_version":1}`))
	f.Add([]byte(`{"agent_id":"a","agent_version":1,"nodes":[{"path":["s"]},{"path":["x"],"kind":"ensemble","samples":2},{"path":["j"]},` +
		`{"path":["g"],"kind":"subgraph","exit_ports":["done"]},{"path":["g","h"],"hide_inner_events":true}],` +
		`"edges":[{"from":"s","from_port":"p","to":"x"}],"regions":[{"source":["s"],"join":["j"],"branches":[{"entry":["x"],"members":[["x"],["g"]]}]}],` +
		`"outputs":[{"name":"o","subgraph_path":["g"],"format":"code","schema":{"type":"string"}}],"tables":[{"name":"t"}],` +
		`"tools":[{"name":"u","requires_client_response":true,"private":true}]}`))
	f.Add([]byte(`{"agent_id":"a","agent_version":1,"nodes":[{"path":["\ud800"]},{"path":["\udc00"]}]}`))
	f.Add(wide(2, 3).AppendJSON(nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		p, err := DecodePlan(text)
		require.Equal(t, before, text, "the bytes are the caller's")
		if err != nil {
			require.Nil(t, p)
			requireSound(t, err)
			require.LessOrEqual(t, len(err.(*Rejection).Detail), 512)
			return
		}
		again := p.AppendJSON(nil)
		got, err := DecodePlan(again)
		require.NoError(t, err, "%s", again)
		require.Equal(t, p, got, "%s", again)
		x, err := NewPlanIndex(p)
		require.NoError(t, err)
		if len(text) < 4096 { // walking is slow
			checkIndex(t, p, x)
		}
	})
}

// wide is a plan of n nodes or a few more: chains of subgraphs in each other, depth deep, the levels of which
// have a region each around the rest of the chain, and a region over everything at the top.
func wide(n, depth int) *Plan {
	p := &Plan{AgentID: "wide", AgentVersion: 1, Nodes: nodesOf("source join")}
	top := PlanRegion{Source: []string{"source"}, Join: []string{"join"}}
	for chain := 0; len(p.Nodes) < n; chain++ {
		var at []string
		for range depth {
			for _, id := range []string{"a", "b", "sub"} {
				if len(at) == 0 {
					id += strconv.Itoa(chain)
				}
				p.Nodes = append(p.Nodes, PlanNode{Path: append(slices.Clone(at), id), Kind: "llm", Name: id})
			}
			three := p.Nodes[len(p.Nodes)-3:]
			three[2].Kind = kindSubgraph
			a, b, sub := three[0].Path, three[1].Path, three[2].Path
			p.Edges = append(p.Edges, PlanEdge{SubgraphPath: slices.Clone(at), From: a[len(at)], To: sub[len(at)]})
			p.Regions = append(p.Regions, PlanRegion{Source: a, Join: b, Branches: []PlanBranch{{sub, [][]string{sub}}}})
			if len(at) == 0 {
				top.Branches = append(top.Branches, PlanBranch{a, [][]string{a, b, sub}})
			}
			at = sub
		}
		p.Outputs = append(p.Outputs, PlanOutput{Name: "o", SubgraphPath: at})
	}
	p.Regions = append(p.Regions, top)
	for i := range p.Edges {
		if len(p.Edges[i].SubgraphPath) == 0 {
			p.Edges[i].SubgraphPath = nil
		}
	}
	return p
}

// nested is one level of regions in each other, depth deep: each has all those inside it as members of its one branch.
func nested(depth int) *Plan {
	p := &Plan{AgentID: "nested", AgentVersion: 1, Nodes: nodesOf("core")}
	members := paths("core")
	for i := range depth {
		source, join := "s"+strconv.Itoa(i), "j"+strconv.Itoa(i)
		p.Nodes = append(p.Nodes, nodesOf(source+" "+join)...)
		r := PlanRegion{Source: paths(source)[0], Join: paths(join)[0]}
		r.Branches = []PlanBranch{{Entry: members[len(members)-1], Members: slices.Clone(members)}}
		p.Regions = append(p.Regions, r)
		members = append(members, r.Source, r.Join)
	}
	return p
}

// Promise 15, by what does not depend on the machine: the memory asked for, and that a plan that would make the
// nesting of its regions expensive is refused.
func TestPlansAreLinear(t *testing.T) {
	for _, depth := range []int{1, 64} {
		cost := func(n int) float64 {
			text := wide(n, depth).AppendJSON(nil)
			return testing.AllocsPerRun(2, func() {
				p, err := DecodePlan(text)
				require.NoError(t, err)
				_, err = NewPlanIndex(p)
				require.NoError(t, err)
			})
		}
		small, large := cost(1_000), cost(10_000)
		assert.Less(t, large, 12*small, "depth %d: ten times the plan", depth)
	}
	p := nested(64)
	x, err := NewPlanIndex(p)
	require.NoError(t, err)
	for i, r := range x.Root().Regions {
		require.Equal(t, i, r.Ordinal)
		require.Len(t, r.Enclosing, 63-i)
	}
	require.ErrorContains(t, nested(257+1).Validate(), "is in more than 256 regions")
}

// BenchmarkPlan is decoding, validating and indexing plans that nest in different ways; the figure to compare is
// the MB/s.
func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		name string
		plan *Plan
	}{
		{"flat/1000", wide(1_000, 1)}, {"flat/10000", wide(10_000, 1)}, {"flat/100000", wide(100_000, 1)},
		{"deep64/1000", wide(1_000, 64)}, {"deep64/10000", wide(10_000, 64)}, {"deep64/100000", wide(100_000, 64)},
		{"regions/64", nested(64)}, {"regions/256", nested(256)},
	} {
		text := c.plan.AppendJSON(nil)
		b.Run(fmt.Sprintf("decode/%s", c.name), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := DecodePlan(text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("index/%s", c.name), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := NewPlanIndex(c.plan); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
