package conversation

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"inlaygraph/session"
	"inlaygraph/wire"
)

// admittedFor is how long it is remembered that a user may see a conversation (docs/service.md, "Who may see what").
const admittedFor = time.Minute

// asker is who asks upstream for leave to see a conversation, and with what.
type asker struct {
	key
	subject, token string
}

// admission is one question for leave, for everybody who asks it at the same time.
type admission struct {
	done chan struct{}
	err  error // said before done is closed
}

// offer is a head that somebody just read, for a reader that would read one.
type offer struct {
	head *wire.Head
	at   time.Time
}

// admit reads the head with who's own token, unless it is remembered that who may see the conversation. Its error is
// upstream's own, a coded one, or the context's.
func (h *Hub) admit(ctx context.Context, who *session.Session, id string) error {
	a, err := h.askAdmission(ctx, who, id)
	if a == nil {
		return err
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// askAdmission answers nil when there is nothing to ask.
func (h *Hub) askAdmission(ctx context.Context, who *session.Session, id string) (*admission, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	k := key{who.Tenant, id}
	now := time.Now()
	if r := h.live[k]; r != nil {
		if now.Before(r.admitted[who.Subject]) {
			return nil, nil
		}
		if now.Before(r.holdUntil) {
			return nil, r.holdErr
		}
	}
	by := asker{k, who.Subject, who.Token()}
	a := h.asking[by]
	if a == nil {
		a = &admission{done: make(chan struct{})}
		h.asking[by] = a
		h.tasks.Go(func() { h.askHead(h.opts.Carry(h.ctx, ctx), by, who, a) })
	}
	return a, nil
}

// askHead asks under the hub's context: whoever asked first may leave before the others.
func (h *Hub) askHead(ctx context.Context, by asker, who *session.Session, a *admission) {
	head, err := func() (head *wire.Head, err error) {
		defer h.rescue(by.id, &err)
		return h.opts.Source.Head(ctx, by.token, by.id)
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		err = errClosing
	case err == nil:
		err = h.admittedLocked(by.key, who, head)
	}
	a.err = err
	delete(h.asking, by)
	close(a.done)
}

// admittedLocked finds the conversation a place, if it has none, and remembers there who may see it.
func (h *Hub) admittedLocked(k key, who *session.Session, head *wire.Head) error {
	r, err := h.findLocked(k, who)
	if err == nil {
		r.admitLocked(who)
		r.offered = &offer{head, time.Now()}
	}
	return err
}

// rescue makes an error of a panic in what was asked of upstream for one conversation, and logs it.
func (h *Hub) rescue(id string, err *error) {
	if v := recover(); v != nil {
		h.opts.Logger.Error("panic", "conversation", id, "value", v, "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic while asking upstream of conversation %q: %v", id, v)
	}
}

// fullAdmissions is how many users are remembered before those whose time is over are forgotten.
const fullAdmissions = 1000

// admitLocked remembers that who, whose token upstream just took, may see the conversation. Hub.mu is held.
func (r *reader) admitLocked(who *session.Session) {
	now := time.Now()
	if len(r.admitted) >= fullAdmissions {
		for subject, until := range r.admitted {
			if !now.Before(until) {
				delete(r.admitted, subject)
			}
		}
	}
	until := now.Add(admittedFor)
	if end := who.ExpiresAt; !end.IsZero() && end.Before(until) {
		until = end
	}
	r.admitted[who.Subject] = until
	delete(r.refused, who.Token())
}
