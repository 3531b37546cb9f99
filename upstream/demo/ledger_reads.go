package demo

import (
	"slices"

	"inlaygraph/wire"
)

// page is the stretch of the log with after < seq < before (after -1, before 0: no bound): its last rows, or, when only what
// follows a cursor is asked for, its first; and whether the log has rows before them.
func (l *ledger) page(before, after int64, limit int) ([]*wire.Row, bool) {
	from, to := 0, len(l.rows)
	if after >= 0 {
		from = l.at(after + 1)
	}
	if before > 0 {
		to = max(l.at(before), from)
	}
	if to-from > limit {
		if after >= 0 {
			to = from + limit
		} else {
			from = to - limit
		}
	}
	return slices.Clone(l.rows[from:to]), from > 0
}

// head is the conversation's standing now, with its working set. Identity, title and times are the caller's to fill in.
func (l *ledger) head(tail int) *wire.Head {
	h := l.standing(tail)
	h.WorkingSet = l.working.snapshot(l.outputs)
	return h
}

// standing is head without the working set.
func (l *ledger) standing(tail int) *wire.Head {
	h := &wire.Head{
		ConversationID: l.conversationID, Status: l.status, Error: l.err,
		LastOffset: l.lastOffset(), HasLastOffset: true,
		HasEarlier: len(l.rows) > tail, SaysEarlier: true,
	}
	if l.status == wire.Failed {
		h.Retryable, h.HasRetryable = l.retryable, true
	}
	return h
}

// lastOffset is where to reattach: below the first frame of every turn and output that the log has not got.
func (l *ledger) lastOffset() int64 {
	last := l.offset
	for _, t := range l.turns {
		last = min(last, t.opened-1)
	}
	for _, o := range l.outputs {
		if o.row == nil {
			last = min(last, o.opened-1)
		}
	}
	return last
}
