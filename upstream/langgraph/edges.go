package langgraph

import (
	"slices"
	"strings"

	"inlaygraph/wire"
)

// Which edges fired. They are not on the wire: a start tells its triggers, the graph its static edges, and the step
// before is known.
//
//   - `join:a+b:x` names all that led to x.
//   - `branch:a:…:x`, and a node's own name, name the one that did.
//   - Else, of the nodes that ended in the step before: those with an edge to x that has no condition led to it,
//     all of them. If there are none, the only one with a conditional edge to x did; if no edge is known, the only
//     one that ended did. Where several could have, it is not told.
//   - A history tells no triggers: there a node without a condition that ended earlier and is still owed its x led
//     to it too, which is what a join is.

// level is a graph that runs: where its step stands.
type level struct {
	running map[string]bool
	before  []string // the nodes that ended in the step before
	pushes  int      // tasks of this step that were sent
	pulled  bool     // this step has a task that was not sent
}

func (t *teller) level(namespace string) *level {
	l := t.levels[namespace]
	if l == nil {
		l = &level{running: map[string]bool{}}
		t.levels[namespace] = l
	}
	return l
}

// pushed is the trigger of a task that was sent to its node with an input of its own.
const pushed = "__pregel_push"

// enter notes a new task, which begins a step when none runs, and answers its iteration.
func (l *level) enter(k *Known, namespace string, how placement) int {
	if len(l.running) == 0 {
		l.before, l.pushes, l.pulled = k.finished[namespace], 0, false
		delete(k.finished, namespace)
	}
	switch {
	case how.push > 0:
		return how.push
	case !how.traced:
		return 0
	case slices.Contains(how.triggers, pushed) && !l.pulled:
		l.pushes++
		return l.pushes
	}
	l.pulled = true
	return 0
}

// leave notes that a task ended.
func (l *level) leave(k *Known, tk *task, completed bool) {
	delete(l.running, tk.id)
	if completed && !slices.Contains(k.finished[tk.namespace], tk.spine.NodeID) {
		k.finished[tk.namespace] = append(slices.Clone(k.finished[tk.namespace]), tk.spine.NodeID)
	}
}

// traversal is an edge that fired into a node.
type traversal struct {
	from, to string
	port     string
	hasPort  bool
}

// fired tells of a traversal.
func (t *teller) fired(path []string, f traversal) {
	t.tell(wire.EdgeFired, wire.Spine{SubgraphPath: path}, func(b *wire.Body) {
		b.From, b.To, b.FromPort, b.HasFromPort, b.At = f.from, f.to, f.port, f.hasPort, t.at
	})
}

// traversals are the edges that led to a new task.
func (t *teller) traversals(l *level, namespace string, to wire.Spine, how placement) []traversal {
	from, certain := named(to.NodeID, how.triggers, l.before)
	if certain && t.areNodes(to.SubgraphPath, from) {
		return t.along(to, from)
	}
	if len(l.before) == 0 {
		return nil // the first step
	}
	var without, with []string
	if !how.traced {
		without = t.settleOwed(namespace, l.before, to)
	}
	isPush := how.push > 0 || slices.Contains(how.triggers, pushed)
	for _, name := range l.before {
		edges := t.planEdges(to.SubgraphPath, name, to.NodeID)
		if isPush { // what an edge without a condition starts is not sent
			edges = slices.DeleteFunc(edges, unconditional)
		}
		switch {
		case slices.ContainsFunc(edges, unconditional):
			without = append(without, name)
		case len(edges) > 0:
			with = append(with, name)
		}
	}
	switch {
	case len(without) > 0:
		return t.along(to, without)
	case len(with) == 1:
		return t.along(to, with)
	case len(with) == 0 && len(l.before) == 1:
		return t.along(to, l.before)
	}
	t.doubt("what led to " + strings.Join(append(slices.Clone(to.SubgraphPath), to.NodeID), "/") + ": it may be " +
		strings.Join(l.before, " or "))
	return nil
}

func unconditional(e *wire.PlanEdge) bool { return !e.HasFromPort }

// areNodes tells whether names that a trigger holds are nodes that ran: a name may hold what parts them.
func (t *teller) areNodes(path []string, names []string) bool {
	for _, name := range names {
		if t.planNode(path, name) != nil {
			continue
		}
		ran := false
		for _, facts := range t.known.tasks {
			ran = ran || facts.spine.NodeID == name && slices.Equal(facts.spine.SubgraphPath, path)
		}
		if !ran {
			return false
		}
	}
	return true
}

// owe notes, at the end of a step that tells no triggers, which nodes the ended ones lead to without a condition.
// Those that the next step does not start wait for others too.
func (t *teller) owe(namespace string, ended, next []string) {
	for _, name := range ended {
		n := t.planNode(pathOf(namespace), name)
		if n == nil {
			continue
		}
		for _, e := range n.Edges {
			key := namespace + "\x00" + e.To
			if unconditional(e) && !slices.Contains(next, e.To) && !slices.Contains(t.known.owed[key], name) {
				t.known.owed[key] = append(slices.Clone(t.known.owed[key]), name)
			}
		}
	}
}

// settleOwed takes the nodes that are owed a start of that node, but for those of the step before.
func (t *teller) settleOwed(namespace string, before []string, to wire.Spine) []string {
	key := namespace + "\x00" + to.NodeID
	owed := t.known.owed[key]
	delete(t.known.owed, key)
	return slices.DeleteFunc(slices.Clone(owed), func(name string) bool { return slices.Contains(before, name) })
}

// named reads the sources that triggers name.
func named(to string, triggers, before []string) ([]string, bool) {
	for _, trigger := range triggers {
		if rest, ok := strings.CutPrefix(trigger, "join:"); ok {
			if names, ok := strings.CutSuffix(rest, ":"+to); ok && names != "" {
				return strings.Split(names, "+"), true
			}
		}
		if rest, ok := strings.CutPrefix(trigger, "branch:"); ok && !strings.HasPrefix(rest, "to:") {
			if name, _, ok := strings.Cut(rest, ":"); ok && slices.Contains(before, name) {
				return []string{name}, true
			}
		}
		if slices.Contains(before, trigger) {
			return []string{trigger}, true
		}
	}
	return nil, false
}

// along makes traversals from nodes to one, by the port of their edge where it is certain.
func (t *teller) along(to wire.Spine, from []string) []traversal {
	all := make([]traversal, 0, len(from))
	for _, name := range from {
		f := traversal{from: name, to: to.NodeID}
		edges := t.planEdges(to.SubgraphPath, name, to.NodeID)
		if len(edges) == 1 {
			f.port, f.hasPort = edges[0].FromPort, edges[0].HasFromPort
		}
		all = append(all, f)
	}
	return all
}

// planEdges are the plan's edges from one node to another.
func (t *teller) planEdges(path []string, from, to string) []*wire.PlanEdge {
	n := t.planNode(path, from)
	if n == nil {
		return nil
	}
	var edges []*wire.PlanEdge
	for _, e := range n.Edges {
		if e.To == to {
			edges = append(edges, e)
		}
	}
	return edges
}
