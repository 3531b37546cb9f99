package conversation

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/cenkalti/backoff/v5"

	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/wire"
)

// reader brings one conversation from upstream into memory and keeps it current while somebody asks: the
// window first, then the stream by offset; a gap or a refusal means the window again (docs/wire.md). It
// reads in one goroutine, which is there only while it is needed.
type reader struct {
	hub *Hub
	key
	opener opener
	live   *Live

	// Guarded by Hub.mu.
	admitted  map[string]time.Time // until when it is known that a user may see it
	refused   map[string]bool      // tokens that upstream does not accept
	offered   *offer               // a head that somebody read
	driven    *driven              // a run that was asked for, to be followed
	interrupt context.CancelFunc   // ends what is being read: there is something more urgent; nil while nothing is
	running   bool                 // the reading goroutine is there
	lost      error                // why nothing will be read any more
	attached  bool                 // the stream of the run in flight is followed, and has said what it held
	headAt    time.Time            // when what is shown was last known to be current; zero before the first load
	asked     *round               // who waits for that; nil when nobody does
	holdUntil time.Time            // upstream asked to be left alone until then,
	holdErr   error                // in these words

	shared  *shared // its place on the bus; nil without one
	owns    bool    // upstream is read by this instance
	recheck bool    // that may have changed

	nudge chan struct{} // capacity 1: somebody waits, or it was evicted

	// The reading goroutine's own. who is written by it alone, under Hub.mu.
	who       *session.Session   // whose token it reads with, the last time
	head      *wire.Head         // the latest
	plan      *plan              // of the head's agent version, nil while unknown
	planAfter time.Time          // when it may be asked for again
	stale     bool               // there is nothing told to go on from
	fromStart bool               // the run in flight is to be folded from its stream's start
	streamed  bool               // frames were folded since the window was loaded
	polling   bool               // upstream cannot reattach to the run in flight: its log is read instead
	told      []projection.Input // of what the state that is being built was built; for the bus
	lastSeq   int64              // the last place of the log that was read
	reach     int64              // the least seq that a stream told of in front of a window that was shown; 0: none
	full      bool               // the window was loaded as far down as one may reach: nothing is wanted in front of it
	showBy    time.Time          // until when a stream that was cut is awaited, so that what is loaded has caught up
	awaySince time.Time          // when upstream went away; zero while it is there
	attempts  backoff.ExponentialBackOff
	broken    bool // the stream ended otherwise than its run
}

// round is one answer to everybody who waits for it.
type round struct {
	askers []*session.Session // guarded by Hub.mu
	from   context.Context    // of the first of them, for what it carries
	done   chan struct{}
	err    error // said before done is closed
}

func newReader(h *Hub, k key, who *session.Session) *reader {
	r := &reader{
		hub: h, key: k, opener: opener{who.Tenant, who.Subject}, live: NewLive(k.id), nudge: make(chan struct{}, 1), stale: true,
		admitted: map[string]time.Time{}, refused: map[string]bool{},
	}
	r.live.plans, r.live.figures = &h.plans, &h.counts.figures
	r.live.log = &logReader{h.opts.Source, h.opts.History, k.id}
	if h.opts.Bus != nil {
		r.shared = newShared(h, r.live, k, r.sharedMoved)
		r.live.shared = r.shared
	}
	r.live.attend, r.live.bounds = r.attend, bounds{rows: h.opts.MaxWindowRows, limits: h.opts.Limits}
	r.attempts = backoff.ExponentialBackOff{
		InitialInterval: h.opts.MinBackoff, MaxInterval: h.opts.MaxBackoff,
		RandomizationFactor: backoff.DefaultRandomizationFactor, Multiplier: backoff.DefaultMultiplier,
	}
	return r
}

// askLocked says what to wait for before the conversation is read; nil when it is current. Hub.mu is held.
func (r *reader) askLocked(ctx context.Context, who *session.Session) (*round, error) {
	r.live.touch()
	now := time.Now()
	if !r.headAt.IsZero() {
		if n, _ := r.live.following(); n > 0 || r.attached || now.Sub(r.headAt) < r.hub.opts.HeadFresh {
			r.offered = nil // nobody needs it
			return nil, nil
		}
	}
	if now.Before(r.holdUntil) {
		return nil, r.holdErr
	}
	return r.wantLocked(ctx, who), nil
}

// wantLocked has the conversation brought up to date with who's token. Hub.mu is held.
func (r *reader) wantLocked(ctx context.Context, who *session.Session) *round {
	if r.lost != nil {
		over := &round{done: make(chan struct{}), err: r.lost}
		close(over.done)
		return over
	}
	if r.asked == nil {
		r.asked = &round{from: ctx, done: make(chan struct{})}
	}
	r.asked.askers = append(r.asked.askers, who)
	r.startLocked()
	r.poke()
	return r.asked
}

// poke has the reading goroutine look whether it is wanted, and for what.
func (r *reader) poke() {
	select {
	case r.nudge <- struct{}{}:
	default:
	}
}

// attend keeps the conversation current for somebody who follows. One that was evicted between being opened
// and being followed comes back.
func (r *reader) attend() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.hub.closed || r.lost != nil {
		return // the subscription ends
	}
	if r.hub.live[r.key] == nil {
		r.hub.putLocked(r)
	}
	r.startLocked()
}

func (r *reader) startLocked() {
	if !r.running {
		r.running = true
		r.hub.tasks.Go(r.run)
	}
}

// run reads while somebody asks.
func (r *reader) run() {
	defer r.endShared()
	defer r.rescue()
	ctx := r.hub.ctx
	for wait := r.rest(); r.stay(ctx, wait); wait = r.turn(ctx) {
	}
}

// rescue ends this conversation alone when its reading panics.
func (r *reader) rescue() {
	if v := recover(); v != nil {
		r.hub.opts.Logger.Error("panic", "conversation", r.id, "value", v, "stack", string(debug.Stack()))
		r.lose(fmt.Errorf("panic while reading conversation %q: %v", r.id, v))
	}
}

// stay waits for the next turn, at most until somebody asks or a run that was asked for is there. It reports false
// once the reading is not wanted any longer, or can't go on.
func (r *reader) stay(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		left, wanted := r.leave(ctx)
		if left || wanted || wait <= 0 {
			return !left
		}
		select {
		case <-timer.C:
			wait = 0
		case <-r.nudge:
		case <-ctx.Done():
		}
	}
}

// leave ends the reading goroutine unless somebody follows or it is wanted, and tells whether it is wanted now.
func (r *reader) leave(ctx context.Context) (left, wanted bool) {
	h := r.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		r.loseLocked(errClosing)
	}
	wanted = r.asked != nil || r.driven != nil
	n, _ := r.live.following()
	if n == 0 && !wanted {
		if before, _ := r.live.lacks(); before == 0 && r.shared == nil {
			r.live.show(true) // nobody looks
		}
	} else if r.lost == nil {
		wanted, r.recheck = wanted || r.recheck, false
		return false, wanted
	}
	r.running, r.awaySince, r.broken = false, time.Time{}, false
	return true, false
}

// lose ends the conversation for everybody: its subscriptions, whoever waits, and its place in the hub.
func (r *reader) lose(err error) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.loseLocked(err)
}

func (r *reader) loseLocked(err error) {
	if r.lost != nil {
		return
	}
	r.lost = err
	r.hub.removeLocked(r)
	r.live.end(err)
	r.dropDrivenLocked(err)
	r.answerLocked(err)
}

// answer tells everybody who waits; without an error, what is shown is current now.
func (r *reader) answer(err error) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.answerLocked(err)
}

func (r *reader) answerLocked(err error) {
	if err == nil && r.shared != nil && r.shared.failed != nil {
		return // the next turn knows more
	}
	if err == nil {
		r.headAt = time.Now()
	}
	r.releaseLocked(err)
}

// releaseLocked lets go of everybody who waits.
func (r *reader) releaseLocked(err error) {
	if r.asked != nil {
		r.asked.err = err
		close(r.asked.done)
		r.asked = nil
	}
}

// rest is how long to wait before anything is read: a subscriber that just opened the conversation has it
// current.
func (r *reader) rest() time.Duration {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if age := time.Since(r.headAt); r.shared == nil && r.asked == nil && r.head != nil && r.head.Status != wire.Running && age < r.hub.opts.HeadFresh {
		return r.hub.opts.IdlePoll - age
	}
	return 0
}
