package demo

import (
	"strconv"
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

// fresh is a copy of a recorded frame for the given loop (from 1) that the player may change. Every identity
// that must not come again is another from the second loop on; the first keeps the recording's own.
func fresh(f *wire.Frame, mark string, loop int) *wire.Frame {
	c := *f
	c.Seq = 0
	if loop == 1 {
		return &c
	}
	suffix := mark + strconv.Itoa(loop)
	for _, id := range []*string{&c.ID, &c.MessageID, &c.Activation, &c.ToolCallID, &c.RunID} {
		if *id != "" {
			*id += suffix
		}
	}
	return &c
}
