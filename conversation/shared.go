package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inlaygraph/bus"
	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// shared is a conversation's place on the bus (promises 27 to 33): what is folded there in the order that all instances
// have, who reads upstream, and what viewers of any instance have asked for. Its members are guarded by Live.mu where they
// say nothing else.
type shared struct {
	hub    *Hub
	live   *Live
	log    *bus.Log
	moved  func(bool)    // told without a lock when the reader should look how things stand
	signal chan struct{} // capacity 1: the same, for whoever follows another instance's reading

	following *bus.Following // nil while the log is not followed
	session   int            // of following: what an earlier one still tells is late
	pos       uint64         // the place of the latest event
	posID     string         // and its id
	outages   int64          // of the bus, when it was told, or found to stand still
	changed   chan struct{}  // closed, and another put in its place, with every event
	awaited   map[string]chan []projection.Change

	bounds   bounds // of the window, as the Begin says
	begun    bool   // since a Begin, everything has been folded
	shown    bool   // what is shown was begun on the bus
	cut      bool   // there is more, but not its beginning
	newer    bool   // something came that can't be read here
	owner    string // the instance that reads upstream, "" for none
	inputs   int    // since the Begin
	beganAt  time.Time
	before   uint64 // the place right before the Begin
	streamed bool   // frames came since the Begin
	head     *wire.Head
	calls    []*bus.Delivery // the latest of each call, in the order in which they were first delivered
	latches  map[projection.LatchKind]*bus.Latch

	// The reading goroutine's own.
	ctx     context.Context
	failed  error // why the turn can't go on: what it said was not taken
	unbegun time.Time
}

// Why something was not taken by the bus, beside its own errors.
var (
	errNotOwner = errors.New("another instance reads upstream")
	errUnread   = errors.New("what was appended does not come back")
	errUnbegun  = errors.New("the bus does not have the conversation's beginning")
)

func newShared(h *Hub, l *Live, k key, moved func(bool)) *shared {
	return &shared{
		hub: h, live: l, log: h.opts.Bus.Log(k.tenant, k.id), moved: moved, signal: make(chan struct{}, 1),
		changed: make(chan struct{}), awaited: map[string]chan []projection.Change{},
		latches: map[projection.LatchKind]*bus.Latch{},
	}
}

func (s *shared) me() string { return s.hub.opts.Bus.ID() }

// busAway is what whoever wants something hears that the bus is needed for.
func busAway(err error) error {
	return coded.Wrap(coded.UpstreamUnavailable, "the servers can't agree at the moment; try again", err)
}

// follow has the log followed.
func (s *shared) follow(ctx context.Context) error {
	s.live.mu.Lock()
	if s.following != nil {
		s.live.mu.Unlock()
		return nil
	}
	s.session++
	session := s.session
	s.live.mu.Unlock()
	after, err := s.resume(ctx)
	if err != nil {
		return err
	}
	f, err := s.log.Follow(ctx, after, func(e bus.Event) { s.take(session, e) })
	if err != nil {
		return err
	}
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	if s.session != session || s.following != nil {
		f.Stop() // somebody else did in between
		return nil
	}
	s.following = f
	return nil
}

// resume is the place to follow the log from: behind what was folded, if that still stands after an outage of the bus.
func (s *shared) resume(ctx context.Context) (after uint64, err error) {
	outages := s.hub.opts.Bus.Outages()
	s.live.mu.Lock()
	after, id, known := s.pos, s.posID, s.outages == outages
	s.live.mu.Unlock()
	if after == 0 || id == "" || known {
		return after, nil
	}
	stands, err := s.log.Stands(ctx, after, id)
	if err != nil {
		return 0, err
	}
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	if s.outages = outages; !stands && s.pos == after {
		s.pos, s.posID, s.begun, s.cut, s.owner = 0, "", false, false, ""
	}
	return s.pos, nil
}

// pause ceases to follow the log, until somebody asks for the conversation again.
func (s *shared) pause() {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	s.pauseLocked()
}

func (s *shared) pauseLocked() {
	if s.following != nil {
		s.following.Stop()
		s.following = nil
		s.session++
	}
}

// sync returns once everything is folded that was on the bus when it was called.
func (s *shared) sync(ctx context.Context) error {
	if err := s.follow(ctx); err != nil {
		return err
	}
	s.live.mu.Lock()
	had := s.pos
	s.live.mu.Unlock()
	last, err := s.log.Last(ctx)
	if err != nil {
		return err
	}
	return s.reach(ctx, had, last)
}

// reach waits until a place is folded that the log is known to end at. A log that ends before what had been folded here
// has lost its records.
func (s *shared) reach(ctx context.Context, had, last uint64) error {
	s.live.mu.Lock()
	if last < had {
		s.pauseLocked()
		s.pos, s.posID, s.begun, s.cut, s.owner = last, "", false, false, ""
		s.live.mu.Unlock()
		return s.follow(ctx)
	}
	s.live.mu.Unlock()
	limit := time.NewTimer(reachLimit)
	defer limit.Stop()
	for {
		s.live.mu.Lock()
		there, changed := s.pos >= last, s.changed
		s.live.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-limit.C:
			s.pause() // perhaps it is followed no more
			return fmt.Errorf("%w: nothing comes from it", bus.ErrAway)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reachLimit is how long what is on the bus may take to come.
const reachLimit = 10 * time.Second

// append puts a record on the bus, behind everything that was folded here, and returns once it is folded, with what each
// of its inputs did. compose is asked for it under the lock, again whenever somebody else was first; nil is none.
func (s *shared) append(ctx context.Context, compose func() (*bus.Record, error)) ([]projection.Change, error) {
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	for {
		s.live.mu.Lock()
		r, err := compose()
		if r == nil || err != nil {
			s.live.mu.Unlock()
			return nil, err
		}
		r.ID = s.hub.opts.Bus.NewRecordID()
		folded := make(chan []projection.Change, 1)
		s.awaited[r.ID] = folded
		after := s.pos
		s.live.mu.Unlock()
		changes, again, err := s.appendAt(ctx, after, r, folded)
		s.live.mu.Lock()
		delete(s.awaited, r.ID)
		s.live.mu.Unlock()
		if !again {
			return changes, err
		}
	}
}

// appendAt tries once. again: somebody else was first, and what that was is folded now.
func (s *shared) appendAt(ctx context.Context, after uint64, r *bus.Record, folded chan []projection.Change) (_ []projection.Change, again bool, err error) {
	seq, err := s.log.Append(ctx, after, r)
	if errors.Is(err, bus.ErrBehind) {
		if seq, err = s.log.Last(ctx); err == nil {
			again = true
		}
	}
	if err == nil {
		err = s.reach(ctx, after, seq)
	}
	select {
	case changes := <-folded: // however its append was answered
		return changes, false, nil
	default:
	}
	if err == nil && !again {
		err = errUnread
	}
	return nil, again && err == nil, err
}

// take folds what the bus tells.
func (s *shared) take(session int, e bus.Event) {
	s.live.mu.Lock()
	if session != s.session || e.Seq <= s.pos {
		s.live.mu.Unlock()
		return
	}
	before := sharedStanding{s.owner, s.begun, s.shown, s.newer, s.cut}
	s.pos, s.posID, s.outages = e.Seq, e.ID, s.hub.opts.Bus.Outages()
	if e.Gap {
		s.begun = false
	}
	if e.Newer {
		s.begun, s.newer = false, true
	}
	heed := false
	if r := e.Record; r != nil {
		var changes []projection.Change
		changes, heed = s.foldLocked(r)
		if folded := s.awaited[r.ID]; folded != nil {
			folded <- changes
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
	look := heed || before != sharedStanding{s.owner, s.begun, s.shown, s.newer, s.cut} || e.Newer
	s.live.mu.Unlock()
	if look {
		s.wake()
		s.moved(heed)
	}
}

func (s *shared) wake() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// sharedStanding is how things stand on the bus.
type sharedStanding struct {
	owner                    string
	begun, shown, newer, cut bool
}

func (s *shared) standing() sharedStanding {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	return sharedStanding{s.owner, s.begun, s.shown, s.newer, s.cut}
}

// free tells whether nobody reads upstream.
func (s *shared) free(owner string) bool { return owner == "" || !s.hub.opts.Bus.Alive(owner) }
