package langgraph

import "sync"

// numbers are the offsets of a thread's frames, which LangGraph does not have: they count what this process told of the
// thread, from 1. Whatever else happened there takes up one, so that whoever follows by offset sees that something was
// missed.
type numbers struct {
	mu   sync.Mutex
	last int64 // the greatest that was given

	// How the thread stood when it was last known to have been told whole: its newest run and checkpoint.
	met        bool
	run, point string

	telling *telling // the run in flight, or the latest that was told; nil: none
}

// telling is a run whose frames get offsets. All of it is guarded by numbers.mu.
type telling struct {
	runID   string
	begun   bool
	base    int64 // the offset before its first frame, once it is begun
	readers int
	over    bool // it was told to its end

	info *RunInfo // what it is told with, the same however often; nil: not made up yet
	past *Past    // what was before it, where that was read
}

// numbersOf finds the numbers of a thread. Those of one that was forgotten go on above whatever they were; a thread
// that was just made begins at 1.
func (c *Client) numbersOf(id string, fresh bool) *numbers {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.threads.Get(id)
	if !ok {
		n = &numbers{}
		if !fresh {
			n.last = c.floor
		}
		c.threads.Add(id, n)
	}
	return n
}

// forget is called with Client.mu held.
func (c *Client) forget(_ string, n *numbers) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c.floor = max(c.floor, n.last)
}

// tells finds the telling of a run in flight, and the offset after which it is told. before is the run before it.
func (n *numbers) tells(runID, before string) (*telling, int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.telling
	if t == nil || t.runID != runID {
		missed := n.met && n.run != before // a whole run
		if t != nil && !t.over {
			missed = t.readers == 0 || t.runID != before // or the end of one
		}
		if missed {
			n.last++
		}
		t = &telling{runID: runID}
		n.telling = t
	}
	if t.begun {
		return t, t.base
	}
	return t, n.last
}

// begin counts a reader of a run, whose offsets go on from where the thread's are now unless they have begun. The
// reader has read up to an offset, which may be one of a numbering that was forgotten.
func (n *numbers) begin(t *telling, after int64) (base int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t.readers++
	if !t.begun {
		if after > n.last {
			n.last = after + 1 // what it has read is not known here
		}
		t.begun, t.base = true, n.last
	}
	return t.base
}

// leave is when a reader goes.
func (n *numbers) leave(t *telling) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t.readers--
}

// rests says how the thread stands while no run is in flight, and answers the offset after which it goes on.
func (n *numbers) rests(run, point string) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.telling
	if t != nil && !t.over && t.readers > 0 { // its end is being told
		return n.last
	}
	if n.met && (n.run != run || n.point != point) || t != nil && !t.over {
		n.last++
		n.telling = nil
	}
	n.met, n.run, n.point = true, run, point
	return n.last
}

// newest is the run after which the thread was last known to have been told whole.
func (n *numbers) newest() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run
}

// reaches takes up the offsets up to one, of a run that is being told.
func (n *numbers) reaches(offset int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = max(n.last, offset)
}

// finish says that a run was told to its end, and at which checkpoint the thread stands then.
func (n *numbers) finish(t *telling, point string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t.over, t.info, t.past = true, nil, nil
	if n.telling == t {
		n.met, n.run, n.point = true, t.runID, point
	}
}

// tellWith settles what a run is told with: the first word counts. nil asks what it is.
func (n *numbers) tellWith(t *telling, info *RunInfo) *RunInfo {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t.info == nil {
		t.info = info
	}
	return t.info
}

// after settles what was before a run, as tellWith does.
func (n *numbers) after(t *telling, past *Past) *Past {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t.past == nil {
		t.past = past
	}
	return t.past
}
