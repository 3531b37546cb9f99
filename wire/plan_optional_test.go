package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 4: what a plan leaves out is nil, and what it says is not.
func TestPlanOptionals(t *testing.T) {
	var bare Plan
	node, edge, output := &PlanNode{}, &PlanEdge{}, &PlanOutput{}
	assert.Nil(t, bare.OptionalName())
	assert.Nil(t, node.OptionalKind())
	assert.Nil(t, node.OptionalName())
	assert.Nil(t, node.OptionalSamples())
	assert.Nil(t, edge.OptionalFromPort())
	assert.Nil(t, output.OptionalFormat())

	plan, err := DecodePlan([]byte(`{"agent_id":"a","agent_version":1,"name":"Agent","nodes":[{"path":["n"],"kind":"ensemble","name":"Node","samples":4}],
		"edges":[{"from":"n","from_port":"","to":"n"},{"from":"n","from_port":"go","to":"n"},{"from":"n","to":"n"}],"outputs":[{"name":"o","format":"code"}]}`))
	require.NoError(t, err)
	assert.Equal(t, "Agent", *plan.OptionalName())
	node = &plan.Nodes[0]
	assert.Equal(t, "ensemble", *node.OptionalKind())
	assert.Equal(t, "Node", *node.OptionalName())
	assert.Equal(t, 4, *node.OptionalSamples())
	assert.Equal(t, "", *plan.Edges[0].OptionalFromPort())
	assert.Equal(t, "go", *plan.Edges[1].OptionalFromPort())
	assert.Nil(t, plan.Edges[2].OptionalFromPort())
	assert.Equal(t, FormatCode, *plan.Outputs[0].OptionalFormat())
}
