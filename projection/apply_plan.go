package projection

import (
	"slices"

	"inlaygraph/wire"
)

// Plan is an agent version's plan as the fold takes it: its index, and its schemas compiled. It may come at any
// time; it counts from when the conversation turns out to be that version's.
type Plan struct {
	Index   *wire.PlanIndex
	Schemas *Schemas // nil checks nothing
}

// ConversationInput marks it as something a conversation folds.
func (Plan) ConversationInput() {}

// version is an agent's version.
type version struct {
	agent  string
	number int
}

func (s *State) applyPlan(p Plan) {
	plan := p.Index.Plan()
	of := version{plan.AgentID, plan.AgentVersion}
	if ref := s.cur.chat.conversation; ref != nil && of != (version{ref.AgentID, ref.AgentVersion}) {
		return // the conversation keeps its identity: this one will never count
	}
	if s.plans == nil {
		s.plans = map[version]*Plan{}
	}
	s.plans[of] = &p
	s.adoptPlan()
}

// adoptPlan takes the plan of the conversation's agent version, once both are known, and checks what came before it.
func (s *State) adoptPlan() {
	ref := s.cur.chat.conversation
	if ref == nil {
		return
	}
	p := s.plans[version{ref.AgentID, ref.AgentVersion}]
	if p == nil || p == s.cur.plan {
		return
	}
	s.cur.plan = p
	s.mark(Slice{Kind: SlicePlan})
	s.recheckOutputs()
	s.recheckWorkingSet()
	s.recheckTables()
}

// schemas are those of the plan, nil while there is none.
func (s *State) schemas() *Schemas {
	if s.cur.plan == nil {
		return nil
	}
	return s.cur.plan.Schemas
}

// checkOutput checks a row's value once it has settled; was is the row's value before, if it had one. A value
// that grows is not checked before it stands.
func (s *State) checkOutput(o *OutputRow, was Row) {
	settled := o.Status == wire.Final && (o.Complete || !o.Value.isText)
	if !settled || s.schemas() == nil {
		o.schemaErrors = nil
		return
	}
	if before, ok := was.(*OutputRow); ok && before.schemaErrors != nil && before.Value == o.Value && before.Promoted == o.Promoted {
		o.schemaErrors = before.schemaErrors
		return
	}
	subgraph := ""
	if o.place != nil {
		subgraph = o.place.Parent.key
	}
	o.schemaErrors = s.schemas().output(subgraph, o.Name, o.Promoted, o.Value)
}

func (s *State) recheckOutputs() {
	entries := s.cur.entries
	s.tok = &token{} // entries stay as they are while rows are replaced
	for key, r := range entries.All() {
		o, ok := r.(*OutputRow)
		if !ok {
			continue
		}
		c := *o
		c.schemaErrors = nil
		s.checkOutput(&c, nil)
		if !sameErrors(o.schemaErrors, c.schemaErrors) {
			s.replaceRow(key, o, &c)
		}
	}
}

func (s *State) recheckWorkingSet() {
	for ord := range s.cur.keptOwn {
		s.touchOwn(ord)
	}
	for ord := range s.cur.keptInner {
		s.touchInner(ord)
	}
	s.setKept(&s.cur.keptOwn, s.checkOwn(s.cur.keptOwn))
	s.setKept(&s.cur.keptInner, s.checkInner(s.cur.keptInner))
}

func (s *State) checkOwn(bindings map[uint64]*Binding) map[uint64]*Binding {
	return s.checkBindings(bindings, func(uint64) string { return "" })
}

func (s *State) checkInner(bindings map[uint64]*Binding) map[uint64]*Binding {
	return s.checkBindings(bindings, func(ord uint64) string { return s.cur.inners.of(ord).path.key })
}

// checkBindings returns the working set's bindings with what is wrong with the settled ones.
func (s *State) checkBindings(bindings map[uint64]*Binding, subgraph func(ord uint64) string) map[uint64]*Binding {
	out := make(map[uint64]*Binding, len(bindings))
	for ord, b := range bindings {
		c := *b
		c.schemaErrors = nil
		switch {
		case c.row != nil:
			r := *c.row
			s.checkOutput(&r, nil)
			c.schemaErrors, c.row = r.schemaErrors, &r
		case c.Status == wire.Final:
			c.schemaErrors = s.schemas().output(subgraph(ord), c.Name, false, c.Value)
		}
		out[ord] = &c
	}
	return out
}

func (s *State) checkTableRow(table string, r *TableRowView) {
	r.schemaErrors = nil
	if r.Status == wire.Final {
		r.schemaErrors = s.schemas().table(table, r.Value)
	}
}

func (s *State) recheckTables() {
	was := s.cur.tables
	s.tok = &token{} // was stays as it is while its rows are replaced
	for ord, t := range was.All() {
		name, now, moved := s.cur.tableIDs.of(ord), t, false
		for stamp, r := range t.rows.All() {
			c := *r
			if s.checkTableRow(name, &c); !sameErrors(r.schemaErrors, c.schemaErrors) {
				s.tableBytes += tableRowBytes(&c) - tableRowBytes(r)
				now.rows.Set(s.tok, stamp, &c, 0)
				moved = true
			}
		}
		if moved {
			s.setTable(ord, now)
		}
	}
}

func sameErrors(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
