package projection

import (
	"slices"
	"strings"
)

// bindingBefore is a binding as it was before the change under way.
type bindingBefore struct {
	inner bool
	ord   uint64
	was   *Binding
}

// touchOutputs remembers the bindings that output rows may move.
func (s *State) touchOutputs(rows ...Row) {
	for _, r := range rows {
		o, ok := r.(*OutputRow)
		switch {
		case !ok:
		case o.own():
			s.touchOwn(s.cur.names.add(o.Name))
		default:
			s.touchInner(s.cur.inners.add(innerName{o.place.Parent, o.Name}))
		}
	}
}

func (s *State) touchOwn(ord uint64)   { s.touch(bindingBefore{false, ord, nil}) }
func (s *State) touchInner(ord uint64) { s.touch(bindingBefore{true, ord, nil}) }

func (s *State) touch(b bindingBefore) {
	for _, t := range s.bindings {
		if t.inner == b.inner && t.ord == b.ord {
			return
		}
	}
	b.was = s.cur.bindingAt(b.inner, b.ord)
	s.bindings = append(s.bindings, b)
}

// settleBindings marks the bindings whose value moved.
func (s *State) settleBindings() {
	for _, b := range s.bindings {
		is := s.cur.bindingAt(b.inner, b.ord)
		if b.was.equal(is) {
			continue
		}
		if b.inner {
			in := s.cur.inners.of(b.ord)
			s.mark(Slice{Kind: SliceBinding, Path: in.path.key, Name: in.name})
			s.mark(Slice{Kind: SliceOutputsOf, Path: in.path.key})
			s.mark(Slice{Kind: SliceSubagentBindings})
		} else {
			s.mark(Slice{Kind: SliceBinding, Name: s.cur.names.of(b.ord)})
			s.mark(Slice{Kind: SliceBindings})
		}
	}
}

func (b *Binding) equal(o *Binding) bool {
	if b == nil || o == nil {
		return b == o
	}
	return b.Value.equal(o.Value) && b.Status == o.Status && b.format == o.format && sameErrors(b.schemaErrors, o.schemaErrors)
}

// binding is what the last output row of a name binds.
func (r *OutputRow) binding() *Binding {
	return &Binding{Name: r.Name, Value: r.Value, Status: r.Status, format: r.format, schemaErrors: r.schemaErrors}
}

// bindingAt derives the binding of a name: the value of the timeline's last output row with it, one that was dropped
// included, else the working set's; nil when there is neither (docs/fold.md, "bindings").
func (s *Snapshot) bindingAt(inner bool, ord uint64) *Binding {
	lists, kept := &s.outputs, s.keptOwn
	if inner {
		lists, kept = &s.innerOutputs, s.keptInner
	}
	b := kept[ord]
	if list, ok := lists.Get(ord); ok {
		if key, _, ok := list.Last(); ok && (b == nil || key > b.key) {
			return s.rowAt(key).(*OutputRow).binding()
		}
	}
	return b
}

// bindingOrds lists the ordinals that have a binding or may have one.
func bindingOrds(lists tree[tree[struct{}]], kept map[uint64]*Binding) []uint64 {
	ords := make([]uint64, 0, lists.Len()+len(kept))
	for ord := range lists.All() {
		ords = append(ords, ord)
	}
	for ord := range kept {
		if _, ok := lists.Get(ord); !ok {
			ords = append(ords, ord)
		}
	}
	return ords
}

// Bindings are the conversation's own values per output name, sorted by name.
func (s *Snapshot) Bindings() []*Binding {
	out := []*Binding{}
	for _, ord := range bindingOrds(s.outputs, s.keptOwn) {
		if b := s.bindingAt(false, ord); b != nil {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *Binding) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// SubagentBindings are the inner un-promoted values by subagent and name, sorted by path, then name.
func (s *Snapshot) SubagentBindings() []*SubagentBindings {
	by := map[*Place]*SubagentBindings{}
	out := []*SubagentBindings{}
	for _, ord := range bindingOrds(s.innerOutputs, s.keptInner) {
		b := s.bindingAt(true, ord)
		if b == nil {
			continue
		}
		pl := s.inners.of(ord).path
		if by[pl] == nil {
			by[pl] = &SubagentBindings{Path: pl.Path}
			out = append(out, by[pl])
		}
		by[pl].Bindings = append(by[pl].Bindings, b)
	}
	slices.SortFunc(out, func(a, b *SubagentBindings) int { return slices.Compare(a.Path, b.Path) })
	for _, sb := range out {
		slices.SortFunc(sb.Bindings, func(a, b *Binding) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

// Binding is one value: the conversation's own for an empty path, else that subagent's; nil when unknown.
func (s *Snapshot) Binding(path []string, name string) *Binding {
	if len(path) == 0 {
		if ord, ok := s.names.find(name); ok {
			return s.bindingAt(false, ord)
		}
		return nil
	}
	if pl := s.places.find(path); pl != nil {
		if ord, ok := s.inners.find(innerName{pl, name}); ok {
			return s.bindingAt(true, ord)
		}
	}
	return nil
}
