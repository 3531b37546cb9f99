package model

import "inlaygraph/wire"

// ConversationRef is the conversation's identity.
type ConversationRef struct {
	ConversationID string `json:"conversationId"`
	AgentID        string `json:"agentId"`
	AgentVersion   int    `json:"agentVersion"`
}

// open captures the identity from the first opener. ok is false for another conversation's opener, which is
// rejected whole; other is true for one of this conversation with another agent or version.
func (s *state) open(ref ConversationRef) (ok, other bool) {
	if s.ref == nil {
		s.ref = &ref
		return true, false
	}
	if s.ref.ConversationID != ref.ConversationID {
		return false, false
	}
	return true, *s.ref != ref
}

// run folds run.start, run.pause and run.end.
func (s *state) run(f *wire.Frame) Outcome {
	out := applied()
	switch f.Type {
	case wire.RunStart:
		ok, other := s.open(ConversationRef{f.ConversationID, f.AgentID, f.AgentVersion})
		if !ok {
			return rejected("other_conversation")
		}
		out.OtherAgent = other
		s.say(&entry{kind: wordMark, word: wire.Running, opener: true})
		s.runError, s.retryable = nil, false
	case wire.RunPause:
		s.say(&entry{kind: wordMark, word: f.Status})
		s.closeAll(true)
	case wire.RunEnd:
		s.say(&entry{kind: wordMark, word: f.Status})
		s.runError, s.retryable = f.Error, f.Retryable
		s.closeAll(false)
	}
	s.runFrame = true
	return out
}

func (s *state) say(word *entry) {
	s.word = word.word
	s.append(word)
}

// head folds a head. Choice: what a head leaves out (last_offset, status, error, retryable, has_earlier, working set) stays
// as it was, because absent means that the wire can't say; a working set that is there replaces the earlier
// one whole, and the tables with it.
func (s *state) head(h *wire.Head) Outcome {
	out := applied()
	ok, other := s.open(ConversationRef{h.ConversationID, h.AgentID, h.AgentVersion})
	if !ok {
		return rejected("other_conversation")
	}
	out.OtherAgent = other
	s.before = true
	if h.HasLastOffset {
		s.told = true
		s.newest = max(s.newest, h.LastOffset)
	}
	if h.Status != 0 {
		s.say(&entry{kind: wordMark, word: h.Status})
		if h.Status != wire.Running {
			s.closeAll(false)
		}
	}
	if h.Error != nil {
		s.runError = h.Error
	}
	if h.HasRetryable {
		s.retryable = h.Retryable
	}
	if h.SaysEarlier {
		s.earlier = h.HasEarlier
	}
	if h.WorkingSet != nil {
		s.workingSet = h.WorkingSet
		for _, e := range s.entries {
			if e.kind == boundMark {
				e.kind = spentMark
			}
		}
		s.tables = nil
		for _, t := range h.WorkingSet.Tables {
			s.tables = append(s.tables, newTable(t))
		}
	}
	return out
}
