package demo

import (
	"time"

	"inlaygraph/wire"
)

// pace turns recorded times into waits.
type pace struct {
	untimed time.Duration // before a frame whose time the recording does not say
	longest time.Duration // the longest wait within a run
	between time.Duration // the longest wait after a run's end
}

// The built-in scenarios may leave a tool pending for a while between two runs; a recording keeps its own
// pace, within reason.
var (
	humanPace    = pace{untimed: 30 * time.Millisecond, longest: 3 * time.Second, between: time.Minute}
	recordedPace = pace{untimed: 30 * time.Millisecond, longest: 30 * time.Second, between: 30 * time.Second}
)

// schedule says when each frame is due, from the first one on. Times that step back make no wait, and what
// was waited for frames without a time is taken off the next recorded gap.
func (p pace) schedule(frames []*wire.Frame) []time.Duration {
	due := make([]time.Duration, len(frames))
	var now, lastDue time.Duration // lastDue: when the frame that had the time lastAt was due
	var lastAt time.Time
	for i, f := range frames {
		if i > 0 {
			longest := p.longest
			if ends(frames[i-1].Type) {
				longest = p.between
			}
			now += min(p.gap(f.At, lastAt, now-lastDue), longest)
		}
		due[i] = now
		if f.At.After(lastAt) {
			lastAt, lastDue = f.At, now
		}
	}
	return due
}

// gap is the wait before a frame at at, when the last known time was waited ago.
func (p pace) gap(at, last time.Time, waited time.Duration) time.Duration {
	if at.IsZero() {
		return p.untimed
	}
	if last.IsZero() {
		return 0
	}
	return max(at.Sub(last)-waited, 0)
}

// ends tells the frames with which a stream ends.
func ends(t wire.FrameType) bool { return t == wire.RunPause || t == wire.RunEnd }
