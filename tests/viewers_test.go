package tests

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// records are what a reader of a conversation's frames is told.
func (c *kept) records() []wire.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []wire.Record
	for _, f := range c.frames {
		all = append(all, f)
	}
	return all
}

// awaitStreams waits until so many streams are read, of so many that were opened so far.
func (c *kept) awaitStreams(t *testing.T, reading, opened int) {
	t.Helper()
	eventually(t, patience, func() string {
		if r, o := c.attached(); r != reading || o != opened {
			return fmt.Sprintf("%d streams are read, %d were opened; not %d and %d", r, o, reading, opened)
		}
		return ""
	})
}

// watcher is somebody who follows a conversation on a connection of their own.
type watcher struct {
	socket  *socket
	changes *stream
}

// shows waits until a watcher's rows are what the frames so far make.
func (w watcher) shows(t *testing.T, c *kept) {
	t.Helper()
	want := model.Fold(c.records()).Timeline
	eventually(t, patience, func() string {
		return model.Diff(want, withoutTypename(t, rowChanges().latest(t, w.changes)))
	})
}

// Ten viewers of one conversation, of two users whom upstream admits, cost upstream one stream. When the session that it
// was opened with is over, it goes on with another viewer's, and nothing is lost. Everybody else reads NOT_FOUND. When the
// last session is over the stream is let go at once; each client is closed with 4403 when its own session ends.
func TestTenViewersOfOneConversation(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	s := p.front(t)
	soon := time.Now().Add(3 * time.Second).Truncate(time.Second).Add(time.Second)
	later := soon.Add(3 * time.Second)
	first, second := p.enrol(t, "ann", "acme", soon), p.enrol(t, "bob", "acme", later)
	c := p.add("acme", "shared", "ann", "bob")
	c.say(starting...)
	c.say(saying("One"))

	var all []watcher
	watch := func(token string, viewers int) {
		for range viewers {
			socket := dialWith(t, s, map[string]any{"token": token})
			changes := socket.subscribe(t, rowChanges().operation("shared"))
			changes.message(t, 1)
			all = append(all, watcher{socket, changes})
		}
	}
	watch(first, 5)
	c.awaitStreams(t, 1, 1)
	watch(second, 5)
	c.say(saying(" two"))
	for _, w := range all {
		w.shows(t, c)
	}
	for name, tenant := range map[string]string{"eve": "acme", "ann": "umbrella"} {
		stranger := p.enrol(t, name, tenant, later)
		_, from := p.since(0)
		assert.Equal(t, []string{"NOT_FOUND"}, codes(parse(t, s.askFor(t, mediaJSON, stranger, timeline("").query("shared")).body).Errors))
		asked, _ := p.since(from)
		assert.Equal(t, []asking{{user{name, tenant}, "GET /v1/conversations/shared", ""}}, asked)
	}
	c.awaitStreams(t, 1, 1)
	assert.Equal(t, 1, p.count("GET /v1/conversations/shared/stream"))

	for _, w := range all[:5] {
		assert.Equal(t, 4403, w.socket.closeCode(t))
	}
	assert.WithinDuration(t, soon, time.Now(), 3*time.Second)
	c.say(saying(" three"))
	for _, w := range all[5:] {
		w.shows(t, c)
	}
	c.awaitStreams(t, 1, 2)
	c.say(saying(" four"))
	for _, w := range all[5:] {
		w.shows(t, c)
		o := rowChanges().observe(t, w.changes)
		o.Final = parse(t, s.askFor(t, mediaJSON, second, timeline("").query("shared")).body).timeline(t)
		assert.NoError(t, Validate(o))
	}

	for _, w := range all[5:] {
		assert.Equal(t, 4403, w.socket.closeCode(t))
	}
	assert.WithinDuration(t, later, time.Now(), 3*time.Second)
	eventually(t, patience, func() string {
		if reading, _ := c.attached(); reading > 0 {
			return "the stream is still read, without a session"
		}
		return ""
	})
	assert.WithinDuration(t, later, time.Now(), 4*time.Second, "it does not linger")
	var streamed []string
	asked, _ := p.since(0)
	for _, a := range asked {
		if a.request == "GET /v1/conversations/shared/stream" {
			streamed = append(streamed, a.name)
		}
	}
	assert.Equal(t, []string{"ann", "bob"}, streamed)
}

// A session that upstream no longer accepts is its own user's trouble: the others go on, on one stream.
func TestARefusedSessionIsItsUsersTrouble(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	s := p.front(t)
	until := time.Now().Add(time.Hour)
	first, second := p.enrol(t, "ann", "acme", until.Add(time.Hour)), p.enrol(t, "bob", "acme", until)
	c := p.add("acme", "shared", "ann", "bob")
	c.say(starting...)
	c.say(saying("One"))
	watch := func(token string) watcher {
		socket := dialWith(t, s, map[string]any{"token": token})
		changes := socket.subscribe(t, rowChanges().operation("shared"))
		changes.message(t, 1)
		return watcher{socket, changes}
	}
	a, b := watch(first), watch(second)
	c.awaitStreams(t, 1, 1)
	p.expel(first)
	p.http.CloseClientConnections() // the stream is cut: who asks for it again is refused
	c.say(saying(" two"))
	b.shows(t, c)
	c.say(saying(" three"))
	b.shows(t, c)
	a.shows(t, c) // a viewer who was let in stays, as long as there is somebody to read for
	got := parse(t, s.askFor(t, mediaJSON, first, `{ conversation(id: "shared") { rowPage { hasEarlier } } }`).body)
	assert.Equal(t, []string{"UNAUTHENTICATED"}, slices.Compact(codes(got.Errors)), "%v", got.Errors)

	p.expel(second)
	p.http.CloseClientConnections()
	for _, w := range []watcher{a, b} {
		completed, _ := w.changes.end(t)
		assert.True(t, completed)
		payloads, _, _ := w.changes.look()
		assert.Equal(t, []string{"UNAUTHENTICATED"}, codes(parse(t, string(payloads[len(payloads)-1])).Errors))
	}
}

// expel lets a token no longer count.
func (p *tenancy) expel(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.users, token)
}

// timeline is the timeline of a conversation that was asked for.
func (r response) timeline(t *testing.T) string {
	t.Helper()
	require.Empty(t, r.Errors)
	return string(at(t, r.Data, "conversation", "timeline"))
}
