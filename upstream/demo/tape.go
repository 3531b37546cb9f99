package demo

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

// tape is a recording made ready to be played in a loop.
type tape struct {
	conversationID string
	agentID        string
	agentVersion   int
	title          string
	createdAt      time.Time // zero when the recording does not say

	head *wire.Head  // what the recording knew before its first frame, if anything
	rows []*wire.Row // the log before its first frame

	first  int64           // the offset of the first frame
	frames []*wire.Frame   // one loop; shared, never changed
	due    []time.Duration // when each is due, from the loop's start
	parts  []part          // the loop, run by run
	opens  bool            // the frames open their run themselves
	mark   string          // what sets a loop's ids apart; no id of the recording contains it

	notes []string // what is not played, and why
}

// newTape reads a recording as a loop that can go on for ever in one conversation: what stands before the
// first frame is the log it starts with; a run that ended for good ends in a pause instead, unless it failed;
// a run without an end gets one.
func newTape(rec *recording.Recording, p pace) (*tape, error) {
	t := &tape{}
	for _, problem := range rec.Problems {
		t.note("%v", problem)
	}
	var frames []*wire.Frame
	for _, record := range rec.Records {
		switch r := record.(type) {
		case *wire.Frame:
			frames = append(frames, r)
		case *wire.Head:
			if len(frames) == 0 {
				t.head = r
			} else {
				t.note("a head after the first frame is not played")
			}
		case *wire.Row:
			if len(frames) == 0 {
				t.rows = append(t.rows, r)
			} else {
				t.note("a %s row after the first frame is not played", r.Type)
			}
		}
	}
	if t.head == nil && len(t.rows) == 0 && len(frames) == 0 {
		return nil, fmt.Errorf("%s: nothing to play", rec.Path)
	}
	t.identify(rec.Name, frames)
	if strings.TrimSpace(t.conversationID) == "" {
		return nil, errors.New(rec.Path + ": no conversation id")
	}
	t.frames = t.close(t.only(frames))
	t.due = p.schedule(t.frames)
	t.parts = parts(t.frames, t.due)
	t.mark = markFor(t.frames)
	return t, nil
}

func (t *tape) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// identify takes identity and title from the first opener that says them.
func (t *tape) identify(name string, frames []*wire.Frame) {
	t.conversationID = name
	t.first = 1
	if h := t.head; h != nil {
		t.conversationID, t.agentID, t.agentVersion = h.ConversationID, h.AgentID, h.AgentVersion
		t.title, t.createdAt = h.Title, h.CreatedAt
		t.first = h.LastOffset + 1
	}
	for _, f := range frames {
		if f.Type == wire.RunStart {
			t.opens = true
			if t.head == nil {
				t.conversationID, t.agentID, t.agentVersion = f.ConversationID, f.AgentID, f.AgentVersion
			}
			break
		}
	}
	if len(frames) > 0 && frames[0].Offset > 0 {
		t.first = frames[0].Offset
	}
	if t.title == "" {
		t.title = firstWords(t.rows, frames)
	}
}

// firstWords makes a title of what the user said first.
func firstWords(rows []*wire.Row, frames []*wire.Frame) string {
	said := ""
	for _, f := range frames {
		if f.Type == wire.UserMessage {
			said = f.Content
			break
		}
	}
	for _, r := range rows {
		if r.Type == wire.RowUser {
			said = r.Content
			break
		}
	}
	return titleOf(said)
}

// titleOf makes a title of what the user said.
func titleOf(said string) string {
	const most = 60
	said = strings.Join(strings.Fields(said), " ")
	if utf8.RuneCountInString(said) > most {
		said = string([]rune(said)[:most-1]) + "…"
	}
	return said
}

// only leaves out what a platform never sends: an offset again, another conversation's opener.
func (t *tape) only(frames []*wire.Frame) []*wire.Frame {
	seen := map[int64]bool{}
	kept := make([]*wire.Frame, 0, len(frames))
	for _, f := range frames {
		if f.Offset > 0 && seen[f.Offset] {
			t.note("offset %d is said twice; the second is not played", f.Offset)
			continue
		}
		seen[f.Offset] = true
		if f.Type == wire.RunStart && f.ConversationID != t.conversationID {
			t.note("a run.start of another conversation is not played")
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// close makes the last frame one that ends a stream and, unless the run failed, not the conversation.
func (t *tape) close(frames []*wire.Frame) []*wire.Frame {
	if len(frames) == 0 {
		return nil
	}
	last := -1
	for i, f := range frames {
		switch {
		case ends(f.Type):
			last = i
		case f.Type == wire.RunStart:
			last = -1
		}
	}
	end := &wire.Frame{Type: wire.RunPause}
	if last >= 0 {
		// What a recording has after its end could reach nobody: the stream is over by then.
		end = frames[last]
		frames = append(frames[:last:last], frames[last+1:]...)
	} else {
		t.note("the recording has no end; the run is paused after its last frame")
	}
	if end.Type == wire.RunEnd && end.Status != wire.Failed || last < 0 {
		end = &wire.Frame{Type: wire.RunPause, Body: wire.Body{At: end.At, Status: wire.Paused}}
	}
	return append(frames[:len(frames):len(frames)], end)
}

// opener is the run.start of a recording that has none. Whoever sends it gives it its run_id.
func (t *tape) opener() *wire.Frame {
	return &wire.Frame{Type: wire.RunStart, Body: wire.Body{
		ConversationID: t.conversationID, AgentID: t.agentID, AgentVersion: t.agentVersion,
	}}
}
