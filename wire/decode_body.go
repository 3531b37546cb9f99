package wire

// body reads the members that a frame or row of this shape has. An edge stands in its subgraph_path
// without being in a node; for everything else a path without a node says nothing, and is dropped.
func (s *state) body(b *Body, sh *shape, isEdge bool) *Rejection {
	rejected := s.readAll(sh, func(m member, raw []byte) (bool, Reason) { return s.set(b, sh, m, raw) })
	if rejected == nil && b.NodeID == "" && !isEdge {
		b.SubgraphPath = nil
	}
	return rejected
}

// set reads one member into b. It answers false when the value counts as absent after all.
func (s *state) set(b *Body, sh *shape, m member, raw []byte) (there bool, why Reason) {
	there = true
	switch m {
	case memberID:
		b.ID, why = s.name(raw)
	case memberSeq:
		b.Seq, why = integer(raw, 1, maxInteger)
	case memberNodeID:
		b.NodeID, why = s.name(raw)
		there = b.NodeID != ""
	case memberSubgraphPath:
		b.SubgraphPath, s.place, why = s.names(raw)
	case memberActivation:
		b.Activation, why = s.name(raw)
	case memberIteration:
		b.Iteration, why = small(raw, 1)
	case memberAt:
		b.At, why = s.instant(raw)

	case memberRunID:
		b.RunID, why = s.name(raw)
	case memberConversationID:
		b.ConversationID, why = s.name(raw)
	case memberAgentID:
		b.AgentID, why = s.name(raw)
	case memberAgentVersion:
		b.AgentVersion, why = small(raw, 0)

	case memberKind:
		b.Kind, why = s.name(raw)
	case memberMessageID:
		b.MessageID, why = s.name(raw)

	case memberContent:
		b.Content, why = s.text(raw)
		b.HasContent = true
	case memberReasoning:
		b.Reasoning, why = s.text(raw)
		b.HasReasoning = true

	case memberName:
		b.Name, why = s.name(raw)
	case memberDelta:
		b.Delta, why = s.text(raw)
	case memberValue:
		b.Value = s.json(raw)
	case memberFormat:
		b.Format, why = s.format(raw)
	case memberStatus:
		if sh.statuses == 0 {
			b.ValueStatus, why = s.bindingStatus(raw)
		} else {
			b.Status, why = s.status(raw, sh.statuses)
		}
	case memberComplete:
		b.Complete, why = boolean(raw)
	case memberPromoted:
		b.Promoted, why = boolean(raw)
		b.HasPromoted = true

	case memberToolCallID:
		b.ToolCallID, why = s.name(raw)
	case memberToolName:
		b.ToolName, why = s.name(raw)
	case memberInput:
		b.Input, why = s.text(raw)
	case memberOutput:
		b.Output, why = s.text(raw)
	case memberRequiresClientResponse:
		b.RequiresClientResponse, why = boolean(raw)

	case memberTable:
		b.Table, why = s.name(raw)
	case memberRowID:
		b.RowID, why = s.name(raw)
	case memberKey:
		b.Key, why = s.text(raw)
		b.HasKey = true
	case memberLinks:
		b.Links = s.json(raw)

	case memberFrom:
		b.From, why = s.name(raw)
	case memberFromPort:
		b.FromPort, why = s.name(raw)
		b.HasFromPort = true
	case memberTo:
		b.To, why = s.name(raw)

	case memberError:
		b.Error, why = s.publicError(raw)
	case memberUsage:
		b.Usage, why = s.usage(raw)
	case memberRetryable:
		b.Retryable, why = boolean(raw)
	}
	return there, why
}

// bindingStatus reads a word of the closed set.
func (s *state) bindingStatus(raw []byte) (BindingStatus, Reason) {
	if raw[0] != '"' {
		return 0, ReasonWrongType
	}
	status := bindingStatusWords.value(s.unquote(raw))
	if status == 0 {
		return 0, ReasonUnknownValue
	}
	return status, ""
}

// status reads a lifecycle word that is among the allowed ones.
func (s *state) status(raw []byte, allowed statuses) (Status, Reason) {
	if raw[0] != '"' {
		return 0, ReasonWrongType
	}
	status := statusWords.value(s.unquote(raw))
	if status == 0 || !allowed.has(status) {
		return 0, ReasonUnknownValue
	}
	return status, ""
}

// format reads a render hint. A word outside the set reads as absent: a hint that nobody here knows must
// not cost the content it came with.
func (s *state) format(raw []byte) (ArtifactFormat, Reason) {
	if raw[0] != '"' {
		return 0, ReasonWrongType
	}
	return formatWords.value(s.unquote(raw)), ""
}

var errorMembers = []string{"kind", "message"}

// publicError reads an `error` object. An unknown kind reads as internal: the failure is told anyway.
func (s *state) publicError(raw []byte) (*PublicError, Reason) {
	var found [2][]byte
	if !s.pick(raw, errorMembers, found[:]) {
		return nil, ReasonWrongType
	}
	for i, value := range found {
		s.place = errorMembers[i]
		switch {
		case value == nil || isNull(value):
			return nil, ReasonMissing
		case value[0] != '"':
			return nil, ReasonWrongType
		}
	}
	failure := &PublicError{Kind: errorKindWords.value(s.unquote(found[0]))}
	if failure.Kind == 0 {
		failure.Kind = ErrorInternal
	}
	failure.Message = string(s.unquote(found[1]))
	return failure, ""
}

var usageMembers = []string{"prompt_tokens", "completion_tokens", "reasoning_tokens"}

// usage reads a `usage` object; a count that is absent is 0.
func (s *state) usage(raw []byte) (*Usage, Reason) {
	var found [3][]byte
	if !s.pick(raw, usageMembers, found[:]) {
		return nil, ReasonWrongType
	}
	var counts [3]int64
	for i, value := range found {
		if value == nil || isNull(value) {
			continue
		}
		var why Reason
		if counts[i], why = integer(value, 0, maxInteger); why != "" {
			s.place = usageMembers[i]
			return nil, why
		}
	}
	return &Usage{PromptTokens: counts[0], CompletionTokens: counts[1], ReasoningTokens: counts[2]}, ""
}
