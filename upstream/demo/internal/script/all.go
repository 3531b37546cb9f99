package script

import "strings"

// All is every built-in scenario, in the order in which a newcomer might look at them.
func All() []*Script {
	return []*Script{chat(), fanout(), subagents(), repeats(), artifacts(), approval(), failure()}
}

// File is the name of the scenario's recording.
func (s *Script) File() string { return strings.TrimPrefix(s.ID, "demo-") + ".ndjson" }
