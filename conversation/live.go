package conversation

import (
	"sync"
	"time"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// Live is one conversation in memory: its state, its subscribers, and the journals of row changes.
type Live struct {
	id  string
	log *logReader

	mu       sync.Mutex
	state    *projection.State
	snap     *projection.Snapshot // of state, nil when an input came since
	subs     map[projection.Slice]map[*Subscription]struct{}
	count    int // subscriptions open
	journals map[projection.Slice]*journal
	retired  []projection.Slice // journals nobody follows, the longest unfollowed first
	ended    error              // why no subscription can go on
	lastUse  time.Time
	attend   func() // told when somebody starts to follow or read; nil without a reader
	newID    func() string
	now      func() time.Time
}

// NewLive returns a conversation that nothing was told of, for a caller that applies the inputs itself. id
// may be "": then the first opener names it.
func NewLive(id string) *Live {
	return &Live{
		id: id, state: projection.New(id), now: time.Now, newID: randomID,
		subs:     map[projection.Slice]map[*Subscription]struct{}{},
		journals: map[projection.Slice]*journal{},
		lastUse:  time.Now(),
	}
}

// Apply folds one input, marks what moved, and returns the change and how many subscriptions it woke.
func (l *Live) Apply(in projection.Input) (c projection.Change, woken int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c = l.state.Apply(in)
	l.snap = nil
	if c.Reset {
		return c, l.resetLocked()
	}
	for _, slice := range c.Slices {
		if j := l.journals[slice]; j != nil {
			j.Add(c.Rows)
		}
		for s := range l.subs[slice] {
			if s.markDirty() {
				woken++
			}
		}
	}
	return c, woken
}

// Replace puts a state that was loaded anew in the old one's place. Every subscriber reads again; row
// changes start over with a reset.
func (l *Live) Replace(state *projection.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.snap = state, nil
	l.resetLocked()
}

func (l *Live) resetLocked() (woken int) {
	clear(l.journals)
	l.retired = nil
	seen := map[*Subscription]bool{}
	for _, subs := range l.subs {
		for s := range subs {
			if !seen[s] && s.markDirty() {
				woken++
			}
			seen[s] = true
		}
	}
	return woken
}

// Conversation is the conversation as it stands.
func (l *Live) Conversation() *Conversation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.viewLocked()
}

func (l *Live) viewLocked() *Conversation {
	if l.snap == nil {
		l.snap = l.state.Snapshot()
	}
	id := l.id
	if id == "" {
		id = l.snap.ID()
	}
	return &Conversation{id: id, snap: l.snap, log: l.log}
}

// end ends every subscription with err, once what is pending was read, and lets none begin.
func (l *Live) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return
	}
	l.ended = err
	for _, subs := range l.subs {
		for s := range subs {
			s.wake()
		}
	}
}

// following tells how many subscriptions are open and when the conversation was last asked for.
func (l *Live) following() (subscriptions int, lastUse time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.lastUse
}

// touch notes that somebody asked, and tells the reader.
func (l *Live) touch() {
	l.mu.Lock()
	l.lastUse = l.now()
	attend := l.attend
	l.mu.Unlock()
	if attend != nil {
		attend()
	}
}

func (l *Live) noteUse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastUse = l.now()
}

// endedBy is why no subscription can go on, nil while they can.
func (l *Live) endedBy() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

func (l *Live) open() bool { return l.endedBy() == nil }

func (l *Live) lastOffset() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.LastOffset()
}

func (l *Live) nextOffset() (int64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.NextOffset()
}

func (l *Live) seqs() (least, greatest int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Seqs()
}

func (l *Live) leastSeq() int64 {
	least, _ := l.seqs()
	return least
}

// standing is the wire's word for the conversation's status, 0 while nothing was said.
func (l *Live) standing() wire.Status {
	switch l.Conversation().snap.Status() {
	case projection.ChatStreaming:
		return wire.Running
	case projection.ChatAwaitingClientTool:
		return wire.AwaitingClientTool
	case projection.ChatPaused:
		return wire.Paused
	case projection.ChatCompleted:
		return wire.Completed
	case projection.ChatFailed:
		return wire.Failed
	case projection.ChatCancelled:
		return wire.Cancelled
	}
	return 0
}
