package langgraph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
)

// branch is what one task says: its events in order.
type branch struct {
	place  string
	text   map[string]string // by message
	calls  int
	events []event
}

func drawBranch(t *rapid.T, n int, inSub bool) *branch {
	b := &branch{place: fmt.Sprintf("writer:t%d", n), text: map[string]string{}}
	if inSub {
		b.place = fmt.Sprintf("sub:s%d|writer:t%d", n, n)
		b.events = append(b.events, starts(fmt.Sprintf("sub:s%d", n)))
	}
	b.events = append(b.events, starts(b.place))
	var result []string
	for m := range rapid.IntRange(0, 3).Draw(t, "messages") {
		id := fmt.Sprintf("m%d.%d", n, m)
		var callsOf []string
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			piece := rapid.StringMatching(`[a-z😀]{1,4} `).Draw(t, "piece")
			b.text[id] += piece
			b.events = append(b.events, says(b.place, id, piece))
		}
		for c := range rapid.IntRange(0, 2).Draw(t, "calls") {
			call := fmt.Sprintf("c%d.%d.%d", n, m, c)
			b.events = append(b.events, calls(b.place, id, piece(c, call, "look", `{"n"`)), calls(b.place, id, piece(c, "", "", `:1}`)))
			callsOf = append(callsOf, call+` look {"n":1}`)
			b.calls++
		}
		if rapid.Bool().Draw(t, "tells its end") {
			b.events = append(b.events, stops(b.place, id, 1, 1))
		}
		result = append(result, aiCalls(id, b.text[id], callsOf...))
	}
	switch rapid.IntRange(0, 3).Draw(t, "end") {
	case 0:
		b.events = append(b.events, fails(b.place, "Error", "secret"))
	case 1: // goes on until the run ends
	default:
		b.events = append(b.events, ends(b.place, messages(result...)))
	}
	return b
}

// Promises 3 and 5: however branches interleave, each one's text is its own, nothing is lost or doubled, and the fold
// takes it all.
func TestBranchesStayApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inSub := rapid.Bool().Draw(t, "in subgraphs")
		branches := make([]*branch, rapid.IntRange(1, 5).Draw(t, "branches"))
		var queues [][]event
		left := 0
		for i := range branches {
			branches[i] = drawBranch(t, i, inSub)
			queues = append(queues, branches[i].events)
			left += len(branches[i].events)
		}
		var events []event
		for left > 0 {
			i := rapid.IntRange(0, len(queues)-1).Draw(t, "next")
			for len(queues[i]) == 0 {
				i = (i + 1) % len(queues)
			}
			events = append(events, queues[i][0])
			queues[i] = queues[i][1:]
			left--
		}
		info := RunInfo{ThreadID: "T", RunID: "R", AgentID: "A", Plan: planOf(t, "writer llm", "sub/writer llm")}
		o := Outcome{Status: rapid.SampledFrom([]OutcomeStatus{Succeeded, Failed, Cancelled, Interrupted}).Draw(t, "outcome")}
		frames, _ := translate(info, events, o)
		again, _ := translate(info, events, o)
		require.Equal(t, shorts(frames), shorts(again), "promise 1")
		s := folded(t, frames)
		text, calls := map[string]string{}, 0
		for _, row := range s.Timeline() {
			switch r := row.(type) {
			case *projection.AssistantRow:
				require.True(t, r.Complete)
				id := strings.TrimPrefix(*r.ID(), "T/turn/")
				if message, _, split := strings.Cut(id, "/"); split {
					id = message
				}
				text[*r.Activation()+" "+id] += r.Content
			case *projection.ToolCallRow:
				require.Equal(t, `{"n":1}`, r.Input)
				calls++
			}
		}
		want, wantCalls := map[string]string{}, 0
		for i, b := range branches {
			for id, said := range b.text {
				want[fmt.Sprintf("t%d %s", i, id)] = said
			}
			wantCalls += b.calls
		}
		require.Equal(t, want, text)
		if o.Status == Succeeded {
			require.GreaterOrEqual(t, wantCalls, calls)
		}
	})
}

// Three branches of one node, word by word: the failure that other bridges are known for.
func TestThreeBranchesWordByWord(t *testing.T) {
	var events []event
	words := strings.Fields("growth in every quarter ahead")
	for i := range 3 {
		events = append(events, starts(fmt.Sprintf("writer:t%d", i), pushed))
	}
	for _, word := range words {
		for i := range 3 {
			events = append(events, says(fmt.Sprintf("writer:t%d", i), fmt.Sprintf("m%d", i), word+" "))
		}
	}
	frames, _ := translate(RunInfo{ThreadID: "T", RunID: "R", AgentID: "A"}, events, Outcome{Status: Succeeded})
	s := folded(t, frames)
	for i := range 3 {
		rows := s.AssistantsInActivation([]string{"writer"}, fmt.Sprintf("t%d", i))
		require.Len(t, rows, 1)
		require.Equal(t, strings.Join(words, " ")+" ", rows[0].Content)
		require.Equal(t, int32(i+1), *rows[0].Iteration())
	}
}
