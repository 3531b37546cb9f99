package conversation

import (
	"context"
	"errors"
	"time"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

// turn reads the head, the window if need be, and the run in flight to the end of its stream; it says how
// long to wait before the next turn.
func (r *reader) turn(ctx context.Context) time.Duration {
	ctx, d := r.beginTurn(ctx)
	defer r.interrupt()
	if r.shared != nil {
		if mine, wait := r.sharedTurn(ctx, d); !mine {
			return wait
		}
	}
	if d != nil {
		return r.followed(ctx, r.follow(ctx, d))
	}
	if !r.pick() {
		return r.unread(errRefused)
	}
	running, err := r.refresh(ctx)
	switch {
	case ctx.Err() != nil:
		return 0
	case err != nil:
		return r.failed(err)
	case running && r.live.awaitsRun(): // which is this one, and its own stream says it; one beside it is not wanted
		if _, err := r.show(ctx, false); err != nil {
			return r.failed(err)
		}
		r.answer(nil)
		return r.hub.opts.LogPoll
	case ctx.Err() != nil: // since it was looked at, that run was handed over
		return 0
	case running && !r.polling:
		return r.followed(ctx, r.follow(ctx, nil))
	}
	if _, err := r.show(ctx, true); err != nil {
		return r.failed(err)
	}
	r.answer(nil)
	r.awaySince = time.Time{}
	wait := r.hub.opts.IdlePoll
	if running {
		wait = r.hub.opts.LogPoll
	}
	if r.live.awaitsCancel() {
		return min(r.attempts.NextBackOff(), wait)
	}
	r.attempts.Reset()
	return wait
}

// beginTurn takes over a run that was asked for, nil when there is none, to read it with its own session. The next one
// that comes interrupts the turn by its context.
func (r *reader) beginTurn(ctx context.Context) (context.Context, *driven) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.asked != nil {
		ctx = r.hub.opts.Carry(ctx, r.asked.from)
	}
	ctx, r.interrupt = context.WithCancel(ctx)
	d := r.driven
	if r.driven = nil; d != nil {
		r.who, r.polling = d.who, false
	}
	return ctx, d
}

// unread is for a conversation that there is no session left to read with: whoever follows or waits is told, unless
// those who follow are leaving. It says how long to wait for that.
func (r *reader) unread(why error) time.Duration {
	wait := r.leaving()
	if wait > 0 {
		return wait
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if n, _ := r.live.following(); n > 0 || r.asked != nil {
		r.loseLocked(why)
	}
	return 0
}

// Why following a run ended, beside upstream's own refusals.
var (
	errCut       = errors.New("the stream was cut")
	errGap       = errors.New("frames were lost")
	errUnwatched = errors.New("nobody asks any longer")
	errExpired   = errors.New("the session it was opened with is over")
	errMissed    = errors.New("frames are missing before a run that was asked for")
)

// followed decides how to go on after the stream of a run; nil means that the run was folded to its end.
func (r *reader) followed(ctx context.Context, err error) time.Duration {
	if ctx.Err() != nil || err == nil || errors.Is(err, errUnwatched) || errors.Is(err, errExpired) {
		return 0 // with another session, if there is one
	}
	switch {
	case errors.Is(err, upstream.Unauthenticated):
		return r.refusedFor(err)
	case errors.Is(err, errMissed):
		r.reload(err)
		return 0
	}
	if errors.Is(err, errCut) && r.live.mayLack() && time.Now().Before(r.showBy) {
		return r.attempts.NextBackOff() // and the next stream goes on with what this one repeated
	}
	if r.stale && r.headAt.IsZero() { // the stream was to say everything, and can't be had
		if err := r.load(ctx, r.head); ctx.Err() != nil {
			return 0
		} else if err != nil {
			return r.failed(err)
		}
	}
	if _, err := r.show(ctx, false); ctx.Err() != nil {
		return 0
	} else if err != nil {
		return r.failed(err)
	}
	r.answer(nil) // the window is as current as it can be
	switch {
	case errors.Is(err, errCut):
		r.broken = true
	case errors.Is(err, upstream.Idle): // the head decides what it means
		r.awaySince = time.Time{}
	case errors.Is(err, errGap), errors.Is(err, errBefore):
		r.reload(err)
	case errors.Is(err, upstream.CannotReattach):
		r.polling = true
		if r.streamed { // what the log repeats might not be recognised
			r.reload(err)
		}
		return 0
	case upstream.Hidden(err): // here too
		r.awaySince = time.Time{}
		if r.streamed {
			r.reload(err)
		}
	default:
		r.broken = true
		return r.retry(err)
	}
	return r.attempts.NextBackOff()
}

// refusedFor goes on with another session than the one that upstream does not accept; without one it ends the
// conversation.
func (r *reader) refusedFor(err error) time.Duration {
	r.refuse()
	if r.pick() {
		return 0
	}
	wait := r.leaving()
	if wait == 0 {
		r.lose(upstream.Coded(err))
	}
	return wait
}

// reload has the window loaded again at the next turn.
func (r *reader) reload(why error) {
	r.stale = true
	r.live.because(resetReason(why))
	r.hub.counts.reload(r.hub.opts.Logger, r.id, why)
}

// failed tells whoever waits that upstream did not say how things stand, and whether and when to try again.
func (r *reader) failed(err error) time.Duration {
	n, _ := r.live.following()
	switch {
	case errors.Is(err, upstream.Unauthenticated), errors.Is(err, upstream.Forbidden):
		return r.refusedFor(err)
	case upstream.Hidden(err), n == 0 && r.headAt.IsZero():
		r.lose(upstream.Coded(err)) // nothing of it is kept
		return 0
	}
	wait := r.retry(err)
	r.answer(err)
	return wait
}

// retry says when to try again: when upstream asked for it, else with backoff. Once upstream has been away
// for too long it ends the subscriptions.
func (r *reader) retry(err error) time.Duration {
	limit := r.hub.opts.AwayLimit
	now := time.Now()
	if r.awaySince.IsZero() {
		r.awaySince = now
	}
	left := limit - now.Sub(r.awaySince)
	if n, _ := r.live.following(); n > 0 && left <= 0 {
		r.lose(coded.Wrap(coded.UpstreamUnavailable, "upstream has been away for too long", err))
		return 0
	}
	r.hub.opts.Logger.Warn("upstream", "conversation", r.id, "error", err)
	wait := r.attempts.NextBackOff()
	if e, ok := errors.AsType[*upstream.Error](err); ok && e.HasRetryAfter {
		wait = min(max(wait, e.RetryAfter), limit)
		r.hold(now.Add(wait), err)
	}
	return max(min(wait, left), 0)
}

// hold leaves upstream alone for a while; who asks meanwhile is told why.
func (r *reader) hold(until time.Time, err error) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.holdUntil, r.holdErr = until, err
}
