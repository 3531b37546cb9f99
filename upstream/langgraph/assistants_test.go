package langgraph

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The assistant that a server has for a graph by itself goes by the graph's name.
func TestAgentIDs(t *testing.T) {
	const longrun = "b9bf9d33-6754-5fe1-a480-dda60b8164ce" // as a server made it
	assert.Equal(t, "longrun", agentID(longrun, "longrun"))
	assert.Equal(t, longrun, agentID(longrun, "longrun2"))
	assert.Equal(t, longrun, agentID(longrun, ""))
	assert.Equal(t, "8cd4fb96-a23c-4b87-aae8-b0183ebf77a3", agentID("8cd4fb96-a23c-4b87-aae8-b0183ebf77a3", "longrun"))
}

func TestUUIDs(t *testing.T) {
	for s, ok := range map[string]bool{
		"8cd4fb96-a23c-4b87-aae8-b0183ebf77a3": true, "8CD4FB96-A23C-4B87-AAE8-B0183EBF77A3": true, "": false, "x": false,
		"8cd4fb96-a23c-4b87-aae8-b0183ebf77a": false, "8cd4fb96-a23c-4b87-aae8-b0183ebf77a3/": false, "8cd4fb96xa23c-4b87-aae8-b0183ebf77a3": false,
		"8cd4fb96-a23c-4b87-aae8-b0183ebf77ag": false, "8cd4fb9--a23c-4b87-aae8-b0183ebf77a3": false,
	} {
		assert.Equal(t, ok, isUUID(s), s)
	}
	seen := map[string]bool{}
	for range 100 {
		id := newUUID()
		assert.True(t, isUUID(id), id)
		assert.Equal(t, byte('4'), id[14])
		assert.False(t, seen[id])
		seen[id] = true
	}
}
