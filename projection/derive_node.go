package projection

import (
	"cmp"

	"inlaygraph/wire"
)

// nodeSum is what a node's facts add up to, one after the other.
type nodeSum struct {
	starts     int  // known starts
	bareStarts int  // starts without an activation
	bareOpen   int  // of these, how many have no end yet
	bareEnd    bool // an end without an activation found no such start open
	usage      *wire.Usage

	// The current activation: the latest started, or while no start is known the latest ended.
	start, end fact
	activation string
	stopped    bool

	firstStart, firstEnd uint64
	firstSubgraph        uint64 // the first start of kind subgraph
}

// step adds the next fact. Repeated starts and ends of one activation never get here. visits are all that
// is known of activations, before the fact and behind it.
func (n *nodeSum) step(x fact, visits map[string]visit) {
	if x.mark.Kind == MarkStart {
		n.stepStart(x, visits)
	} else {
		n.stepEnd(x)
	}
}

func (n *nodeSum) stepStart(x fact, visits map[string]visit) {
	n.starts++
	if n.firstStart == 0 {
		n.firstStart = x.key
	}
	if n.firstSubgraph == 0 && x.mark.kind == "subgraph" {
		n.firstSubgraph = x.key
	}
	n.start, n.end, n.activation, n.stopped = x, fact{}, x.mark.activation, false
	if n.activation == "" {
		n.bareStarts++
		n.bareOpen++
		return
	}
	n.end = visits[n.activation].end
}

func (n *nodeSum) stepEnd(x fact) {
	if n.firstEnd == 0 {
		n.firstEnd = x.key
	}
	activation := x.mark.activation
	current := n.start.mark != nil && n.activation == activation
	switch {
	case activation != "":
	case n.bareOpen > 0:
		n.bareOpen--
		current = current && n.end.mark == nil
	case n.bareEnd:
		return // it repeats the one visit that had no start
	default:
		n.bareEnd, current = true, false
	}
	n.usage = addUsage(n.usage, x.mark.usage)
	if current {
		n.end = x
	} else if n.starts == 0 {
		n.end, n.activation = x, activation
	}
}

// addUsage adds two usages up; nil is none.
func addUsage(a, b *wire.Usage) *wire.Usage {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &wire.Usage{
		PromptTokens:     a.PromptTokens + b.PromptTokens,
		CompletionTokens: a.CompletionTokens + b.CompletionTokens,
		ReasoningTokens:  a.ReasoningTokens + b.ReasoningTokens,
	}
}

// stop tells that the run stopped here: a node still running was cancelled, for good in that activation.
func (n *nodeSum) stop() {
	if n.start.mark != nil && n.end.mark == nil {
		n.stopped = true
	}
}

// nodeRun is the run that the facts add up to.
func (n *nodeSum) nodeRun(f *nodeFacts) *NodeRun {
	r := &NodeRun{
		place: f.place, Status: wire.Running, VisitCount: len(f.visits) + f.gone + n.bareStarts, Usage: n.usage,
		order: n.firstStart, evidence: n.firstStart, subgraphKey: n.firstSubgraph,
	}
	if n.bareEnd {
		r.VisitCount++
	}
	if n.firstStart == 0 {
		r.order = n.firstEnd
	}
	if r.evidence == 0 || n.firstEnd != 0 && n.firstEnd < r.evidence {
		r.evidence = n.firstEnd
	}
	if n.activation != "" {
		activation := n.activation
		r.Activation = &activation
	}
	if m := n.start.mark; m != nil {
		r.startKey, r.StartedAt = n.start.key, m.At()
		r.Kind = &m.kind
	}
	switch m := n.end.mark; {
	case m != nil:
		r.Status, r.FinishedAt, r.Error = m.status, m.At(), m.err
	case n.stopped:
		r.Status = wire.Cancelled
	}
	return r
}

// sameAs compares what a reader can see of the node: its run, which edges fired since its latest start, and
// whether it ever ran as a subgraph.
func (n *NodeRun) sameAs(o *NodeRun) bool {
	return n.startKey == o.startKey && (n.subgraphKey == 0) == (o.subgraphKey == 0) && n.Status == o.Status && n.VisitCount == o.VisitCount && same(n.Error, o.Error) &&
		same(n.Kind, o.Kind) && same(n.Activation, o.Activation) && same(n.Usage, o.Usage) && same(n.ExitedVia, o.ExitedVia) &&
		same(n.StartedAt, o.StartedAt) && same(n.FinishedAt, o.FinishedAt)
}
