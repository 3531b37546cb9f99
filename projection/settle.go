package projection

import "slices"

// settle derives what an input may have moved beside rows and nodes, and marks the slices that did.
func (s *State) settle(before *scalars) {
	now := &s.cur.chat
	now.hasEarlier = (s.saysEarlier || s.trimmed) && !s.hasFirst
	if s.errorMoved {
		now.err = s.deriveError()
	}
	now.runStatus = s.deriveRunStatus()
	sending := s.latches[LatchSend] || s.latches[LatchRetry]
	cancelling := s.latches[LatchCancel]
	st := now.status
	now.capabilities = Capabilities{
		CanSend:   st != ChatStreaming && st != ChatAwaitingClientTool && !sending,
		CanCancel: (st == ChatStreaming || st == ChatAwaitingClientTool || st == ChatPaused) && !cancelling,
	}
	now.canRetry = st == ChatFailed && now.retryable && !sending && !cancelling
	s.settleBindings()

	s.markIf(now.status != before.status, SliceStatus)
	s.markIf(now.conversation != before.conversation, SliceConversation)
	s.markIf(!same(now.err, before.err), SliceError)
	s.markIf(now.retryable != before.retryable, SliceRetryable)
	s.markIf(now.hasEarlier != before.hasEarlier, SliceHasEarlier)
	s.markIf(now.capabilities != before.capabilities, SliceCapabilities)
	s.markIf(now.canRetry != before.canRetry, SliceCanRetry)
	s.settleRun(s.runMoved || now.runStatus != before.runStatus || now.hasEarlier != before.hasEarlier)
}

// settleRun publishes the run anew when it moved.
func (s *State) settleRun(moved bool) {
	if !moved && len(s.reordered) == 0 {
		return
	}
	next := &runCell{
		status: s.cur.chat.runStatus, hasEarlier: s.cur.chat.hasEarlier,
		nodeRuns: s.cur.nodeRuns, nodeOrder: s.cur.nodeOrder, edges: s.cur.edges,
	}
	s.runTok = &token{} // the cell keeps these trees: what comes next must copy them
	if len(s.reordered) > 0 {
		was, is := s.cur.run.get(), next.get()
		moved = moved || !is.sameOrder(was)
		for _, pl := range s.reordered {
			for pl = pl.Parent; pl != nil; pl = pl.Parent {
				if !slices.Equal(is.below(pl), was.below(pl)) {
					s.mark(Slice{Kind: SliceBelow, Path: pl.key})
				}
			}
		}
	}
	if moved {
		s.cur.run = next
		s.mark(Slice{Kind: SliceRun})
	}
}

func (s *State) markIf(moved bool, kind SliceKind) {
	if moved {
		s.mark(Slice{Kind: kind})
	}
}
