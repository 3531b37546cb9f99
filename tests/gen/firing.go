package gen

import (
	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// player plays a designed agent on a platform.
type player struct {
	*platform
	budget int // visits left in this turn
	breaks int // user rows left that may come in the middle
}

// Run plays one to three turns of the agent.
func (a *Agent) Run(t *rapid.T) *Run {
	style := Style{IDs: !chance(t, "no ids", 12), Seqs: !chance(t, "no seqs", 12), Activations: !chance(t, "no activations", 8), Times: !chance(t, "no times", 12)}
	return a.RunOf(t, style)
}

// RunOf is Run in a given style.
func (a *Agent) RunOf(t *rapid.T, style Style) *Run {
	p := &player{platform: newPlatform(t, style)}
	return p.turns(func() script {
		p.budget, p.breaks = between(t, "visits", 4, 24), upTo(t, "breaks", 4)
		return p.play(a.top, a.top.stages)
	})
}

// play goes through stages. Now and then a user row comes between two of them.
func (p *player) play(l *level, stages []stage) script {
	var all script
	var before *member
	for _, s := range stages {
		if s.node != nil {
			all = append(all, p.edgeTo(l, before, s.node)...)
			for range pick(p.t, "visits", 1, 1, 1, 2) {
				all = append(all, p.enter(l, s.node)...)
			}
			before = s.node
		} else {
			for range pick(p.t, "firings", 1, 1, 1, 2, 2, 3) {
				all = append(all, p.fire(l, s.fan)...)
			}
			before = s.fan.join
		}
		if chance(p.t, "user between stages", 8) {
			all = append(all, p.userRow()...)
		}
	}
	return all
}

// fire is one firing. Its source and its join may be left out, as after a window that starts late or a graph that
// loops back past them; a branch may not run.
func (p *player) fire(l *level, f *fan) script {
	var all script
	if !chance(p.t, "no source", 25) {
		all = p.enter(l, f.source)
	}
	var branches []script
	for _, stages := range f.branches {
		if p.budget <= 0 || chance(p.t, "no branch", 15) {
			continue
		}
		branch := p.edgeTo(l, f.source, membersOf(stages, f.join)[0])
		branches = append(branches, append(branch, p.play(l, stages)...))
	}
	if chance(p.t, "user in the middle", 40) {
		branches = append(branches, p.userRow())
	}
	all = append(all, p.shuffled(branches)...)
	if !chance(p.t, "no join", 35) {
		all = append(all, p.enter(l, f.join)...)
	}
	return all
}

// userRow ends a turn in the middle of what the nodes do, and starts the next: what runs goes on in it.
func (p *player) userRow() script {
	if p.breaks == 0 {
		return nil
	}
	p.breaks--
	return script{func() {
		p.pause(wire.Paused)
		p.runStart()
		p.user()
	}}
}

func (p *player) edgeTo(l *level, from, to *member) script {
	if from == nil {
		return nil
	}
	return script{p.edge(l.path, &from.node, &to.node)}
}

// enter is one visit of a node, with what is in it.
func (p *player) enter(l *level, m *member) script {
	if p.budget <= 0 {
		return nil
	}
	if m.inner == nil || m.blackBox {
		n := m.node
		n.blackBox = true // nothing in it that visit could play
		return p.visit(l.path, &n, &p.budget)
	}
	p.budget--
	v := &visit{spine: wire.Spine{NodeID: m.id, SubgraphPath: l.path}, kind: m.kind}
	steps := script{func() { p.nodeStart(v) }}
	steps = append(steps, p.play(m.inner, m.inner.stages)...)
	return append(steps, func() {
		p.nodeEnd(v, pick(p.t, "status", wire.Completed, wire.Completed, wire.Completed, wire.Completed, wire.Failed))
	})
}
