//go:build langgraph

package langgraph

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The graph's plan: nodes with their paths, static edges with their labels, and a region where the graph fans out.
func TestThePlan(t *testing.T) {
	t.Parallel()
	u := user{server: front(t)}
	type plan struct {
		AgentID string
		Nodes   []struct{ Path []string }
		Edges   []struct {
			SubgraphPath []string
			From, To     string
			FromPort     *string
		}
		Regions []struct {
			Branches []struct{ Entry []string }
		}
	}
	read := func(agent string, version int) *plan {
		var data struct{ AgentPlan *plan }
		u.do(t, &data, fmt.Sprintf(`{ agentPlan(agentId: %q, agentVersion: %d) { agentId nodes { path }
			edges { subgraphPath from to fromPort } regions { branches { entry } } } }`, agent, version))
		return data.AgentPlan
	}
	nested := read("nested", 1)
	require.NotNil(t, nested)
	paths := map[string]bool{}
	for _, n := range nested.Nodes {
		paths[strings.Join(n.Path, "/")] = true
	}
	for _, path := range []string{"begin", "left", "left/search", "left/search/find", "right/search/write", "right/shorten", "reply"} {
		assert.True(t, paths[path], "%s in %v", path, paths)
	}
	ports := map[string]string{}
	for _, e := range read("loop", 1).Edges {
		if e.FromPort != nil {
			ports[*e.FromPort] = e.From + ">" + e.To
		}
	}
	assert.Equal(t, "review>draft", ports["again"], "%v", ports)
	if regions := read("fanout", 1).Regions; assert.Len(t, regions, 1) {
		assert.Len(t, regions[0].Branches, 3)
	}
	assert.Empty(t, read("loop", 1).Regions)
	assert.Nil(t, read("loop", 2), "a version that there is not")
	assert.Nil(t, read("no-such-agent", 1))
}

// A plan from a file makes a tool a client's, so that its call is what waits, and another one private.
func TestAGivenPlan(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "agent.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"agent_id":"agent","agent_version":1,
		"nodes":[{"path":["model"],"kind":"llm"},{"path":["tools"],"kind":"tool"}],
		"tools":[{"name":"approval","requires_client_response":true},{"name":"weather","requires_client_response":false,"private":true}]}`), 0o600))
	for name, args := range map[string][]string{
		"by the plan": {"--plan", file}, "the private one by its flag": {"--plan", file, "--langgraph-private-tool", "weather"},
	} {
		u := user{server: front(t, args...)}
		id := u.send(t, "agent", "hello", "")
		c := u.settle(t, id)
		assert.Equal(t, "AWAITING_CLIENT_TOOL", c.Chat.Status)
		require.Len(t, c.Chat.PendingTools, 1, name)
		assert.Equal(t, "a1", c.Chat.PendingTools[0].ToolCallID)
		assert.Equal(t, map[string][]string{
			"":      {"user: hello"},
			"model": {"Let me see. ", "weather {}", "It rains. ", `approval {"what":"an umbrella"} ?`}, "tools": {"-> "},
		}, c.rows(), name)
		u.answer(t, id, "a1", "yes")
		c = u.settle(t, id)
		assert.Equal(t, "PAUSED", c.Chat.Status)
		assert.Equal(t, []string{"-> ", `-> the person said "yes"`}, c.rows()["tools"])
		again := user{server: front(t, args...)}.read(t, id)
		assert.Equal(t, c.rows(), again.rows(), name)
	}
}
