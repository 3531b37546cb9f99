package demo

import (
	"context"
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

// stage is what all conversations of a demo share.
type stage struct {
	Options
	ctx     context.Context // ends with the demo
	players sync.WaitGroup
}

// conversation is one tape being played, and what a platform holds of it.
type conversation struct {
	stage   *stage
	id      string
	looping bool   // it goes on by itself, and everybody may see it
	owner   string // whose it is, when it does not loop

	mu        sync.Mutex
	course                       // where it stands in its tape
	halt      context.CancelFunc // lets nothing more of what plays, or is to play, come; nil at first
	meter     *meter             // what the run in flight is charged to; nil: nobody
	ledger    *ledger
	frames    []sent  // of the kept loops, offsets ascending by one
	kept      []int64 // the first offset of each kept loop
	inFlight  bool
	endedAt   time.Time // when the last run ended
	title     string
	createdAt time.Time
	updatedAt time.Time
	changed   chan struct{} // closed at the next change
	closed    bool          // the demo is shutting down

	askedAt  time.Time           // when somebody last read the conversation
	heard    bool                // a stream attached to the run in flight
	onAttach *context.CancelFunc // what to tell when a stream attaches; nil when nobody waits for it
}

// newLooping is a conversation that plays its tape again and again.
func newLooping(s *stage, t *tape) *conversation {
	c := newConversation(s, t, t.conversationID, newLedger(t.conversationID, t.head, t.rows))
	c.looping, c.title = true, t.title
	c.ledger.offset = t.first - 1
	if !t.createdAt.IsZero() {
		c.createdAt = t.createdAt
	}
	return c
}

// newSent is a conversation that a person begins, and that waits for people.
func newSent(s *stage, t *tape, id, owner, title string) *conversation {
	c := newConversation(s, t, id, newLedger(id, nil, nil))
	c.owner, c.own, c.title = owner, id, title
	return c
}

func newConversation(s *stage, t *tape, id string, l *ledger) *conversation {
	now := s.now()
	c := &conversation{
		stage: s, id: id, ledger: l, course: course{tape: t, next: len(t.parts)},
		createdAt: now, updatedAt: now, changed: make(chan struct{}),
	}
	if l.status == wire.Running || l.status == 0 {
		l.status = wire.Paused // whatever its recording says, nothing is in flight yet
	}
	return c
}

// now is the time, to the millisecond.
func (s *stage) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// beginLoop starts the tape from its first part, and lets go of what is older than the loops that are kept.
func (c *conversation) beginLoop() {
	c.course.beginLoop()
	keep := c.stage.KeepLoops
	c.ledger.beginLoop(keep)
	c.kept = append(c.kept, c.ledger.offset+1)
	if len(c.kept) > keep {
		c.kept = c.kept[len(c.kept)-keep:]
		c.frames = append([]sent(nil), c.frames[c.from(c.kept[0]-1):]...)
	}
}

// send gives a frame its offset, its time and its place in this conversation, persists what it makes lasting, and
// only then forwards it. The lock is held.
func (c *conversation) send(q cue, suffix string) {
	if q.ours {
		suffix = ""
	}
	f, now := fresh(q.frame, suffix), c.stage.now()
	f.Offset = c.ledger.offset + 1
	if q.ours || !f.At.IsZero() {
		f.At = now
	}
	if f.Type == wire.RunStart {
		f.ConversationID = c.id
		if f.RunID == "" {
			f.RunID = c.id + "#" + strconv.FormatInt(f.Offset, 10)
		}
	}
	c.ledger.take(f)
	c.updatedAt = now
	c.heard = c.heard && c.inFlight
	c.inFlight = !ends(f.Type)
	c.frames = append(c.frames, sent{offset: f.Offset, event: eventOf(f), ends: ends(f.Type)})
	c.meter.take(f, now)
	if !c.inFlight {
		c.meter, c.endedAt = nil, c.stage.Clock.Now()
	}
	c.wake()
}

// wake tells everyone who waits; the lock is held.
func (c *conversation) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// close ends every stream, and lets nothing more begin.
func (c *conversation) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.halt != nil {
		c.halt()
	}
	c.wake()
}

// from is the place of the first frame after an offset.
func (c *conversation) from(after int64) int {
	return sort.Search(len(c.frames), func(i int) bool { return c.frames[i].offset > after })
}

// asked notes that somebody reads the conversation.
func (c *conversation) asked() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.askedAt = c.stage.Clock.Now()
}

// attach tells whether a run is in flight and, if so, the offset that its end will be beyond: what ends a
// stream is the end of the run it attached to, not of an earlier one that it brings again.
func (c *conversation) attach() (at int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = true
	if c.onAttach != nil {
		(*c.onAttach)()
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

// keeps tells whether the frames that follow an offset are still there.
func (c *conversation) keeps(after int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.frames) > 0 && c.frames[0].offset <= after+1
}

// head is the conversation's head now.
func (c *conversation) head() *wire.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.identify(c.ledger.head(defaultLimit))
}

// listed is the head as a list has it: without the working set.
func (c *conversation) listed() *wire.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.identify(c.ledger.standing(defaultLimit))
}

// identify says which conversation the head is of.
func (c *conversation) identify(h *wire.Head) *wire.Head {
	h.AgentID, h.AgentVersion = c.tape.agentID, c.tape.agentVersion
	h.Title, h.CreatedAt, h.UpdatedAt = c.title, c.createdAt, c.updatedAt
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
