package conversation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// conv is the id of every conversation in the stories.
const conv = "conv"

// drawn is a story that the generator tells.
func drawn(r *gen.Run) story {
	return story{frames: r.Frames, head: r.Head, rows: r.Persisted}
}

// generated is one of them, with everything that a platform can send.
func generated(t testing.TB, seed int) story {
	t.Helper()
	return drawn(rapid.Custom(func(t *rapid.T) *gen.Run {
		return gen.NewRunOf(t, gen.Style{IDs: true, Seqs: true, Activations: true, Times: true})
	}).Example(seed))
}

// chat is a story of turns, each one run with one answer of the given words, banked as the platform of
// docs/wire.md does it.
func chat(turns, words int) story {
	s := tale(conv)
	for turn := 1; turn <= turns; turn++ {
		s.turn(turn, words)
	}
	return s.told()
}

// tale begins the story of a conversation.
func tale(id string) *chatStory {
	s := &chatStory{id: id}
	s.mark(0, wire.Completed)
	return s
}

// told is the story so far.
func (s *chatStory) told() story {
	return story{
		frames: s.frames,
		head:   func(n int) *wire.Head { return s.marks[n].head },
		rows:   func(n int) []*wire.Row { return s.log[:s.marks[n].rows] },
	}
}

// framesOf is how many frames a turn has.
func framesOf(words int) int { return words + 6 }

type chatStory struct {
	id     string
	frames []*wire.Frame
	log    []*wire.Row
	marks  []chatMark
}

type chatMark struct {
	head *wire.Head
	rows int
}

// now is the time of the next frame.
func (s *chatStory) now() time.Time { return time.Unix(int64(len(s.frames))+1, 0).UTC() }

func (s *chatStory) turn(turn, words int) {
	id := func(what string) string { return fmt.Sprint(what, turn) }
	spine := wire.Spine{NodeID: "answer", Activation: id("a")}
	s.starts(id("r"))
	user := wire.Body{ID: id("u"), Content: id("Question 😀 "), HasContent: true}
	user.Seq = s.bank(wire.RowUser, user)
	s.frame(wire.UserMessage, user)
	start := wire.Body{Spine: spine, Kind: "llm", MessageID: id("m")}
	s.bank(wire.RowNodeStart, start)
	opened := s.frame(wire.NodeStart, start)
	open := opened.Offset - 1
	var text strings.Builder
	for i := range words {
		word := fmt.Sprintf("w%d.%d é😀 ", turn, i)
		text.WriteString(word)
		s.frame(wire.MessageDelta, wire.Body{Spine: spine, ID: id("m"), Content: word, HasContent: true})
		s.marks[len(s.frames)].head.LastOffset = open
	}
	s.marks[open+1].head.LastOffset = open
	answer := wire.Body{Spine: spine, At: opened.At, ID: id("m"), Content: text.String(), HasContent: true}
	answer.Seq = s.bank(wire.RowAssistant, answer)
	s.frame(wire.MessageEnd, wire.Body{Spine: spine, ID: id("m"), Seq: answer.Seq})
	end := wire.Body{Spine: spine, Status: wire.Completed}
	end.Seq = s.bank(wire.RowNodeEnd, end)
	s.frame(wire.NodeEnd, end)
	s.frame(wire.RunPause, wire.Body{Status: wire.Paused})
}

func (s *chatStory) bank(t wire.RowType, b wire.Body) int64 {
	b.Seq = int64(len(s.log)) + 1
	if b.At.IsZero() {
		b.At = s.now()
	}
	s.log = append(s.log, &wire.Row{Type: t, Body: b})
	return b.Seq
}

func (s *chatStory) frame(t wire.FrameType, b wire.Body) *wire.Frame {
	b.At = s.now()
	f := &wire.Frame{Type: t, Offset: int64(len(s.frames)) + 1, Body: b}
	s.frames = append(s.frames, f)
	status := wire.Running
	if stops(f) {
		status = b.Status
	}
	head := s.mark(f.Offset, status)
	head.Error, head.Retryable, head.HasRetryable = b.Error, b.Retryable, t == wire.RunEnd
	return f
}

func (s *chatStory) mark(offset int64, status wire.Status) *wire.Head {
	head := &wire.Head{
		ConversationID: s.id, AgentID: "agent", AgentVersion: 1, Status: status,
		LastOffset: offset, HasLastOffset: true, SaysEarlier: true,
	}
	s.marks = append(s.marks, chatMark{rows: len(s.log), head: head})
	return head
}

// starts begins a run.
func (s *chatStory) starts(run string) {
	s.frame(wire.RunStart, wire.Body{RunID: run, ConversationID: s.id, AgentID: "agent", AgentVersion: 1})
}

// says has the user say something.
func (s *chatStory) says(text string) {
	user := wire.Body{ID: s.id + "/" + text, Content: text, HasContent: true}
	user.Seq = s.bank(wire.RowUser, user)
	s.frame(wire.UserMessage, user)
}

// calls has a tool called, of the client's or the server's.
func (s *chatStory) calls(call string, client bool) {
	body := wire.Body{
		Spine: wire.Spine{NodeID: "answer", Activation: "a"}, ID: s.id + "/" + call, ToolCallID: call,
		ToolName: "tool", Input: "{}", RequiresClientResponse: client,
	}
	body.Seq = s.bank(wire.RowToolCall, body)
	s.frame(wire.ToolCall, body)
}

// results has a call answered.
func (s *chatStory) results(call, output string) {
	body := wire.Body{
		Spine: wire.Spine{NodeID: "answer", Activation: "a"}, ID: s.id + "/result of " + call, ToolCallID: call, Output: output,
	}
	body.Seq = s.bank(wire.RowToolResult, body)
	s.frame(wire.ToolResult, body)
}

// pauses ends the run, but not the conversation.
func (s *chatStory) pauses(status wire.Status) { s.frame(wire.RunPause, wire.Body{Status: status}) }

// ends ends the conversation.
func (s *chatStory) ends(status wire.Status, retryable bool) {
	body := wire.Body{Status: status, Retryable: retryable}
	if status == wire.Failed {
		body.Error = &wire.PublicError{Message: "it broke"}
	}
	s.frame(wire.RunEnd, body)
}

// asks is two runs: one that calls the client's tool and waits, and one that takes its result.
func (s *chatStory) asks(call string) {
	s.starts("r of " + call)
	s.calls(call, true)
	s.pauses(wire.AwaitingClientTool)
	s.starts("r after " + call)
	s.results(call, "out of "+call)
	s.pauses(wire.Paused)
}
