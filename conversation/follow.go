package conversation

import (
	"context"
	"errors"
	"time"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// A joiner of a running conversation waits until the stream has said what it already holds: until it is
// quiet for catchUpQuiet, at most catchUpMax. Where that would take subscribers back behind what they saw,
// they stay where they are for catchUpPatience more.
const (
	catchUpQuiet    = 30 * time.Millisecond
	catchUpMax      = 300 * time.Millisecond
	catchUpPatience = 2 * time.Second
)

// lateAnswer is how long a stream may serve a session that was over before it was opened: one that was let in for one
// answer gets it.
const lateAnswer = catchUpMax + catchUpPatience

// afterStop is how long the stream may stay open after the run's end, which ends it.
const afterStop = time.Second

// attachment is one stream of the run in flight, while it is followed.
type attachment struct {
	*reader
	own        bool // the stream answers what was asked of upstream: it is read to its end
	opened     bool
	fresh      int       // items that were not known
	unnumbered int64     // items without an offset since the last one that had one
	nameless   bool      // frames without an offset were folded: they would not be recognised again
	stopped    bool      // the latest frame stopped the run
	caughtUp   bool      // whoever waits was told
	said       time.Time // when items were last put on the bus

	quiet  *time.Timer // nothing came for a while
	latest *time.Timer // catching up takes too long
	late   bool        // and took too long once already
	linger *time.Timer // time to look whether anybody is there
	expiry *time.Timer // the session it was opened with is over
}

// follow follows the run in flight to the end of its stream: d's own, or without one a stream that it attaches to.
// nil means that the run stopped and was folded whole; a refusal is upstream's own error.
func (r *reader) follow(ctx context.Context, d *driven) error {
	var p *pump
	if d != nil {
		p = d.pump
	} else {
		after, _ := r.live.place()
		if r.fromStart {
			after = 0
		}
		p = r.attach(ctx, after)
	}
	defer p.close()
	a := &attachment{
		reader: r, quiet: time.NewTimer(catchUpQuiet), latest: time.NewTimer(catchUpMax), linger: time.NewTimer(r.hub.opts.Linger),
		expiry: time.NewTimer(lateAnswer),
	}
	a.quiet.Stop() // there is no quiet before it is open
	if left := time.Until(r.who.ExpiresAt); r.who.ExpiresAt.IsZero() {
		a.expiry.Stop()
	} else if left > 0 {
		a.expiry.Reset(left)
	}
	defer a.quiet.Stop()
	defer a.latest.Stop()
	defer a.linger.Stop()
	defer a.expiry.Stop()
	defer r.setAttached(false)
	var err error
	if d != nil {
		err = a.begun(ctx, d)
	}
	if err == nil {
		err = a.read(ctx, p)
	}
	if a.fresh > 0 && !errors.Is(err, errGap) {
		r.attempts.Reset()
		if errors.Is(err, errCut) && a.nameless {
			r.reload(err)
		}
	}
	return err
}

func (a *attachment) read(ctx context.Context, p *pump) error {
	for {
		var err error
		select {
		case arrival, more := <-p.arrivals:
			switch {
			case !more:
				return a.ended(p)
			case arrival.opened:
				err = a.open()
			default:
				err = a.takeReady(ctx, arrival.item, p)
			}
		case <-a.quiet.C:
			if a.caughtUp { // the run stopped, and its stream did not end
				return nil
			}
			err = a.catchUp(ctx, false)
		case <-a.latest.C:
			err = a.hurry(ctx)
		case <-a.linger.C:
			err = a.lingers()
		case <-a.nudge:
			a.attend(ctx)
			err = a.lingers()
		case <-a.expiry.C:
			err = errExpired
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// open starts to fold, from the head alone where the stream is to say everything.
func (a *attachment) open() error {
	if a.fromStart {
		state, _, err := a.build(a.head)
		if err != nil {
			return err
		}
		a.begin(state, nil)
	}
	a.opened, a.awaySince = true, time.Time{}
	if a.broken {
		a.broken = false
		a.hub.counts.figures.reconnects.Add(1)
	}
	if a.caughtUp {
		a.setAttached(true)
		return nil
	}
	a.quiet.Reset(catchUpQuiet)
	return nil
}

// takeReady folds an item; on a bus, which takes its time for each, with what has come behind it.
func (a *attachment) takeReady(ctx context.Context, item upstream.Item, p *pump) error {
	if a.shared != nil {
		items := a.ready(ctx, item, p)
		a.said = time.Now()
		return a.takeShared(items)
	}
	return a.take(item)
}

// take folds an item.
func (a *attachment) take(item upstream.Item) error {
	if a.shared != nil {
		return a.takeShared([]upstream.Item{item})
	}
	if a.liesBefore(item.Frame) {
		return errBefore
	}
	change, gap := a.live.take(item, a.unnumbered)
	if gap {
		return errGap
	}
	a.taken(item, change)
	return nil
}

// taken notes what folding an item did.
func (a *attachment) taken(item upstream.Item, change projection.Change) {
	a.streamed = true
	a.hub.counts.figures.frame(item)
	a.count(change)
	if !isDuplicate(change) {
		a.fresh++
	}
	a.unnumbered++
	if item.Offset > 0 {
		a.unnumbered = 0
	}
	a.stopped = false
	if f := item.Frame; f != nil {
		a.nameless = a.nameless || item.Offset == 0
		a.stopped = f.Type == wire.RunPause || f.Type == wire.RunEnd
	} else if item.Rejection != nil {
		a.reject(item.Rejection)
	}
	a.restart()
}

// restart sets the time after which it counts as quiet.
func (a *attachment) restart() {
	switch {
	case !a.caughtUp:
		a.quiet.Reset(catchUpQuiet)
	case a.stopped:
		a.quiet.Reset(afterStop)
	default:
		a.quiet.Stop()
	}
}

// liesBefore tells whether a frame is of a row in front of a window that is shown already, which is then wanted down to
// it, once, unless it can't reach any further.
func (a *attachment) liesBefore(f *wire.Frame) bool {
	if a.own || a.full || f == nil || f.Seq == 0 || a.reach != 0 && f.Seq >= a.reach || !a.live.liesBefore(f) {
		return false
	}
	a.reach = f.Seq
	return true
}

// catchUp shows what was folded and tells whoever waits, unless that would take subscribers back.
func (a *attachment) catchUp(ctx context.Context, force bool) error {
	if a.stale {
		return nil
	}
	if shown, err := a.show(ctx, force); err != nil || !shown {
		return err
	}
	a.caughtUp = true
	a.setAttached(a.opened)
	a.answer(nil)
	a.restart()
	return nil
}

// hurry is for a stream that takes long to say what it holds.
func (a *attachment) hurry(ctx context.Context) error {
	if a.caughtUp {
		return nil
	}
	if err := a.catchUp(ctx, a.late); err != nil || a.caughtUp {
		return err
	}
	if a.late { // it does not even open, and there is nothing else to show
		return &upstream.Error{Op: "stream", Kind: upstream.Unavailable, Detail: errors.New("the stream does not open")}
	}
	a.late = true
	a.latest.Reset(catchUpPatience)
	return nil
}

// ended says why the stream did.
func (a *attachment) ended(p *pump) error {
	switch {
	case p.panicked != nil:
		panic(p.panicked)
	case !p.opened:
		return p.err
	case a.fresh > 0 && a.live.standing() != wire.Running:
		return nil
	}
	return errCut
}

// lingers reads on while somebody follows or waits, and for a while after.
func (a *attachment) lingers() error {
	n, used := a.live.following()
	left := a.hub.opts.Linger
	a.hub.mu.Lock()
	if n == 0 && a.asked == nil {
		if !a.own {
			left -= time.Since(used)
		}
		if a.hub.live[a.key] != a.reader { // it was evicted
			left = 0
		}
	}
	a.hub.mu.Unlock()
	if left <= 0 {
		return errUnwatched
	}
	a.linger.Reset(left)
	return nil
}

func (r *reader) setAttached(attached bool) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.attached = attached
}
