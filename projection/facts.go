package projection

import (
	"slices"
	"sort"

	"inlaygraph/wire"
)

// fact is a node's start or end with the key that orders it; without a mark it is none.
type fact struct {
	key  uint64
	mark *Mark
}

// visit is what is known of one activation.
type visit struct{ start, end fact }

// nodeFacts are the lifecycle facts of one path, in timeline order, and what they add up to.
type nodeFacts struct {
	place  *Place
	list   []fact
	visits map[string]visit // by activation, "" is none
	sum    nodeSum

	// What is forgotten.
	horizon uint64  // facts up to it are in base, and not in the list; 0: none are
	base    nodeSum // what they add up to
	gone    int     // visits that are no longer in visits
	half    string  // the visit that was current when something was forgotten last, "" for none
}

// known tells whether the node has facts.
func (f *nodeFacts) known() bool { return len(f.list) > 0 || f.horizon > 0 && f.base != (nodeSum{}) }

// find returns the index of the fact that b repeats: by activation, else by seq where one of the two says
// no activation; -1 when it is news.
func (f *nodeFacts) find(s *State, kind MarkKind, b *wire.Body) int {
	v := f.visits[b.Activation]
	known := v.start
	if kind == MarkEnd {
		known = v.end
	}
	if known.mark != nil {
		return f.indexOf(known.key)
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

// after returns the index of the first fact behind key.
func (f *nodeFacts) after(key uint64) int {
	return sort.Search(len(f.list), func(i int) bool { return f.list[i].key > key })
}

// note remembers a fact by its activation.
func (f *nodeFacts) note(x fact) {
	if x.mark.activation == "" {
		return
	}
	if f.visits == nil {
		f.visits = map[string]visit{}
	}
	v := f.visits[x.mark.activation]
	if x.mark.Kind == MarkStart {
		v.start = x
	} else {
		v.end = x
	}
	f.visits[x.mark.activation] = v
}

// add takes a fact in. At the end of the list it is added to the sum; anywhere else the list has to be added up
// anew, so that a fact counts where it stands and not when it was learnt: then it answers false.
func (f *nodeFacts) add(x fact, stops []uint64, stopped bool) (summed bool) {
	if x.key <= f.horizon && f.base != (nodeSum{}) {
		f.precede(x)
		return false
	}
	f.note(x)
	if n := len(f.list); (n == 0 || f.list[n-1].key < x.key) && (len(stops) == 0 || stops[len(stops)-1] < x.key) {
		f.list = append(f.list, x)
		f.sum.step(x, f.visits)
		if stopped {
			f.sum.stop()
		}
		return true
	}
	f.list = slices.Insert(f.list, f.after(x.key), x)
	return false
}

// refold adds the facts up from the start. stops are the keys behind which the run stood stopped once;
// stopped says that it stands so now, behind every fact.
func (f *nodeFacts) refold(stops []uint64, stopped bool) {
	f.sum = f.base
	for _, x := range f.list {
		for len(stops) > 0 && stops[0] < x.key {
			f.sum.stop()
			stops = stops[1:]
		}
		f.sum.step(x, f.visits)
	}
	if stopped || len(stops) > 0 {
		f.sum.stop()
	}
}

// ended tells whether a visit has an end; without an activation, whether any such visit has.
func (f *nodeFacts) ended(activation string) bool {
	if activation != "" {
		return f.visits[activation].end.mark != nil
	}
	return slices.ContainsFunc(f.list, func(x fact) bool { return x.mark.Kind == MarkEnd && x.mark.activation == "" })
}
