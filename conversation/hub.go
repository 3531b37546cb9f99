package conversation

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"inlaygraph/coded"
	"inlaygraph/session"
	"inlaygraph/upstream"
)

// Hub keeps the live conversations of a server.
type Hub struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	counts counts
	plans  plans

	mu      sync.Mutex
	closed  bool
	live    map[key]*reader
	opened  map[opener]int // of live, by who opened them
	tight   bool           // memory is short
	adopted map[string]*Live
	asking  map[asker]*admission
	sends   sends

	evictedForMemory int64
}

// key names a conversation: ids are unique within a tenant.
type key struct{ tenant, id string }

// errClosing is why nothing can be opened or followed once the server goes down.
var errClosing error = coded.New(coded.UpstreamUnavailable, "the server is shutting down")

// NewHub returns a hub and starts its eviction; Close ends both.
func NewHub(opts Options) *Hub {
	opts.defaults()
	h := &Hub{opts: opts, live: map[key]*reader{}, opened: map[opener]int{}, adopted: map[string]*Live{}, asking: map[asker]*admission{}, sends: sends{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	if opts.Bus != nil {
		opts.Bus.OnChange(h.busChanged)
	}
	h.tasks.Go(h.evictLoop)
	if h.opts.Memory().Limit > 0 {
		h.tasks.Go(h.watchMemory)
	}
	return h
}

// Close stops reading upstream and ends every subscription. Nothing of the hub runs when it returns.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true // before the wait: nothing is started from here on
	h.cancel()
	for _, r := range h.live {
		r.live.end(errClosing)
	}
	for _, l := range h.adopted {
		l.end(errClosing)
	}
	left := slices.Collect(maps.Values(h.live))
	h.mu.Unlock()
	h.tasks.Wait()
	for _, r := range left {
		if r.shared != nil {
			r.shared.pause()
		}
	}
}

// Adopt serves a conversation whose inputs the caller applies, to everybody. One whose id is "" answers to every
// id until an opener names it.
func (h *Hub) Adopt(l *Live) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.adopted[l.id] = l
}

// Viewer is a conversation as one session may see it.
type Viewer struct {
	*Live
	who    *session.Session
	reader *reader // nil for an adopted conversation
}

// Open admits who to a conversation, loading it if need be; one that nobody follows is brought up to date
// first. Errors are coded, or the context's own.
func (h *Hub) Open(ctx context.Context, who *session.Session, id string) (*Viewer, error) {
	v, err := h.open(ctx, who, id)
	if err != nil {
		return nil, upstream.Coded(err)
	}
	return v, nil
}

func (h *Hub) open(ctx context.Context, who *session.Session, id string) (*Viewer, error) {
	if err := checkSession(who); err != nil {
		return nil, err
	}
	if l := h.findAdopted(id); l != nil {
		return &Viewer{Live: l, who: who}, nil
	}
	if id == "" || h.opts.Source == nil {
		return nil, notFound(nil)
	}
	if err := h.admit(ctx, who, id); err != nil {
		return nil, err
	}
	r, wait, err := h.ask(ctx, who, id)
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, who, wait); err != nil {
		return nil, err
	}
	return &Viewer{Live: r.live, who: who, reader: r}, nil
}

// checkSession refuses who was not identified.
func checkSession(who *session.Session) error {
	if who == nil {
		return coded.New(coded.Unauthenticated, "a token is needed")
	}
	return nil
}

func (h *Hub) findAdopted(id string) *Live {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.adopted[id]; l != nil {
		return l
	}
	if l := h.adopted[""]; l != nil {
		if known := l.Conversation().ID(); known == "" || known == id {
			return l
		}
	}
	return nil
}

// ask finds a conversation to which who was admitted, and says what to wait for before it is read.
func (h *Hub) ask(ctx context.Context, who *session.Session, id string) (*reader, *round, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, errClosing
	}
	r, err := h.findLocked(key{who.Tenant, id}, who)
	if err != nil {
		return nil, nil, err
	}
	wait, err := r.askLocked(ctx, who)
	return r, wait, err
}

// findLocked finds a conversation, making room for it if need be.
func (h *Hub) findLocked(k key, who *session.Session) (*reader, error) {
	r := h.live[k]
	if r == nil {
		if err := h.roomLocked(who); err != nil {
			return nil, err
		}
		r = newReader(h, k, who)
		h.putLocked(r)
	}
	return r, nil
}

func (h *Hub) evictLoop() {
	tick := time.NewTicker(min(max(h.opts.EvictAfter/4, time.Millisecond), 30*time.Second))
	defer tick.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case now := <-tick.C:
			h.mu.Lock()
			h.evictLocked(now, false)
			h.pauseIdleLocked(now)
			h.sends.forget(now)
			h.mu.Unlock()
		}
	}
}

// evictLocked drops conversations that nobody asked for in a while; with need, at least the one that was not
// asked for the longest. It reports whether it dropped any. Whoever holds a dropped one can still follow it:
// its reader puts it back.
func (h *Hub) evictLocked(now time.Time, need bool) (dropped bool) {
	var oldest *reader
	var oldestUse time.Time
	for _, r := range h.live {
		use, idle := r.idleLocked()
		if !idle {
			continue
		}
		if now.Sub(use) >= h.opts.EvictAfter {
			h.dropLocked(r)
			dropped = true
			continue
		}
		if oldest == nil || use.Before(oldestUse) {
			oldest, oldestUse = r, use
		}
	}
	if need && !dropped && oldest != nil {
		h.dropLocked(oldest)
		dropped = true
	}
	return dropped
}

// dropLocked lets go of a conversation, and of its stream if that is still read.
func (h *Hub) dropLocked(r *reader) {
	h.removeLocked(r)
	r.poke()
	if r.shared != nil && !r.running {
		r.shared.pause()
	}
}
