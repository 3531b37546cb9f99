package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/transport/internal/testgql"
)

// sharing is a server whose topics are shared by the subscribers of one tenant. Who asks is "user@tenant", as the token in
// connection_init says, or the header X-User.
type sharing struct {
	*server
	seats  atomic.Int64 // taken now
	admit  func(user string) error
	expiry map[string]time.Duration // of the sessions of some
}

type topicKey struct{ tenant, name string }

func startSharing(t testing.TB, opts Options) *sharing {
	t.Helper()
	s := &sharing{expiry: map[string]time.Duration{}}
	root := &testgql.Root{Errors: map[string]error{}}
	opts.ChangeFields = []string{"news", "changes"}
	opts.Share = s.share
	opts.Init = func(ctx context.Context, r *http.Request, payload json.RawMessage) (context.Context, time.Time, error) {
		var p struct{ Token string }
		_ = json.Unmarshal(payload, &p)
		if p.Token == "" {
			p.Token = r.Header.Get("X-User")
		}
		var end time.Time
		if life := s.expiry[p.Token]; life != 0 {
			end = time.Now().Add(life)
		}
		return context.WithValue(ctx, sessionKey{}, p.Token), end, nil
	}
	s.server = serve(t, root, opts)
	t.Cleanup(func() { // runs before the server is shut down
		eventually(t, "every seat is given back", func() bool {
			_ = s.Shutdown(context.Background())
			return s.seats.Load() == 0
		})
	})
	return s
}

// share is the server's Options.Share: fields that have a topic, of whoever has a tenant.
func (s *sharing) share(ctx context.Context, field string, arguments map[string]any) (*Seat, error) {
	user, _ := ctx.Value(sessionKey{}).(string)
	_, tenant, ok := strings.Cut(user, "@")
	name, _ := arguments["name"].(string)
	if !ok || field != "topic" && field != "news" {
		return nil, nil
	}
	if s.admit != nil {
		if err := s.admit(user); err != nil {
			return nil, err
		}
	}
	s.seats.Add(1)
	var given atomic.Bool
	return &Seat{
		Key:    topicKey{tenant, name},
		Follow: func() Follower { return s.root.Topic(name).Follow() },
		Leave: func() {
			if given.Swap(true) {
				panic("a seat is given back twice")
			}
			s.seats.Add(-1)
		},
	}, nil
}

// as connects somebody.
func (s *sharing) as(t testing.TB, user string) *client {
	t.Helper()
	c := s.dial(t, subprotocol)
	c.send(`{"type":"connection_init","payload":{"token":"` + user + `"}}`)
	c.expect(`{"type":"connection_ack"}`)
	return c
}

// subscriber is a member, or the source of one that shares nothing, without a connection: the test takes what waits.
type subscriber struct {
	t      testing.TB
	box    *outbox
	rung   bell
	member *member
	source source
	cancel context.CancelFunc
}

// join begins an operation for somebody.
func (s *sharing) join(t testing.TB, user, query string, variables ...any) *subscriber {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), sessionKey{}, user))
	req := &request{query: query}
	if strings.Contains(query, " Named") {
		req.operationName = "Named"
	}
	if len(variables) > 0 {
		text, err := json.Marshal(variables[0])
		require.NoError(t, err)
		require.True(t, decode(text, &req.variables))
	}
	op, refused := s.engine.prepare(ctx, req)
	require.Nil(t, refused)
	r := &subscriber{t: t, rung: make(bell, 1), cancel: cancel}
	r.box = &outbox{writer: r.rung, maxBytes: 1 << 20}
	r.source, r.member = s.engine.open(ctx, op, r.box, nil)
	return r
}

// leave ends the subscription. It may be called more than once.
func (r *subscriber) leave() {
	r.cancel()
	if r.member != nil {
		r.member.quit()
	}
}

// try takes what waits, "" when nothing does, and "end" for the end.
func (r *subscriber) try() string {
	taken, ok := r.box.take()
	switch {
	case !ok:
		return ""
	case taken.end:
		return "end"
	}
	taken.caughtUp()
	return string(taken.payload)
}

// next waits for the next message.
func (r *subscriber) next() string {
	r.t.Helper()
	for end := time.After(patience); ; {
		if got := r.try(); got != "" {
			return got
		}
		select {
		case <-r.rung:
		case <-end:
			require.Fail(r.t, "no message")
		}
	}
}

func topicOf(text string) string { return `{"data":{"topic":"` + text + `"}}` }

// watch is the operation of most tests.
const watch = `subscription{topic(name:"a")}`

// open waits until so many follow the topic.
func (s *sharing) open(t testing.TB, name string, n int64) {
	t.Helper()
	eventually(t, "followers of the topic", func() bool { return s.root.Topic(name).Open.Load() == n })
}

// empty waits until nobody is there and nothing is followed: the last seat is given back last.
func (s *sharing) empty(t testing.TB) {
	t.Helper()
	eventually(t, "every seat is given back", func() bool { return s.seats.Load() == 0 })
	assert.Zero(t, s.root.Topic("a").Open.Load())
}

// settle waits until the turn is over that somebody else has a message of.
func (r *subscriber) settle() {
	r.member.group.reading.Lock()
	defer r.member.group.reading.Unlock()
}

func (r *subscriber) expect(texts ...string) {
	r.t.Helper()
	for _, want := range texts {
		require.Equal(r.t, want, r.next())
	}
}

func (r *subscriber) quiet() {
	r.t.Helper()
	assert.Equal(r.t, "", r.try())
}
