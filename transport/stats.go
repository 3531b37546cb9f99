package transport

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/coded"
)

// Stats are figures of a Handler: what is there at the moment, and what was counted since it began.
type Stats struct {
	WebSockets   int
	EventStreams int
	// Subscribers is how many subscriptions are open, by root field: every one of the schema is there.
	Subscribers map[string]int64
	// QueuedMessages and QueuedBytes wait for connections to take them; what is being written is among the bytes. What several
	// wait for counts for each.
	QueuedMessages, QueuedBytes int
	// Groups are the executions that are shared, GroupMembers who shares them.
	Groups, GroupMembers int

	// GroupExecutions is how often a shared execution read and encoded.
	GroupExecutions int64
	// SentToWebSockets and SentToStreams are the results that were written.
	SentToWebSockets, SentToStreams int64
	// Coalesced is how many results a newer one took the place of before they were written.
	Coalesced int64
	// Refused is how many requests and connections were turned away before any operation, by reason: one of RefusedReasons.
	Refused map[string]int64
	// Closes is how many WebSockets this side closed, by code: one of CloseCodes, ClosedByPeer for the answer to the peer's own.
	Closes map[string]int64
}

// Why a request is refused before any operation is looked at, beside the codes of the hooks.
const (
	refusedOrigin   = "origin"
	refusedFull     = "full"
	refusedDraining = "draining"
)

// ClosedByPeer stands in Stats.Closes for WebSockets that the peer closed.
const ClosedByPeer = "peer"

// RefusedReasons are all reasons that Stats.Refused has: a foreign origin, no room, draining, and the codes of errors that
// the hooks of Options give, in lower case.
func RefusedReasons() []string {
	all := []string{refusedOrigin, refusedFull, refusedDraining}
	for _, code := range []coded.Code{coded.Unauthenticated, coded.Forbidden, coded.RateLimited, coded.UpstreamUnavailable, coded.Internal} {
		all = append(all, refusedCode(code))
	}
	return all
}

// CloseCodes are all codes that Stats.Closes has, beside ClosedByPeer.
func CloseCodes() []string {
	var all []string
	for _, reason := range closeReasons {
		all = append(all, strconv.Itoa(reason.code))
	}
	return all
}

func refusedCode(code coded.Code) string { return strings.ToLower(string(code)) }

// stats are what a handler counts.
type stats struct {
	toSockets, toStreams, coalesced, executions atomic.Int64

	subscribers map[string]*atomic.Int64 // by root field; the map is not changed

	mu              sync.Mutex
	refused, closes map[string]int64
}

func newStats(schema *ast.Schema) *stats {
	s := &stats{subscribers: map[string]*atomic.Int64{}, refused: map[string]int64{}, closes: map[string]int64{}}
	if schema.Subscription != nil {
		for _, field := range schema.Subscription.Fields {
			if !strings.HasPrefix(field.Name, "__") {
				s.subscribers[field.Name] = &atomic.Int64{}
			}
		}
	}
	return s
}

func (s *stats) refuse(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[reason]++
}

func (s *stats) close(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closes[code]++
}

// Stats counts.
func (h *Handler) Stats() Stats {
	counted := h.engine.stats
	s := Stats{
		Subscribers:     make(map[string]int64, len(counted.subscribers)),
		GroupExecutions: counted.executions.Load(), Coalesced: counted.coalesced.Load(),
		SentToWebSockets: counted.toSockets.Load(), SentToStreams: counted.toStreams.Load(),
	}
	for field, n := range counted.subscribers {
		s.Subscribers[field] = n.Load()
	}
	counted.mu.Lock()
	s.Refused, s.Closes = maps.Clone(counted.refused), maps.Clone(counted.closes)
	counted.mu.Unlock()
	s.Groups, s.GroupMembers = h.engine.groups.count()
	for _, c := range h.connections.all() {
		if _, is := c.(*socket); is {
			s.WebSockets++
		} else {
			s.EventStreams++
		}
		messages, bytes := c.waiting()
		s.QueuedMessages += messages
		s.QueuedBytes += bytes
	}
	return s
}

// count is how many groups there are, and how many members they have.
func (gs *groups) count() (open, members int) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	for _, g := range gs.open {
		g.mu.Lock()
		members += len(g.members)
		g.mu.Unlock()
	}
	return len(gs.open), members
}

// all are the connections that are open.
func (r *registry) all() []connection {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.snapshot()
}

// waitingLocked is what waits in the outbox. It is locked.
func (b *outbox) waitingLocked() (messages, bytes int) {
	for m := b.first; m != nil; m = m.next {
		if m.waiting != nil {
			messages++
			bytes += len(m.waiting.payload)
		}
		for _, change := range m.more {
			messages++
			bytes += len(change.payload)
		}
		if m.final != nil {
			messages++
			bytes += len(m.final)
		}
	}
	return messages, bytes
}

func (c *socket) waiting() (messages, bytes int) {
	c.outbox.mu.Lock()
	defer c.outbox.mu.Unlock()
	messages, bytes = c.outbox.waitingLocked()
	for i := range c.queue {
		messages++
		bytes += c.queue[i].size()
	}
	return messages, bytes + int(c.underWay.Load())
}

func (s *sseStream) waiting() (messages, bytes int) {
	s.outbox.mu.Lock()
	defer s.outbox.mu.Unlock()
	messages, bytes = s.outbox.waitingLocked()
	return messages, bytes + int(s.underWay.Load())
}
