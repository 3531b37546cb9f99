package conversation

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"inlaygraph/bus"
	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
)

// retryTelling is how long to wait before an effect is told again that the bus did not take.
const retryTelling = 500 * time.Millisecond

// happen appends what compose says has happened, and goes on trying until the bus takes it or the hub closes. It is for
// what has happened already: whoever waits for more than the first try is let go.
func (s *shared) happen(compose func() []bus.Effect) {
	once := func() error {
		_, err := s.append(s.hub.ctx, func() (*bus.Record, error) {
			if effects := compose(); len(effects) > 0 {
				return &bus.Record{Kind: bus.Happened, Effects: effects}, nil
			}
			return nil, nil
		})
		return err
	}
	if once() == nil {
		return
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.closed {
		return // the others see that this instance is gone
	}
	s.live.asks(1) // it is not evicted meanwhile
	s.hub.tasks.Go(func() {
		defer s.live.asks(-1)
		for {
			select {
			case <-time.After(retryTelling):
			case <-s.hub.ctx.Done():
				return
			}
			if once() == nil {
				return
			}
		}
	})
}

// seize is Live.seize: of those who ask at the same time at several instances one wins.
func (s *shared) seize(kind projection.LatchKind, reason func(*projection.Snapshot) string) error {
	if err := s.hub.opts.Bus.Ready(); err != nil {
		return busAway(err)
	}
	ctx, cancel := context.WithTimeout(s.hub.ctx, s.hub.opts.DriveLimit)
	defer cancel()
	l := s.live
	_, err := s.append(ctx, func() (*bus.Record, error) {
		why := l.busyLocked(kind)
		if why == "" {
			why = reason(l.viewLocked().snap)
		}
		if why != "" {
			return nil, coded.New(coded.Conflict, why)
		}
		return &bus.Record{Kind: bus.Happened, Effects: []bus.Effect{{Latch: &bus.Latch{
			Latch: projection.Latch{Kind: kind, On: true}, By: s.me(),
		}}}}, nil
	})
	if err == nil {
		l.mu.Lock()
		l.drives.seized++
		l.mu.Unlock()
	}
	return asked(err)
}

// asked is the error for whoever asked for something that needs the bus.
func asked(err error) error {
	if _, known := errors.AsType[*coded.Error](err); err == nil || known {
		return err
	}
	return busAway(err)
}

// release is Live.release.
func (s *shared) release(kind projection.LatchKind) {
	s.unlatch(kind)
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	s.live.drives.seized--
}

// unlatch takes a latch off that this instance put on.
func (s *shared) unlatch(kind projection.LatchKind) {
	s.happen(func() []bus.Effect {
		if latch := s.latches[kind]; latch == nil || latch.By != s.me() {
			return nil // it was taken off for this instance, which had seemed to be gone
		}
		return []bus.Effect{{Latch: &bus.Latch{Latch: projection.Latch{Kind: kind}, By: s.me()}}}
	})
}

// cancelled is Live.cancelled.
func (s *shared) cancelled() {
	l := s.live
	s.happen(func() (all []bus.Effect) {
		snap := l.viewLocked().snap
		for _, call := range snap.PendingTools() {
			all = append(all, bus.Effect{Delivery: &bus.Delivery{
				ToolDelivery: projection.ToolDelivery{ToolCallID: call.ToolCallID(), Status: projection.ToolCancelled}, By: s.me(),
			}})
		}
		return append(all, bus.Effect{Latch: &bus.Latch{
			Latch: projection.Latch{Kind: projection.LatchCancel, On: true}, By: s.me(), Taken: true, Status: snap.Status(),
		}})
	})
	l.mu.Lock()
	l.drives.seized--
	l.mu.Unlock()
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.closed {
		return
	}
	s.hub.tasks.Go(func() {
		select {
		case <-time.After(cancelPatience):
			s.unlatch(projection.LatchCancel)
		case <-s.hub.ctx.Done():
		}
	})
}

// digest stands for a result.
func (d *delivery) digest() string { return hex.EncodeToString(d.sum[:]) }

// Why a delivery is not begun here, or not now.
var (
	errElsewhere = errors.New("it is delivered by another instance")
	errBusy      = errors.New("another result is being delivered")
)

// submitShared is submit: of those who submit a result at several instances one delivers it. nil and no error: the result
// is there.
func (h *Hub) submitShared(ctx context.Context, v *Viewer, d *delivery) (*delivery, error) {
	if err := h.opts.Bus.Ready(); err != nil {
		return nil, busAway(err)
	}
	var known *delivery
	s := v.shared
	fresh := false
	_, err := s.append(ctx, func() (_ *bus.Record, err error) {
		fresh = false
		var queued bool
		if known, queued, err = v.mayQueueLocked(d); err != nil || known != nil || !queued {
			return nil, err
		}
		if now := s.callLocked(d.callID); now != nil && now.Status != projection.ToolFailed {
			if now.Digest != d.digest() {
				return nil, errOtherResult
			}
			return nil, errElsewhere
		}
		fresh = true
		return &bus.Record{Kind: bus.Happened, Effects: s.stands(d, projection.ToolPending, nil)}, nil
	})
	switch {
	case errors.Is(err, errElsewhere):
		return nil, h.awaitElsewhere(ctx, v, d.callID)
	case err != nil:
		return nil, asked(err)
	case !fresh:
		return known, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	v.mu.Lock()
	first := v.enqueueLocked(d)
	v.mu.Unlock()
	if first {
		h.tasks.Go(func() { h.deliverAll(v) })
	}
	return d, nil
}

// stands is how a delivery stands, as an effect.
func (s *shared) stands(d *delivery, status projection.ToolCallStatus, failure *string) []bus.Effect {
	return []bus.Effect{{Delivery: &bus.Delivery{
		ToolDelivery: projection.ToolDelivery{ToolCallID: d.callID, Status: status, Error: failure}, By: s.me(), Digest: d.digest(),
	}}}
}

// awaitElsewhere waits for a delivery by another instance, as awaitDelivery does for one of its own.
func (h *Hub) awaitElsewhere(ctx context.Context, v *Viewer, callID string) error {
	s := v.shared
	limit := time.NewTimer(h.opts.DriveLimit)
	defer limit.Stop()
	for {
		s.live.mu.Lock()
		now, changed := s.callLocked(callID), s.changed
		s.live.mu.Unlock()
		switch {
		case now == nil:
			return errors.New("a delivery is gone")
		case now.Status == projection.ToolSubmitted:
			return nil
		case now.Status == projection.ToolCancelled:
			return errCancelled
		case now.Status == projection.ToolFailed:
			message := "the delivery failed"
			if now.Error != nil {
				message = *now.Error
			}
			return coded.New(coded.UpstreamUnavailable, message)
		}
		select {
		case <-changed:
		case <-limit.C:
			if now.Status == projection.ToolPending {
				return nil
			}
			limit.Reset(h.opts.DriveLimit) // one that is on its way ends, or its instance does
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// beginDeliveryShared is beginDelivery, once no instance delivers another.
func (h *Hub) beginDeliveryShared(ctx context.Context, v *Viewer, d *delivery) (ref *projection.ConversationRef, err error) {
	s := v.shared
	for {
		if err := v.awaitStop(ctx, d.who); err != nil {
			return nil, err
		}
		var changed chan struct{}
		_, err = s.append(ctx, func() (*bus.Record, error) {
			changed = s.changed
			snap := v.viewLocked().snap
			if snap.Status() == projection.ChatStreaming || s.busyLocked(d.callID) {
				return nil, errBusy
			}
			var why error
			if ref, why = v.deliverableLocked(d); ref == nil {
				return nil, why
			}
			return &bus.Record{Kind: bus.Happened, Effects: s.stands(d, projection.ToolSubmitting, nil)}, nil
		})
		if !errors.Is(err, errBusy) {
			return ref, err
		}
		select {
		case <-changed:
		case <-time.After(time.Second): // an instance may have gone, which is no event
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// busyLocked tells whether another call's result is on its way from an instance that is there.
func (s *shared) busyLocked(callID string) bool {
	for _, d := range s.calls {
		if d.ToolCallID != callID && d.Status == projection.ToolSubmitting && s.hub.opts.Bus.Alive(d.By) {
			return true
		}
	}
	return false
}

// deliveredShared is delivered: whoever waits here is told, then everybody.
func (s *shared) deliveredShared(d *delivery, err error) {
	d.err = upstream.Coded(err)
	status, message := projection.ToolSubmitted, failureOf(d.err)
	s.live.mu.Lock()
	if err == nil {
		s.live.drives.note(d)
	} else {
		status = projection.ToolFailed
		delete(s.live.drives.byCall, d.callID)
	}
	s.live.mu.Unlock()
	s.happen(func() []bus.Effect {
		if now := s.callLocked(d.callID); now != nil && now.By != s.me() {
			return nil // it was taken to have failed, and submitted elsewhere
		}
		return s.stands(d, status, message)
	})
	close(d.done)
}
