package model

import (
	"fmt"
	"slices"
	"time"

	"inlaygraph/wire"
)

// visit is one activation of one node, as far as the timeline shows it.
type visit struct {
	activation string
	started    bool
	kind       string
	startedAt  time.Time
	ended      bool
	status     wire.Status
	finishedAt time.Time
	err        *wire.PublicError
	stopped    bool // the run was stopped while it was running
}

// nodeRun is one node: all its visits, in order of first evidence.
type nodeRun struct {
	path    []string
	visits  []*visit
	current *visit // the latest started; while none is known, the latest ended
	orphan  *visit // the one end without an activation that had no open start
	usage   *wire.Usage
	order   int // place of the first start, else of the first end
	known   bool
}

// runScan is the run projection in the making: one pass over the timeline, in its order.
type runScan struct {
	nodes     []*nodeRun
	edges     []*FiredEdge
	exits     map[string]*string // by joined path: the port of the last edge that left it
	subgraphs [][]string         // in order of first evidence
	stopped   bool
}

func joined(path []string) string { return fmt.Sprintf("%q", path) }

func (s *state) scanRun() *runScan {
	r := &runScan{exits: map[string]*string{}}
	for i, e := range s.entries {
		switch e.kind {
		case startMark:
			r.start(i, e)
		case endMark:
			r.end(i, e)
		case edgeMark:
			r.edge(e)
		case wordMark:
			r.word(e.word)
		}
	}
	slices.SortStableFunc(r.nodes, func(a, b *nodeRun) int { return a.order - b.order })
	return r
}

func (r *runScan) node(at int, path []string) *nodeRun {
	for depth := 1; depth < len(path); depth++ {
		r.ran(path[:depth])
	}
	for _, n := range r.nodes {
		if slices.Equal(n.path, path) {
			return n
		}
	}
	n := &nodeRun{path: path, order: at}
	r.nodes = append(r.nodes, n)
	return n
}

func (r *runScan) ran(subgraph []string) {
	if !slices.ContainsFunc(r.subgraphs, func(p []string) bool { return slices.Equal(p, subgraph) }) {
		r.subgraphs = append(r.subgraphs, slices.Clone(subgraph))
	}
}

// visit is the known visit with that activation, nil without one.
func (n *nodeRun) visit(activation string) *visit {
	for _, v := range n.visits {
		if activation != "" && v.activation == activation {
			return v
		}
	}
	return nil
}

func (n *nodeRun) newVisit(activation string) *visit {
	v := &visit{activation: activation}
	n.visits = append(n.visits, v)
	return v
}

// start makes its activation the current one. Choice: after a stop and before the next word of the run, a
// start opens nothing that could run; so a head that comes before its rows stops them all the same.
func (r *runScan) start(at int, e *entry) {
	path := pathOf(e.Spine)
	n := r.node(at, path)
	if e.nodeKind == "subgraph" {
		r.ran(path)
	}
	v := n.visit(e.Activation)
	if v == nil {
		v = n.newVisit(e.Activation)
	}
	v.started, v.kind, v.startedAt = true, e.nodeKind, e.at
	v.stopped = r.stopped
	n.current = v
	if !n.known {
		n.known, n.order = true, at
	}
}

// end ends its activation. An end without an activation ends the latest open start without one; the first
// that finds none is a visit of its own. Choice: a further one repeats that visit and changes nothing.
func (r *runScan) end(at int, e *entry) {
	n := r.node(at, pathOf(e.Spine))
	v := n.visit(e.Activation)
	if e.Activation == "" {
		for _, open := range n.visits {
			if open.activation == "" && open.started && !open.ended {
				v = open
			}
		}
		if v == nil && n.orphan != nil {
			return
		}
	}
	if v == nil {
		v = n.newVisit(e.Activation)
		if e.Activation == "" {
			n.orphan = v
		}
	}
	v.ended, v.status, v.finishedAt, v.err = true, e.end, e.at, e.err
	if !n.known {
		n.current = v
	}
	if e.usage != nil {
		n.usage = plus(n.usage, e.usage)
	}
}

func plus(a, b *wire.Usage) *wire.Usage {
	if a == nil || b == nil {
		a, b = cmpOr(a, b), &wire.Usage{}
	}
	if a == nil {
		return nil
	}
	return &wire.Usage{
		PromptTokens:     a.PromptTokens + b.PromptTokens,
		CompletionTokens: a.CompletionTokens + b.CompletionTokens,
		ReasoningTokens:  a.ReasoningTokens + b.ReasoningTokens,
	}
}

func cmpOr(a, b *wire.Usage) *wire.Usage {
	if a != nil {
		return a
	}
	return b
}

// edge moves a fired edge to the end of the list.
func (r *runScan) edge(e *entry) {
	fired := &FiredEdge{
		SubgraphPath: list(e.SubgraphPath), From: e.from, To: e.to, LastFiredAt: when(e.at),
	}
	if e.hasPort {
		fired.FromPort = &e.port
	}
	r.exits[joined(append(slices.Clone(e.SubgraphPath), e.from))] = fired.FromPort
	i := slices.IndexFunc(r.edges, func(o *FiredEdge) bool {
		return slices.Equal(o.SubgraphPath, fired.SubgraphPath) && o.From == fired.From && o.To == fired.To && equalPtr(o.FromPort, fired.FromPort)
	})
	fired.Count = 1
	if i >= 0 {
		fired.Count += r.edges[i].Count
		r.edges = slices.Delete(r.edges, i, i+1)
	}
	r.edges = append(r.edges, fired)
}

func equalPtr(a, b *string) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// word is the run's own word. A failed or cancelled run stops every activation that is still running, for good.
func (r *runScan) word(w wire.Status) {
	r.stopped = w == wire.Failed || w == wire.Cancelled
	if !r.stopped {
		return
	}
	for _, n := range r.nodes {
		for _, v := range n.visits {
			v.stopped = true
		}
	}
}

// kindWord is the start's word, whatever it says; absent while no start is known.
func (v *visit) kindWord() *string {
	if !v.started {
		return nil
	}
	return &v.kind
}

func (v *visit) now() wire.Status {
	switch {
	case v.ended:
		return v.status
	case v.stopped:
		return wire.Cancelled
	}
	return wire.Running
}

// runSnapshot is docs/fold.md, "The run projection".
func (s *state) runSnapshot() Run {
	r := s.scanRun()
	run := Run{Status: s.runStatus(), Nodes: []*NodeRun{}, Edges: r.edges, Subagents: []*Subagent{}, HasEarlier: s.hasEarlier()}
	if run.Edges == nil {
		run.Edges = []*FiredEdge{}
	}
	var total *wire.Usage
	for _, n := range r.nodes {
		total = plus(total, n.usage)
		v := n.current
		run.Nodes = append(run.Nodes, &NodeRun{
			Path: n.path, NodeID: n.path[len(n.path)-1], SubgraphPath: list(n.path[:len(n.path)-1]),
			Kind: v.kindWord(), Status: statusWords[v.now()], Activation: text(v.activation), VisitCount: len(n.visits),
			StartedAt: when(v.startedAt), FinishedAt: when(v.finishedAt), Error: publicError(v.err), Usage: usage(n.usage),
			ExitedVia: r.exits[joined(n.path)],
		})
	}
	run.TotalUsage = usage(total)
	for _, p := range r.subgraphs {
		sub := &Subagent{Path: p, NodeID: p[len(p)-1]}
		for _, n := range r.nodes {
			if len(n.path) <= len(p) || !slices.Equal(n.path[:len(p)], p) {
				continue
			}
			switch n.current.now() {
			case wire.Running:
				sub.RunningCount++
			case wire.Completed:
				sub.DoneCount++
			default:
				sub.FailedCount++
			}
		}
		run.Subagents = append(run.Subagents, sub)
	}
	return run
}

// runStatus: a head alone says nothing about a run whose lifecycle is not in the log.
func (s *state) runStatus() string {
	lifecycle := s.first(func(e *entry) bool { return e.kind == startMark || e.kind == endMark || e.kind == edgeMark })
	if s.word == 0 || !s.runFrame && lifecycle == nil {
		return "IDLE"
	}
	if s.word == wire.AwaitingClientTool {
		return "PAUSED"
	}
	return statusWords[s.word]
}
