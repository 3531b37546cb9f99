package demo

import (
	"sort"
	"strconv"
	"sync"
	"time"

	"inlaygraph/wire"
)

// sent is a frame as it went out.
type sent struct {
	offset int64
	event  []byte // its whole SSE event, blank line included
	ends   bool   // the stream that brings it ends with it
}

// conversation is one tape being played, and what a platform holds of it.
type conversation struct {
	tape *tape

	mu        sync.Mutex
	ledger    *ledger
	frames    []sent  // of the kept loops, offsets ascending by one
	loops     []int64 // the first offset of each kept loop
	inFlight  bool
	createdAt time.Time
	updatedAt time.Time
	changed   chan struct{} // closed at the next change
	closed    bool          // the demo is shutting down

	askedAt  time.Time // when somebody last read the conversation
	heard    bool      // a stream attached to the run in flight
	onAttach func()    // what to tell when a stream attaches; nil when nobody waits for it
}

func newConversation(t *tape, now time.Time) *conversation {
	c := &conversation{
		tape: t, ledger: newLedger(t.conversationID, t.head, t.rows),
		createdAt: now, updatedAt: now, changed: make(chan struct{}),
	}
	if !t.createdAt.IsZero() {
		c.createdAt = t.createdAt
	}
	if c.ledger.status == wire.Running || c.ledger.status == 0 {
		c.ledger.status = wire.Paused // whatever its recording says, nothing is in flight yet
	}
	c.ledger.offset = t.first - 1
	return c
}

// beginLoop lets go of what is older than the loops that are kept.
func (c *conversation) beginLoop(keep int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.beginLoop(keep)
	c.loops = append(c.loops, c.ledger.offset+1)
	if len(c.loops) > keep {
		c.loops = c.loops[len(c.loops)-keep:]
		c.frames = append([]sent(nil), c.frames[c.from(c.loops[0]-1):]...)
	}
}

// send gives a frame its offset and its time, persists what it makes lasting, and only then forwards it. It
// tells whether a run begins with the frame.
func (c *conversation) send(f *wire.Frame, now time.Time) (begins bool) {
	now = now.UTC().Truncate(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	f.Offset = c.ledger.offset + 1
	if !f.At.IsZero() {
		f.At = now
	}
	c.ledger.take(f)
	c.updatedAt = now
	begins = !c.inFlight
	c.heard = c.heard && !begins
	c.inFlight = !ends(f.Type)
	c.frames = append(c.frames, sent{offset: f.Offset, event: eventOf(f), ends: ends(f.Type)})
	c.wake()
	return begins && c.inFlight
}

// wake tells everyone who waits; the lock is held.
func (c *conversation) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// close ends every stream.
func (c *conversation) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.wake()
}

// from is the place of the first frame after an offset.
func (c *conversation) from(after int64) int {
	return sort.Search(len(c.frames), func(i int) bool { return c.frames[i].offset > after })
}

// asked notes that somebody reads the conversation.
func (c *conversation) asked(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.askedAt = now
}

// attach tells whether a run is in flight and, if so, the offset that its end will be beyond: what ends a
// stream is the end of the run it attached to, not of an earlier one that it brings again.
func (c *conversation) attach() (at int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = true
	if c.onAttach != nil {
		c.onAttach()
	}
	return c.ledger.offset, c.inFlight && !c.closed
}

// follow is what a stream has to send now: the frames after an offset, and where to wait for more; nil when
// none will come.
func (c *conversation) follow(after int64) (frames []sent, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames = c.frames[c.from(after):]
	frames = frames[:len(frames):len(frames)]
	if c.closed {
		return frames, nil
	}
	return frames, c.changed
}

// head is the conversation's head now.
func (c *conversation) head() *wire.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.ledger.head(defaultLimit)
	h.AgentID, h.AgentVersion = c.tape.agentID, c.tape.agentVersion
	h.Title, h.CreatedAt, h.UpdatedAt = c.tape.title, c.createdAt, c.updatedAt
	if c.inFlight {
		h.Status = wire.Running
		h.Error, h.HasRetryable = nil, false
	}
	return h
}

// page is a stretch of the log.
func (c *conversation) page(before, after int64, limit int) *wire.Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, earlier := c.ledger.page(before, after, limit)
	return &wire.Page{Rows: rows, HasEarlier: earlier}
}

// eventOf spells a frame as an SSE event.
func eventOf(f *wire.Frame) []byte {
	b := append([]byte("id: "), strconv.FormatInt(f.Offset, 10)...)
	b = append(b, "\nevent: "...)
	b = append(b, f.Type.String()...)
	b = append(b, "\ndata: "...)
	return append(f.AppendJSON(b), "\n\n"...)
}
