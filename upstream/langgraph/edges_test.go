package langgraph

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"inlaygraph/wire"
)

// Promise 12: an edge has fired only where it is certain which.
func TestEdges(t *testing.T) {
	both := []event{starts("s:s"), ends("s:s", `{}`), starts("a:a"), starts("b:b"), ends("a:a", `{}`), ends("b:b", `{}`)}
	for name, c := range map[string]struct {
		plan    *wire.PlanIndex
		events  []event
		start   event
		want    []string // into the node that starts
		unknown []string
	}{
		"the first step":            {nil, nil, starts("x:x"), nil, nil},
		"one before":                {nil, []event{starts("a:a"), ends("a:a", `{}`)}, starts("x:x"), []string{"a->x"}, nil},
		"one before, by its port":   {planOf(t, "a :again-> x", "a :done-> y"), []event{starts("a:a"), ends("a:a", `{}`)}, starts("x:x"), []string{"a:again->x"}, nil},
		"two ports to one node":     {planOf(t, "a :p-> x", "a :q-> x"), []event{starts("a:a"), ends("a:a", `{}`)}, starts("x:x"), []string{"a->x"}, nil},
		"an edge that is no plan's": {planOf(t, "a -> y", "x llm"), []event{starts("a:a"), ends("a:a", `{}`)}, starts("x:x"), []string{"a->x"}, nil},
		"several could have":        {nil, both, starts("x:x"), nil, []string{"what led to x: it may be a or b"}},
		"several by a condition":    {planOf(t, "a :p-> x", "b :q-> x"), both, starts("x:x"), nil, []string{"what led to x: it may be a or b"}},
		"one by a condition":        {planOf(t, "a :p-> x", "b -> y"), both, starts("x:x"), []string{"a:p->x"}, nil},
		"all without a condition":   {planOf(t, "a -> x", "b -> x"), both, starts("x:x"), []string{"a->x", "b->x"}, nil},
		"one without, one with":     {planOf(t, "a -> x", "b :q-> x"), both, starts("x:x"), []string{"a->x"}, nil},
		"a join names them":         {nil, both, starts("x:x", "join:a+b:x"), []string{"a->x", "b->x"}, nil},
		"a join that waited":        {nil, append([]event{starts("w:w"), ends("w:w", `{}`)}, both...), starts("x:x", "join:w+b:x"), []string{"w->x", "b->x"}, nil},
		"names with a plus":         {nil, []event{starts("a+b:1"), starts("c:2"), ends("a+b:1", `{}`), ends("c:2", `{}`)}, starts("x:x", "join:a+b+c:x"), nil, []string{"what led to x: it may be a+b or c"}},
		"an older branch":           {nil, both, starts("x:x", "branch:b:condition:x"), []string{"b->x"}, nil},
		"an older edge":             {nil, both, starts("x:x", "a"), []string{"a->x"}, nil},
		"sent":                      {planOf(t, "a -> x", "b :x-> x"), both, starts("x:x", pushed), []string{"b:x->x"}, nil},
		"the failed do not lead on": {nil, []event{starts("a:a"), starts("b:b"), ends("a:a", `{}`), fails("b:b", "Error", "")}, starts("x:x"), []string{"a->x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			frames, r := translate(RunInfo{ThreadID: "T", RunID: "R", AgentID: "A", Plan: c.plan}, append(c.events, c.start), Outcome{Status: Succeeded})
			var fired []string
			for _, f := range frames {
				if _, node, _ := at("x:x"); f.Type == wire.EdgeFired && f.To == node {
					fired = append(fired, strings.TrimPrefix(short(f), "edge.fired "))
				}
			}
			assert.Equal(t, c.want, fired)
			assert.Equal(t, c.unknown, r.Unknown())
			folded(t, frames)
		})
	}
}

// Edges of subgraphs are in them, and what is outside has nothing to do with it.
func TestEdgesOfSubgraphs(t *testing.T) {
	lines := told(t, RunInfo{}, Succeeded, starts("sub:s"), starts("sub:s|a:1"), starts("other:o"), ends("sub:s|a:1", `{}`),
		starts("sub:s|b:2"), ends("sub:s|b:2", `{}`), ends("sub:s", `{}`), ends("other:o", `{}`), starts("sub:s2"), starts("sub:s2|b:3"))
	var fired []string
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, "edge.fired "); ok {
			fired = append(fired, rest)
		}
	}
	assert.Equal(t, []string{"sub/a->b"}, fired)
}
