package tests

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/transport"
)

// A thousand times somebody subscribes while words are told: the first value is no older than what could be read before, no
// word is lost after it, and none comes twice.
func TestSubscribingRacesPublishing(t *testing.T) {
	t.Parallel()
	const rounds = 1000
	p, s := upstream(t)
	c := talk(p, "talk", 2*rounds+1)
	c.tell(3)
	f := rowsAt(`path: ["short"]`)
	changes := rowChangesAt(`path: ["short"]`)
	conn := dialQuietly(t, s)
	control := conn.subscribe(t, f.operation("talk"))
	control.message(t, 1)
	for round := range rounds {
		before := f.latest(t, control)
		go c.tell(2)
		which := f
		if round%2 == 1 {
			which = changes
		}
		m := conn.subscribe(t, which.operation("talk"))
		words := 1 + 2*(round+1) // that node short said by then
		m.wait(t, "the last word", func([]json.RawMessage) bool {
			return len(shortText(t, which.latest(t, m))) == len(" more")*words
		})
		o := which.observe(t, m)
		o.Before = before
		require.NoError(t, Validate(o), "round %d", round)
		conn.complete(t, m)
	}
	assert.Zero(t, c.left())
}

// shortText is what the one row says, "" where there is none.
func shortText(t *testing.T, value string) string {
	t.Helper()
	if value == "" {
		return ""
	}
	var rows []struct{ Content string }
	require.NoError(t, json.Unmarshal([]byte(value), &rows))
	if len(rows) == 0 {
		return ""
	}
	return rows[0].Content
}

// Of a thousand clients of one conversation one reads nothing: it is dropped within the write timeout, and the others get
// every value as soon as ever.
func TestAStalledClientAmongAThousand(t *testing.T) {
	t.Parallel()
	const clients, frames = 1000, 40
	p, s := upstream(t, "--write-timeout-seconds", "2")
	c := talk(p, "talk", frames)
	c.tell(2)
	f := rowsAt(`path: ["short"]`)
	all := make([]*stream, clients-1)
	var dialing sync.WaitGroup
	for from := range 10 {
		dialing.Go(func() {
			for i := from; i < len(all); i += 10 {
				all[i] = dialQuietly(t, s).subscribe(t, f.operation("talk"))
			}
		})
	}
	dialing.Wait()
	for _, m := range all {
		m.message(t, 1)
	}
	dead := stalled(t, s, timeline("").operation("talk"))
	slowest := time.Duration(0)
	for i := range frames {
		begin := time.Now()
		c.tell(1)
		for _, m := range all {
			m.message(t, i+2)
		}
		slowest = max(slowest, time.Since(begin))
	}
	final := f.read(t, s, "talk")
	for _, m := range all {
		o := f.observe(t, m)
		o.Slowest, o.Final = slowest, final
		require.NoError(t, Validate(o))
		require.Len(t, o.Values, frames+1)
	}
	eventually(t, patience, func() string {
		if dead.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)) == nil {
			return "the stalled client is still connected"
		}
		return ""
	})
}

// dialQuietly is dial for one of so many that what each receives is validated by the test alone.
func dialQuietly(t *testing.T, s *server) *socket {
	t.Helper()
	quiet := s.address()
	quiet.unheld = true
	return dial(t, quiet)
}

// address is a server as a client knows it.
func (s *server) address() *server { return &server{url: s.url, lossy: s.lossy, unheld: s.unheld} }

// complete ends an operation, as a client does that has enough.
func (c *socket) complete(t *testing.T, s *stream) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, of := range c.streams {
		if of == s {
			require.NoError(t, c.conn.WriteJSON(map[string]any{"id": id, "type": "complete"}))
			delete(c.streams, id)
			s.change(func() { s.ended = true })
			return
		}
	}
	t.Error("no such operation")
}

// One client opens ten thousand operations: a hundred run, each other one is refused, and neither those nor anybody else's
// are held up. When they are done there is room again.
func TestTenThousandOperations(t *testing.T) {
	t.Parallel()
	const operations, room = 10_000, 100
	p, s := upstream(t)
	desk := p.add(t, "desk.ndjson", "")
	desk.tell(10)
	f := timeline("")
	other := dial(t, s).subscribe(t, f.operation("desk"))
	other.message(t, 1)

	greedy := dialQuietly(t, s)
	all := make([]*stream, operations)
	for i := range all {
		all[i] = greedy.subscribe(t, f.operation("desk"))
		if i%1000 == 0 {
			begin, was := time.Now(), other.count()
			desk.tell(1)
			other.message(t, was+1)
			assert.Less(t, time.Since(begin), slow, "another client waits")
		}
	}
	for _, m := range all[room:] {
		completed, refused := m.end(t)
		require.False(t, completed)
		var errs []responseError
		require.NoError(t, json.Unmarshal(refused, &errs))
		require.Equal(t, []string{"RATE_LIMITED"}, codes(errs))
	}
	for _, m := range all[:room] {
		m.message(t, 1)
		final := f.read(t, s, "desk")
		eventually(t, patience, func() string {
			if last := f.latest(t, m); !same(last, final) {
				return last
			}
			return ""
		})
		o := f.observe(t, m)
		o.Final = final
		require.NoError(t, Validate(o))
		greedy.complete(t, m)
	}
	again := greedy.subscribe(t, f.operation("desk"))
	again.message(t, 1)

	// One after the other they are as many as anybody likes.
	for range operations / 10 {
		m := greedy.subscribe(t, chat(`{ status }`).operation("desk"))
		m.message(t, 1)
		greedy.complete(t, m)
	}
}

// A client whose cable is pulled says nothing any more, not even goodbye: it is dropped after a while, with what it followed,
// and nobody else hears of it. The same connection over a cable that is there stays.
func TestAnUnpluggedClient(t *testing.T) {
	t.Parallel()
	c := &cutting{film: films(t)[0], reattaches: true, hold: 5, release: make(chan struct{})}
	s := c.showAs(t, 0, transport.Options{PingInterval: 100 * time.Millisecond, PeerTimeout: 2 * time.Second})
	far := newCable(t, hostOf(s))
	remote := s.address()
	remote.unheld = true // who is cut off has not the last word
	remote.url = "http://" + far.address() + "/graphql"
	f := timeline("")
	gone, stays := dial(t, remote), dial(t, s)
	lost, kept := gone.subscribe(t, f.operation(c.id)), stays.subscribe(t, f.operation(c.id))
	lost.message(t, 1)
	kept.message(t, 1)
	assert.Equal(t, 2, s.handler.Connections())
	far.unplug()
	eventually(t, patience, func() string {
		if n := s.handler.Connections(); n != 1 {
			return fmt.Sprintf("%d connections", n)
		}
		return ""
	})
	close(c.release)
	eventually(t, patience, func() string {
		if want := f.read(t, s, c.id); !same(want, f.latest(t, kept)) || c.left() != nil {
			return "a query reads " + want
		}
		return ""
	})
	time.Sleep(2500 * time.Millisecond) // longer than a silent peer has
	assert.Equal(t, 1, s.handler.Connections())
	assert.Less(t, lost.count(), kept.count())
}
