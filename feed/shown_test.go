package feed_test

import (
	"fmt"
	"strings"

	"inlaygraph/feed"
	"inlaygraph/projection"
)

// shown is a list as one line: rows by their ids, a subagent as g{…}, a repeat as v(1: … 2: …), a fan-out as
// k[… | …], a * after a card that has an earlier part.
func shown(rows []feed.Row) string {
	var words []string
	for _, r := range rows {
		words = append(words, shownRow(r))
	}
	return strings.Join(words, " ")
}

func shownRow(r feed.Row) (w string) {
	switch r := r.(type) {
	case *feed.SubagentRow:
		w = shownPath(r.SubgraphPath(), r.NodeID()) + "{" + shown(r.Rows()) + "}"
	case *feed.RepeatRow:
		var tracks []string
		for _, track := range r.Tracks() {
			n := track[0].(projection.Row).Common().Iteration()
			tracks = append(tracks, fmt.Sprintf("%d: %s", *n, shown(track)))
		}
		w = shownPath(r.SubgraphPath(), r.NodeID()) + "(" + strings.Join(tracks, " ") + ")"
	case *feed.FanOutRow:
		var tracks []string
		for _, track := range r.Tracks() {
			tracks = append(tracks, shown(track))
		}
		w = shownPath(r.SubgraphPath(), r.NodeID()) + "[" + strings.Join(tracks, " | ") + "]"
	default:
		if id := r.(projection.Row).Common().ID(); id != nil {
			return *id
		}
		return "-"
	}
	if r.(interface{ HasEarlier() bool }).HasEarlier() {
		w += "*"
	}
	return w
}

func shownPath(path []string, id *string) string {
	return strings.Join(append(append([]string{}, path...), *id), "/")
}

// cards are all cards of a list, depth-first.
func cards(rows []feed.Row) (all []feed.Composite) {
	for _, r := range rows {
		card, ok := r.(feed.Composite)
		if !ok {
			continue
		}
		all = append(all, card)
		for _, list := range lists(card) {
			all = append(all, cards(list)...)
		}
	}
	return all
}

func lists(card feed.Composite) [][]feed.Row {
	switch c := card.(type) {
	case *feed.SubagentRow:
		return [][]feed.Row{c.Rows()}
	case *feed.RepeatRow:
		return c.Tracks()
	case *feed.FanOutRow:
		return c.Tracks()
	}
	panic("a card of no kind")
}

// leaves are the rows of a list, depth-first.
func leaves(rows []feed.Row) (all []feed.Row) {
	for _, r := range rows {
		if card, ok := r.(feed.Composite); ok {
			for _, list := range lists(card) {
				all = append(all, leaves(list)...)
			}
			continue
		}
		all = append(all, r)
	}
	return all
}

// dump is all that a feed says, as text.
func dump(f *feed.Feed) string {
	var b strings.Builder
	fmt.Fprintln(&b, f.Mode, f.HasEarlier)
	for _, e := range f.Entries() {
		fmt.Fprintf(&b, "%q", e.Key)
		if e.Parent != nil {
			fmt.Fprintf(&b, " in %q", *e.Parent)
		}
		if e.Track != nil {
			fmt.Fprint(&b, " track ", *e.Track)
		}
		if e.Iteration != nil {
			fmt.Fprint(&b, " iteration ", *e.Iteration)
		}
		fmt.Fprint(&b, " at ", e.Index, ": ")
		dumpRow(&b, e.Row)
		b.WriteByte('\n')
	}
	return b.String()
}

// dumpCard is all that a card says, with what is in it.
func dumpCard(card feed.Composite) string {
	var b strings.Builder
	var whole func(r feed.Row)
	whole = func(r feed.Row) {
		dumpRow(&b, r)
		if c, ok := r.(feed.Composite); ok {
			fmt.Fprint(&b, " ", c.Key())
			for _, list := range lists(c) {
				b.WriteString(" [")
				for _, in := range list {
					whole(in)
				}
				b.WriteByte(']')
			}
		}
		b.WriteByte('\n')
	}
	whole(card)
	return b.String()
}

// dumpRow is a row, or a card without what is in it.
func dumpRow(b *strings.Builder, r feed.Row) {
	card := func(c interface {
		NodeName() *string
		HasEarlier() bool
	}) {
		fmt.Fprint(b, r.Type(), " ", text(c.NodeName()), " earlier=", c.HasEarlier())
	}
	switch r := r.(type) {
	case *feed.FanOutRow:
		card(r)
		fmt.Fprint(b, " ", r.SubgraphPath(), *r.NodeID(), r.Join, r.BranchStatus, len(r.Tracks()))
	case *feed.SubagentRow:
		card(r)
		fmt.Fprint(b, " ", r.SubgraphPath(), *r.NodeID(), text(r.RunningCount), text(r.DoneCount), text(r.FailedCount), text(r.NodeStatus))
	case *feed.RepeatRow:
		card(r)
		fmt.Fprint(b, " ", r.SubgraphPath(), *r.NodeID(), r.Mode, r.Done(), text(r.Total))
	default:
		dumpDurable(b, r.(projection.Row))
	}
}

func dumpDurable(b *strings.Builder, row projection.Row) {
	sp := row.Common()
	fmt.Fprint(b, row.Type(), " ", text(sp.ID()), text(sp.Seq()), sp.Path(), text(sp.Activation()), text(sp.Iteration()), text(sp.At()))
	switch r := row.(type) {
	case *projection.UserRow:
		fmt.Fprintf(b, "%q", r.Content)
	case *projection.AssistantRow:
		fmt.Fprintf(b, "%q %s%v", r.Content, text(r.Reasoning()), r.Complete)
	case *projection.OutputRow:
		fmt.Fprintf(b, "%q %s %v %v %s", r.Name, r.Value.AppendJSON(nil), r.Status, r.Complete, text(r.Format()))
	case *projection.ToolCallRow:
		fmt.Fprint(b, r.ToolCallID, r.ToolName, r.Input, r.RequiresClientResponse)
	case *projection.ToolResultRow:
		fmt.Fprint(b, r.ToolCallID, r.Output)
	}
}

func text[T any](v *T) string {
	if v == nil {
		return "null "
	}
	return fmt.Sprint(*v, " ")
}
