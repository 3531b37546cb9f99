package demo

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strconv"

	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

//go:generate go run inlaygraph/upstream/demo/internal/write scenarios plans

// The built-in scenarios and the plans of their agents, written by internal/script.
//
//go:embed scenarios/*.ndjson plans/*.json
var files embed.FS

// order is the order in which a newcomer might look at the scenarios.
var order = []string{"chat", "fanout", "subagents", "repeats", "artifacts", "approval", "failure"}

// scenarios are the built-in recordings.
func scenarios() ([]*recording.Recording, error) {
	var all []*recording.Recording
	for _, name := range order {
		file := "scenarios/" + name + recording.Ext
		text, err := files.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		rec, err := recording.Read(bytes.NewReader(text), file, 0)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		all = append(all, rec)
	}
	return all, nil
}

// planKey is a version of an agent as the path of a request spells it.
type planKey struct{ agentID, version string }

// plans are the plans of the built-in scenarios' agents.
func plans() (map[planKey]*wire.Plan, error) {
	all := map[planKey]*wire.Plan{}
	entries, err := files.ReadDir("plans")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	for _, entry := range entries {
		file := path.Join("plans", entry.Name())
		text, err := files.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		plan, err := wire.DecodePlan(text)
		if err != nil {
			return nil, fmt.Errorf("demo: %s: %w", file, err)
		}
		all[planKey{plan.AgentID, strconv.Itoa(plan.AgentVersion)}] = plan
	}
	return all, nil
}
