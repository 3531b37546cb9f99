package demo

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"inlaygraph/wire"
)

// wordPace is the time between two words that no tape has.
const wordPace = 60 * time.Millisecond

// given is what a person answered to a client tool's call.
type given struct {
	call   wire.Body // as it was made
	output string
}

// partly is a run that takes answers while other calls still wait for theirs.
func (c *conversation) partly(now []given) *run {
	r := &run{cues: []cue{{frame: c.tape.opener(), ours: true}}}
	for _, g := range now {
		r.cues = append(r.cues, resultOf(g))
	}
	r.add(wordPace, wire.RunPause, wire.Body{Status: wire.AwaitingClientTool})
	return r
}

// resumed is the run that goes on when every call has its answer: the tape's, with what people answered in the place
// of the tape's answers, and some words on it. After a no, and where the tape has no more, it says so and pauses; then
// nothing of the turn is left to come.
func (c *conversation) resumed() *run {
	p, scripted := c.sequel()
	if scripted {
		c.next++
	}
	r := c.opened(p)
	words := "You answered " + listed(c.given) + "."
	asRecorded := c.answerIn(r)
	switch no := slices.ContainsFunc(c.given, given.declines); {
	case no:
		c.windUp(r, words+" That is a no, so it ends here, and nothing was done.")
	case !scripted:
		c.windUp(r, words+" There is nothing more to do.")
	case asRecorded:
		c.acknowledge(r, words)
	default:
		c.acknowledge(r, words+" What follows goes on as it was recorded.")
	}
	c.given = nil
	return r
}

// answerIn puts people's answers into a run. It tells whether they are the tape's own.
func (c *conversation) answerIn(r *run) bool {
	recorded := map[string]string{}
	kept := r.cues[:1:1]
	for _, q := range r.cues[1:] {
		if q.frame.Type == wire.ToolResult {
			call := freshID(q.frame.ToolCallID, r.suffix)
			recorded[call] = q.frame.Output
			if _, told := c.ledger.answer[call]; told {
				continue
			}
			if i := slices.IndexFunc(c.given, func(g given) bool { return g.call.ToolCallID == call }); i >= 0 {
				f := *q.frame
				f.Output = c.given[i].output
				q.frame = &f
			}
		}
		kept = append(kept, q)
	}
	r.cues = kept
	asRecorded, at := true, 1
	for _, g := range c.given {
		output, known := recorded[g.call.ToolCallID]
		asRecorded = asRecorded && known && output == g.output
		if !known && c.ledger.waits(g.call.ToolCallID) {
			r.cues = slices.Insert(r.cues, at, resultOf(g))
			at++
		}
	}
	return asRecorded
}

func resultOf(g given) cue {
	return cue{ours: true, frame: &wire.Frame{Type: wire.ToolResult, Body: wire.Body{
		Spine: g.call.Spine, ToolCallID: g.call.ToolCallID, Output: g.output,
	}}}
}

// acknowledge has the node that made the call say something once it is back.
func (c *conversation) acknowledge(r *run, words string) {
	spine := c.given[0].call.Spine
	at := 1
	for i, q := range r.cues {
		if q.frame.Type == wire.ToolResult && at == i {
			at = i + 1
		}
		if q.frame.Type == wire.NodeStart && visitKey(fresh(q.frame, r.suffix).Spine) == visitKey(spine) {
			at = i + 1
			break
		}
	}
	head, tail := run{cues: r.cues[:at:at]}, r.cues[at:]
	before := head.length()
	head.say(spine, words)
	spoken := head.length() - before
	for _, q := range tail {
		q.due += spoken
		head.cues = append(head.cues, q)
	}
	r.cues = head.cues
}

// windUp leaves of a run its answers only, says something, and ends what runs.
func (c *conversation) windUp(r *run, words string) {
	c.atTurn()
	r.cues = slices.DeleteFunc(r.cues, func(q cue) bool {
		if q.frame.Type != wire.ToolResult {
			return q.frame.Type != wire.RunStart
		}
		call := q.frame.ToolCallID
		if !q.ours {
			call = freshID(call, r.suffix)
		}
		return !c.ledger.waits(call) // of a call that is not made any more
	})
	for i := range r.cues {
		r.cues[i].due = 0
	}
	spine := c.given[0].call.Spine
	for _, start := range c.ledger.entered {
		if visitKey(start.Spine) == visitKey(spine) {
			r.add(wordPace, wire.NodeStart, wire.Body{Spine: start.Spine, Kind: start.Kind})
		}
	}
	r.say(spine, words)
	for _, start := range slices.Backward(c.ledger.entered) {
		r.add(0, wire.NodeEnd, wire.Body{Spine: start.Spine, Status: wire.Completed})
	}
	r.add(wordPace, wire.RunPause, wire.Body{Status: wire.Paused})
}

// say streams a turn of an agent, word by word.
func (r *run) say(spine wire.Spine, words string) {
	for _, word := range strings.SplitAfter(words, " ") {
		r.add(wordPace, wire.MessageDelta, wire.Body{Spine: spine, Content: word, HasContent: true})
	}
	r.add(0, wire.MessageEnd, wire.Body{Spine: spine})
}

// listed is what people answered, in words.
func listed(all []given) string {
	const most = 200
	var words []string
	for _, g := range all {
		output := []rune(g.output)
		if len(output) > most {
			output = append(output[:most-1], '…')
		}
		words = append(words, "`"+g.call.ToolName+"` with "+string(output))
	}
	return strings.Join(words, " and ")
}

// declines tells a no: false, or an object whose `approved` is false or that has an `error`.
func (g given) declines() bool {
	var no bool
	if json.Unmarshal([]byte(g.output), &no) == nil && g.output != "null" {
		return !no
	}
	var answer struct {
		Approved *bool `json:"approved"`
		Error    any   `json:"error"`
	}
	if json.Unmarshal([]byte(g.output), &answer) != nil {
		return false
	}
	return answer.Error != nil || answer.Approved != nil && !*answer.Approved
}
