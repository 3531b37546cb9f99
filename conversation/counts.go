package conversation

import (
	"log/slog"
	"maps"
	"sync"
	"time"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// Stats are figures of the hub: what is live at the moment, and what was counted since it began.
type Stats struct {
	Conversations int
	Subscriptions int
	// Short is whether no conversation is let in for want of memory.
	Short bool
	// Streams is how many runs are being followed.
	Streams int

	// Rejected is how many frames, rows and inputs were not taken, by reason.
	Rejected map[string]int64
	// Duplicates is how many frames were known already.
	Duplicates int64
	// Reloads is how often a window was loaded again because it could not be gone on from.
	Reloads int64
	// Takeovers is how often this server began to read a conversation that others may read too.
	Takeovers int64
	// EvictedForMemory is how many conversations left memory early because it was short.
	EvictedForMemory int64
	// OtherOpeners is how many runs were of another agent or version than their conversation.
	OtherOpeners int64
}

// Stats counts.
func (h *Hub) Stats() Stats {
	s := h.counts.stats()
	h.mu.Lock()
	defer h.mu.Unlock()
	s.Conversations = len(h.live) + len(h.adopted)
	s.Short, s.EvictedForMemory = h.tight, h.evictedForMemory
	for _, l := range h.adopted {
		n, _ := l.following()
		s.Subscriptions += n
	}
	for _, r := range h.live {
		n, _ := r.live.following()
		s.Subscriptions += n
		if r.attached {
			s.Streams++
		}
	}
	return s
}

// counts are what a hub counted. Rejections are logged once a second at most (docs/wire.md, "Live frames").
type counts struct {
	figures figures

	mu       sync.Mutex
	rejected map[string]int64
	others   Stats // the counters that have no reason
	lastLog  time.Time
	unlogged int64
}

func (c *counts) stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.others
	s.Rejected = maps.Clone(c.rejected)
	return s
}

// reject counts something that was not taken; detail says what, and nothing of its content.
func (c *counts) reject(log *slog.Logger, conversation, reason, detail string) {
	if n := c.note(reason); n > 0 {
		log.Warn("rejected", "conversation", conversation, "reason", detail, "since the last line", n)
	}
}

// note counts a rejection, and returns how many there were since the last that was logged if it is time for
// another line.
func (c *counts) note(reason string) (unlogged int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rejected == nil {
		c.rejected = map[string]int64{}
	}
	c.rejected[reason]++
	c.unlogged++
	now := time.Now()
	if now.Sub(c.lastLog) < time.Second {
		return 0
	}
	unlogged = c.unlogged
	c.lastLog, c.unlogged = now, 0
	return unlogged
}

// reload counts a window that is loaded again.
func (c *counts) reload(log *slog.Logger, conversation string, why error) {
	log.Info("reload", "conversation", conversation, "reason", why)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others.Reloads++
}

// takeover counts a conversation that this server begins to read.
func (c *counts) takeover() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others.Takeovers++
}

// count counts what an input did beside changing the state.
func (r *reader) count(c projection.Change) {
	if c.Outcome == projection.Applied && len(c.RowReasons) == 0 && !c.OtherOpener {
		return
	}
	if c.Outcome == projection.Rejected {
		r.rejectReason(c.Reason, c.Reason)
	}
	for _, reason := range c.RowReasons {
		r.rejectReason(reason, reason)
	}
	r.hub.counts.mu.Lock()
	defer r.hub.counts.mu.Unlock()
	if c.Outcome == projection.Duplicate {
		r.hub.counts.others.Duplicates++
	}
	if c.OtherOpener {
		r.hub.counts.others.OtherOpeners++
	}
}

func (r *reader) reject(rejection *wire.Rejection) {
	r.rejectReason(string(rejection.Reason), rejection.Error())
}

func (r *reader) rejectReason(reason, detail string) {
	r.hub.counts.reject(r.hub.opts.Logger, r.id, reason, detail)
}

func isDuplicate(c projection.Change) bool { return c.Outcome == projection.Duplicate }
