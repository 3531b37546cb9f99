package langgraph

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// event is a server-sent event as a stream spells it.
type event struct{ name, data string }

// eventsOf reads a recorded stream.
func eventsOf(stream []byte) []event {
	var all []event
	var cur event
	for line := range bytes.Lines(stream) {
		line := strings.TrimRight(string(line), "\r\n")
		switch name, value, _ := strings.Cut(line, ":"); {
		case line == "":
			if cur.name != "" {
				all = append(all, cur)
			}
			cur = event{}
		case name == "event":
			cur.name = strings.TrimSpace(value)
		case name == "data":
			cur.data += strings.TrimPrefix(value, " ")
		}
	}
	if cur.name != "" {
		all = append(all, cur)
	}
	return all
}

// translate runs a whole run.
func translate(info RunInfo, events []event, o Outcome) ([]*wire.Frame, *Run) {
	r := NewRun(info)
	frames := r.Start()
	for _, e := range events {
		frames = append(frames, r.Event(e.name, []byte(e.data))...)
	}
	return append(frames, r.End(o)...), r
}

// folded folds frames after numbering them, and fails if one does not survive the wire or is not taken whole.
func folded(t require.TestingT, frames []*wire.Frame) *projection.Snapshot {
	s := projection.New("")
	for i, f := range frames {
		f.Offset = int64(i + 1)
		line := f.AppendJSON(nil)
		back, err := wire.Decoder{MaxRecord: 1 << 26}.Frame(line)
		require.NoError(t, err, "%s", line)
		require.Equal(t, string(line), string(back.AppendJSON(nil)))
		c := s.Apply(back)
		require.Equal(t, projection.Applied, c.Outcome, "%s: %s", c.Reason, line)
		require.Zero(t, c.Lost)
	}
	return s.Snapshot()
}

// foldedPast folds a history's rows as a reader of it does.
func foldedPast(t require.TestingT, p *Past) *projection.Snapshot {
	s := projection.New("")
	s.Apply(&p.Head)
	for i, r := range p.Rows {
		require.Equal(t, int64(i+1), r.Seq)
		line := r.AppendJSON(nil)
		back, err := wire.Decoder{MaxRecord: 1 << 26}.Row(line)
		require.NoError(t, err, "%s", line)
		c := s.Apply(back)
		require.Equal(t, projection.Applied, c.Outcome, "%s: %s", c.Reason, line)
	}
	return s.Snapshot()
}

// facts are what the two sides have to say alike: rows by path, node runs, edges, standing. Times are not among them.
func facts(s *projection.Snapshot) []string {
	var all []string
	for _, row := range s.Timeline() {
		c := row.Common()
		at := strings.Join(c.Path(), "/")
		if a := c.Activation(); a != nil {
			at += "@" + *a
		}
		if i := c.Iteration(); i != nil {
			at += fmt.Sprintf("[%d]", *i)
		}
		id := "-"
		if c.ID() != nil {
			id = *c.ID()
		}
		switch r := row.(type) {
		case *projection.UserRow:
			all = append(all, fmt.Sprintf("row %s user %s %q", at, id, r.Content))
		case *projection.AssistantRow:
			reasoning := ""
			if r.Reasoning() != nil {
				reasoning = *r.Reasoning()
			}
			all = append(all, fmt.Sprintf("row %s assistant %s %q %q", at, id, r.Content, reasoning))
		case *projection.ToolCallRow:
			all = append(all, fmt.Sprintf("row %s call %s %s %s %s client=%v", at, id, r.ToolCallID, r.ToolName, r.Input, r.RequiresClientResponse))
		case *projection.ToolResultRow:
			all = append(all, fmt.Sprintf("row %s result %s %s %q", at, id, r.ToolCallID, r.Output))
		}
	}
	run := s.Run()
	for _, n := range run.Nodes {
		kind := "?"
		if n.Kind != nil {
			kind = *n.Kind
		}
		line := fmt.Sprintf("node %s %s %s visits=%d", strings.Join(n.Path(), "/"), kind, n.Status, n.VisitCount)
		if n.Usage != nil {
			line += fmt.Sprintf(" usage=%v", *n.Usage)
		}
		if n.Error != nil {
			line += fmt.Sprintf(" error=%s %q", n.Error.Kind, n.Error.Message)
		}
		all = append(all, line)
	}
	for _, e := range run.Edges {
		port := ""
		if e.FromPort != nil {
			port = ":" + *e.FromPort
		}
		all = append(all, fmt.Sprintf("edge %s %s%s -> %s x%d", strings.Join(e.SubgraphPath, "/"), e.From, port, e.To, e.Count))
	}
	for _, p := range s.PendingTools() {
		all = append(all, fmt.Sprintf("pending %s", p.ToolCallID()))
	}
	all = append(all, fmt.Sprintf("status %v", s.Status()))
	slices.Sort(all)
	return all
}

// differences are what only one side says.
func differences(live, past []string) []string {
	var all []string
	count := map[string]int{}
	for _, f := range live {
		count[f]++
	}
	for _, f := range past {
		count[f]--
	}
	for _, f := range slices.Sorted(slices.Values(append(slices.Clone(live), past...))) {
		switch n := count[f]; {
		case n > 0:
			all = append(all, "live only: "+f)
		case n < 0:
			all = append(all, "past only: "+f)
		}
		delete(count, f)
	}
	return all
}
