package conversation

import (
	"context"
	"sync"
	"time"

	"inlaygraph/coded"
)

// Hub keeps the live conversations of a server.
type Hub struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	counts counts
	plans  plans

	mu     sync.Mutex
	closed bool
	live   map[string]*reader
}

// errClosing is why nothing can be opened or followed once the server goes down.
var errClosing error = coded.New(coded.UpstreamUnavailable, "the server is shutting down")

// NewHub returns a hub and starts its eviction; Close ends both.
func NewHub(opts Options) *Hub {
	opts.defaults()
	h := &Hub{opts: opts, live: map[string]*reader{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.tasks.Go(h.evictLoop)
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
	h.mu.Unlock()
	h.tasks.Wait()
}

// Adopt serves a conversation whose inputs the caller applies. One whose id is "" answers to every id
// until an opener names it.
func (h *Hub) Adopt(l *Live) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live[l.id] = &reader{hub: h, id: l.id, live: l, adopted: true}
}

// Open returns a live conversation, loading it if need be. A conversation that nobody follows is brought up
// to date first. Errors are coded, or the context's own.
func (h *Hub) Open(ctx context.Context, id string) (*Live, error) {
	live, wait, err := h.ask(id)
	if err != nil {
		return nil, present(err)
	}
	if wait == nil {
		return live, nil
	}
	select {
	case <-wait.done:
	case <-ctx.Done():
		return nil, present(ctx.Err())
	}
	if wait.err != nil {
		return nil, present(wait.err)
	}
	return live, nil
}

// ask finds a conversation, making room for it if need be, and says what to wait for before it is read.
func (h *Hub) ask(id string) (*Live, *round, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, errClosing
	}
	r, err := h.findLocked(id)
	if err != nil {
		return nil, nil, err
	}
	if r.adopted {
		return r.live, nil, nil
	}
	wait, err := r.askLocked()
	return r.live, wait, err
}

func (h *Hub) findLocked(id string) (*reader, error) {
	if r := h.live[id]; r != nil {
		return r, nil
	}
	if r := h.live[""]; r != nil {
		if known := r.live.Conversation().ID(); known == "" || known == id {
			return r, nil
		}
	}
	if id == "" || h.opts.Source == nil {
		return nil, notFound(nil)
	}
	if len(h.live) >= h.opts.MaxLive && !h.evictLocked(time.Now(), true) {
		return nil, coded.New(coded.RateLimited, "too many conversations are open")
	}
	r := newReader(h, id)
	h.live[id] = r
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
		n, use := r.live.following()
		if n > 0 || r.adopted || r.asked != nil {
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
	delete(h.live, r.id)
	r.poke()
}
