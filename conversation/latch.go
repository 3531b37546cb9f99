package conversation

import (
	"time"

	"inlaygraph/coded"
	"inlaygraph/projection"
)

// drives is what was asked of upstream for a conversation. Guarded by Live.mu.
type drives struct {
	asking     int                   // who asks for a run
	seized     int                   // latches held by somebody who asks
	cancelling projection.ChatStatus // how things stood when a cancel was asked for
	cancelled  *time.Timer           // upstream took it, and things stand as they did: until when it counts as in flight; else nil
	deliveries
}

// seize puts a latch on, unless the conversation as it stands gives a reason not to, which is answered.
func (l *Live) seize(kind projection.LatchKind, reason func(*projection.Snapshot) string) error {
	if l.shared != nil {
		return l.shared.seize(kind, reason)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	why := l.busyLocked(kind)
	if why == "" {
		why = reason(l.viewLocked().snap)
	}
	if why != "" {
		return coded.New(coded.Conflict, why)
	}
	l.drives.seized++
	if kind == projection.LatchCancel {
		l.drives.cancelling = l.viewLocked().snap.Status()
	}
	l.latchLocked(kind, true)
	return nil
}

// release takes a latch off.
func (l *Live) release(kind projection.LatchKind) {
	if l.shared != nil {
		l.shared.release(kind)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drives.seized--
	l.latchLocked(kind, false)
}

func (l *Live) latchLocked(kind projection.LatchKind, on bool) (woken int) {
	l.latches[kind] = on
	_, woken = l.foldLocked(projection.Latch{Kind: kind, On: on})
	return woken
}

// busyLocked says what is in flight that a latch of the kind must not be put beside, "" for nothing.
func (l *Live) busyLocked(kind projection.LatchKind) string {
	switch {
	case kind == projection.LatchCancel && l.latches[kind]:
		return "the run is being cancelled already"
	case kind == projection.LatchCancel:
		return ""
	case l.latches[projection.LatchSend]:
		return "a message is being sent"
	case l.latches[projection.LatchRetry]:
		return "the run is being retried"
	}
	return ""
}

// isDriving tells whether something that was asked of upstream is under way.
func (l *Live) isDriving() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drives.seized > 0 || l.drives.delivering
}

// asks counts those who ask upstream for a run of the conversation.
func (l *Live) asks(more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drives.asking += more
}

// awaitsRun tells whether upstream is being asked for a run.
func (l *Live) awaitsRun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drives.asking > 0
}

// cancelPatience is how long a cancel that upstream took counts as in flight while the run goes on.
const cancelPatience = time.Minute

// cancelled records that upstream took a cancel, whose latch is on: every call that waits is cancelled, and the latch
// stays until the run has ended. It then is no longer held by who asked.
func (l *Live) cancelled() {
	if l.shared != nil {
		l.shared.cancelled()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drives.seized--
	for _, call := range l.viewLocked().snap.PendingTools() {
		l.deliverLocked(call.ToolCallID(), projection.ToolCancelled, nil)
	}
	var patience *time.Timer
	patience = time.AfterFunc(cancelPatience, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.drives.cancelled == patience {
			l.endCancelLocked()
		}
	})
	l.drives.cancelled = patience
	l.settleCancelLocked()
}

// settleCancelLocked takes the cancel's latch off once the run it is of is over: it stopped, or another began.
func (l *Live) settleCancelLocked() (woken int) {
	d := &l.drives
	if d.cancelled == nil || l.viewLocked().snap.Status() == d.cancelling && l.endedBy == nil {
		return 0
	}
	return l.endCancelLocked()
}

func (l *Live) endCancelLocked() (woken int) {
	l.drives.cancelled.Stop()
	l.drives.cancelled = nil
	return l.latchLocked(projection.LatchCancel, false)
}

// awaitsCancel tells whether upstream took a cancel whose run has not ended.
func (l *Live) awaitsCancel() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shared != nil {
		latch := l.shared.latches[projection.LatchCancel]
		return latch != nil && latch.Taken
	}
	return l.drives.cancelled != nil
}
