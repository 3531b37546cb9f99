package demo

import (
	"slices"
	"strings"

	"inlaygraph/wire"
)

// Playing says what one conversation of the demo is, for whoever wants to look at it.
type Playing struct {
	ConversationID string
	AgentID        string
	AgentVersion   int
	Title          string
	// Paths are the absolute paths of the nodes that say or make something: assistant turns and outputs.
	// They stand in the order of their first such frame.
	Paths [][]string
}

// Playing lists the conversations that play by themselves, in the order of the scenarios or of the recordings given.
func (d *Demo) Playing() []Playing {
	all := make([]Playing, len(d.looping))
	for i, c := range d.looping {
		t := c.tape
		all[i] = Playing{
			ConversationID: t.conversationID, AgentID: t.agentID, AgentVersion: t.agentVersion,
			Title: t.title, Paths: speakers(t.frames),
		}
	}
	return all
}

func speakers(frames []*wire.Frame) [][]string {
	var paths [][]string
	seen := map[string]bool{}
	for _, f := range frames {
		switch f.Type {
		case wire.MessageDelta, wire.MessageEnd, wire.OutputDelta, wire.OutputSet:
		default:
			continue
		}
		if f.NodeID == "" {
			continue
		}
		path := append(slices.Clone(f.SubgraphPath), f.NodeID)
		if key := strings.Join(path, "\x00"); !seen[key] {
			seen[key] = true
			paths = append(paths, path)
		}
	}
	return paths
}
