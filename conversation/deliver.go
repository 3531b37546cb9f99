package conversation

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// deliveries are the results of client tools on their way upstream, one at a time. Guarded by Live.mu.
type deliveries struct {
	byCall     map[string]*delivery // under way, or done
	queue      []*delivery
	done       []string // the calls of those that are done, in order
	delivering bool     // somebody takes from the queue
}

// keptDeliveries is how many results are remembered after they were delivered. Of an older one the row says it.
const keptDeliveries = 1000

// note notes that a result was delivered.
func (d *deliveries) note(one *delivery) {
	one.output = ""
	if d.done = append(d.done, one.callID); len(d.done) > keptDeliveries {
		delete(d.byCall, d.done[0])
		d.done = slices.Delete(d.done, 0, 1)
	}
}

// delivery is one result on its way.
type delivery struct {
	callID, output string            // output is let go once it is delivered
	sum            [sha256.Size]byte // stands for output
	who            *session.Session
	from           context.Context // of whoever submitted it, for what it carries
	done           chan struct{}
	err            error // said before done is closed
}

// Why a result is not taken.
var (
	errOtherResult error = coded.New(coded.Conflict, "the call was answered with another result")
	errCancelled   error = coded.New(coded.Conflict, "the call was cancelled")
	errRunOver     error = coded.New(coded.Conflict, "the run is over")
)

// SubmitToolResult delivers the result of a client tool, and answers once the run that takes it has begun, or when the
// delivery has waited for others for as long as one may take. The same result again is not sent again. Errors are
// coded: BAD_USER_INPUT for a call that takes no result, CONFLICT for one that has another or was cancelled.
func (h *Hub) SubmitToolResult(ctx context.Context, who *session.Session, id, toolCallID, output string) (*Conversation, error) {
	if len(output) > h.opts.MaxContentBytes {
		return nil, coded.Newf(coded.BadUserInput, "output takes at most %d bytes, not %d", h.opts.MaxContentBytes, len(output))
	}
	v, err := h.mayDrive(ctx, who, id)
	if err != nil {
		return nil, err
	}
	d := &delivery{callID: toolCallID, output: output, sum: sha256.Sum256([]byte(output)), who: who, from: ctx, done: make(chan struct{})}
	if v.shared != nil {
		d, err = h.submitShared(ctx, v, d)
	} else {
		d, err = h.submit(v, d)
	}
	if d != nil {
		err = h.awaitDelivery(ctx, v, d)
	}
	if err != nil {
		return nil, upstream.Coded(err)
	}
	return v.Conversation(), nil
}

// submit queues a delivery unless that result was submitted before, and answers what to wait for, nil for nothing.
func (h *Hub) submit(v *Viewer, d *delivery) (*delivery, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	d, first, err := v.queue(d)
	if first {
		h.tasks.Go(func() { h.deliverAll(v) })
	}
	return d, err
}

// queue accepts a result. first: nobody is delivering yet.
func (l *Live) queue(d *delivery) (_ *delivery, first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, queued, err := l.mayQueueLocked(d)
	if !queued || err != nil {
		return known, false, err
	}
	first = l.enqueueLocked(d)
	l.deliverLocked(d.callID, projection.ToolPending, nil)
	return d, first, nil
}

// mayQueueLocked tells whether a result is to be queued; if not, known is the delivery to wait for, nil for none, or the
// error says why.
func (l *Live) mayQueueLocked(d *delivery) (known *delivery, queued bool, err error) {
	snap := l.viewLocked().snap
	call := snap.ToolCall(d.callID).Call
	switch {
	case call == nil:
		return nil, false, coded.New(coded.BadUserInput, "toolCallId: there is no such call")
	case !call.RequiresClientResponse:
		return nil, false, coded.New(coded.BadUserInput, "toolCallId: the call takes no result from a client")
	}
	known = l.drives.byCall[d.callID]
	switch answered, err := l.answeredLocked(d); {
	case err != nil:
		return nil, false, err
	case known != nil && known.sum != d.sum:
		return nil, false, errOtherResult
	case known != nil: // also when upstream told the result before it is told here that it was taken
		return known, false, nil
	case answered:
		return nil, false, nil
	}
	if isOver(snap.Status()) {
		return nil, false, errRunOver
	}
	return nil, true, nil
}

// enqueueLocked queues a delivery. first: nobody is delivering yet.
func (l *Live) enqueueLocked(d *delivery) (first bool) {
	if l.drives.byCall == nil {
		l.drives.byCall = map[string]*delivery{}
	}
	l.drives.byCall[d.callID] = d
	l.drives.queue = append(l.drives.queue, d)
	first = !l.drives.delivering
	l.drives.delivering = true
	return first
}

// answeredLocked tells whether a call has the result, by whoever gave it; its error is why it can't have it any more.
func (l *Live) answeredLocked(d *delivery) (answered bool, err error) {
	pair := l.viewLocked().snap.ToolCall(d.callID)
	switch {
	case pair.Result != nil && pair.Result.Output == d.output:
		return true, nil
	case pair.Result != nil:
		return false, errOtherResult
	case pair.Delivery != nil && pair.Delivery.Status == projection.ToolCancelled:
		return false, errCancelled
	}
	return false, nil
}

// deliverLocked says how a delivery stands.
func (l *Live) deliverLocked(callID string, status projection.ToolCallStatus, failure *string) {
	l.foldLocked(projection.Delivery{ToolDelivery: projection.ToolDelivery{ToolCallID: callID, Status: status, Error: failure}})
}

// awaitDelivery waits for a delivery, but no longer for others before it than one may take. One that is on its way ends
// within a limit of its own.
func (h *Hub) awaitDelivery(ctx context.Context, v *Viewer, d *delivery) error {
	limit := time.NewTimer(h.opts.DriveLimit)
	defer limit.Stop()
	for {
		select {
		case <-d.done:
			return d.err
		case <-limit.C:
			if v.isQueued(d) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isQueued tells whether a delivery waits: for others, or for the run to stop.
func (l *Live) isQueued(d *delivery) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.viewLocked().snap.ToolCall(d.callID).Delivery
	return now != nil && now.Status == projection.ToolPending
}

// deliverAll delivers what is queued.
func (h *Hub) deliverAll(v *Viewer) {
	for d := v.nextDelivery(); d != nil; d = v.nextDelivery() {
		v.delivered(d, h.guarded(v.reader.id, h.carrying(d.from, func(ctx context.Context) error { return h.deliver(ctx, v, d) })))
	}
}

// nextDelivery takes a delivery off the queue, nil when there is none left.
func (l *Live) nextDelivery() *delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.drives.queue) == 0 {
		l.drives.delivering = false
		return nil
	}
	d := l.drives.queue[0]
	l.drives.queue = l.drives.queue[1:]
	return d
}

// deliver delivers one result.
func (h *Hub) deliver(ctx context.Context, v *Viewer, d *delivery) error {
	var ref *projection.ConversationRef
	var err error
	if v.shared != nil {
		ref, err = h.beginDeliveryShared(ctx, v, d)
	} else if err = v.awaitStop(ctx, d.who); err == nil {
		ref, err = v.beginDelivery(d)
	}
	if ref == nil {
		return err
	}
	_, err = h.drive(ctx, v, d.who, true, func(ctx context.Context) (upstream.Stream, error) {
		return h.opts.Driver.Execute(ctx, d.who.Token(), ref.AgentID, &wire.ExecutionInput{
			ConversationID: ref.ConversationID,
			Messages:       []wire.Message{{Role: wire.Tool, Content: d.output, ToolCallID: d.callID}},
		})
	})
	return err
}

// awaitStop waits until no run is streaming: not one that still says what it waits for, nor one that took the result
// before.
func (v *Viewer) awaitStop(ctx context.Context, who *session.Session) error {
	sub := v.subscribe(who, []projection.Slice{{Kind: projection.SliceStatus}}, 0, nil)
	defer sub.Close()
	for {
		c, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		if c.Snapshot().Status() != projection.ChatStreaming {
			return nil
		}
	}
}

// beginDelivery says that a result is on its way, to the agent of the conversation; nil: there is nothing to deliver any
// more, or the error says why it can't be.
func (l *Live) beginDelivery(d *delivery) (*projection.ConversationRef, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ref, err := l.deliverableLocked(d)
	if ref != nil {
		l.deliverLocked(d.callID, projection.ToolSubmitting, nil)
	}
	return ref, err
}

// deliverableLocked is the agent that a result can be delivered to, nil for none.
func (l *Live) deliverableLocked(d *delivery) (*projection.ConversationRef, error) {
	if answered, err := l.answeredLocked(d); answered || err != nil {
		return nil, err
	}
	snap := l.viewLocked().snap
	switch {
	case isOver(snap.Status()):
		return nil, errRunOver
	case snap.Conversation() == nil:
		return nil, errors.New("a conversation has a call and no agent")
	}
	return snap.Conversation(), nil
}

// delivered records how a delivery ended, and tells whoever waits. One that failed can be submitted again.
func (l *Live) delivered(d *delivery, err error) {
	if l.shared != nil {
		l.shared.deliveredShared(d, err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d.err = upstream.Coded(err)
	if err == nil {
		l.deliverLocked(d.callID, projection.ToolSubmitted, nil)
		l.drives.note(d)
	} else {
		l.deliverLocked(d.callID, projection.ToolFailed, failureOf(d.err))
		delete(l.drives.byCall, d.callID)
	}
	close(d.done)
}

// failureOf is what is told of a failed delivery, nil for one that did not fail.
func failureOf(err error) *string {
	if err == nil {
		return nil
	}
	message := "internal error"
	if known, ok := errors.AsType[*coded.Error](err); ok {
		message = known.Message
	}
	return &message
}
