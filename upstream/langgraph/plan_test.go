package langgraph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/wire"
)

const anAssistant = `{"assistant_id":"A","version":7,"name":"Trip","graph_id":"trip"}`

// drawn makes a drawn graph of lines "a -> b", "a ?-> b" (conditional), "a ?label-> b". Nodes are those that edges
// name, in that order, after those of nodes.
func drawn(nodes []string, lines ...string) string {
	var ids, edges []string
	seen := map[string]bool{}
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, fmt.Sprintf(`{"id":%q,"type":"runnable"}`, id))
		}
	}
	for _, id := range nodes {
		add(id)
	}
	for _, line := range lines {
		w := strings.Fields(line)
		add(w[0])
		add(w[2])
		data, conditional := "", strings.HasPrefix(w[1], "?")
		if label := strings.TrimSuffix(strings.TrimPrefix(w[1], "?"), "->"); label != "" {
			data = fmt.Sprintf(`"data":%q,`, label)
		}
		edges = append(edges, fmt.Sprintf(`{"source":%q,"target":%q,%s"conditional":%v}`, w[0], w[2], data, conditional))
	}
	return `{"nodes":[` + strings.Join(ids, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}

// edgesOf are a plan's edges in short.
func edgesOf(p *wire.Plan) []string {
	var all []string
	for _, e := range p.Edges {
		from := strings.Join(append(append([]string{}, e.SubgraphPath...), e.From), "/")
		if e.HasFromPort {
			from += ":" + e.FromPort
		}
		all = append(all, from+" -> "+e.To)
	}
	return all
}

func regionsOf(p *wire.Plan) []string {
	var all []string
	for _, r := range p.Regions {
		line := strings.Join(r.Source, "/") + " {"
		for i, b := range r.Branches {
			if i > 0 {
				line += " | "
			}
			for j, m := range b.Members {
				if j > 0 {
					line += " "
				}
				line += strings.Join(m, "/")
				if strings.Join(m, "/") == strings.Join(b.Entry, "/") {
					line += "*"
				}
			}
		}
		all = append(all, line+"} "+strings.Join(r.Join, "/"))
	}
	return all
}

func planned(t require.TestingT, graph string) (*wire.Plan, []string) {
	p, notes, err := Plan([]byte(anAssistant), []byte(graph))
	require.NoError(t, err)
	require.NoError(t, p.Validate())
	return p, notes
}

// Where a drawn edge belongs.
func TestPlannedEdges(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"beginnings and ends are no nodes": {[]string{"__start__ -> a", "a -> b", "b -> __end__"}, []string{"a -> b"}},
		"ports":                            {[]string{"a ?again-> b", "a ?done-> __end__", "b ?-> c", "b ?-> d"}, []string{"a:again -> b", "b:c -> c", "b:d -> d"}},
		"into and out of a subgraph":       {[]string{"a -> s:x", "s:x -> s:y", "s:y -> b"}, []string{"a -> s", "s/x -> y", "s -> b"}},
		"two deep, from one to another":    {[]string{"s:t:x -> s:t:y", "s:t:y -> s:z", "s:z -> r:q:w"}, []string{"s/t/x -> y", "s/t -> z", "s -> r"}},
		"a loop inside": {
			[]string{"__start__ -> s:__start__", "s:__start__ -> s:x", "s:x -> s:y", "s:y ?again-> s:x", "s:y ?done-> s:__end__", "s:__end__ -> b"},
			[]string{"s/x -> y", "s/y:again -> x", "s -> b"},
		},
		"a way back around, drawn from end to beginning": {
			[]string{"a -> s:__start__", "s:__start__ -> s:x", "s:x -> s:__end__", "s:__end__ ?-> s:__start__", "s:__end__ ?-> b"},
			[]string{"a -> s", "s:s -> s", "s:b -> b"},
		},
		"a way back around, drawn inside": {[]string{"__start__ -> s:x", "s:x -> s:y", "s:y ?more-> s:x", "s:y ?done-> __end__"}, []string{"s/x -> y", "s:more -> s"}},
		"said twice":                      {[]string{"a -> s:__start__", "s:x -> b", "s:y -> b", "a -> s:x"}, []string{"a -> s", "s -> b"}},
		"two ways to one node":            {[]string{"a ?p-> b", "a ?q-> b", "a -> b"}, []string{"a:p -> b", "a:q -> b", "a -> b"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := planned(t, drawn(nil, c.lines...))
			assert.Equal(t, c.want, edgesOf(p))
		})
	}
}

// Promise 14: regions, and the shapes that are none.
func TestPlannedRegions(t *testing.T) {
	diamond := []string{"__start__ -> s", "s -> a", "s -> b", "a -> j", "b -> j", "j -> __end__"}
	with := func(more ...string) []string { return append(append([]string{}, diamond...), more...) }
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"two branches":           {diamond, []string{"s {a* | b*} j"}},
		"three, of some length":  {[]string{"s -> a", "s -> b", "s -> c", "a -> a2", "a2 -> j", "b -> j", "c -> j"}, []string{"s {a* a2 | b* | c*} j"}},
		"a choice in a branch":   {[]string{"s -> a", "s -> b", "a ?-> p", "a ?-> q", "p -> j", "q -> j", "b -> j"}, []string{"s {a* p q | b*} j"}},
		"one in another":         {[]string{"s -> a", "s -> b", "a -> x", "a -> y", "x -> k", "y -> k", "k -> j", "b -> j"}, []string{"s {a* x y k | b*} j", "a {x* | y*} k"}},
		"one after another":      {[]string{"s -> a", "s -> b", "a -> j", "b -> j", "j -> p", "j -> q", "p -> z", "q -> z"}, []string{"s {a* | b*} j", "j {p* | q*} z"}},
		"in a subgraph":          {[]string{"m -> g:s", "g:s -> g:a", "g:s -> g:b", "g:a -> g:j", "g:b -> g:j", "g:j -> n"}, []string{"g/s {g/a* | g/b*} g/j"}},
		"of subgraphs":           {[]string{"s -> g:x", "g:x -> g:y", "s -> b", "g:y -> j", "b -> j"}, []string{"s {g* | b*} j"}},
		"a cycle behind":         {with("j -> k", "k ?-> l", "l -> k"), []string{"s {a* | b*} j"}},
		"a cycle that ends in j": {with("j ?-> k", "k -> j"), []string{"s {a* | b*} j"}},
		"a cycle back to s":      {with("j ?-> s"), nil},
		"a cycle into a branch":  {with("j ?-> a"), nil},
		"a cycle in a branch":    {with("a ?-> a2", "a2 -> a"), nil},
		"one branch":             {[]string{"s -> a", "a -> j"}, nil},
		"by a condition":         {[]string{"s ?-> a", "s ?-> b", "a -> j", "b -> j"}, nil},
		"a condition too":        {with("s ?-> c", "c -> j"), nil},
		"straight to j":          {[]string{"s -> a", "s -> b", "s -> j", "a -> j", "b -> j"}, nil},
		"a branch to the end":    {with("a ?-> __end__"), nil},
		"a branch that ends":     {with("a ?-> c"), nil},
		"no join":                {[]string{"s -> a", "s -> b", "a -> __end__", "b -> __end__"}, nil},
		"two joins":              {[]string{"s -> a", "s -> b", "a -> j", "b -> j", "a -> k", "b -> k"}, nil},
		"two of three meet":      {[]string{"s -> a", "s -> b", "s -> c", "a -> k", "b -> k", "k -> j", "c -> j"}, nil},
		"a way from one branch":  {[]string{"s -> a", "s -> b", "a -> b", "a -> j", "b -> j"}, nil},
		"another way in":         {with("x -> a"), nil},
		"another way to j":       {with("x -> j"), nil},
		"it begins in a branch":  {with("__start__ -> b"), nil},
		"it begins at j":         {with("__start__ -> j"), nil},
		"the source may end":     {with("s -> __end__"), nil},
		"only sometimes to j":    {[]string{"s -> a", "s -> b", "a -> c", "b -> j", "c -> d", "d -> __end__"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, notes := planned(t, drawn(nil, c.lines...))
			assert.Equal(t, c.want, regionsOf(p))
			if c.want == nil && name != "one branch" && name != "by a condition" {
				require.NotEmpty(t, notes)
				assert.Contains(t, notes[0], "no region at s: ")
			}
		})
	}
}

// Kinds, tools and names come from what a node runs.
func TestPlannedNodes(t *testing.T) {
	p, notes := planned(t, `{"nodes":[
		{"id":"__start__","type":"schema"},
		{"id":"model","data":{"id":["langgraph","AgentNode"],"name":"model"}},
		{"id":"chat","data":{"id":["langchain","chat_models","openai","ChatOpenAI"]}},
		{"id":"tools","data":{"id":["langgraph","ToolNode"],"name":"func"},"metadata":{"__tools":["look","look","find",3]}},
		{"id":"plain","data":{"id":["langgraph","RunnableCallable"],"name":"plain"}},
		{"id":"whole","data":{"id":["langgraph","pregel","CompiledStateGraph"],"name":"LangGraph"}},
		{"id":"sub:in","data":{"id":["langgraph","ToolNode"]}},
		{"id":7},{"id":"a::b"},{"id":"Some.name with space"},{}],
		"edges":[{"source":"model","target":"nowhere"},{"source":"model"},{"source":7,"target":"model"}]}`)
	var nodes []string
	for _, n := range p.Nodes {
		nodes = append(nodes, strings.TrimSpace(strings.Join(n.Path, "/")+" "+n.Kind))
		assert.Equal(t, n.Path[len(n.Path)-1], n.Name)
	}
	assert.Equal(t, []string{"model llm", "chat llm", "tools tool", "plain", "whole subgraph", "sub subgraph", "sub/in tool", "7", "Some.name with space"}, nodes)
	assert.Equal(t, []wire.PlanTool{{Name: "look"}, {Name: "find"}}, p.Tools)
	assert.Equal(t, []string{"7 -> model"}, edgesOf(p))
	assert.Equal(t, []string{"a node without a name", "a node without a name", "the edge from model to nowhere: nowhere is not drawn", "an edge without its ends"}, notes)
	assert.Equal(t, "A", p.AgentID)
	assert.Equal(t, 7, p.AgentVersion)
	assert.Equal(t, "Trip", p.Name)
}

func TestNoPlan(t *testing.T) {
	for _, c := range [][2]string{
		{`{}`, `{"nodes":[]}`}, {`[`, `{"nodes":[]}`}, {anAssistant, `{}`}, {anAssistant, `[]`}, {anAssistant, `{"detail":"Not Found"}`}, {anAssistant, ``},
	} {
		p, _, err := Plan([]byte(c[0]), []byte(c[1]))
		assert.Nil(t, p)
		assert.Error(t, err)
	}
	p, notes, err := Plan([]byte(`{"assistant_id":"A","version":"x"}`), []byte(`{"nodes":[]}`))
	require.NoError(t, err)
	assert.Equal(t, &wire.Plan{AgentID: "A"}, p)
	assert.Empty(t, notes)
}

// Promise 14: whatever graph, a plan is valid, and a region's members have no way in or out but its own.
func TestAnyGraph(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "s:x", "s:y", "s:t:z", "__start__", "__end__", "s:__start__", "s:__end__"})
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(0, 14).Draw(t, "edges") {
			how := rapid.SampledFrom([]string{"->", "->", "->", "?->", "?p->"}).Draw(t, "how")
			lines = append(lines, name.Draw(t, "from")+" "+how+" "+name.Draw(t, "to"))
		}
		p, _ := planned(t, drawn(nil, lines...))
		for _, r := range p.Regions {
			branchOf := map[string]int{}
			for i, b := range r.Branches {
				for _, m := range b.Members {
					branchOf[wire.PathKey(m)] = i
				}
			}
			source, join := wire.PathKey(r.Source), wire.PathKey(r.Join)
			for _, e := range p.Edges {
				from, to := wire.PathKey(append(append([]string{}, e.SubgraphPath...), e.From)), wire.PathKey(append(append([]string{}, e.SubgraphPath...), e.To))
				i, isMember := branchOf[from]
				j, isTo := branchOf[to]
				require.True(t, !isMember || isTo && i == j || to == join, "%v: a way out in %s", lines, regionsOf(p))
				require.True(t, !isTo || isMember && i == j || from == source && !e.HasFromPort, "%v: a way in in %s", lines, regionsOf(p))
			}
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(anAssistant), []byte(drawn(nil, "s -> a", "s -> b", "a -> j", "b -> j", "j -> g:x", "g:x ?p-> g:y")))
	f.Add([]byte(anAssistant), []byte(`{"nodes":[{"id":"a","metadata":{"__tools":["x"]},"data":{"id":["ToolNode"]}}]}`))
	f.Fuzz(func(t *testing.T, assistant, graph []byte) {
		p, _, err := Plan(assistant, graph)
		if err == nil {
			require.NoError(t, p.Validate())
		}
	})
}
