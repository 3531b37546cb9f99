package demo

import (
	"slices"
	"time"

	"inlaygraph/wire"
)

// part is one run of a tape: its frames up to the one that ends it.
type part struct {
	frames []*wire.Frame
	due    []time.Duration // from its first frame on
	wait   time.Duration   // between the end of the part before it and its first frame
	turn   bool            // the user speaks in it, or it is the first: it does not go on with what came before
}

// parts cuts a loop after every frame that ends a run.
func parts(frames []*wire.Frame, due []time.Duration) []part {
	var all []part
	var lastEnd time.Duration
	for from := 0; from < len(frames); {
		to := from
		for to < len(frames)-1 && !ends(frames[to].Type) {
			to++
		}
		to++
		p := part{frames: frames[from:to:to], wait: due[from] - lastEnd, turn: from == 0}
		for i, f := range p.frames {
			p.due = append(p.due, due[from+i]-due[from])
			p.turn = p.turn || f.Type == wire.UserMessage
		}
		lastEnd = due[to-1]
		all = append(all, p)
		from = to
	}
	return all
}

// opener finds the frame that opens the part's run; -1 when the recording has none.
func (p part) opener() int {
	return slices.IndexFunc(p.frames, func(f *wire.Frame) bool { return f.Type == wire.RunStart })
}
