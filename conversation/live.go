package conversation

import (
	"sync"
	"time"

	"inlaygraph/projection"
	"inlaygraph/session"
)

// Live is one conversation in memory: its state, its subscribers, and the journals of row changes.
type Live struct {
	id     string
	log    *logReader    // nil without an upstream
	attend func()        // told when somebody starts to follow; nil without a reader
	paging chan struct{} // capacity 1: held by whoever reads the rows that the window begins with
	bounds bounds        // of the window; none without a reader

	mu       sync.Mutex
	state    *projection.State
	view     *Conversation     // of state, nil when an input came since
	renewed  *projection.State // loaded anew, not shown yet, and told what upstream says; nil: state is told
	loading  *loading          // what renewed was told; nil: it does not matter
	latches  map[projection.LatchKind]bool
	subs     map[projection.Slice]map[*Subscription]struct{}
	count    int                      // subscriptions open
	who      map[*session.Session]int // whose they are
	journals map[projection.Slice]*journal
	retired  []projection.Slice // journals nobody follows, the longest unfollowed first
	feeds    map[string]*pinned // by pin
	plans    *plans
	figures  *figures // of the hub; nil for one that is adopted
	shown    bool     // a state that was loaded was shown
	why      string   // the next one is loaded, for the figures
	lastUse  time.Time
	drives   drives
	shared   *shared       // its place on the bus; nil without one
	past     *past         // what moved since it was shown there; nil without one
	endedBy  error         // why no subscription can go on
	ended    chan struct{} // closed when endedBy is said
}

// NewLive returns a conversation that nothing was told of, for a caller that applies the inputs itself. id
// may be "": then the first opener names it.
func NewLive(id string) *Live {
	return &Live{
		id: id, state: projection.New(id), lastUse: time.Now(), ended: make(chan struct{}), paging: make(chan struct{}, 1),
		latches:  map[projection.LatchKind]bool{},
		who:      map[*session.Session]int{},
		subs:     map[projection.Slice]map[*Subscription]struct{}{},
		journals: map[projection.Slice]*journal{},
		feeds:    map[string]*pinned{}, plans: &plans{}, why: ResetMoved,
	}
}

// Apply folds one input, marks what moved, and returns the change and how many subscriptions it woke.
func (l *Live) Apply(in projection.Input) (c projection.Change, woken int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if latch, ok := in.(projection.Latch); ok {
		l.latches[latch.Kind] = latch.On
	}
	return l.applyLocked(in)
}

func (l *Live) applyLocked(in projection.Input) (c projection.Change, woken int) {
	c, woken = l.foldLocked(in)
	l.boundLocked(l.state, func(trim projection.Trim) {
		_, more := l.foldLocked(trim)
		woken += more
	})
	return c, woken + l.settleCancelLocked()
}

func (l *Live) foldLocked(in projection.Input) (c projection.Change, woken int) {
	c = l.state.Apply(in)
	l.view = nil
	if c.Reset {
		if l.past != nil {
			l.past.reset()
		}
		l.figures.reset(ResetRekeyed)
		return c, l.resetLocked()
	}
	before := uint64(0)
	if l.past != nil {
		before = l.past.Version()
		l.past.Add(c.Rows)
	}
	for _, slice := range l.feedsMoved(&c) {
		woken += l.wakeLocked(slice)
	}
	for _, slice := range c.Slices {
		if j := l.journals[slice]; j != nil {
			j.take(l.past, before, c.Rows)
		}
		woken += l.wakeLocked(slice)
	}
	return c, woken
}

func (l *Live) wakeLocked(slice projection.Slice) (woken int) {
	late := 0
	for s := range l.subs[slice] {
		if s.markDirty() {
			woken++
		} else {
			late++
		}
	}
	l.figures.late(late)
	return woken
}

// resetLocked makes every subscriber read again; row changes start over with a reset.
func (l *Live) resetLocked() (woken int) {
	clear(l.journals)
	l.retired = nil
	for _, p := range l.feeds {
		p.guard(l.viewLocked().snap, l.plans)
	}
	for _, subs := range l.subs {
		for s := range subs {
			if s.markDirty() {
				woken++
			}
		}
	}
	return woken
}

// Conversation is the conversation as it stands.
func (l *Live) Conversation() *Conversation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readLocked()
}

// viewLocked makes one view per state, whoever asks for it.
func (l *Live) viewLocked() *Conversation {
	if l.view == nil {
		snap := l.state.Snapshot()
		id := l.id
		if id == "" {
			id = snap.ID()
		}
		l.view = &Conversation{id: id, snap: snap, log: l.log, plans: l.plans}
	}
	return l.view
}

// end ends every subscription with err, once what is pending was read, and lets none begin. The first end
// counts.
func (l *Live) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endedBy == nil {
		l.endedBy = err
		close(l.ended)
		l.settleCancelLocked()
	}
}

// following tells how many subscriptions are open and when the conversation was last asked for.
func (l *Live) following() (subscriptions int, lastUse time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.lastUse
}

// touch notes that somebody asked.
func (l *Live) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastUse = time.Now()
}
