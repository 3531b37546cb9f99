package projection

import (
	"slices"
	"sort"

	"inlaygraph/wire"
)

// fact is a node's start or end with the key that orders it.
type fact struct {
	key  uint64
	mark *Mark
}

// nodeFacts are the lifecycle facts of one path, in timeline order, and what they add up to.
type nodeFacts struct {
	place *Place
	list  []fact
	sum   nodeSum
}

// find returns the index of the fact that b repeats: by activation, else by seq where one of the two says
// no activation; -1 when it is news.
func (f *nodeFacts) find(s *State, kind MarkKind, b *wire.Body) int {
	if v := f.sum.visits[b.Activation]; v != nil && b.Activation != "" {
		m := v.start
		if kind == MarkEnd {
			m = v.end
		}
		if m != nil {
			return f.indexOf(m.key)
		}
	}
	key, ok := s.bySeq(b.Seq, markKinds[kind])
	if !ok {
		return -1
	}
	i := f.indexOf(key)
	if i < 0 || f.list[i].mark.Kind != kind || f.list[i].mark.activation != "" && b.Activation != "" {
		return -1
	}
	return i
}

func (f *nodeFacts) indexOf(key uint64) int {
	i := sort.Search(len(f.list), func(i int) bool { return f.list[i].key >= key })
	if i < len(f.list) && f.list[i].key == key {
		return i
	}
	return -1
}

// add takes a fact in. At the end of the list it costs one step; anywhere else the list is folded anew,
// so that a fact counts where it stands and not when it was learnt.
func (f *nodeFacts) add(x fact, stops []uint64, stopped bool) {
	if n := len(f.list); (n == 0 || f.list[n-1].key < x.key) && (len(stops) == 0 || stops[len(stops)-1] < x.key) {
		f.list = append(f.list, x)
		f.sum.step(&f.list[n])
		if stopped {
			f.sum.stop()
		}
		return
	}
	f.list = slices.Insert(f.list, f.after(x.key), x)
	f.refold(stops, stopped)
}

// after returns the index of the first fact behind key.
func (f *nodeFacts) after(key uint64) int {
	return sort.Search(len(f.list), func(i int) bool { return f.list[i].key > key })
}

// refold adds the facts up from the start. stops are the keys behind which the run stood stopped once;
// stopped says that it stands so now, behind every fact.
func (f *nodeFacts) refold(stops []uint64, stopped bool) {
	f.sum = nodeSum{}
	for i := range f.list {
		for len(stops) > 0 && stops[0] < f.list[i].key {
			f.sum.stop()
			stops = stops[1:]
		}
		f.sum.step(&f.list[i])
	}
	if stopped || len(stops) > 0 {
		f.sum.stop()
	}
}

// seen is a fact by value: facts move when the list grows.
type seen struct {
	key  uint64
	mark *Mark
}

// visit is what is known of one activation.
type visit struct{ start, end *seen }

// nodeSum is what a node's facts add up to, one after the other.
type nodeSum struct {
	visits     map[string]*visit
	starts     int  // known starts
	bareStarts int  // starts without an activation
	bareOpen   int  // of these, how many have no end yet
	bareEnd    bool // an end without an activation found no such start open
	usage      *wire.Usage

	// The current activation: the latest started, or while no start is known the latest ended.
	start, end *seen
	activation string
	stopped    bool

	firstStart, firstEnd uint64
	firstSubgraph        uint64 // the first start of kind subgraph
}

// step adds the next fact. Repeated starts and ends of one activation never get here.
func (n *nodeSum) step(f *fact) {
	x := &seen{f.key, f.mark}
	if f.mark.Kind == MarkStart {
		n.stepStart(x)
	} else {
		n.stepEnd(x)
	}
}

func (n *nodeSum) visit(activation string) *visit {
	v := n.visits[activation]
	if v == nil {
		if n.visits == nil {
			n.visits = map[string]*visit{}
		}
		v = &visit{}
		n.visits[activation] = v
	}
	return v
}

func (n *nodeSum) stepStart(x *seen) {
	n.starts++
	if n.firstStart == 0 {
		n.firstStart = x.key
	}
	if n.firstSubgraph == 0 && x.mark.kind == "subgraph" {
		n.firstSubgraph = x.key
	}
	n.start, n.end, n.activation, n.stopped = x, nil, x.mark.activation, false
	if n.activation == "" {
		n.bareStarts++
		n.bareOpen++
		return
	}
	v := n.visit(n.activation)
	v.start, n.end = x, v.end
}

func (n *nodeSum) stepEnd(x *seen) {
	if n.firstEnd == 0 {
		n.firstEnd = x.key
	}
	activation := x.mark.activation
	current := n.start != nil && n.activation == activation && n.end == nil
	switch {
	case activation != "":
		n.visit(activation).end = x
	case n.bareOpen > 0:
		n.bareOpen--
	case n.bareEnd:
		return // it repeats the one visit that had no start
	default:
		n.bareEnd, current = true, false
	}
	n.addUsage(x.mark.usage)
	if current {
		n.end = x
	} else if n.starts == 0 {
		n.end, n.activation = x, activation
	}
}

func (n *nodeSum) addUsage(u *wire.Usage) {
	if u == nil {
		return
	}
	sum := wire.Usage{}
	if n.usage != nil {
		sum = *n.usage
	}
	sum.PromptTokens += u.PromptTokens
	sum.CompletionTokens += u.CompletionTokens
	sum.ReasoningTokens += u.ReasoningTokens
	n.usage = &sum
}

// stop tells that the run stopped here: a node still running was cancelled, for good in that activation.
func (n *nodeSum) stop() {
	if n.start != nil && n.end == nil {
		n.stopped = true
	}
}

// nodeRun is the run that the facts add up to.
func (n *nodeSum) nodeRun(f *nodeFacts) *NodeRun {
	r := &NodeRun{
		place: f.place, Status: wire.Running, VisitCount: len(n.visits) + n.bareStarts, Usage: n.usage,
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
	if n.start != nil {
		m := n.start.mark
		r.startKey, r.StartedAt = n.start.key, m.At()
		r.Kind = &m.kind
	}
	switch {
	case n.end != nil:
		m := n.end.mark
		r.Status, r.FinishedAt, r.Error = m.status, m.At(), m.err
	case n.stopped:
		r.Status = wire.Cancelled
	}
	return r
}

// sameAs compares what a reader can see of the node: its run, and which edges fired since its latest start.
func (n *NodeRun) sameAs(o *NodeRun) bool {
	return n.startKey == o.startKey && n.Status == o.Status && n.VisitCount == o.VisitCount && same(n.Error, o.Error) &&
		same(n.Kind, o.Kind) && same(n.Activation, o.Activation) && same(n.Usage, o.Usage) && same(n.ExitedVia, o.ExitedVia) &&
		same(n.StartedAt, o.StartedAt) && same(n.FinishedAt, o.FinishedAt)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
