package wire

// AppendJSON appends the head as docs/wire.md spells it, on one line without an end. The working set's
// bindings and tables are written in the order they have.
func (h *Head) AppendJSON(dst []byte) []byte {
	w := object{dst: append(dst, '{')}
	w.text(memberType, headType)
	w.text(memberConversationID, h.ConversationID)
	w.text(memberAgentID, h.AgentID)
	w.integer(memberAgentVersion, int64(h.AgentVersion))
	w.text(memberStatus, h.Status.String())
	if h.HasRetryable || h.Retryable {
		w.boolean(memberRetryable, h.Retryable)
	}
	if h.Error != nil {
		w.publicError(h.Error)
	}
	if h.SaysEarlier || h.HasEarlier {
		w.boolean(memberHasEarlier, h.HasEarlier)
	}
	if h.HasLastOffset || h.LastOffset != 0 {
		w.integer(memberLastOffset, h.LastOffset)
	}
	if h.Title != "" {
		w.text(memberTitle, h.Title)
	}
	if !h.CreatedAt.IsZero() {
		w.instant(memberCreatedAt, h.CreatedAt)
	}
	if !h.UpdatedAt.IsZero() {
		w.instant(memberUpdatedAt, h.UpdatedAt)
	}
	if h.WorkingSet != nil {
		w.name(memberNames[memberWorkingSet])
		w.dst = h.WorkingSet.append(w.dst)
	}
	return append(w.dst, '}')
}

func (s *WorkingSet) append(dst []byte) []byte {
	dst = append(dst, `{"bindings":{`...)
	for i, b := range s.Bindings {
		dst = appendKey(dst, i, b.Name)
		w := object{dst: append(dst, '{')}
		w.binding(b)
		dst = append(w.dst, '}')
	}
	dst = append(dst, `},"subagent_bindings":[`...)
	for i, b := range s.SubagentBindings {
		if i > 0 {
			dst = append(dst, ',')
		}
		w := object{dst: append(dst, '{')}
		w.name("path")
		w.dst = appendNames(w.dst, b.Path)
		w.text(memberName, b.Name)
		w.binding(b)
		dst = append(w.dst, '}')
	}
	dst = append(dst, `],"tables":{`...)
	for i, table := range s.Tables {
		dst = append(appendKey(dst, i, table.Name), '[')
		for j, row := range table.Rows {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = row.append(dst)
		}
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}

// appendKey appends the name of an object's member whose name is content.
func appendKey(dst []byte, i int, name string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(appendString(dst, name), ':')
}

func (w *object) binding(b WorkingBinding) {
	w.json(memberValue, b.Value)
	w.text(memberStatus, b.Status.String())
	if b.Format != 0 {
		w.text(memberFormat, b.Format.String())
	}
}

func (r WorkingRow) append(dst []byte) []byte {
	w := object{dst: append(dst, '{')}
	w.text(memberRowID, r.RowID)
	if r.HasKey || r.Key != "" {
		w.text(memberKey, r.Key)
	}
	w.json(memberValue, r.Value)
	w.text(memberStatus, r.Status.String())
	if r.Links != "" {
		w.json(memberLinks, r.Links)
	}
	return append(w.dst, '}')
}
