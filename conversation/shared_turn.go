package conversation

import (
	"context"
	"errors"
	"time"

	"inlaygraph/bus"
	"inlaygraph/coded"
	"inlaygraph/projection"
)

// beginPatience is how long another instance may take from beginning to read a conversation to having shown it: upstream
// may be slow, and it would be as slow here. Who asks is told sooner.
const beginPatience = 30 * time.Second

var errNotShown = errors.New("another server is reading the conversation, and has not got it yet")

// errNewer is what whoever follows a conversation hears that a newer server has taken over.
var errNewer error = coded.New(coded.UpstreamUnavailable, "the conversation is read by a newer server; ask again")

// sharedTurn finds out who reads upstream, and becomes the one if nobody does, or if there is a run that was asked for
// here. mine: the turn goes on as if there were no other instance; else it is over, and wait says how long to.
func (r *reader) sharedTurn(ctx context.Context, d *driven) (mine bool, wait time.Duration) {
	s := r.shared
	failed := s.failed
	s.ctx, s.failed = ctx, nil
	defer func() {
		if d != nil && !mine {
			r.failDriven(d, busAway(s.failed))
		}
	}()
	if failed != nil && d == nil && !errors.Is(failed, errNotOwner) && !errors.Is(failed, errUnbegun) && !errors.Is(failed, context.Canceled) {
		return false, r.busFailed(failed)
	}
	if err := s.sync(ctx); err != nil {
		s.failed = err
		if ctx.Err() != nil { // something else is more urgent
			return false, 0
		}
		return false, r.busFailed(err)
	}
	st := s.standing()
	switch {
	case st.newer && d == nil:
		r.lose(errNewer)
		return false, 0
	case st.begun:
		s.unbegun = time.Time{}
	case s.unbegun.IsZero():
		s.unbegun = time.Now()
	}
	seize := d != nil || s.free(st.owner) || st.cut || (!st.begun || !st.shown) && !s.unbegun.IsZero() && time.Since(s.unbegun) > beginPatience
	if st.owner != s.me() {
		if !seize {
			return false, r.followOther(ctx)
		}
		if d == nil && !r.pick() {
			return true, 0 // which the turn finds out too: nobody is there to read for
		}
		if err := s.own(ctx, d != nil || !s.free(st.owner)); err != nil {
			s.failed = err
			if errors.Is(err, errNotOwner) || ctx.Err() != nil {
				return false, 0
			}
			return false, r.busFailed(err)
		}
		r.takeOver()
	} else if !st.begun {
		r.stale = true // it was lost while it was read here
	}
	s.unbegun = time.Time{}
	if err := s.sweep(ctx); err != nil && s.failed == nil {
		s.failed = err
	}
	if d == nil && s.long() && r.live.standing() != 0 && s.quiet() {
		r.reload(errLong)
	}
	return true, 0
}

// failDriven lets go of a run that can't be followed here: the run itself goes on.
func (r *reader) failDriven(d *driven, why error) {
	d.pump.close()
	d.err = why
	close(d.taken)
}

// own appends that this instance reads upstream from now on. Without force it does not take it from one that does.
func (s *shared) own(ctx context.Context, force bool) error {
	_, err := s.append(ctx, func() (*bus.Record, error) {
		if !force && !s.free(s.owner) {
			return nil, errNotOwner
		}
		return &bus.Record{Kind: bus.Own}, nil
	})
	if err == nil {
		s.hub.counts.takeover()
	}
	return err
}

// yield appends that this instance has ceased to read upstream.
func (s *shared) yield(ctx context.Context) {
	if s.standing().owner != s.me() || ctx.Err() != nil {
		return // who closes is known to be gone
	}
	_, err := s.append(ctx, func() (*bus.Record, error) {
		if s.owner != s.me() {
			return nil, errNotOwner
		}
		return &bus.Record{Kind: bus.Yield}, nil
	})
	if err != nil && !errors.Is(err, errNotOwner) && ctx.Err() == nil {
		s.hub.opts.Logger.Info("a reading that ended was not told", "conversation", s.live.id, "error", err)
	}
}

// takeOver goes on where the bus stands.
func (r *reader) takeOver() {
	s := r.shared
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	r.stale, r.streamed, r.head = !s.begun, s.streamed, s.head
	r.fromStart, r.polling, r.told = false, false, nil
	told := r.live.toldLocked()
	_, r.lastSeq = told.Seqs()
	if index := told.Snapshot().Plan(); index != nil {
		r.plan = r.hub.plans.of(index)
	}
}

// busFailed tells whoever waits what is known though the bus is away, and says when to try again.
func (r *reader) busFailed(err error) time.Duration {
	if r.hub.ctx.Err() != nil {
		return 0
	}
	r.hub.opts.Logger.Warn("the bus", "conversation", r.id, "error", err)
	shown := r.shared.standing().shown
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if shown {
		err = nil // what is in memory is served
	} else {
		err = busAway(err)
	}
	r.releaseLocked(err)
	return min(r.attempts.NextBackOff(), time.Second)
}

// followOther keeps whoever asks here up to date while another instance reads upstream. It returns when that has ended,
// or nobody asks any longer.
func (r *reader) followOther(ctx context.Context) time.Duration {
	s := r.shared
	patience, tell := time.NewTimer(beginPatience), time.NewTimer(r.hub.opts.DriveLimit)
	defer patience.Stop()
	defer tell.Stop()
	outages := s.hub.opts.Bus.Outages()
	for {
		if s.hub.opts.Bus.Ready() == nil && s.hub.opts.Bus.Outages() != outages {
			return 0 // what came back may have lost what was folded here: the next turn looks where the log ends
		}
		st := s.standing()
		if st.newer || st.cut || st.owner == s.me() || s.free(st.owner) || !s.isFollowed() {
			return 0
		}
		if st.begun && st.shown {
			r.answer(nil)
			patience.Stop()
			tell.Stop()
			if r.unattended() {
				return 0
			}
		}
		select {
		case <-s.signal:
		case <-r.nudge:
		case <-tell.C:
			r.hub.mu.Lock()
			r.releaseLocked(busAway(errNotShown))
			r.hub.mu.Unlock()
		case <-patience.C:
			return 0
		case <-ctx.Done():
			return 0
		}
	}
}

// endShared is for a reading that has ended.
func (r *reader) endShared() {
	if r.shared == nil {
		return
	}
	r.shared.yield(r.hub.ctx)
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if (!r.running || r.lost != nil) && r.hub.live[r.key] != r { // nobody will stop it otherwise
		r.shared.pause()
	}
}

func (s *shared) isFollowed() bool {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	return s.following != nil
}

// unattended tells whether nobody is there to read for.
func (r *reader) unattended() bool {
	n, _ := r.live.following()
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	return n == 0 && r.asked == nil && r.driven == nil
}

// sharedMoved is told when who reads upstream may have changed, or with heed when something happened that the reader
// should see to.
func (r *reader) sharedMoved(heed bool) {
	st := r.shared.standing()
	mine := st.owner == r.shared.me() && !st.newer
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.owns && !mine && r.interrupt != nil {
		r.interrupt()
	}
	r.owns = mine
	if heed || !mine {
		r.recheck = true
		r.poke()
	}
}

// busChanged has every reader look how things stand: an instance came or went, or the bus did.
func (h *Hub) busChanged() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.live {
		if r.running {
			r.recheck = true
			r.poke()
			r.shared.wake()
		}
	}
}

// pauseIdleLocked ceases to follow the logs of conversations that nobody has asked for in a while. Hub.mu is held.
func (h *Hub) pauseIdleLocked(now time.Time) {
	for _, r := range h.live {
		if n, use := r.live.following(); r.shared != nil && !r.running && n == 0 && !r.live.isDriving() && now.Sub(use) >= h.opts.Linger {
			r.shared.pause()
		}
	}
}

// A log is begun anew when it has grown so long, or so old: whoever joins reads all of it, and the bus does not keep its
// beginning for ever.
const (
	longLog = 20_000 // inputs
	oldLog  = 6 * time.Hour
)

var errLong = errors.New("the log has grown long")

func (s *shared) long() bool {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	return s.begun && s.shown && (s.inputs > s.hub.opts.LongLog || time.Since(s.beganAt) > min(oldLog, s.hub.opts.Bus.MaxAge()/4))
}

// quiet tells whether nothing is in flight.
func (s *shared) quiet() bool {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	return len(s.latches) == 0 && s.live.viewLocked().snap.Status() != projection.ChatStreaming
}

// sweep ends what instances that are gone had in flight: their latches, and their deliveries, which can be submitted again.
func (s *shared) sweep(ctx context.Context) error {
	_, err := s.append(ctx, func() (*bus.Record, error) {
		var over []bus.Effect
		gone := "the server that delivered it is gone"
		for _, d := range s.calls {
			if (d.Status == projection.ToolPending || d.Status == projection.ToolSubmitting) && !s.hub.opts.Bus.Alive(d.By) {
				now := *d
				now.Status, now.Error = projection.ToolFailed, &gone
				over = append(over, bus.Effect{Delivery: &now})
			}
		}
		for kind := range projection.LatchCancel + 1 {
			if latch := s.latches[kind]; latch != nil && !s.hub.opts.Bus.Alive(latch.By) {
				over = append(over, bus.Effect{Latch: &bus.Latch{Latch: projection.Latch{Kind: kind}}})
			}
		}
		if len(over) == 0 || !s.begun {
			return nil, nil
		}
		return &bus.Record{Kind: bus.Happened, Effects: over}, nil
	})
	return err
}

// attend sees to what an instance that is gone had in flight, while a run is followed.
func (a *attachment) attend(ctx context.Context) {
	if a.shared != nil {
		if err := a.shared.sweep(ctx); err != nil && ctx.Err() == nil { // the next turn does
			a.hub.opts.Logger.Info("what an instance left is still there", "conversation", a.id, "error", err)
		}
	}
}
