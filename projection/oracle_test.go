package projection_test

import (
	"encoding/json"
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// viewOf reads from a snapshot whatever the model's view asks for, in the model's terms.
func viewOf(s *projection.Snapshot, asked *model.View) *model.View {
	v := &model.View{
		Timeline: rowsOf(s.Timeline()), Transcript: rowsOf(s.Transcript()), Chat: chatOf(s), Run: runOf(s.Run()),
		RowsAt: []model.Slice{}, ToolCalls: []model.ToolCallPair{}, OutputsNamed: []model.NamedOutputs{}, Assistants: []model.Assistants{},
	}
	for _, a := range asked.RowsAt {
		v.RowsAt = append(v.RowsAt, model.Slice{Path: a.Path, Subtree: a.Subtree, Rows: rowsOf(s.RowsAt(a.Path, a.Subtree))})
	}
	for _, a := range asked.ToolCalls {
		p := s.ToolCall(a.ToolCallID)
		pair := model.ToolCallPair{ToolCallID: a.ToolCallID}
		if p.Call != nil {
			pair.Call = rowOf(p.Call)
		}
		if p.Result != nil {
			pair.Result = rowOf(p.Result)
		}
		v.ToolCalls = append(v.ToolCalls, pair)
	}
	for _, a := range asked.OutputsNamed {
		n := model.NamedOutputs{Name: a.Name, Rows: []*model.Row{}}
		for _, r := range s.OutputsNamed(a.Name) {
			n.Rows = append(n.Rows, rowOf(r))
		}
		v.OutputsNamed = append(v.OutputsNamed, n)
	}
	for _, a := range asked.Assistants {
		n := model.Assistants{Path: a.Path, Activation: a.Activation, Rows: []*model.Row{}}
		for _, r := range s.AssistantsInActivation(a.Path, a.Activation) {
			n.Rows = append(n.Rows, rowOf(r))
		}
		v.Assistants = append(v.Assistants, n)
	}
	return v
}

func rowsOf(rows []projection.Row) []*model.Row {
	out := []*model.Row{}
	for _, r := range rows {
		out = append(out, rowOf(r))
	}
	return out
}

func rowOf(row projection.Row) *model.Row {
	sp := row.Common()
	m := &model.Row{Spine: model.Spine{
		Type: row.Type(), ID: sp.ID(), Seq: sp.Seq(), NodeID: sp.NodeID(), SubgraphPath: sp.SubgraphPath(), Path: sp.Path(),
		Activation: sp.Activation(), At: sp.At(),
	}}
	if i := sp.Iteration(); i != nil {
		n := int(*i)
		m.Iteration = &n
	}
	switch r := row.(type) {
	case *projection.UserRow:
		m.Content = &r.Content
	case *projection.AssistantRow:
		m.Content, m.Reasoning, m.Complete = &r.Content, r.Reasoning(), r.Complete
	case *projection.OutputRow:
		m.Name, m.Value, m.Status, m.Complete = r.Name, rawOf(&r.Value), bindingWords[r.Status], r.Complete
		m.Format = formatOf(r.Format())
	case *projection.ToolCallRow:
		m.ToolCallID, m.ToolName, m.Input, m.RequiresClientResponse = r.ToolCallID, r.ToolName, r.Input, r.RequiresClientResponse
	case *projection.ToolResultRow:
		m.ToolCallID, m.Output = r.ToolCallID, r.Output
	}
	return m
}

func rawOf(v *projection.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.AppendJSON(nil)
}

var (
	bindingWords = map[wire.BindingStatus]string{wire.Building: "BUILDING", wire.Final: "FINAL"}
	formatWords  = map[wire.ArtifactFormat]string{
		wire.FormatText: "TEXT", wire.FormatMarkdown: "MARKDOWN", wire.FormatCode: "CODE", wire.FormatHTML: "HTML", wire.FormatList: "LIST",
	}
	errorWords = map[wire.ErrorKind]string{
		wire.ErrorLLM: "LLM", wire.ErrorTool: "TOOL", wire.ErrorCondition: "CONDITION", wire.ErrorInternal: "INTERNAL",
	}
	nodeWords = map[wire.Status]string{wire.Running: "RUNNING", wire.Completed: "COMPLETED", wire.Failed: "FAILED", wire.Cancelled: "CANCELLED"}
	chatWords = []string{"IDLE", "STREAMING", "AWAITING_CLIENT_TOOL", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"}
	runWords  = []string{"IDLE", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"}
)

func formatOf(f *wire.ArtifactFormat) *string {
	if f == nil {
		return nil
	}
	w := formatWords[*f]
	return &w
}

func errorOf(e *wire.PublicError) *model.PublicError {
	if e == nil {
		return nil
	}
	return &model.PublicError{Kind: errorWords[e.Kind], Message: e.Message}
}

func bindingsOf(bs []*projection.Binding) []*model.Binding {
	out := []*model.Binding{}
	for _, b := range bs {
		out = append(out, &model.Binding{Name: b.Name, Value: rawOf(&b.Value), Status: bindingWords[b.Status], Format: formatOf(b.Format())})
	}
	return out
}

func chatOf(s *projection.Snapshot) model.Chat {
	c := model.Chat{
		Status: chatWords[s.Status()], PendingTools: []*model.PendingTool{}, ToolStates: []any{}, Bindings: bindingsOf(s.Bindings()),
		SubagentBindings: []*model.SubagentBindings{}, Tables: []*model.Table{}, Error: errorOf(s.Error()), Retryable: s.Retryable(),
		HasEarlier: s.HasEarlier(), Capabilities: model.Capabilities(s.Capabilities()), CanRetry: s.CanRetry(),
	}
	if ref := s.Conversation(); ref != nil {
		c.Conversation = &model.ConversationRef{ConversationID: ref.ConversationID, AgentID: ref.AgentID, AgentVersion: ref.AgentVersion}
	}
	for _, p := range s.PendingTools() {
		c.PendingTools = append(c.PendingTools, &model.PendingTool{
			ToolCallID: p.ToolCallID(), ToolName: p.ToolName(), Args: rawOf(p.Args()), ArgumentsJSON: p.ArgumentsJSON(), NodeID: p.NodeID(),
			SubgraphPath: p.SubgraphPath(), Path: p.Path(), Activation: p.Activation(),
		})
	}
	for _, b := range s.SubagentBindings() {
		c.SubagentBindings = append(c.SubagentBindings, &model.SubagentBindings{Path: b.Path, Bindings: bindingsOf(b.Bindings)})
	}
	for _, t := range s.Tables() {
		c.Tables = append(c.Tables, tableOf(t))
	}
	return c
}

func tableOf(t *projection.Table) *model.Table {
	mt := &model.Table{Name: t.Name, Rows: []*model.TableRow{}}
	for _, r := range t.Rows {
		mt.Rows = append(mt.Rows, &model.TableRow{RowID: r.RowID, Key: r.Key, Value: rawOf(&r.Value), Status: bindingWords[r.Status], Links: rawOf(r.Links())})
	}
	return mt
}

func runOf(r *projection.RunSnapshot) model.Run {
	m := model.Run{
		Status: runWords[r.Status], Nodes: []*model.NodeRun{}, Edges: []*model.FiredEdge{}, Subagents: []*model.Subagent{},
		TotalUsage: usageOf(r.TotalUsage), HasEarlier: r.HasEarlier,
	}
	for _, n := range r.Nodes {
		m.Nodes = append(m.Nodes, &model.NodeRun{
			Path: n.Path(), NodeID: n.NodeID(), SubgraphPath: n.SubgraphPath(), Kind: n.Kind, Status: nodeWords[n.Status], Activation: n.Activation,
			VisitCount: n.VisitCount, StartedAt: n.StartedAt, FinishedAt: n.FinishedAt, Error: errorOf(n.Error), Usage: usageOf(n.Usage), ExitedVia: n.ExitedVia,
		})
	}
	for _, e := range r.Edges {
		m.Edges = append(m.Edges, &model.FiredEdge{SubgraphPath: e.SubgraphPath, From: e.From, FromPort: e.FromPort, To: e.To, Count: e.Count, LastFiredAt: e.LastFiredAt})
	}
	for _, a := range r.Subagents {
		m.Subagents = append(m.Subagents, &model.Subagent{Path: a.Path, NodeID: a.NodeID, RunningCount: a.RunningCount, DoneCount: a.DoneCount, FailedCount: a.FailedCount})
	}
	return m
}

func usageOf(u *wire.Usage) *model.Usage {
	if u == nil {
		return nil
	}
	return &model.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, ReasoningTokens: u.ReasoningTokens}
}

// agree folds the records into both and compares everything after each of them.
func agree(t require.TestingT, recs []wire.Record, every bool) {
	m, s := model.New(), projection.New("")
	var told []string
	for i, rec := range recs {
		told = append(told, show(rec))
		out, c := m.Apply(rec), s.Apply(rec)
		require.Equal(t, outcomeOf(out), changeOf(&c), "record %d of\n%s", i+1, join(told))
		if !every && i < len(recs)-1 {
			continue
		}
		want := m.View()
		if diff := model.Diff(want, viewOf(s.Snapshot(), want)); diff != "" {
			require.Fail(t, "the fold differs from the model", "after record %d:\n%s\nrecords:\n%s", i+1, diff, join(told))
		}
	}
}

// outcome is what became of a record, and what was counted with it.
type outcome struct {
	is              string
	gap, otherAgent bool
}

func outcomeOf(o model.Outcome) outcome { return outcome{o.Result.String(), o.Gap, o.OtherAgent} }

func changeOf(c *projection.Change) outcome {
	is := map[projection.Outcome]string{projection.Applied: "applied", projection.Duplicate: "duplicate", projection.Rejected: "rejected"}
	return outcome{is[c.Outcome], c.Lost > 0, c.OtherOpener}
}

func join(lines []string) (s string) {
	for i, l := range lines {
		s += fmt.Sprintf("%3d %s\n", i+1, l)
	}
	return s
}

func show(rec wire.Record) string {
	switch r := rec.(type) {
	case *wire.Frame:
		return string(r.AppendJSON(nil))
	case *wire.Row:
		return string(r.AppendJSON(nil))
	case *wire.Head:
		return string(r.AppendJSON(nil))
	case *wire.Page:
		return string(r.AppendJSON(nil))
	}
	return fmt.Sprintf("%+v", rec)
}

// tidyChaos is chaos within what the fold promises of a log: what earlier rows do is promised for logs alone.
func tidyChaos(t *rapid.T) []wire.Record {
	recs := gen.Chaos(t)
	for i, rec := range recs {
		if p, ok := rec.(*wire.Page); ok {
			recs[i] = &wire.Page{HasEarlier: p.HasEarlier}
		}
	}
	return distinctSeqs(recs)
}

// distinctSeqs keeps the one thing that even chaos may rely on: a seq is one place of the log, so that two
// different facts never share one. Repeats of a fact keep theirs.
func distinctSeqs(recs []wire.Record) []wire.Record {
	owner, fresh := map[int64]string{}, int64(100)
	tidy := func(kind string, b *wire.Body) {
		if b.Seq == 0 {
			return
		}
		fact := fmt.Sprint(kind, b.NodeID, b.SubgraphPath, b.Activation, b.Iteration, b.ID, b.Name, b.ToolCallID, b.From, b.FromPort, b.HasFromPort, b.To)
		for owner[b.Seq] != "" && owner[b.Seq] != fact {
			fresh++
			b.Seq = fresh
		}
		owner[b.Seq] = fact
	}
	for _, rec := range recs {
		switch r := rec.(type) {
		case *wire.Frame:
			tidy(factKind[r.Type.String()], &r.Body)
		case *wire.Row:
			tidy(factKind[r.Type.String()], &r.Body)
		}
	}
	return recs
}

// factKind names a frame and the row that persists it alike.
var factKind = map[string]string{
	"user.message": "user", "message.end": "assistant", "output.set": "output", "tool.call": "call", "tool.result": "result",
	"edge.fired": "edge", "node.end": "end", "user": "user", "assistant": "assistant", "output": "output", "tool-call": "call",
	"tool-result": "result", "edge": "edge", "node-end": "end", "node-start": "start",
}
