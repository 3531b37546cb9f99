package demo

import (
	"strings"

	"inlaygraph/wire"
)

// markFor is a separator that no id of the frames contains, so that an id of one loop can't be an id of
// another.
func markFor(frames []*wire.Frame) string {
	mark := "~"
	for i := 0; i < len(frames); {
		f := frames[i]
		clash := false
		for _, id := range []string{f.ID, f.MessageID, f.Activation, f.ToolCallID, f.RunID} {
			clash = clash || strings.Contains(id, mark)
		}
		if clash {
			mark += "~"
			i = 0
			continue
		}
		i++
	}
	return mark
}

// fresh is a copy of a recorded frame that the player may change. Every identity that must not come again has the
// suffix; none keeps the recording's own.
func fresh(f *wire.Frame, suffix string) *wire.Frame {
	c := *f
	c.Seq = 0
	for _, id := range []*string{&c.ID, &c.MessageID, &c.Activation, &c.ToolCallID, &c.RunID} {
		*id = freshID(*id, suffix)
	}
	return &c
}

func freshID(id, suffix string) string {
	if id == "" {
		return ""
	}
	return id + suffix
}
