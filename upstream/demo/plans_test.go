package demo

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// planOf is the plan of a built-in scenario's agent.
func planOf(t *testing.T, agent string, version int) *wire.PlanIndex {
	t.Helper()
	all, err := plans()
	require.NoError(t, err)
	plan := all[planKey{agent, strconv.Itoa(version)}]
	require.NotNil(t, plan, "%s %d", agent, version)
	x, err := wire.NewPlanIndex(plan)
	require.NoError(t, err)
	return x
}

// Promise 9: the plans know what the scenarios show, and accept it.
func TestPlansFitTheScenarios(t *testing.T) {
	all, err := plans()
	require.NoError(t, err)
	assert.Len(t, all, len(order))
	var failed []string
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			rec := builtIn(t, name)
			tape, err := newTape(rec, humanPace)
			require.NoError(t, err)
			x := planOf(t, tape.agentID, tape.agentVersion)
			s := shownBy(tape.frames)
			for _, f := range s.starts {
				n := x.Node(wire.PathKey(pathOf(f)))
				require.NotNil(t, n, "%v", pathOf(f))
				assert.Equal(t, f.Kind, n.Node.Kind, "%v", pathOf(f))
				assert.NotEmpty(t, n.Node.Name)
				for around := n.Parent; around != x.Root(); around = around.Parent {
					assert.False(t, around.Node.HideInnerEvents, "%v is inside a black box", n.Node.Path)
				}
			}
			for _, f := range s.edges {
				from := x.Node(wire.PathKey(append(slices.Clone(f.SubgraphPath), f.From)))
				require.NotNil(t, from)
				assert.True(t, slices.ContainsFunc(from.Edges, func(e *wire.PlanEdge) bool {
					return e.To == f.To && e.FromPort == f.FromPort && e.HasFromPort == f.HasFromPort
				}), "%v: %s to %s", f.SubgraphPath, f.From, f.To)
				assert.True(t, len(from.Node.ExitPorts) == 0 || slices.Contains(from.Node.ExitPorts, f.FromPort), "port %s", f.FromPort)
			}
			failed = append(failed, checkValues(t, x, s)...)
			unused(t, x, s)
		})
	}
	assert.Equal(t, []string{"output headcount"}, failed, "the one that is there to fail")
}

// shownFrames is what a scenario shows of its graph.
type shownFrames struct {
	starts, edges []*wire.Frame
	outputs       map[string]*wire.Frame // by row id: the last word of each
	texts         map[string]string      // by row id: of streamed outputs
	rows          []*wire.Frame
	deleted       []*wire.Frame
	calls         []*wire.Frame
}

func shownBy(frames []*wire.Frame) shownFrames {
	s := shownFrames{outputs: map[string]*wire.Frame{}, texts: map[string]string{}}
	for _, f := range frames {
		switch f.Type {
		case wire.NodeStart:
			s.starts = append(s.starts, f)
		case wire.EdgeFired:
			s.edges = append(s.edges, f)
		case wire.OutputSet:
			s.outputs[f.ID] = f
		case wire.OutputDelta:
			s.outputs[f.ID] = f
			s.texts[f.ID] += f.Delta
		case wire.TableRow:
			s.rows = append(s.rows, f)
		case wire.TableDelete:
			s.deleted = append(s.deleted, f)
		case wire.ToolCall:
			s.calls = append(s.calls, f)
		}
	}
	return s
}

func pathOf(f *wire.Frame) []string { return append(slices.Clone(f.SubgraphPath), f.NodeID) }

// declaredIn is the subgraph for which the output of a frame is declared: that which it was made in, or the
// agent when it is promoted.
func declaredIn(f *wire.Frame) string {
	if f.Promoted {
		return ""
	}
	return wire.PathKey(f.SubgraphPath)
}

// checkValues checks every value against the plan, and answers what fails its schema.
func checkValues(t *testing.T, x *wire.PlanIndex, s shownFrames) (failed []string) {
	t.Helper()
	check := func(what string, schema, value wire.JSON) {
		require.NotEmpty(t, schema, what)
		if err := compiled(t, schema).Validate(parsed(t, value)); err != nil {
			failed = append(failed, what)
		}
	}
	for _, f := range s.outputs {
		o := x.Output(declaredIn(f), f.Name)
		require.NotNil(t, o, "%v %s", f.SubgraphPath, f.Name)
		assert.Equal(t, f.Format, o.Format, f.Name)
		value := f.Value
		if f.Type == wire.OutputDelta {
			value = stringJSON(s.texts[f.ID])
		}
		check("output "+f.Name, o.Schema, value)
	}
	for _, f := range s.rows {
		table := x.Table(f.Table)
		require.NotNil(t, table, f.Table)
		if f.ValueStatus == wire.Final {
			check("table "+f.Table, table.Schema, f.Value)
		}
	}
	for _, f := range s.deleted {
		require.NotNil(t, x.Table(f.Table), f.Table)
	}
	for _, f := range s.calls {
		tool := x.Tool(f.ToolName)
		require.NotNil(t, tool, f.ToolName)
		assert.Equal(t, f.RequiresClientResponse, tool.RequiresClientResponse, f.ToolName)
		if tool.Private {
			assert.Equal(t, "{}", f.Input, "redacted")
			continue
		}
		check("tool "+f.ToolName, tool.Schema, wire.JSON(f.Input))
	}
	return failed
}

func compiled(t *testing.T, schema wire.JSON) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, c.AddResource("schema.json", parsed(t, schema)))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err, "%s", schema)
	return compiled
}

func parsed(t *testing.T, text wire.JSON) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err, "%s", text)
	return value
}

// unused checks that what a plan declares is shown, but for what is told to be not.
func unused(t *testing.T, x *wire.PlanIndex, s shownFrames) {
	t.Helper()
	var idle []string
	for _, n := range x.Plan().Nodes {
		if !slices.ContainsFunc(s.starts, func(f *wire.Frame) bool { return slices.Equal(pathOf(f), n.Path) }) {
			idle = append(idle, strings.Join(n.Path, "/"))
		}
	}
	if x.Plan().AgentID == "travel-desk" {
		assert.Equal(t, []string{"small_talk"}, idle)
	} else {
		assert.Empty(t, idle)
	}
	for _, o := range x.Plan().Outputs {
		made := false
		for _, f := range s.outputs {
			made = made || f.Name == o.Name && declaredIn(f) == wire.PathKey(o.SubgraphPath)
		}
		assert.True(t, made, o.Name)
	}
	for _, table := range x.Plan().Tables {
		assert.True(t, slices.ContainsFunc(s.rows, func(f *wire.Frame) bool { return f.Table == table.Name }), table.Name)
	}
	for _, tool := range x.Plan().Tools {
		assert.True(t, slices.ContainsFunc(s.calls, func(f *wire.Frame) bool { return f.ToolName == tool.Name }), tool.Name)
	}
}

// Together the plans have what makes a card, of each sort.
func TestPlansHaveEveryCard(t *testing.T) {
	x := planOf(t, "travel-desk", 3)
	require.Len(t, x.Root().Regions, 2)
	inner, outer := x.Root().Regions[0], x.Root().Regions[1]
	assert.Equal(t, []*wire.IndexedRegion{outer}, inner.Enclosing, "a fan-out in a fan-out")
	assert.Len(t, outer.Entries, 10)

	x = planOf(t, "newsroom", 2)
	require.Len(t, x.Root().Regions, 1)
	for _, entry := range x.Root().Regions[0].Entries {
		require.NotEmpty(t, entry.Children, "a branch is a subagent")
		require.NotEmpty(t, entry.Children[0].Children, "in a subagent")
	}
	assert.True(t, x.Node(wire.PathKey([]string{"polish"})).Node.HideInnerEvents)

	x = planOf(t, "jury", 4)
	kinds := map[string]int{}
	for _, n := range x.Root().Children {
		kinds[n.Node.Kind] = n.Node.Samples
	}
	assert.Equal(t, map[string]int{"llm": 0, "ensemble": 4, "for_each_llm": 0}, kinds)
}

func TestPlansAreServed(t *testing.T) {
	d, client := start(t, Options{Clock: newHandClock()})
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, p := range d.Playing() {
		plan, err := client.Plan(t.Context(), "", p.AgentID, p.AgentVersion)
		require.NoError(t, err)
		text, err := files.ReadFile("plans/" + p.AgentID + ".json")
		require.NoError(t, err)
		kept, err := wire.DecodePlan(text)
		require.NoError(t, err)
		assert.Equal(t, kept, plan)
		for _, r := range plan.Regions {
			ends := fmt.Sprintf("from `%s` to `%s`", strings.Join(r.Source, "/"), strings.Join(r.Join, "/"))
			assert.Contains(t, string(readme), ends)
		}
	}
	for _, c := range []struct {
		agent   string
		version int
	}{{"companion", 2}, {"companion", 0}, {"nobody", 1}, {"travel-desk/versions", 3}} {
		_, err := client.Plan(t.Context(), "", c.agent, c.version)
		assert.ErrorIs(t, err, upstream.NotFound)
	}
	_, client = start(t, Options{Clock: newHandClock()}, builtIn(t, "chat"))
	_, err = client.Plan(t.Context(), "", "companion", 1)
	assert.ErrorIs(t, err, upstream.NotFound, "other recordings have no plans")
}
