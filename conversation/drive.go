package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// driven is a run that was asked for and began: its own stream, of which the start was read.
type driven struct {
	who    *session.Session // who asked
	begins bool             // the conversation begins with it
	pump   *pump
	start  upstream.Item
	taken  chan struct{} // closed once the start is folded, or can't be
	err    error         // why it can't be; said before taken is closed
}

// task runs f, which is about one conversation, under the hub's context, and waits until it is done or ctx is. Its
// error is coded.
func (h *Hub) task(ctx context.Context, id string, f func(ctx context.Context) error) error {
	done := make(chan error, 1)
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return errClosing
	}
	h.tasks.Go(func() { done <- h.guarded(id, h.carrying(ctx, f)) })
	h.mu.Unlock()
	select {
	case err := <-done:
		return upstream.Coded(err)
	case <-ctx.Done():
		return upstream.Coded(ctx.Err())
	}
}

// carrying is f under what the request of from carries.
func (h *Hub) carrying(from context.Context, f func(ctx context.Context) error) func(ctx context.Context) error {
	return func(ctx context.Context) error { return f(h.opts.Carry(ctx, from)) }
}

// guarded runs f under the hub's context, and makes an error of its panic. What fails because the hub closes says so.
func (h *Hub) guarded(id string, f func(ctx context.Context) error) (err error) {
	defer h.rescue(id, &err)
	if err = f(h.ctx); err != nil && h.ctx.Err() != nil {
		return errClosing
	}
	return err
}

// opening asks upstream for a run.
type opening func(ctx context.Context) (upstream.Stream, error)

// drive asks upstream for a run, and has its stream followed as the conversation's own. It returns once the run's start
// is folded, with the reader of the conversation that the run is of. Without v the run begins one. With v it goes on with
// v's, or, unless it must not, begins another, where upstream finds that v's has ended.
func (h *Hub) drive(ctx context.Context, v *Viewer, who *session.Session, must bool, open opening) (*reader, error) {
	d, r, err := h.begin(ctx, v, who, must, open)
	if err != nil {
		return nil, err
	}
	select {
	case <-d.taken:
	case <-ctx.Done():
		return nil, errClosing
	}
	if errors.Is(d.err, errMissed) {
		h.mu.Lock()
		wait := r.wantLocked(ctx, who)
		h.mu.Unlock()
		return r, r.await(ctx, who, wait)
	}
	return r, d.err
}

// begin asks for a run and hands it to the reader that is to follow it.
func (h *Hub) begin(ctx context.Context, v *Viewer, who *session.Session, must bool, open opening) (*driven, *reader, error) {
	if v != nil {
		v.asks(1)
		defer v.asks(-1)
	}
	d, err := h.start(ctx, who, open)
	if err != nil {
		return nil, nil, v.told(ctx, who, err)
	}
	d.begins = v == nil || d.start.Frame.ConversationID != v.reader.id
	if must && d.begins {
		d.pump.close()
		return nil, nil, nonsense("the run that was asked for is of another conversation")
	}
	r, err := h.hand(d)
	return d, r, err
}

// told passes an answer of upstream on. Where it says that things stand otherwise than they seemed, they are looked at.
func (v *Viewer) told(ctx context.Context, who *session.Session, err error) error {
	if v != nil && errors.Is(err, upstream.Conflict) {
		v.reader.lookAt(ctx, who)
	}
	return err
}

// start asks for a run and reads the start of its stream. ctx is the stream's too.
func (h *Hub) start(ctx context.Context, who *session.Session, open opening) (*driven, error) {
	p := newPump(ctx, open)
	limit := time.NewTimer(h.opts.DriveLimit)
	defer limit.Stop()
	for {
		select {
		case a, more := <-p.arrivals:
			switch {
			case a.opened:
				continue
			case !more:
				return nil, p.unbegun()
			case a.item.Frame == nil || a.item.Frame.Type != wire.RunStart:
				p.close()
				return nil, nonsense("the stream of a run that was asked for does not open with run.start")
			}
			return &driven{who: who, pump: p, start: a.item, taken: make(chan struct{})}, nil
		case <-limit.C:
			p.close()
			return nil, nonsense(fmt.Sprintf("no run began within %v", h.opts.DriveLimit))
		}
	}
}

// unbegun says why a stream that ended said nothing.
func (p *pump) unbegun() error {
	switch {
	case p.panicked != nil:
		return fmt.Errorf("panic while reading a stream: %v", p.panicked)
	case !p.opened:
		return p.err
	}
	return nonsense("the stream of a run that was asked for is empty")
}

func nonsense(why string) error {
	return &upstream.Error{Op: "drive", Kind: upstream.Unavailable, Detail: errors.New(why)}
}

// hand gives a run that began to the reader of its conversation, also beyond the cap: it is there.
func (h *Hub) hand(d *driven) (*reader, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		h.tasks.Go(d.pump.close)
		return nil, errClosing
	}
	k := key{d.who.Tenant, d.start.Frame.ConversationID}
	r := h.live[k]
	if r == nil {
		r = newReader(h, k, d.who)
		h.putLocked(r)
	}
	r.admitLocked(d.who)
	r.dropDrivenLocked(nonsense("another run began"))
	r.driven = d
	r.live.touch()
	r.startLocked()
	r.poke()
	if r.interrupt != nil {
		r.interrupt()
	}
	return r, nil
}

// dropDrivenLocked lets go of a run that nobody will follow; whoever asked for it is told why. Hub.mu is held, by a task
// of the hub.
func (r *reader) dropDrivenLocked(why error) {
	if d := r.driven; d != nil {
		r.driven = nil
		r.hub.tasks.Go(d.pump.close)
		d.err = why
		close(d.taken)
	}
}

// begun folds the start of a run that was asked for. Of a conversation that begins with it nothing else has to be known;
// another's window must reach up to it.
func (a *attachment) begun(ctx context.Context, d *driven) error {
	d.err = errMissed
	defer close(d.taken)
	start := d.start.Frame
	if a.stale {
		if !d.begins || d.start.Offset > 1 {
			return errMissed
		}
		a.told = nil
		a.begin(projection.NewBounded(a.id, a.hub.opts.Limits), nil)
	}
	a.own, a.opened, a.caughtUp, a.awaySince = true, true, true, time.Time{}
	if err := a.take(d.start); err != nil {
		return errMissed
	}
	a.readPlan(ctx, start.AgentID, start.AgentVersion)
	if _, err := a.show(ctx, true); err != nil || a.shared != nil && a.shared.failed != nil {
		return errMissed
	}
	a.setAttached(true)
	a.answer(nil)
	d.err = nil
	return nil
}
