package langgraph

import (
	"slices"
	"strings"

	"inlaygraph/wire"
)

// regions finds the fan-outs whose members are certain (docs/langgraph.md): a source with two or more edges, none of
// them conditional, whose branches meet in one join, with no other way into a branch or out of it, and no cycle but one
// that lies wholly behind the branches.
func (d *drawing) regions() {
	for _, s := range d.order {
		for _, source := range s.nodes {
			if r, why := s.region(source); r != nil {
				d.plan.Regions = append(d.plan.Regions, *r)
			} else if why != "" {
				d.note("no region at %s: %s", strings.Join(append(slices.Clone(s.path), source), "/"), why)
			}
		}
	}
}

// labelMany marks a node that can be reached from more than one branch; others have the number of theirs.
const labelMany = -1

// region works out the fan-out of a source. Without one, the answer says why, "" where there is nothing of a fan-out.
func (s *shape) region(source string) (*wire.PlanRegion, string) {
	var entries []string
	conditional := false
	for _, a := range s.out[source] {
		conditional = conditional || a.conditional
		if !a.conditional && !slices.Contains(entries, a.to) {
			entries = append(entries, a.to)
		}
	}
	switch {
	case len(entries) < 2:
		return nil, ""
	case conditional:
		return nil, "it has conditional edges too"
	case s.leave[source]:
		return nil, "the graph may end there"
	}
	labels := s.spread(entries)
	if _, again := labels[source]; again {
		return nil, "there is a way back to it"
	}
	join, why := s.join(labels)
	if why != "" {
		return nil, why
	}
	r := &wire.PlanRegion{Source: s.at(source), Join: s.at(join), Branches: make([]wire.PlanBranch, len(entries))}
	met := make([]bool, len(entries))
	for i, entry := range entries {
		if labels[entry] != i {
			return nil, "its branches are not apart"
		}
		r.Branches[i].Entry = s.at(entry)
	}
	for _, n := range s.nodes {
		i, ok := labels[n]
		if !ok || i < 0 {
			continue
		}
		if why := s.member(n, i, labels, source, entries[i], join); why != "" {
			return nil, why
		}
		r.Branches[i].Members = append(r.Branches[i].Members, s.at(n))
		met[i] = met[i] || slices.ContainsFunc(s.out[n], func(a arc) bool { return a.to == join })
	}
	if slices.Contains(met, false) {
		return nil, "a branch does not reach where the others meet"
	}
	for _, a := range s.in[join] {
		if _, behind := labels[a.from]; !behind {
			return nil, "there is another way to where its branches meet"
		}
	}
	if s.enter[join] {
		return nil, "the graph may begin where its branches meet"
	}
	if s.cyclic(labels) {
		return nil, "there is a cycle in a branch"
	}
	return r, ""
}

// spread labels what can be reached from the branches.
func (s *shape) spread(entries []string) map[string]int {
	labels := map[string]int{}
	var queue []string
	reach := func(n string, label int) {
		known, ok := labels[n]
		switch {
		case !ok:
			labels[n] = label
		case known == label || known == labelMany:
			return
		default:
			labels[n] = labelMany
		}
		queue = append(queue, n)
	}
	for i, entry := range entries {
		reach(entry, i)
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, a := range s.out[n] {
			reach(a.to, labels[n])
		}
	}
	return labels
}

// join is where all branches meet first: the one node that is reached from several of them and has an edge from one.
func (s *shape) join(labels map[string]int) (join, why string) {
	for _, n := range s.nodes {
		if label, ok := labels[n]; !ok || label != labelMany || !slices.ContainsFunc(s.in[n], fromBranch(labels)) {
			continue
		}
		if join != "" {
			return "", "its branches meet in more than one node"
		}
		join = n
	}
	if join == "" {
		return "", "its branches do not meet"
	}
	return join, ""
}

// fromBranch tells whether an edge comes from a node of one branch.
func fromBranch(labels map[string]int) func(arc) bool {
	return func(a arc) bool {
		label, ok := labels[a.from]
		return ok && label >= 0
	}
}

// member checks that a node of a branch has no other ways in or out than its branch has.
func (s *shape) member(n string, branch int, labels map[string]int, source, entry, join string) string {
	if s.enter[n] || s.leave[n] {
		return "a branch may be entered or left at the graph's own ends"
	}
	if len(s.out[n]) == 0 {
		return "a branch ends without meeting the others"
	}
	for _, a := range s.out[n] {
		if label, ok := labels[a.to]; a.to != join && (!ok || label != branch) {
			return "there is a way out of a branch"
		}
	}
	for _, a := range s.in[n] {
		label, ok := labels[a.from]
		if ok && label == branch || a.from == source && n == entry && !a.conditional {
			continue
		}
		return "there is another way into a branch"
	}
	return ""
}

// cyclic tells whether a branch has a cycle.
func (s *shape) cyclic(labels map[string]int) bool {
	waits := map[string]int{}
	var free []string
	for _, n := range s.nodes {
		if label, ok := labels[n]; !ok || label < 0 {
			continue
		}
		for _, a := range s.in[n] {
			if label, ok := labels[a.from]; ok && label >= 0 {
				waits[n]++
			}
		}
		if waits[n] == 0 {
			free = append(free, n)
		}
	}
	for len(free) > 0 {
		n := free[0]
		free = free[1:]
		for _, a := range s.out[n] {
			if waits[a.to]--; waits[a.to] == 0 {
				if label, ok := labels[a.to]; ok && label >= 0 {
					free = append(free, a.to)
				}
			}
		}
	}
	for n, count := range waits {
		if label, ok := labels[n]; ok && label >= 0 && count > 0 {
			return true
		}
	}
	return false
}

func (s *shape) at(n string) []string { return append(slices.Clone(s.path), n) }
