package demo

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// maxSent bounds the conversations that people began.
const maxSent = 1000

// registry holds the conversations. Its lock is taken before a conversation's.
type registry struct {
	mu       sync.Mutex
	closed   bool
	looping  []*conversation // in the order of the scenarios; never changes
	sent     []*conversation // in the order in which they began
	byID     map[string]*conversation
	requests requests
}

// find is a conversation that the user may see; nil when there is none.
func (g *registry) find(id, user string) *conversation {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen(id, user)
}

// seen is find with the lock held.
func (g *registry) seen(id, user string) *conversation {
	if c := g.byID[id]; c != nil && c.visibleTo(user) {
		return c
	}
	return nil
}

func (c *conversation) visibleTo(user string) bool { return c.looping || c.owner == user }

// visible are the conversations that the user may see: those that loop, then the others, newest first.
func (g *registry) visible(user string) []*conversation {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Clone(g.looping)
	for _, c := range slices.Backward(g.sent) {
		if c.visibleTo(user) {
			all = append(all, c)
		}
	}
	return all
}

// begin makes a conversation of the user's, with nothing in it. Where there are too many, the one that rests longest
// is forgotten. The lock is held.
func (g *registry) begin(s *stage, t *tape, user, title string) (*conversation, *refusal) {
	if len(g.sent) >= maxSent {
		oldest := -1
		for i, c := range g.sent {
			if c.rests() && (oldest < 0 || c.restsLongerThan(g.sent[oldest])) {
				oldest = i
			}
		}
		if oldest < 0 {
			return nil, &refusal{http.StatusTooManyRequests, "too_many", "too many runs are in flight"}
		}
		g.sent[oldest].close()
		delete(g.byID, g.sent[oldest].id)
		g.sent = slices.Delete(g.sent, oldest, oldest+1)
	}
	c := newSent(s, t, "chat-"+strings.ToLower(rand.Text()), user, title)
	g.sent = append(g.sent, c)
	g.byID[c.id] = c
	return c, nil
}

// rests tells whether no run is in flight.
func (c *conversation) rests() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.inFlight
}

// restsLongerThan compares when something last happened in two conversations.
func (c *conversation) restsLongerThan(other *conversation) bool {
	c.mu.Lock()
	at := c.updatedAt
	c.mu.Unlock()
	other.mu.Lock()
	defer other.mu.Unlock()
	return at.Before(other.updatedAt)
}

// close lets nothing more begin, and ends every stream.
func (g *registry) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range slices.Concat(g.looping, g.sent) {
		c.close()
	}
}
