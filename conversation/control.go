package conversation

import (
	"context"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
)

// Payload is what a change of a conversation answers with.
type Payload struct{ Conversation *Conversation }

// errNoDriver is for an upstream that only tells.
var errNoDriver error = coded.New(coded.UpstreamUnavailable, "there is no upstream that runs agents")

// mayDrive opens a conversation for whoever wants something of it.
func (h *Hub) mayDrive(ctx context.Context, who *session.Session, id string) (*Viewer, error) {
	if err := checkSession(who); err != nil {
		return nil, err
	}
	if h.opts.Driver == nil {
		return nil, errNoDriver
	}
	v, err := h.Open(ctx, who, id)
	if err != nil {
		return nil, err
	}
	if v.reader == nil {
		return nil, errNoDriver
	}
	return v, nil
}

// Retry runs a failed conversation again, and answers once the run has begun. Errors are coded: CONFLICT, with the
// reason, when the state does not allow it.
func (h *Hub) Retry(ctx context.Context, who *session.Session, id string) (*Conversation, error) {
	v, err := h.mayDrive(ctx, who, id)
	if err != nil {
		return nil, err
	}
	err = h.task(ctx, id, func(ctx context.Context) error {
		if err := v.seize(projection.LatchRetry, whyNoRetry); err != nil {
			return err
		}
		defer v.release(projection.LatchRetry)
		_, err := h.drive(ctx, v, who, true, func(ctx context.Context) (upstream.Stream, error) {
			return h.opts.Driver.Retry(ctx, who.Token(), id)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.Conversation(), nil
}

func whyNoRetry(s *projection.Snapshot) string {
	switch {
	case s.CanRetry():
		return ""
	case s.Status() != projection.ChatFailed:
		return "there is no failed run to retry"
	}
	return "the failed run can't be retried"
}

// Cancel asks upstream to end the run, and marks every call that waits for an answer as cancelled. It answers once
// upstream took it; the run's end is told by the run itself. Errors are coded: CONFLICT when there is no run.
func (h *Hub) Cancel(ctx context.Context, who *session.Session, id string) (*Conversation, error) {
	v, err := h.mayDrive(ctx, who, id)
	if err != nil {
		return nil, err
	}
	err = h.task(ctx, id, func(ctx context.Context) error {
		if err := v.seize(projection.LatchCancel, whyNoCancel); err != nil {
			return err
		}
		taken := false
		defer func() {
			if !taken {
				v.release(projection.LatchCancel)
			}
		}()
		ctx, cancel := context.WithTimeout(ctx, h.opts.DriveLimit)
		defer cancel()
		if err := h.opts.Driver.Cancel(ctx, who.Token(), id); err != nil {
			return v.told(ctx, who, err)
		}
		taken = true
		v.cancelled()
		v.reader.lookAt(ctx, who)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v.Conversation(), nil
}

func whyNoCancel(s *projection.Snapshot) string {
	if s.Capabilities().CanCancel {
		return ""
	}
	return "there is no run to cancel"
}

// lookAt has the conversation read soon, with who's token, unless its stream is followed anyway.
func (r *reader) lookAt(ctx context.Context, who *session.Session) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if !r.attached && !r.hub.closed {
		r.wantLocked(ctx, who)
	}
}
