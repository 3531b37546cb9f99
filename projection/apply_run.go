package projection

import (
	"slices"

	"inlaygraph/wire"
)

// applyRunStart opens a run. The first opener names the conversation; a later one with another agent or
// version is counted and opens its run all the same (docs/fold.md, "conversation").
func (s *State) applyRunStart(b *wire.Body) {
	if !s.identify(b.ConversationID, b.AgentID, b.AgentVersion) {
		return
	}
	s.ran = true
	s.resume()
	s.putMark(s.keyAtEnd(), &Mark{Kind: MarkRunStart, at: b.At})
	s.cur.chat.status, s.cur.chat.retryable, s.statusError = ChatStreaming, false, nil
	s.errorMoved = true
}

// identify takes an opener's word and tells whether it is this conversation's.
func (s *State) identify(conversation, agent string, version int) bool {
	known := s.cur.chat.conversation
	if s.cur.id != conversation && (s.cur.id != "" || known != nil) {
		s.reject(ReasonForeignConversation)
		return false
	}
	ref := ConversationRef{conversation, agent, version}
	if known == nil {
		s.cur.id, s.cur.chat.conversation = conversation, &ref
		s.adoptPlan()
	} else if *known != ref {
		s.c.OtherOpener = true
	}
	return true
}

// applyRunStop takes a run's pause or end: every open row closes, and a failed or cancelled run stops its nodes.
func (s *State) applyRunStop(b *wire.Body, end bool) {
	s.ran = true
	s.closeAll(!end)
	s.standing(b.Status)
	if end {
		s.cur.chat.retryable, s.statusError = b.Retryable, b.Error
	}
}

// standing takes a lifecycle word that a run frame or a head said.
func (s *State) standing(w wire.Status) {
	s.cur.chat.status = chatStatus[w]
	s.errorMoved = true
	if w == wire.Failed || w == wire.Cancelled {
		s.stopNodes()
	} else {
		s.resume()
	}
}

var chatStatus = map[wire.Status]ChatStatus{
	wire.Running:            ChatStreaming,
	wire.AwaitingClientTool: ChatAwaitingClientTool,
	wire.Paused:             ChatPaused,
	wire.Completed:          ChatCompleted,
	wire.Failed:             ChatFailed,
	wire.Cancelled:          ChatCancelled,
}

// applyHead takes the head's word: identity, status, what the window may lack, and the working set.
func (s *State) applyHead(h *wire.Head) {
	if !s.identify(h.ConversationID, h.AgentID, h.AgentVersion) {
		return
	}
	s.headed = true
	if h.HasLastOffset {
		s.headOffset = max(s.headOffset, h.LastOffset)
	}
	if h.Status != 0 { // a head in a list may leave it out
		if h.Status != wire.Running {
			s.closeAll(false)
		}
		s.standing(h.Status)
	}
	if h.HasRetryable {
		s.cur.chat.retryable = h.Retryable
	}
	if h.Error != nil {
		s.statusError = h.Error
	}
	if h.SaysEarlier {
		s.saysEarlier = h.HasEarlier
	}
	if h.WorkingSet != nil {
		s.applyWorkingSet(h.WorkingSet)
	}
}

// deriveError is the customer-safe reason of a failure: the run's or the head's, else that of the last
// failed node since the latest run start or user row (docs/fold.md, "error").
func (s *State) deriveError() *wire.PublicError {
	if s.cur.chat.status != ChatFailed {
		return nil
	}
	if s.statusError != nil {
		return s.statusError
	}
	if n := len(s.reasons); n > 0 {
		if m := s.markAt(s.reasons[n-1]); m != nil {
			return m.err
		}
	}
	return nil
}

// givesReason tells whether an entry gives a failure's reason, or parts it from the reasons before.
func givesReason(e Entry) bool {
	switch e := e.(type) {
	case *UserRow:
		return !e.marked
	case *Mark:
		return e.Kind == MarkRunStart || e.Kind == MarkTurn || e.Kind == MarkEnd && e.status == wire.Failed
	}
	return false
}

func (s *State) noteReason(key uint64, e Entry) {
	if givesReason(e) {
		s.reasons = insertKey(s.reasons, key)
		s.errorMoved = true
	}
}

func (s *State) forgetReason(key uint64, e Entry) {
	if i, known := slices.BinarySearch(s.reasons, key); known && givesReason(e) {
		s.reasons = slices.Delete(s.reasons, i, i+1)
		s.errorMoved = true
	}
}

// deriveRunStatus is the run's standing: idle while no run frame was seen, or a head but no lifecycle row.
func (s *State) deriveRunStatus() RunStatus {
	if !s.ran && (!s.headed || s.marks == 0) {
		return RunIdle
	}
	switch s.cur.chat.status {
	case ChatStreaming:
		return RunRunning
	case ChatPaused, ChatAwaitingClientTool:
		return RunPaused
	case ChatCompleted:
		return RunCompleted
	case ChatFailed:
		return RunFailed
	case ChatCancelled:
		return RunCancelled
	}
	return RunIdle
}
