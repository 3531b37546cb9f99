package conversation

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

// Options configure a Hub. Zero members take the defaults of docs/service.md.
type Options struct {
	// Source is where conversations come from. Without one only adopted conversations are served.
	Source upstream.Source
	// WindowRows is how many rows of the log a conversation opens with. Default 500.
	WindowRows int
	// MaxLive is how many conversations may be live at once. Default 10,000.
	MaxLive int
	// IdlePoll is how often the head of a followed conversation without a run is read. Default 10 s.
	IdlePoll time.Duration
	// HeadFresh is how old a head may be when a conversation that nobody follows is queried. Default 2 s.
	HeadFresh time.Duration
	// Linger is how long the stream of a conversation is read on after the last time somebody asked for it. Default 30 s.
	Linger time.Duration
	// EvictAfter is how long a conversation that nobody asks for stays in memory. Default 10 min.
	EvictAfter time.Duration
	// AwayLimit is how long upstream may be away before subscriptions end. Default 5 min.
	AwayLimit time.Duration
	// LogPoll is how often the log is read where upstream cannot reattach to a run. Default 1 s.
	LogPoll time.Duration
	// MinBackoff and MaxBackoff bound the waits between attempts to reach upstream. Defaults 100 ms and 10 s.
	MinBackoff, MaxBackoff time.Duration
	// Logger gets what the reader counts and why it reloads, never content. Default: discard.
	Logger *slog.Logger
}

func (o *Options) defaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&o.IdlePoll, 10*time.Second)
	set(&o.HeadFresh, 2*time.Second)
	set(&o.Linger, 30*time.Second)
	set(&o.EvictAfter, 10*time.Minute)
	set(&o.AwayLimit, 5*time.Minute)
	set(&o.LogPoll, time.Second)
	set(&o.MinBackoff, 100*time.Millisecond)
	set(&o.MaxBackoff, 10*time.Second)
	if o.WindowRows == 0 {
		o.WindowRows = 500
	}
	if o.MaxLive == 0 {
		o.MaxLive = 10_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Hub keeps the live conversations of a server.
type Hub struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu   sync.Mutex
	live map[string]*reader
}

// NewHub returns a hub and starts its eviction; Close ends both.
func NewHub(opts Options) *Hub {
	opts.defaults()
	h := &Hub{opts: opts, live: map[string]*reader{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.tasks.Go(h.evictLoop)
	return h
}

// Close stops reading upstream and ends every subscription.
func (h *Hub) Close() {
	h.cancel()
	h.mu.Lock()
	readers := make([]*reader, 0, len(h.live))
	for _, r := range h.live {
		readers = append(readers, r)
	}
	h.mu.Unlock()
	for _, r := range readers {
		r.live.end(context.Canceled)
	}
	h.tasks.Wait()
}

// Adopt serves a conversation whose inputs the caller applies. One whose id is "" answers to every id
// until an opener names it.
func (h *Hub) Adopt(l *Live) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live[l.id] = &reader{hub: h, id: l.id, live: l, loaded: closedChannel(), adopted: true}
}

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Open returns a live conversation, loading it if need be. A conversation that nobody follows is brought up
// to date first. Errors are coded.
func (h *Hub) Open(ctx context.Context, id string) (*Live, error) {
	r, err := h.reader(id)
	if err != nil {
		return nil, err
	}
	if r.adopted {
		return r.live, nil
	}
	if err := r.ready(ctx); err != nil {
		return nil, present(err)
	}
	return r.live, nil
}

// reader returns the conversation's reader, making room for it if need be.
func (h *Hub) reader(id string) (*reader, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.live[id]; r != nil {
		return r, nil
	}
	if r := h.live[""]; r != nil && (r.live.Conversation().ID() == "" || r.live.Conversation().ID() == id) {
		return r, nil
	}
	if id == "" || h.opts.Source == nil {
		return nil, notFound(nil)
	}
	if h.ctx.Err() != nil {
		return nil, coded.New(coded.UpstreamUnavailable, "the server is shutting down")
	}
	if len(h.live) >= h.opts.MaxLive && !h.evictLocked(time.Now(), true) {
		return nil, coded.New(coded.RateLimited, "too many conversations are open")
	}
	r := newReader(h, id)
	h.live[id] = r
	return r, nil
}

// forget drops a conversation that could not be loaded, or was lost.
func (h *Hub) forget(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live[r.id] == r {
		delete(h.live, r.id)
	}
}

func (h *Hub) evictLoop() {
	every := min(h.opts.EvictAfter/4, h.opts.Linger/2, 30*time.Second)
	tick := time.NewTicker(max(every, 10*time.Millisecond))
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

// evictLocked drops conversations that nobody asked for in a while; with need, at least the one that was
// not asked for the longest. It reports whether it dropped any.
func (h *Hub) evictLocked(now time.Time, need bool) (dropped bool) {
	var oldest *reader
	var oldestUse time.Time
	for id, r := range h.live {
		n, use := r.live.following()
		if n > 0 || r.adopted || r.busy() {
			continue
		}
		if now.Sub(use) >= h.opts.EvictAfter {
			r.stop()
			delete(h.live, id)
			dropped = true
			continue
		}
		if now.Sub(use) >= h.opts.Linger {
			r.stop()
		}
		if oldest == nil || use.Before(oldestUse) {
			oldest, oldestUse = r, use
		}
	}
	if need && !dropped && oldest != nil {
		oldest.stop()
		delete(h.live, oldest.id)
		dropped = true
	}
	return dropped
}

// Stats are figures of the hub at one moment.
type Stats struct {
	Conversations int
	Subscriptions int
}

// Stats counts what is live.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Stats{Conversations: len(h.live)}
	for _, r := range h.live {
		n, _ := r.live.following()
		s.Subscriptions += n
	}
	return s
}
