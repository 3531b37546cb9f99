package projection_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// slicesOf renders every slice of a snapshot, of the paths and names that watch has seen so far.
func (w *watch) slicesOf(s *projection.Snapshot) map[projection.Slice]string {
	out := map[projection.Slice]string{}
	put := func(k projection.SliceKind, path, name string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		out[projection.Slice{Kind: k, Path: path, Name: name}] = string(b)
	}
	chat, run := chatOf(s), s.Run()
	put(projection.SliceTimeline, "", "", rowsOf(s.Timeline()))
	put(projection.SliceTranscript, "", "", rowsOf(s.Transcript()))
	put(projection.SliceTopLevel, "", "", rowsOf(s.TopLevel()))
	put(projection.SliceRun, "", "", runOf(run))
	put(projection.SlicePendingTools, "", "", pendingOf(s))
	put(projection.SliceBindings, "", "", chat.Bindings)
	put(projection.SliceSubagentBindings, "", "", chat.SubagentBindings)
	put(projection.SliceTables, "", "", chat.Tables)
	put(projection.SliceToolStates, "", "", s.ToolStates())
	put(projection.SliceStatus, "", "", chat.Status)
	put(projection.SliceConversation, "", "", chat.Conversation)
	put(projection.SliceError, "", "", chat.Error)
	put(projection.SliceRetryable, "", "", chat.Retryable)
	put(projection.SliceHasEarlier, "", "", chat.HasEarlier)
	put(projection.SliceCapabilities, "", "", chat.Capabilities)
	put(projection.SliceCanRetry, "", "", chat.CanRetry)
	put(projection.SlicePlan, "", "", s.Plan())
	for key, path := range w.paths {
		put(projection.SliceRowsAt, key, "", rowsOf(s.RowsAt(path, false)))
		put(projection.SliceSubtree, key, "", rowsOf(s.RowsAt(path, true)))
		put(projection.SliceNode, key, "", nodeSlice(s, path))
		put(projection.SliceBelow, key, "", nodesBelow(s, path))
		put(projection.SliceOutputsOf, key, "", outputsOf(s, path))
		for name := range w.names {
			if b := s.Binding(path, name); b != nil {
				put(projection.SliceBinding, key, name, bindingsOf([]*projection.Binding{b}))
			} else {
				put(projection.SliceBinding, key, name, nil)
			}
		}
	}
	for id := range w.calls {
		p := s.ToolCall(id)
		var rows []projection.Row
		if p.Call != nil {
			rows = append(rows, p.Call)
		}
		if p.Result != nil {
			rows = append(rows, p.Result)
		}
		put(projection.SliceToolCall, "", id, []any{rowsOf(rows), p.Delivery})
	}
	for name := range w.tables {
		put(projection.SliceTable, "", name, tableOf(s.Table(name)))
	}
	return out
}

// pendingOf is the pending tools with how their answers travel, which the model knows nothing of.
func pendingOf(s *projection.Snapshot) []*model.PendingTool {
	out := chatOf(s).PendingTools
	for i, p := range s.PendingTools() {
		out[i].Delivery = p.Delivery
	}
	return out
}

// nodeSlice is what a node's slice tells: its run and the edges that left it, and which of them fired since
// its latest start.
func nodeSlice(s *projection.Snapshot, path []string) any {
	n := s.NodeRun(path)
	var edges []any
	for _, e := range s.Run().Edges {
		if slices.Equal(append(slices.Clone(e.SubgraphPath), e.From), path) {
			edges = append(edges, e, projection.TakenSince(n, e))
		}
	}
	if n == nil {
		return edges
	}
	return []any{runOf(&projection.RunSnapshot{Nodes: []*projection.NodeRun{n}}), edges, projection.WasSubgraph(n)}
}

// nodesBelow are the node runs strictly below a path, in run order.
func nodesBelow(s *projection.Snapshot, path []string) any {
	below, subgraphs := &projection.RunSnapshot{}, []bool{}
	for _, n := range s.Run().Nodes {
		if len(n.Path()) > len(path) && slices.Equal(n.Path()[:len(path)], path) {
			below.Nodes, subgraphs = append(below.Nodes, n), append(subgraphs, projection.WasSubgraph(n))
		}
	}
	return []any{runOf(below), subgraphs, s.Counts(path)}
}

// outputsOf are the outputs of one subagent.
func outputsOf(s *projection.Snapshot, path []string) []*model.Binding {
	for _, b := range s.SubagentBindings() {
		if slices.Equal(b.Path, path) {
			return bindingsOf(b.Bindings)
		}
	}
	return nil
}

// watch knows every path and name that was seen.
type watch struct {
	paths  map[string][]string
	names  map[string]bool
	calls  map[string]bool
	tables map[string]bool
}

func newWatch() *watch {
	return &watch{paths: map[string][]string{"": {}}, names: map[string]bool{}, calls: map[string]bool{}, tables: map[string]bool{}}
}

func (w *watch) path(path []string) {
	for n := range len(path) + 1 {
		w.paths[projection.PathKey(path[:n])] = path[:n]
	}
}

func (w *watch) body(b *wire.Body) {
	if b.NodeID != "" {
		w.path(append(slices.Clone(b.SubgraphPath), b.NodeID))
	}
	if b.From != "" {
		w.path(append(slices.Clone(b.SubgraphPath), b.From))
		w.path(append(slices.Clone(b.SubgraphPath), b.To))
	}
	if b.Name != "" {
		w.names[b.Name] = true
	}
	if b.ToolCallID != "" {
		w.calls[b.ToolCallID] = true
	}
	if b.Table != "" {
		w.tables[b.Table] = true
	}
}

func (w *watch) see(in projection.Input) {
	switch in := in.(type) {
	case *wire.Frame:
		w.body(&in.Body)
	case *wire.Row:
		w.body(&in.Body)
	case *wire.Page:
		for _, r := range in.Rows {
			w.body(&r.Body)
		}
	case *wire.Head:
		if ws := in.WorkingSet; ws != nil {
			for _, b := range append(slices.Clone(ws.Bindings), ws.SubagentBindings...) {
				w.path(b.Path)
				w.names[b.Name] = true
			}
			for _, t := range ws.Tables {
				w.tables[t.Name] = true
			}
		}
	case projection.Delivery:
		w.calls[in.ToolCallID] = true
	}
}

// apply folds an input and holds the marks against what moved: no slice moved without a mark, and none was
// marked without moving. A page marks what any of its rows moved, even when a later one moved it back.
func (w *watch) apply(t require.TestingT, s *projection.State, in projection.Input) projection.Change {
	w.see(in)
	_, page := in.(*wire.Page)
	before := w.slicesOf(s.Snapshot())
	c := s.Apply(in)
	after := w.slicesOf(s.Snapshot())
	for slice, is := range after {
		was, marked := before[slice], c.Has(slice)
		if was != is && !marked {
			require.Fail(t, "a slice moved without a mark", "%+v\n%s\nwas %s\nis  %s", slice, showInput(in), was, is)
		}
		if was == is && marked && !c.Reset && !page {
			require.Fail(t, "a slice was marked and did not move", "%+v\n%s\nis  %s", slice, showInput(in), is)
		}
	}
	for _, slice := range c.Slices {
		if _, known := after[slice]; !known {
			require.Fail(t, "nobody has heard of that slice", "%+v\n%s", slice, showInput(in))
		}
	}
	return c
}

func showInput(in projection.Input) string {
	if rec, ok := in.(wire.Record); ok {
		return show(rec)
	}
	return fmt.Sprintf("%+v", in)
}

// driven puts deliveries, latches and trims between the records.
func driven(t *rapid.T, recs []wire.Record) []projection.Input {
	var out []projection.Input
	for _, rec := range recs {
		out = append(out, rec)
		switch rapid.IntRange(0, 11).Draw(t, "driving") {
		case 0:
			d := projection.ToolDelivery{ToolCallID: rapid.SampledFrom([]string{"t1", "t2", "call1"}).Draw(t, "call"), Status: projection.ToolCallStatus(rapid.IntRange(1, 5).Draw(t, "delivery"))}
			out = append(out, projection.Delivery{ToolDelivery: d})
		case 1:
			out = append(out, projection.Latch{Kind: projection.LatchKind(rapid.IntRange(0, 2).Draw(t, "latch")), On: rapid.Bool().Draw(t, "on")})
		case 2:
			out = append(out, projection.Trim{Keep: rapid.IntRange(0, 8).Draw(t, "keep")})
		}
	}
	return out
}

func TestMarksAreExactOnRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, s := newWatch(), projection.New("")
		run := gen.NewRun(t)
		recs := run.Live()
		if rapid.Bool().Draw(t, "reopened") {
			if o, ok := run.Reopen(t); ok {
				recs = pagedRecords(t, o)
			}
		}
		for _, in := range driven(t, recs) {
			w.apply(t, s, in)
		}
	})
}

func TestMarksAreExactOnChaos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, s := newWatch(), projection.New("")
		for _, in := range driven(t, gen.Chaos(t)) {
			w.apply(t, s, in)
		}
	})
}
