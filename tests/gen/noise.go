package gen

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// Line is one line of a noisy recording: a record, or raw text that no decoder takes.
type Line struct {
	Record wire.Record
	Raw    string
	Offset int64 // the offset that a raw line uses up, where it can be read
}

// Noise puts lines between the records that must change nothing: repeats, kinds that nobody knows, lines that
// cannot be read, and records that every fold drops or rejects whole. Where the records have no head the
// frames are numbered anew, so that the noise uses up offsets like any frame.
func Noise(t *rapid.T, recs []wire.Record) []Line {
	headless := !slices.ContainsFunc(recs, func(r wire.Record) bool { _, ok := r.(*wire.Head); return ok })
	n := noise{t: t, numbered: headless && rapid.Bool().Draw(t, "numbered")}
	for _, rec := range recs {
		for chance(t, "noise", 25) {
			n.add(n.draw())
		}
		switch rec := rec.(type) {
		case *wire.Frame:
			f := *rec
			n.seen = append(n.seen, &f)
			n.add(Line{Record: &f})
		default:
			if row, ok := rec.(*wire.Row); ok {
				n.rows = append(n.rows, row)
			}
			n.add(Line{Record: rec})
		}
	}
	return n.lines
}

type noise struct {
	t        *rapid.T
	numbered bool
	offset   int64
	seen     []*wire.Frame // with the offsets they were given
	rows     []*wire.Row
	lines    []Line
}

// add numbers a line, but for a repeat, which keeps the offset it had.
func (n *noise) add(l Line) {
	if f, ok := l.Record.(*wire.Frame); ok && n.numbered && l.Offset == 0 {
		n.offset++
		f.Offset = n.offset
	}
	l.Offset = 0
	if strings.HasSuffix(l.Raw, "}") && n.numbered && rapid.Bool().Draw(n.t, "has an offset") {
		n.offset++
		l.Offset = n.offset
		l.Raw = fmt.Sprintf(`{"offset":%d,%s`, l.Offset, l.Raw[1:])
	}
	n.lines = append(n.lines, l)
}

// bodies are those of the frames and rows so far that pass.
func (n *noise) bodies(pass func(f *wire.Frame, r *wire.Row) bool) []*wire.Body {
	var found []*wire.Body
	for _, f := range n.seen {
		if pass(f, nil) {
			found = append(found, &f.Body)
		}
	}
	for _, r := range n.rows {
		if pass(nil, r) {
			found = append(found, &r.Body)
		}
	}
	return found
}

func (n *noise) one(pass func(f *wire.Frame, r *wire.Row) bool) *wire.Body {
	found := n.bodies(pass)
	if len(found) == 0 {
		return nil
	}
	return found[upTo(n.t, "of", len(found))]
}

func users(f *wire.Frame, r *wire.Row) bool {
	return f != nil && f.Type == wire.UserMessage && f.ID != "" || r != nil && r.Type == wire.RowUser && r.ID != ""
}

func calls(f *wire.Frame, r *wire.Row) bool {
	return f != nil && f.Type == wire.ToolCall || r != nil && r.Type == wire.RowToolCall
}

func results(f *wire.Frame, r *wire.Row) bool {
	return f != nil && f.Type == wire.ToolResult || r != nil && r.Type == wire.RowToolResult
}

func starts(f *wire.Frame, r *wire.Row) bool {
	return f != nil && f.Type == wire.NodeStart && f.Activation != "" || r != nil && r.Type == wire.RowNodeStart && r.Activation != ""
}

var rawNoise = []string{
	`{"type":"future.thing","node_id":"n1"}`,
	`{"type":"message.delta","content":5}`,
	`{"type":"node.start"}`,
	`{"type":"node.end","node_id":"n1","status":"melted"}`,
	`{"type":"tool.call","tool_name":"ask"}`,
	`{"type":"user.message","content":"hi","at":"yesterday"}`,
	`{"type":"message.delta","content":"x","iteration":0}`,
	`{"type":"future-row","seq":1}`,
	`{"no":"type"}`,
	`{"type":"run.pause","status":"pau`,
	`not JSON`,
}

func (n *noise) draw() Line {
	repeat := func(b *wire.Body, kind wire.FrameType, change func(*wire.Body)) (Line, bool) {
		if b == nil {
			return Line{}, false
		}
		f := &wire.Frame{Type: kind, Body: *b}
		change(&f.Body)
		return Line{Record: f}, true
	}
	var line Line
	ok := false
	switch upTo(n.t, "kind of noise", 9) {
	case 1: // a frame that was folded already
		if len(n.seen) > 0 {
			f := *n.seen[upTo(n.t, "of", len(n.seen))]
			line, ok = Line{Record: &f, Offset: f.Offset}, f.Offset > 0
		}
	case 2:
		line, ok = repeat(n.one(users), wire.UserMessage, func(b *wire.Body) { b.Content = "other words" })
	case 3:
		line, ok = repeat(n.one(calls), wire.ToolCall, func(b *wire.Body) { b.Input, b.ID = "other words", "" })
	case 4:
		line, ok = repeat(n.one(results), wire.ToolResult, func(b *wire.Body) { b.Output, b.ID = "other words", "" })
	case 5:
		line, ok = repeat(n.one(starts), wire.NodeStart, func(*wire.Body) {})
	case 6: // an id that belongs to another kind of row
		kind := pick(n.t, "frame", wire.MessageDelta, wire.MessageEnd, wire.OutputDelta)
		line, ok = repeat(n.one(users), kind, func(b *wire.Body) {
			b.Content, b.HasContent, b.Name, b.Delta = "stray", true, "recipe", "stray"
		})
	case 7: // somebody else's conversation
		other := wire.Body{RunID: "r", ConversationID: "somebody else's", AgentID: agentID, AgentVersion: agentVersion}
		if len(n.seen)+len(n.rows) > 0 {
			line, ok = Line{Record: &wire.Frame{Type: wire.RunStart, Body: other}}, true
		}
	case 8: // no text
		line, ok = Line{Record: &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{HasContent: true}}}, true
	}
	if !ok {
		line = Line{Raw: pick(n.t, "raw", rawNoise...)}
	}
	return line
}
