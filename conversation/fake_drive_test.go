package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// given is what a run was asked for with: "retry" in place of an input.
type given struct {
	token, agent string
	input        *wire.ExecutionInput
}

// Execute implements upstream.Driver: the next run of the story begins.
func (p *fake) Execute(ctx context.Context, auth, agent string, in *wire.ExecutionInput) (upstream.Stream, error) {
	return p.run(ctx, "execute", given{auth, agent, in})
}

// Retry implements upstream.Driver, as Execute does.
func (p *fake) Retry(ctx context.Context, auth, _ string) (upstream.Stream, error) {
	return p.run(ctx, "retry", given{token: auth})
}

// open is how many streams are.
func (p *fake) open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.streams
}

// Cancel implements upstream.Driver. What comes of it is the test's to play.
func (p *fake) Cancel(ctx context.Context, auth, _ string) error { return p.begin(ctx, "cancel", auth) }

// run begins the next run, with its first frame, unless one is in flight.
func (p *fake) run(ctx context.Context, op string, asked given) (upstream.Stream, error) {
	if err := p.begin(ctx, op, asked.token); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.story.head(p.sent).Status == wire.Running {
		return nil, &upstream.Error{Op: op, Kind: upstream.Conflict, Status: 409}
	}
	if p.sent == len(p.story.frames) {
		return nil, &upstream.Error{Op: op, Kind: upstream.Unavailable, Detail: errors.New("the story has no more runs")}
	}
	p.inputs = append(p.inputs, asked)
	s := p.openLocked(ctx)
	s.next = p.sent
	if !p.mute {
		p.sent++
		p.wake()
	}
	return s, nil
}

// world is a platform of several conversations, each a fake that the test drives.
type world struct {
	mu    sync.Mutex
	of    map[string]*fake
	next  []*fake // the conversations that are begun by who sends without one
	lists []string
}

// newWorld is a platform with some conversations.
func newWorld(fakes ...*fake) *world {
	w := &world{of: map[string]*fake{}}
	for _, p := range fakes {
		w.of[p.id()] = p
	}
	return w
}

func (p *fake) id() string { return p.story.head(0).ConversationID }

func (w *world) conversation(id string) (*fake, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.of[id]; p != nil {
		return p, nil
	}
	return nil, &upstream.Error{Op: "world", Kind: upstream.NotFound, Status: 404}
}

func (w *world) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	p, err := w.conversation(id)
	if err != nil {
		return nil, err
	}
	return p.Head(ctx, auth, id)
}

func (w *world) Rows(ctx context.Context, auth, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	p, err := w.conversation(id)
	if err != nil {
		return nil, nil, err
	}
	return p.Rows(ctx, auth, id, q)
}

func (w *world) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	p, err := w.conversation(id)
	if err != nil {
		return nil, err
	}
	return p.Stream(ctx, auth, id, after)
}

func (w *world) Execute(ctx context.Context, auth, agent string, in *wire.ExecutionInput) (upstream.Stream, error) {
	p, err := w.executes(in.ConversationID)
	if err != nil {
		return nil, err
	}
	return p.Execute(ctx, auth, agent, in)
}

// executes finds the conversation that a run is asked for, or the next one that is begun: also where the one asked for
// has ended.
func (w *world) executes(id string) (*fake, error) {
	if id != "" {
		p, err := w.conversation(id)
		if err != nil || !isOver(statusOf(p)) {
			return p, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.next) == 0 {
		return nil, &upstream.Error{Op: "execute", Kind: upstream.NotFound, Status: 404}
	}
	p := w.next[0]
	w.next = w.next[1:]
	w.of[p.id()] = p
	return p, nil
}

func (w *world) Retry(ctx context.Context, auth, id string) (upstream.Stream, error) {
	p, err := w.conversation(id)
	if err != nil {
		return nil, err
	}
	return p.Retry(ctx, auth, id)
}

func (w *world) Cancel(ctx context.Context, auth, id string) error {
	p, err := w.conversation(id)
	if err != nil {
		return err
	}
	return p.Cancel(ctx, auth, id)
}

// List implements upstream.History.
func (w *world) List(_ context.Context, auth string, q upstream.ListQuery) (*wire.SummaryPage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists = append(w.lists, fmt.Sprint(auth, " ", q))
	if auth == "refused" {
		return nil, refused("list", upstream.Unauthenticated)
	}
	return &wire.SummaryPage{Items: []*wire.Summary{{ConversationID: conv}}}, nil
}

// Backlinks implements upstream.History.
func (w *world) Backlinks(_ context.Context, auth, id, table, row string) (json.RawMessage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists = append(w.lists, fmt.Sprint(auth, " ", id, " ", table, " ", row))
	if auth == "refused" {
		return nil, refused("backlinks", upstream.Forbidden)
	}
	return json.RawMessage(`[1]`), nil
}

// statusOf is how the platform says that the conversation stands.
func statusOf(p *fake) projection.ChatStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := projection.New("")
	state.Apply(p.story.head(p.sent))
	return state.Snapshot().Status()
}

// driving runs a test in a time of its own, with a hub in front of a platform that runs agents and has one
// conversation, which has sent some frames of a story.
func driving(t *testing.T, s story, sent int, opts Options, test func(t *testing.T, h *Hub, w *world, p *fake)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newFake(s, sent)
		w := newWorld(p)
		opts.Source, opts.Driver, opts.History = w, w, w
		h := NewHub(opts)
		defer h.Close()
		test(t, h, w, p)
	})
}

// user is a session of one user of tenant "t", with a token of the same name, that lasts so long; 0: for ever.
func user(name string, lasts time.Duration) *session.Session { return userOf("t", name, lasts) }

func userOf(tenant, name string, lasts time.Duration) *session.Session {
	var end time.Time
	if lasts != 0 {
		end = time.Now().Add(lasts)
	}
	return session.New(name, tenant, name, end)
}

// only lets some tokens in; the others are refused in the given way.
func only(kind upstream.Kind, tokens ...string) func(string) error {
	return func(token string) error {
		for _, ok := range tokens {
			if token == ok {
				return nil
			}
		}
		return refused("asked", kind)
	}
}

// wantOf is what whoever read everything from the start knows now.
func wantOf(t *testing.T, p *fake) facts {
	t.Helper()
	l := NewLive(p.id())
	for _, f := range p.story.frames[:p.at()] {
		l.Apply(f)
	}
	return factsOf(t, l.Conversation(), false)
}
