package demo

import (
	"slices"
	"strconv"
	"time"

	"inlaygraph/wire"
)

// course is where a conversation stands in its tape.
type course struct {
	tape  *tape
	own   string  // what sets its ids apart from those of other conversations with the tape: "" for a scenario's own
	loop  int     // how often a tape was begun; 0 before the first
	next  int     // which part comes next; all are behind when it is their number
	given []given // what people answered since the run that paused for it
}

// suffix sets the ids of the loop apart. The first loop of a scenario keeps the recording's own.
func (c *course) suffix() string {
	switch {
	case c.own != "":
		return c.tape.mark + c.own + "." + strconv.Itoa(c.loop)
	case c.loop == 1:
		return ""
	}
	return c.tape.mark + strconv.Itoa(c.loop)
}

// atTurn moves to the next part in which the user speaks. False: the loop has none left.
func (c *course) atTurn() bool {
	for c.next < len(c.tape.parts) && !c.tape.parts[c.next].turn {
		c.next++
	}
	return c.next < len(c.tape.parts)
}

// beginLoop starts the tape from its first part.
func (c *course) beginLoop() {
	c.loop++
	c.next, c.given = 0, nil
}

// sequel is the part with which the turn goes on, if the tape has one.
func (c *course) sequel() (part, bool) {
	if c.next < len(c.tape.parts) && !c.tape.parts[c.next].turn {
		return c.tape.parts[c.next], true
	}
	return part{}, false
}

// take is the part that comes next, an empty one when the tape has none at all.
func (c *course) take() part {
	if c.next == len(c.tape.parts) {
		return part{}
	}
	c.next++
	return c.tape.parts[c.next-1]
}

// cue is a frame of a run and when it is due.
type cue struct {
	due   time.Duration // from the run's start
	frame *wire.Frame   // shared, never changed
	ours  bool          // not of the tape: its ids are as they shall be
}

// run is what is played from a run.start to the end of its stream.
type run struct {
	cues   []cue
	suffix string // of the ids of the tape's frames
}

// add puts a frame of ours after what is there, some time later.
func (r *run) add(later time.Duration, t wire.FrameType, body wire.Body) {
	r.cues = append(r.cues, cue{due: r.length() + later, frame: &wire.Frame{Type: t, Body: body}, ours: true})
}

func (r *run) length() time.Duration {
	if len(r.cues) == 0 {
		return 0
	}
	return r.cues[len(r.cues)-1].due
}

// recorded is the next part as the tape has it. A tape that never opens a run has one opened for it at the start of
// each loop, but for the first after a head, which goes on from what the head says.
func (c *course) recorded() *run {
	p := c.take()
	r := &run{suffix: c.suffix()}
	if !c.tape.opens && c.next == 1 && (c.loop > 1 || c.tape.head == nil) {
		r.cues = append(r.cues, cue{frame: c.tape.opener()})
	}
	for i, f := range p.frames {
		r.cues = append(r.cues, cue{due: p.due[i], frame: f})
	}
	return r
}

// opened is a run of a part for somebody who asked for it: whatever the recording, its first frame opens it.
func (c *course) opened(p part) *run {
	opener, first := c.tape.opener(), p.opener()
	if first >= 0 {
		opener = p.frames[first]
	}
	r := &run{suffix: c.suffix(), cues: []cue{{frame: opener}}}
	for i, f := range p.frames {
		if i != first {
			r.cues = append(r.cues, cue{due: p.due[i], frame: f})
		}
	}
	return r
}

// said is the run in which the tape answers what a person said.
func (c *course) said(text string) *run {
	r := c.opened(c.take())
	message := cue{frame: &wire.Frame{Type: wire.UserMessage}, ours: true}
	at := slices.IndexFunc(r.cues, func(q cue) bool { return q.frame.Type == wire.UserMessage })
	if at >= 0 {
		message.frame.Body, message.ours = r.cues[at].frame.Body, false
		r.cues = slices.Delete(r.cues, at, at+1)
	}
	message.frame.Content, message.frame.HasContent = text, true
	r.cues = slices.Insert(r.cues, 1, message)
	r.ended()
	return r
}

// ended pauses a run of which the tape has nothing but its start.
func (r *run) ended() {
	if !ends(r.cues[len(r.cues)-1].frame.Type) {
		r.add(0, wire.RunPause, wire.Body{Status: wire.Paused})
	}
}

// retried is the run that makes up for one that failed: as recorded, else the failed one again without its failures.
func (c *course) retried() *run {
	if p, ok := c.sequel(); ok {
		c.next++
		return c.opened(p)
	}
	var failed part
	if c.next > 0 {
		failed = c.tape.parts[c.next-1]
	}
	r := c.opened(mended(failed))
	r.suffix += c.tape.mark + "again" // once at most in a loop: it does not fail again
	r.ended()
	return r
}

// mended is a failed part as it might have gone: nodes complete, and the run ends in a pause. What the user said and
// what answers calls of other parts is not said again.
func mended(failed part) part {
	var p part
	calls := map[string]bool{}
	for i, f := range failed.frames {
		m := *f
		switch {
		case f.Type == wire.UserMessage || f.Type == wire.ToolResult && !calls[f.ToolCallID]:
			continue
		case f.Type == wire.ToolCall:
			calls[f.ToolCallID] = true
		case f.Type == wire.NodeEnd:
			m.Status, m.Error = wire.Completed, nil
		case f.Type == wire.RunEnd:
			m = wire.Frame{Type: wire.RunPause, Body: wire.Body{At: f.At, Status: wire.Paused}}
		}
		p.frames, p.due = append(p.frames, &m), append(p.due, failed.due[i])
	}
	return p
}
