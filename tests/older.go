package tests

import (
	"encoding/json"
	"fmt"
	"strings"
)

// older says why a value can't come after another, as far as a reader can tell who does not know the history: rows and
// runs have marks that only ever move one way.
func older(before, after string) error {
	var rows [2][]*markedRow
	if json.Unmarshal([]byte(before), &rows[0]) == nil && json.Unmarshal([]byte(after), &rows[1]) == nil {
		return olderRows(rows[0], rows[1])
	}
	var runs [2]markedRun
	if json.Unmarshal([]byte(before), &runs[0]) == nil && json.Unmarshal([]byte(after), &runs[1]) == nil {
		return olderRun(runs[0], runs[1])
	}
	return nil
}

type markedRow struct {
	ID       string
	Content  *string
	Complete *bool
	Seq      *int64
}

// olderRows follows the rows that have an id.
func olderRows(before, after []*markedRow) error {
	known := map[string]*markedRow{}
	for _, row := range before {
		if row != nil && row.ID != "" {
			known[row.ID] = row
		}
	}
	for _, row := range after {
		if row == nil || known[row.ID] == nil {
			continue
		}
		was := known[row.ID]
		switch {
		case was.Content != nil && was.Complete != nil && row.Complete != nil && *was.Complete && !*row.Complete: // an output may be refined
			return fmt.Errorf("row %s was complete before", row.ID)
		case was.Complete != nil && !*was.Complete && was.Content != nil && row.Content != nil && !strings.HasPrefix(*row.Content, *was.Content) && !*row.Complete:
			return fmt.Errorf("row %s was %q before, and is now %q", row.ID, *was.Content, *row.Content)
		case was.Seq != nil && (row.Seq == nil || *row.Seq != *was.Seq):
			return fmt.Errorf("row %s had seq %d before", row.ID, *was.Seq)
		}
	}
	return nil
}

type markedRun struct {
	Nodes []struct {
		Path       []string
		VisitCount int
		Activation *string
		FinishedAt *string
	}
	Edges []markedEdge
}

type markedEdge struct {
	SubgraphPath []string
	From, To     string
	FromPort     *string
	Count        int
}

// key is what makes an edge the same edge.
func (e markedEdge) key() string {
	port := "no port"
	if e.FromPort != nil {
		port = "port " + *e.FromPort
	}
	return strings.Join(append(e.SubgraphPath, e.From, port, e.To), "\x00")
}

func olderRun(before, after markedRun) error {
	nodes := map[string]int{}
	for i, n := range after.Nodes {
		nodes[strings.Join(n.Path, "\x00")] = i
	}
	for _, was := range before.Nodes {
		i, still := nodes[strings.Join(was.Path, "\x00")]
		if !still {
			return fmt.Errorf("node %v was there before", was.Path)
		}
		is := after.Nodes[i]
		again := was.Activation != nil && is.Activation != nil && *was.Activation == *is.Activation
		if is.VisitCount < was.VisitCount || again && was.FinishedAt != nil && is.FinishedAt == nil {
			return fmt.Errorf("node %v was further before", was.Path)
		}
	}
	counts := map[string]int{}
	for _, is := range after.Edges {
		counts[is.key()] = is.Count
	}
	for _, was := range before.Edges {
		if counts[was.key()] < was.Count {
			return fmt.Errorf("edge %s to %s was taken %d times before", was.From, was.To, was.Count)
		}
	}
	return nil
}
