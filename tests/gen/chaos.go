package gen

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// epoch is when generated time starts.
var epoch = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// Chaos is an ill-formed conversation: any legal record may follow any other. Offsets mostly grow by one, but
// also repeat, jump, or are left out.
func Chaos(t *rapid.T) []wire.Record {
	items := rapid.SliceOfN(rapid.Custom(chaosItem), between(t, "at least", 1, 60), 60).Draw(t, "chaos")
	var recs []wire.Record
	last := int64(0)
	for _, item := range items {
		if f, ok := item.rec.(*wire.Frame); ok {
			switch {
			case item.dice == 22:
				f.Offset = 0
			case item.dice == 23 && last > 0:
				f.Offset = 1 + int64(item.roll)%last
			case item.dice == 24:
				last += 2 + int64(item.roll)%3
				f.Offset = last
			default:
				last++
				f.Offset = last
			}
		}
		recs = append(recs, item.rec)
	}
	return recs
}

type chaosRecord struct {
	rec        wire.Record
	dice, roll int
}

func chaosItem(t *rapid.T) chaosRecord {
	c := chaosRecord{dice: upTo(t, "offset dice", 25), roll: upTo(t, "offset roll", 61)}
	switch upTo(t, "input", 20) {
	case 19:
		c.rec = chaosHead(t)
	case 18:
		c.rec = chaosPage(t)
	case 17, 16, 15, 14:
		c.rec = chaosRow(t)
	default:
		c.rec = chaosFrame(t)
	}
	return c
}

var chaosFrames = []wire.FrameType{
	wire.RunStart, wire.UserMessage, wire.NodeStart, wire.NodeStart, wire.NodeStart,
	wire.MessageDelta, wire.MessageDelta, wire.MessageDelta, wire.MessageDelta, wire.MessageEnd, wire.MessageEnd,
	wire.OutputDelta, wire.OutputDelta, wire.OutputSet, wire.OutputSet, wire.ToolCall, wire.ToolCall, wire.ToolResult,
	wire.TableRow, wire.TableRow, wire.TableDelete, wire.EdgeFired, wire.EdgeFired, wire.NodeEnd, wire.NodeEnd,
	wire.RunPause, wire.RunEnd,
}

func chaosFrame(t *rapid.T) *wire.Frame {
	f := &wire.Frame{Type: pick(t, "frame", chaosFrames...)}
	b := &f.Body
	b.At = chaosTime(t)
	switch f.Type {
	case wire.RunStart:
		b.RunID, b.ConversationID, b.AgentID, b.AgentVersion = "run", chaosConversation(t), pick(t, "agent", "agent", "agent", "agent", "other"), pick(t, "version", 3, 3, 3, 4)
	case wire.UserMessage:
		chaosUser(t, b)
	case wire.NodeStart:
		chaosSpine(t, b, true)
		b.Kind = chaosKind(t)
		b.MessageID = chaosID(t, "turn")
	case wire.MessageDelta:
		chaosSpine(t, b, false)
		b.ID = chaosID(t, "turn")
		chaosText(t, b)
	case wire.MessageEnd:
		chaosSpine(t, b, false)
		b.ID, b.Seq = chaosID(t, "turn"), chaosSeq(t)
		chaosText(t, b)
	case wire.OutputDelta:
		chaosSpine(t, b, false)
		b.ID = chaosID(t, "out")
		chaosOutput(t, b)
		b.Delta = pick(t, "delta", "x", "yz", "é😀", "")
	case wire.OutputSet:
		chaosSpine(t, b, false)
		b.ID = chaosID(t, "out")
		if chance(t, "persisted", 20) {
			b.Seq = chaosSeq(t)
		}
		chaosOutput(t, b)
		chaosValue(t, b)
		b.Complete = chance(t, "complete", 25)
	case wire.ToolCall:
		chaosSpine(t, b, false)
		b.ID, b.Seq = chaosID(t, "tool"), chaosSeq(t)
		chaosCall(t, b)
	case wire.ToolResult:
		chaosSpine(t, b, false)
		b.ID, b.Seq = chaosID(t, "tool"), chaosSeq(t)
		b.ToolCallID, b.Output = chaosCallID(t), pick(t, "output", "", "done", `{"ok":true}`)
	case wire.TableRow:
		b.Table, b.RowID = pick(t, "table", "leads", "notes"), pick(t, "row id", "r1", "r2", "r3")
		chaosValue(t, b)
		chaosTableHints(t, b)
	case wire.TableDelete:
		b.Table, b.RowID = pick(t, "table", "leads", "notes"), pick(t, "row id", "r1", "r2", "r3")
	case wire.EdgeFired:
		chaosEdge(t, b)
		b.Seq = pick[int64](t, "seq", 0, 0, 2, 2, 3)
	case wire.NodeEnd:
		chaosSpine(t, b, true)
		chaosEnd(t, b)
		b.Seq = chaosSeq(t)
	case wire.RunPause:
		b.Status = pick(t, "status", wire.Paused, wire.AwaitingClientTool)
	case wire.RunEnd:
		b.Status = pick(t, "status", wire.Completed, wire.Failed, wire.Failed, wire.Cancelled)
		b.Error = chaosError(t)
		b.Retryable = rapid.Bool().Draw(t, "retryable")
	}
	return f
}

var chaosRows = []wire.RowType{
	wire.RowUser, wire.RowAssistant, wire.RowAssistant, wire.RowOutput, wire.RowOutput, wire.RowToolCall, wire.RowToolResult,
	wire.RowNodeStart, wire.RowNodeStart, wire.RowNodeEnd, wire.RowNodeEnd, wire.RowEdge,
}

var rowIDs = map[wire.RowType]string{
	wire.RowUser: "user", wire.RowAssistant: "turn", wire.RowOutput: "out", wire.RowToolCall: "tool", wire.RowToolResult: "tool",
	wire.RowNodeStart: "mark", wire.RowNodeEnd: "mark", wire.RowEdge: "mark",
}

func chaosRow(t *rapid.T) *wire.Row {
	r := &wire.Row{Type: pick(t, "row", chaosRows...)}
	b := &r.Body
	b.At, b.ID, b.Seq = chaosTime(t), chaosID(t, rowIDs[r.Type]), int64(between(t, "seq", 1, 12))
	switch r.Type {
	case wire.RowUser:
		chaosUser(t, b)
	case wire.RowAssistant:
		chaosSpine(t, b, false)
		b.Content, b.HasContent = pick(t, "content", "logged", "Said.", "Said.", ""), true
		if chance(t, "has reasoning", 30) {
			b.Reasoning, b.HasReasoning = pick(t, "reasoning", "because", ""), true
		}
	case wire.RowOutput:
		chaosSpine(t, b, false)
		chaosOutput(t, b)
		chaosValue(t, b)
		b.Complete = chance(t, "complete", 25)
	case wire.RowToolCall:
		chaosSpine(t, b, false)
		chaosCall(t, b)
	case wire.RowToolResult:
		chaosSpine(t, b, false)
		b.ToolCallID, b.Output = chaosCallID(t), pick(t, "output", "", "done")
	case wire.RowNodeStart:
		chaosSpine(t, b, true)
		b.Kind = chaosKind(t)
	case wire.RowNodeEnd:
		chaosSpine(t, b, true)
		chaosEnd(t, b)
	case wire.RowEdge:
		chaosEdge(t, b)
	}
	return r
}

func chaosPage(t *rapid.T) *wire.Page {
	p := &wire.Page{HasEarlier: rapid.Bool().Draw(t, "has earlier")}
	p.Rows = rapid.SliceOfNDistinct(rapid.Custom(chaosRow), 0, 5, func(r *wire.Row) int64 { return r.Seq }).Draw(t, "page")
	slices.SortFunc(p.Rows, func(a, b *wire.Row) int { return int(a.Seq - b.Seq) })
	return p
}

func chaosHead(t *rapid.T) *wire.Head {
	h := &wire.Head{
		ConversationID: chaosConversation(t), AgentID: pick(t, "agent", "agent", "agent", "other"), AgentVersion: pick(t, "version", 3, 3, 4),
		Status: pick(t, "status", wire.Running, wire.Running, wire.Completed, wire.Failed, wire.Cancelled, wire.Paused, wire.AwaitingClientTool),
		Error:  chaosError(t),
	}
	if h.HasRetryable = rapid.Bool().Draw(t, "says retryable"); h.HasRetryable {
		h.Retryable = rapid.Bool().Draw(t, "retryable")
	}
	if h.SaysEarlier = rapid.Bool().Draw(t, "says earlier"); h.SaysEarlier {
		h.HasEarlier = rapid.Bool().Draw(t, "has earlier")
	}
	if h.HasLastOffset = chance(t, "says last offset", 30); h.HasLastOffset {
		h.LastOffset = int64(between(t, "last offset", 0, 20))
	}
	if rapid.Bool().Draw(t, "has working set") {
		h.WorkingSet = chaosWorkingSet(t)
	}
	return h
}

func chaosWorkingSet(t *rapid.T) *wire.WorkingSet {
	ws := &wire.WorkingSet{}
	for _, name := range []string{"alt", "out", "plan"} {
		if rapid.Bool().Draw(t, "binding") {
			ws.Bindings = append(ws.Bindings, wire.WorkingBinding{Name: name, Value: chaosJSON(t), Status: chaosStatus(t), Format: chaosFormat(t)})
		}
	}
	for _, path := range [][]string{{"g"}, {"g", "h"}} {
		if rapid.Bool().Draw(t, "inner binding") {
			ws.SubagentBindings = append(ws.SubagentBindings, wire.WorkingBinding{Path: path, Name: chaosName(t), Value: chaosJSON(t), Status: chaosStatus(t)})
		}
	}
	for _, name := range []string{"leads", "notes"} {
		if !rapid.Bool().Draw(t, "table") {
			continue
		}
		table := wire.WorkingTable{Name: name}
		for _, id := range []string{"r2", "r1"} {
			if rapid.Bool().Draw(t, "row") {
				table.Rows = append(table.Rows, wire.WorkingRow{RowID: id, Value: chaosJSON(t), Status: chaosStatus(t)})
			}
		}
		ws.Tables = append(ws.Tables, table)
	}
	return ws
}

func chaosConversation(t *rapid.T) string {
	return pick(t, "conversation", "conv", "conv", "conv", "conv", "conv", "foreign")
}

// chaosID draws the id of a row of some kind, and now and then one of another kind's.
func chaosID(t *rapid.T, kind string) string {
	if chance(t, "foreign id", 8) {
		kind = pick(t, "foreign", "user", "turn", "out", "tool")
	}
	n := pick(t, "id", "", "", "1", "1", "2", "3")
	if n == "" {
		return ""
	}
	return kind + n
}
func chaosSeq(t *rapid.T) int64     { return pick[int64](t, "seq", 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 5, 8, 12) }
func chaosCallID(t *rapid.T) string { return pick(t, "call id", "t1", "t2", "t3") }
func chaosName(t *rapid.T) string   { return pick(t, "name", "out", "out", "out", "alt") }
func chaosKind(t *rapid.T) string {
	return pick(t, "kind", "llm", "llm", "llm", "grounded_answer", "subgraph", "ensemble", "router")
}
func chaosStatus(t *rapid.T) wire.BindingStatus {
	return pick(t, "value status", wire.Building, wire.Final)
}
func chaosFormat(t *rapid.T) wire.ArtifactFormat {
	return pick(t, "format", 0, 0, wire.FormatMarkdown, wire.FormatCode)
}
func chaosJSON(t *rapid.T) wire.JSON {
	return pick[wire.JSON](t, "value", `1.50`, `"text"`, `"a\"b"`, `"é😀"`, `{"a":[1,2e3]}`, `null`, `true`)
}

func chaosTime(t *rapid.T) time.Time {
	n := upTo(t, "at", 21)
	if n == 0 {
		return time.Time{}
	}
	return epoch.Add(time.Duration(n) * time.Second)
}

func chaosSpine(t *rapid.T, b *wire.Body, node bool) {
	if !node && chance(t, "no node", 10) {
		return
	}
	b.NodeID = pick(t, "node", "n", "n", "n", "m", "g", "h")
	b.SubgraphPath = pick(t, "subgraph", nil, nil, nil, []string{"g"}, []string{"g", "h"})
	b.Activation = pick(t, "activation", "x", "x", "x", "", "y")
	b.Iteration = pick(t, "iteration", 0, 0, 0, 0, 0, 1, 2)
}

func chaosUser(t *rapid.T, b *wire.Body) {
	b.ID, b.Content, b.HasContent = chaosID(t, "user"), pick(t, "content", "hi", "again", ""), true
	if b.Seq == 0 {
		b.Seq = chaosSeq(t)
	}
}

func chaosText(t *rapid.T, b *wire.Body) {
	if b.HasContent = chance(t, "has content", 75); b.HasContent {
		b.Content = pick(t, "content", "he", "llo ", "é😀", "")
	}
	if b.HasReasoning = chance(t, "has reasoning", 25); b.HasReasoning {
		b.Reasoning = pick(t, "reasoning", "hm", "so ", "")
	}
}

func chaosOutput(t *rapid.T, b *wire.Body) {
	b.Name, b.Format = chaosName(t), chaosFormat(t)
	if b.HasPromoted = chance(t, "says promoted", 30); b.HasPromoted {
		b.Promoted = rapid.Bool().Draw(t, "promoted")
	}
}

func chaosValue(t *rapid.T, b *wire.Body) {
	b.Value, b.ValueStatus = chaosJSON(t), chaosStatus(t)
}

func chaosTableHints(t *rapid.T, b *wire.Body) {
	if b.HasKey = rapid.Bool().Draw(t, "has key"); b.HasKey {
		b.Key = pick(t, "key", "", "k1", "k2")
	}
	b.Links = pick[wire.JSON](t, "links", "", "", `[{"to":"r1"}]`)
}

func chaosCall(t *rapid.T, b *wire.Body) {
	b.ToolCallID, b.ToolName = chaosCallID(t), pick(t, "tool", "ask", "search")
	b.Input = pick(t, "input", "{}", `{"n": 1.0}`, "{broken", "")
	b.RequiresClientResponse = rapid.Bool().Draw(t, "client")
}

func chaosEdge(t *rapid.T, b *wire.Body) {
	b.SubgraphPath = pick(t, "subgraph", nil, nil, nil, []string{"g"})
	b.From, b.To = pick(t, "from", "n", "n", "n", "m", "g"), pick(t, "to", "m", "m", "m", "n")
	if b.HasFromPort = chance(t, "has port", 60); b.HasFromPort {
		b.FromPort = pick(t, "port", "yes", "yes", "no", "")
	}
}

func chaosEnd(t *rapid.T, b *wire.Body) {
	b.Status = pick(t, "status", wire.Completed, wire.Completed, wire.Failed, wire.Cancelled)
	b.Error = chaosError(t)
	if rapid.Bool().Draw(t, "has usage") {
		b.Usage = &wire.Usage{PromptTokens: int64(between(t, "prompt", 0, 9)), CompletionTokens: int64(between(t, "completion", 0, 9))}
	}
}

func chaosError(t *rapid.T) *wire.PublicError {
	if chance(t, "no error", 60) {
		return nil
	}
	return &wire.PublicError{
		Kind:    pick(t, "error kind", wire.ErrorLLM, wire.ErrorTool, wire.ErrorInternal),
		Message: pick(t, "message", "It broke.", "No answer."),
	}
}
