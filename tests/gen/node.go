package gen

import (
	"encoding/json"
	"slices"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// visit is one activation of a node.
type visit struct {
	spine   wire.Spine
	kind    string
	turns   map[int]*fact // the open turn of each iteration; 0 for none
	outputs []*fact       // not banked yet
}

func (v *visit) at(iteration int) wire.Spine {
	s := v.spine
	s.Iteration = iteration
	return s
}

// nodeStart enters a node; the kinds that prefill open their first turn with it.
func (p *platform) nodeStart(v *visit) {
	v.spine.Activation = p.mint("act")
	v.turns = map[int]*fact{}
	p.running = append(p.running, v)
	b := wire.Body{Spine: v.spine, Kind: v.kind}
	mark := p.open(wire.RowNodeStart, b)
	p.bank(mark)
	if v.kind == "llm" || v.kind == "grounded_answer" {
		turn := p.open(wire.RowAssistant, wire.Body{Spine: v.spine, ID: p.mint("m")})
		v.turns[0] = turn
		if !chance(p.t, "no message id", 15) {
			b.MessageID = turn.row.ID
		}
	}
	at := p.emit(wire.NodeStart, b).At
	mark.row.At = at
	if v.turns[0] != nil {
		v.turns[0].row.At = at
	}
}

// nodeEnd leaves a node. What it left open is banked, its completion too, and all is flushed before the frame.
func (p *platform) nodeEnd(v *visit, status wire.Status) {
	late := p.settle(v)
	b := wire.Body{Spine: v.spine, Status: status}
	if status == wire.Failed {
		b.Error = &wire.PublicError{Kind: wire.ErrorTool, Message: pick(p.t, "why", "It broke.", "No answer.")}
	}
	if chance(p.t, "usage", 60) {
		b.Usage = &wire.Usage{PromptTokens: int64(upTo(p.t, "prompt", 50)), CompletionTokens: int64(upTo(p.t, "completion", 50))}
	}
	end := p.open(wire.RowNodeEnd, b)
	b.Seq = p.bank(end)
	p.flush()
	f := p.emit(wire.NodeEnd, b)
	end.row.At = f.At
	p.forget(v)
	for _, turn := range late {
		p.turnEnd(turn)
	}
}

func (p *platform) forget(v *visit) {
	p.running = slices.DeleteFunc(p.running, func(o *visit) bool { return o == v })
}

// text streams a piece of a turn, opening one when none is open.
func (p *platform) text(v *visit, iteration int) {
	turn := v.turns[iteration]
	fresh := turn == nil
	if fresh {
		turn = p.open(wire.RowAssistant, wire.Body{Spine: v.at(iteration), ID: p.mint("m")})
		v.turns[iteration] = turn
	}
	b := wire.Body{Spine: v.at(iteration), ID: turn.row.ID}
	if b.HasReasoning = chance(p.t, "reasoning", 25); b.HasReasoning {
		b.Reasoning = pick(p.t, "thought", "Hm. ", "So, ")
	}
	if b.HasContent = !b.HasReasoning || rapid.Bool().Draw(p.t, "content too"); b.HasContent {
		b.Content = pick(p.t, "text", "The ", "answer ", "é😀", "is 42.", "\n")
	}
	at := p.emit(wire.MessageDelta, b).At
	if fresh {
		turn.row.At = at
	}
	turn.row.Content += b.Content
	turn.row.Reasoning += b.Reasoning
}

// turnEnd sends a turn's own end and banks it. It may carry the whole text.
func (p *platform) turnEnd(turn *fact) {
	b := wire.Body{Spine: turn.row.Spine, ID: turn.row.ID}
	if b.HasContent = rapid.Bool().Draw(p.t, "whole text"); b.HasContent {
		if chance(p.t, "corrected", 20) {
			turn.row.Content += "!"
		}
		b.Content = turn.row.Content
		b.HasReasoning, b.Reasoning = turn.row.Reasoning != "", turn.row.Reasoning
	}
	if turn.row.Content == "" && turn.row.Reasoning == "" {
		turn.swept = true
	} else {
		b.Seq = p.bank(turn)
	}
	p.emit(wire.MessageEnd, b)
}

// closeTurn closes the open turn of one iteration: with its end, or silently. It answers with the turn whose
// end is still to come after the frame that interrupts it. Without ids nobody could say whose end that is.
func (p *platform) closeTurn(v *visit, iteration int) (late *fact) {
	turn := v.turns[iteration]
	if turn == nil {
		return nil
	}
	delete(v.turns, iteration)
	empty := turn.row.Content == "" && turn.row.Reasoning == ""
	switch how := upTo(p.t, "how the turn ends", 4); {
	case how < 2:
		p.turnEnd(turn)
	case empty:
		turn.swept = true
	case how == 2 && p.run.Style.IDs:
		return turn
	default:
		p.bank(turn)
	}
	return nil
}

// settle closes everything a visit has open, before its end. Late ends are the caller's to send.
func (p *platform) settle(v *visit) (late []*fact) {
	for _, iteration := range openIterations(v) {
		if turn := p.closeTurn(v, iteration); turn != nil {
			late = append(late, turn)
		}
	}
	for _, out := range slices.Clone(v.outputs) {
		out.row.Complete = true
		p.outputBanked(v, out)
	}
	return late
}

// settleAll closes everything, before a pause or the end of the run.
func (p *platform) settleAll() {
	for _, v := range p.running {
		for _, turn := range p.settle(v) {
			p.bank(turn)
		}
	}
}

func openIterations(v *visit) []int {
	var open []int
	for iteration := range v.turns {
		open = append(open, iteration)
	}
	slices.Sort(open)
	return open
}

// tool calls a tool and, at once or after a pause, has its result.
func (p *platform) tool(v *visit, iteration int, client bool) {
	call := wire.Body{Spine: v.at(iteration), ID: p.mint("t"), ToolCallID: p.mint("call"), ToolName: pick(p.t, "tool", "search", "ask"),
		Input: pick(p.t, "input", "{}", `{"q":"a b","n":1.0}`, "{broken"), RequiresClientResponse: client}
	late := p.closeTurn(v, iteration)
	p.record(wire.ToolCall, wire.RowToolCall, call)
	if late != nil {
		p.turnEnd(late)
	}
	if client {
		p.pause(wire.AwaitingClientTool)
		p.runStart()
		if p.run.Style.Activations && rapid.Bool().Draw(p.t, "node starts again") {
			p.record(wire.NodeStart, wire.RowNodeStart, wire.Body{Spine: v.spine, Kind: v.kind})
		}
	}
	result := wire.Body{Spine: v.at(iteration), ID: p.mint("t"), ToolCallID: call.ToolCallID, Output: pick(p.t, "output", "", "done", `{"ok":true}`)}
	p.record(wire.ToolResult, wire.RowToolResult, result)
}

// output produces an artifact: streamed by deltas, set as a whole, or both. Two outputs of one name in one
// scope are never built at a time: which of them is the latest would depend on who is asked. Nor are two of one
// name in one visit, which nobody could tell apart without ids.
func (p *platform) output(v *visit) {
	b := wire.Body{Spine: v.spine, ID: p.mint("o"), Name: pick(p.t, "name", "recipe", "plan"), Format: pick(p.t, "format", 0, wire.FormatMarkdown)}
	b.HasPromoted = chance(p.t, "promoted", 30)
	b.Promoted = b.HasPromoted
	sameName := func(o *fact) bool { return o.row.Name == b.Name }
	if p.openNames[scope(&b)] || slices.ContainsFunc(v.outputs, sameName) {
		b.Name = p.mint("extra")
	}
	p.openNames[scope(&b)] = true
	late := p.closeTurn(v, 0)
	out := p.open(wire.RowOutput, b)
	out.row.Value, out.row.ValueStatus = `""`, wire.Building
	v.outputs = append(v.outputs, out)
	text := ""
	deltas := upTo(p.t, "deltas", 4)
	for i := range deltas {
		d := b
		d.Delta = pick(p.t, "delta", "- ", "egg\n", "é😀")
		if i > 0 {
			d.Format, d.HasPromoted, d.Promoted = 0, false, false // they stay
		}
		p.outputFrame(out, wire.OutputDelta, d)
		text += d.Delta
		out.row.Value = quoted(text)
	}
	if late != nil && deltas > 0 {
		p.turnEnd(late)
		late = nil
	}
	for sets := upTo(p.t, "sets", 3); deltas == 0 || sets > 0; sets-- {
		set := b
		set.Value = pick(p.t, "value", quoted(text+"."), `{"eggs":2,"g":1.50}`, `[1,"a"]`, `null`)
		set.ValueStatus, set.Complete = wire.Building, false
		final := sets <= 1
		if final {
			set.ValueStatus = wire.Final
			set.Complete = rapid.Bool().Draw(p.t, "complete")
		}
		if set.Complete {
			out.row.Complete = true
			set.Seq = p.outputBanked(v, out)
		}
		p.outputFrame(out, wire.OutputSet, set)
		out.row.Value, out.row.ValueStatus = set.Value, set.ValueStatus
		if final {
			break
		}
	}
	if late != nil {
		p.turnEnd(late)
	}
}

func (p *platform) outputFrame(out *fact, kind wire.FrameType, b wire.Body) {
	at := p.emit(kind, b).At
	if out.row.At.IsZero() {
		out.row.At = at
	}
}

func (p *platform) outputBanked(v *visit, out *fact) int64 {
	v.outputs = slices.DeleteFunc(v.outputs, func(o *fact) bool { return o == out })
	delete(p.openNames, scope(&out.row.Body))
	return p.bank(out)
}

// scope is where an output's name is unique at a time.
func scope(b *wire.Body) string {
	key := b.Name
	if !b.Promoted {
		for _, id := range b.SubgraphPath {
			key += "/" + id
		}
	}
	return key
}

func quoted(text string) wire.JSON {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return wire.JSON(b)
}

// table moves a row of a collection, or removes one.
func (p *platform) table(v *visit) {
	name, id := pick(p.t, "table", "leads", "notes"), pick(p.t, "row", "r1", "r2", "r3")
	rows := slices.DeleteFunc(slices.Clone(p.tables[name]), func(r wire.WorkingRow) bool { return r.RowID == id })
	b := wire.Body{Spine: v.spine, Table: name, RowID: id}
	if _, known := p.tables[name]; known && chance(p.t, "delete", 30) {
		p.emit(wire.TableDelete, b)
		p.tables[name] = rows
		return
	}
	b.Value, b.ValueStatus = pick[wire.JSON](p.t, "value", `{"name":"Ann"}`, `{"n":1.0}`), pick(p.t, "status", wire.Building, wire.Final)
	if b.HasKey = rapid.Bool().Draw(p.t, "has key"); b.HasKey {
		b.Key = "k" + id
	}
	p.emit(wire.TableRow, b)
	moved := wire.WorkingRow{RowID: id, Key: b.Key, HasKey: b.HasKey, Value: b.Value, Status: b.ValueStatus}
	p.tables[name] = append([]wire.WorkingRow{moved}, rows...)
}
