package wire

import (
	"slices"
	"strings"
)

// head reads a conversation head.
func (s *state) head() (*Head, *Rejection) {
	head := new(Head)
	rejected := s.readAll(&headShape, func(m member, raw []byte) (bool, Reason) { return s.setHead(head, m, raw) })
	if rejected != nil {
		rejected.Type = headType
		return nil, rejected
	}
	return head, nil
}

func (s *state) setHead(h *Head, m member, raw []byte) (there bool, why Reason) {
	switch m {
	case memberConversationID:
		h.ConversationID, why = s.text(raw)
	case memberAgentID:
		h.AgentID, why = s.text(raw)
	case memberAgentVersion:
		h.AgentVersion, why = small(raw, 0)
	case memberStatus:
		h.Status, why = s.status(raw, headShape.statuses)
	case memberRetryable:
		h.Retryable, why = boolean(raw)
		h.HasRetryable = true
	case memberError:
		h.Error, why = s.publicError(raw)
	case memberHasEarlier:
		h.HasEarlier, why = boolean(raw)
		h.SaysEarlier = true
	case memberLastOffset:
		h.LastOffset, why = integer(raw, 0, maxInteger)
		h.HasLastOffset = true
	case memberTitle:
		h.Title, why = s.text(raw)
	case memberCreatedAt:
		h.CreatedAt, why = s.instant(raw)
	case memberUpdatedAt:
		h.UpdatedAt, why = s.instant(raw)
	case memberWorkingSet:
		h.WorkingSet, why = s.workingSet(raw)
	}
	return true, why
}

var (
	workingSetMembers = []string{"bindings", "subagent_bindings", "tables"}
	bindingMembers    = []string{"value", "status", "format", "path", "name"}
	workingRowMembers = []string{"row_id", "key", "value", "status", "links"}
)

// workingSet reads the head's `working_set`; a part that is absent is empty.
func (s *state) workingSet(raw []byte) (*WorkingSet, Reason) {
	var found [3][]byte
	if !s.pick(raw, workingSetMembers, found[:]) {
		return nil, ReasonWrongType
	}
	set := new(WorkingSet)
	readers := [3]func(*WorkingSet, []byte) (string, Reason){s.bindings, s.subagentBindings, s.tables}
	for i, part := range found {
		if part == nil || isNull(part) {
			continue
		}
		if place, why := readers[i](set, part); why != "" {
			s.place = under(workingSetMembers[i], place)
			return nil, why
		}
	}
	return set, ""
}

// eachNamed walks an object whose names are content, such as binding names: sorted, the last value of a
// repeated name. The place that it answers is told by the name, clipped.
func (s *state) eachNamed(raw []byte, read func(name string, value []byte) (string, Reason)) (string, Reason) {
	if raw[0] != '{' {
		return "", ReasonWrongType
	}
	values := make(map[string][]byte)
	c := inside(raw)
	for name := c.next(); name != nil; name = c.next() {
		values[string(s.unquote(name))] = c.next()
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	for _, name := range names {
		if place, why := read(name, values[name]); why != "" {
			return under(clip(name), place), why
		}
	}
	return "", ""
}

// each walks an array.
func each(raw []byte, read func(value []byte) (string, Reason)) (string, Reason) {
	if raw[0] != '[' {
		return "", ReasonWrongType
	}
	c := inside(raw)
	for i := 0; ; i++ {
		value := c.next()
		if value == nil {
			return "", ""
		}
		if place, why := read(value); why != "" {
			return under(indexed("", i), place), why
		}
	}
}

func (s *state) bindings(set *WorkingSet, raw []byte) (string, Reason) {
	return s.eachNamed(raw, func(name string, value []byte) (string, Reason) {
		binding, place, why := s.binding(value, false)
		binding.Name = name
		set.Bindings = append(set.Bindings, binding)
		return place, why
	})
}

func (s *state) subagentBindings(set *WorkingSet, raw []byte) (string, Reason) {
	return each(raw, func(value []byte) (string, Reason) {
		binding, place, why := s.binding(value, true)
		set.SubagentBindings = append(set.SubagentBindings, binding)
		return place, why
	})
}

func (s *state) tables(set *WorkingSet, raw []byte) (string, Reason) {
	return s.eachNamed(raw, func(name string, rows []byte) (string, Reason) {
		table := WorkingTable{Name: name}
		place, why := each(rows, func(value []byte) (string, Reason) {
			row, place, why := s.workingRow(value)
			table.Rows = append(table.Rows, row)
			return place, why
		})
		set.Tables = append(set.Tables, table)
		return place, why
	})
}

// binding reads one value of the working set; a subagent's says its path and name itself.
func (s *state) binding(raw []byte, subagent bool) (b WorkingBinding, place string, why Reason) {
	var found [5][]byte
	if !s.pick(raw, bindingMembers, found[:]) {
		return b, "", ReasonWrongType
	}
	value, status, format, path, name := found[0], found[1], found[2], found[3], found[4]
	if subagent {
		if path == nil || isNull(path) {
			return b, "path", ReasonMissing
		}
		if b.Path, place, why = s.names(path); why != "" {
			return b, under("path", place), why
		}
		if name == nil || isNull(name) {
			return b, "name", ReasonMissing
		}
		if b.Name, why = s.text(name); why != "" {
			return b, "name", why
		}
	}
	if value == nil {
		return b, "value", ReasonMissing
	}
	b.Value = s.json(value)
	if status == nil || isNull(status) {
		return b, "status", ReasonMissing
	}
	if b.Status, why = s.bindingStatus(status); why != "" {
		return b, "status", why
	}
	if format != nil && !isNull(format) {
		if b.Format, why = s.format(format); why != "" {
			return b, "format", why
		}
	}
	return b, "", ""
}

func (s *state) workingRow(raw []byte) (r WorkingRow, place string, why Reason) {
	var found [5][]byte
	if !s.pick(raw, workingRowMembers, found[:]) {
		return r, "", ReasonWrongType
	}
	rowID, key, value, status, links := found[0], found[1], found[2], found[3], found[4]
	if rowID == nil || isNull(rowID) {
		return r, "row_id", ReasonMissing
	}
	if r.RowID, why = s.text(rowID); why != "" {
		return r, "row_id", why
	}
	if key != nil && !isNull(key) {
		r.HasKey = true
		if r.Key, why = s.text(key); why != "" {
			return r, "key", why
		}
	}
	if value == nil {
		return r, "value", ReasonMissing
	}
	r.Value = s.json(value)
	if status == nil || isNull(status) {
		return r, "status", ReasonMissing
	}
	if r.Status, why = s.bindingStatus(status); why != "" {
		return r, "status", why
	}
	if links != nil && !isNull(links) {
		r.Links = s.json(links)
	}
	return r, "", ""
}
