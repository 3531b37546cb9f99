package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"inlaygraph/tests/bench/load"
	"inlaygraph/tests/bench/story"
)

const (
	patience = time.Minute
	never    = -1 // the tick of a viewer that has none yet
	sampled  = 50 // one of so many messages is looked at whole, or of changes one of so many viewers
	keptMost = 2000
)

// audience is who watches.
type audience struct {
	viewers  int
	story    *story.Story
	document func(viewer int) story.Document // nil: row changes
	node     func(viewer int) string         // whose rows they watch; nil: all
	turn     func(viewer int) int            // whose text they see grow; nil: the first
	stalled  bool                            // the last viewer reads nothing
	ticks    int                             // how often to send; 0: as often as the scale says
}

func (a *audience) subscribe(viewer int) []byte {
	query := story.Changes(0)
	if a.document != nil {
		query = a.document(viewer).Query()
	}
	return story.Subscribe(query, a.story.ID)
}

func (a *audience) turnOf(viewer int) int {
	if a.turn == nil {
		return 0
	}
	return a.turn(viewer)
}

// crowd is an audience that is connected to a server.
type crowd struct {
	audience
	server *server
	load   *load.Crowd

	each      bool           // nobody may skip a tick
	last      []int          // by viewer; each its own
	arrived   []atomic.Int32 // by tick: viewers that it reached
	complete  chan int       // ticks that reached everybody
	failed    chan error     // the first that was wrong
	sent      []atomic.Int64 // by tick, in nanoseconds since began
	began     time.Time
	timing    atomic.Bool
	latencies [][]time.Duration // by viewer, one for each tick that it got
	messages  atomic.Int64
	bytes     atomic.Int64
	readers   map[int]*story.Reader

	mu   sync.Mutex
	kept []kept
}

// kept is a message to be looked at.
type kept struct {
	viewer, tick int
	text         []byte
}

// gather connects an audience, and returns once everybody has the value as it stands. At most so many ticks follow.
func gather(s *server, a audience, ticks int, each bool) (*crowd, error) {
	c := &crowd{
		audience: a, server: s, each: each, last: make([]int, a.viewers), arrived: make([]atomic.Int32, ticks+1), complete: make(chan int, ticks+1),
		failed: make(chan error, 1), sent: make([]atomic.Int64, ticks+1), began: time.Now(), latencies: make([][]time.Duration, a.viewers),
		readers: map[int]*story.Reader{},
	}
	for i := range c.last {
		c.last[i] = never
		if a.document == nil && i%sampled == 0 {
			c.readers[i] = &story.Reader{}
		}
	}
	var err error
	c.load, err = load.Connect(load.Options{
		Addr: s.addr, Viewers: a.viewers, Subscribe: a.subscribe, On: c.on, Whole: c.isSampled,
		Narrow: func(viewer int) bool { return a.stalled && viewer == a.viewers-1 },
		Failed: func(viewer int, err error) { c.fail(fmt.Errorf("viewer %d of %s: %w", viewer, s.arm, err)) },
	})
	if err != nil {
		return nil, err
	}
	if err := c.wait(0); err != nil {
		c.load.Close()
		return nil, err
	}
	return c, nil
}

func (c *crowd) isSampled(viewer, nth int) bool {
	if c.document == nil {
		return viewer%sampled == 0
	}
	return (viewer+nth)%sampled == 0
}

func (c *crowd) fail(err error) {
	select {
	case c.failed <- err:
	default:
	}
}

// on takes a message.
func (c *crowd) on(m load.Message) error {
	turn, tick, ok := story.TickOf(m.Tail)
	last := c.last[m.Viewer]
	switch {
	case !ok && last == never: // the turns are not open yet
		return c.keep(m, never)
	case !ok:
		return fmt.Errorf("a message without a token: …%s", m.Tail)
	case turn != c.turnOf(m.Viewer):
		return fmt.Errorf("a message of branch %d: …%s", turn, m.Tail)
	case tick >= len(c.sent):
		return fmt.Errorf("tick %d was not sent", tick)
	case last != never && (tick <= last || c.each && tick != last+1):
		return fmt.Errorf("tick %d after %d", tick, last)
	}
	if c.timing.Load() && last != never {
		now := m.At.Sub(c.began)
		for k := last + 1; k <= tick; k++ {
			c.latencies[m.Viewer] = append(c.latencies[m.Viewer], now-time.Duration(c.sent[k].Load()))
		}
	}
	c.last[m.Viewer] = tick
	c.messages.Add(1)
	c.bytes.Add(int64(m.Size))
	if err := c.keep(m, tick); err != nil {
		return err
	}
	stalls := c.stalled && m.Viewer == c.viewers-1
	everybody := c.viewers
	if c.stalled && tick > 0 {
		everybody--
	}
	if int(c.arrived[tick].Add(1)) == everybody {
		c.complete <- tick
	}
	if stalls {
		return load.ErrStall
	}
	return nil
}

// keep keeps what is to be looked at.
func (c *crowd) keep(m load.Message, tick int) error {
	switch {
	case m.Text == nil:
		return nil
	case c.document == nil:
		_, err := c.readers[m.Viewer].Apply(m.Text)
		return err
	case tick == never:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) < keptMost {
		c.kept = append(c.kept, kept{m.Viewer, tick, m.Text})
	}
	return nil
}

// wait waits until a tick has reached everybody.
func (c *crowd) wait(tick int) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case k := <-c.complete:
			if k == tick {
				return nil
			}
		case err := <-c.failed:
			return c.server.blame(err)
		case <-c.server.ended:
			return c.server.blame(errors.New("too early"))
		case <-late.C:
			return fmt.Errorf("tick %d of %s has reached %d of %d", tick, c.server.arm, c.arrived[tick].Load(), c.viewers)
		}
	}
}

// send sends a tick.
func (c *crowd) send(tick int) error {
	c.sent[tick].Store(int64(time.Since(c.began)))
	return c.server.tick(tick)
}

// play sends ticks up to to, each once the one before has reached everybody.
func (c *crowd) play(from, to int) error {
	for k := from; k <= to; k++ {
		if err := c.send(k); err != nil {
			return err
		}
		if err := c.wait(k); err != nil {
			return err
		}
	}
	return nil
}

// pace sends ticks at a rate, whoever is late, and waits until the last has reached everybody.
func (c *crowd) pace(from, to int, every time.Duration) error {
	next := time.Now()
	for k := from; k <= to; k++ {
		time.Sleep(time.Until(next))
		next = next.Add(every)
		if err := c.send(k); err != nil {
			return err
		}
	}
	return c.wait(to)
}

// disperse drops the connections and looks at what was kept. The ticks up to last were sent.
func (c *crowd) disperse(last int) error {
	c.load.Close()
	select {
	case err := <-c.failed:
		return err
	default:
	}
	for viewer, r := range c.readers {
		rows := c.story.At(last)
		if want := rows[len(rows)-1].Content; r.Text() != want || len(r.Rows) != len(rows) {
			return fmt.Errorf("viewer %d of %s has %d rows, the last %q, instead of %d and %q", viewer, c.server.arm, len(r.Rows), r.Text(), len(rows), want)
		}
	}
	if c.document != nil && len(c.kept) == 0 {
		return fmt.Errorf("nothing of %s was looked at", c.server.arm)
	}
	for _, k := range c.kept {
		rows := c.story.At(k.tick)
		if c.node != nil {
			rows = story.Of(rows, c.node(k.viewer))
		}
		if err := c.document(k.viewer).Check(k.text, rows, load.ID); err != nil {
			return fmt.Errorf("viewer %d of %s: %w", k.viewer, c.server.arm, err)
		}
	}
	return nil
}
