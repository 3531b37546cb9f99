package conversation

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// openAs opens the conversation of the stories with a session.
func openAs(t *testing.T, h *Hub, who *session.Session) *Viewer {
	t.Helper()
	v, err := h.Open(t.Context(), who, conv)
	require.NoError(t, err)
	return v
}

// refusedAs is what a session is told that may not open the conversation.
func refusedAs(t *testing.T, h *Hub, who *session.Session) *coded.Error {
	t.Helper()
	_, err := h.Open(t.Context(), who, conv)
	var e *coded.Error
	require.ErrorAs(t, err, &e)
	return e
}

// Promise 15: who joins is asked for with its own token, and then for a minute no more, whatever the token; never on the
// strength of a session that is over.
func TestAdmittedWithItsOwnToken(t *testing.T) {
	s := chat(1, 3)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		watchAs(t, openAs(t, h, user("ann", 0))) // so that nothing is read for who opens it
		assert.Equal(t, []string{"ann"}, p.with("head"))
		brief := session.New("cy", "t", "cy", time.Now().Add(30*time.Second))
		for _, who := range []*session.Session{user("bob", time.Hour), brief, user("bob", time.Hour), user("ann", 0)} {
			openAs(t, h, who)
		}
		openAs(t, h, session.New("bob", "t", "another token of bob's", time.Time{}))
		assert.Equal(t, []string{"bob", "cy"}, p.with("head"))
		time.Sleep(29 * time.Second)
		openAs(t, h, brief)
		assert.NotContains(t, p.with("head"), "cy")
		time.Sleep(2 * time.Second)
		openAs(t, h, brief)
		assert.Contains(t, p.with("head"), "cy", "it was remembered to the end of the session")
		time.Sleep(28 * time.Second) // 59 s
		openAs(t, h, user("bob", 0))
		assert.NotContains(t, p.with("head"), "bob")
		time.Sleep(2 * time.Second)
		openAs(t, h, user("bob", 0))
		openAs(t, h, user("bob", 0))
		assert.Equal(t, []string{"bob"}, slices.DeleteFunc(p.with("head"), func(token string) bool { return token == "ann" }))
	})
}

// Promise 15: of several that ask at once with one token one reading is enough, and who gives up leaves it to the others.
func TestAdmittedTogether(t *testing.T) {
	s := chat(1, 3)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.latency = time.Second
		var askers sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		askers.Go(func() {
			_, err := h.Open(ctx, user("ann", 0), conv)
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		for _, name := range []string{"ann", "bob"} {
			for range 20 {
				askers.Go(func() { openAs(t, h, user(name, 0)) })
			}
		}
		time.Sleep(time.Millisecond)
		cancel()
		askers.Wait()
		assert.ElementsMatch(t, []string{"ann", "bob"}, p.with("head"))
		assert.Len(t, p.with("rows"), 1)
	})
}

// Promises 11 and 15: who may not see what others watch reads one answer, whatever the reason, and they see nothing of it.
func TestRefusedWhileOthersWatch(t *testing.T) {
	s := chat(1, 10)
	messages := map[string]bool{}
	for _, kind := range []upstream.Kind{upstream.NotFound, upstream.Forbidden, upstream.Gone} {
		bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
			p.may = only(kind, "ann", "bob")
			ann, bob := watchAs(t, openAs(t, h, user("ann", 0))), watchAs(t, openAs(t, h, user("bob", 0)))
			p.called()
			for range 3 {
				e := refusedAs(t, h, user("cy", 0))
				assert.Equal(t, coded.NotFound, e.Code)
				messages[e.Message] = true
			}
			assert.Equal(t, map[string]int{"head": 3}, p.called(), "a refusal is not remembered")
			p.play(2)
			synctest.Wait()
			ann.done(0)
			bob.done(0)
			assert.Equal(t, 1, p.most)
		})
	}
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) { // nobody watches, or there is none
		p.may = only(upstream.Forbidden, "ann")
		messages[refusedAs(t, h, user("cy", 0)).Message] = true
		assert.Zero(t, h.Stats().Conversations)
		p.set(func() { p.unknown = true })
		messages[refusedAs(t, h, user("ann", 0)).Message] = true
	})
	assert.Len(t, messages, 1, "%v", messages)
}

// Promise 15: 401 to who joins is its own alone.
func TestJoinerRefused(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.may = only(upstream.Unauthenticated, "ann")
		ann := watchAs(t, openAs(t, h, user("ann", 0)))
		assert.Equal(t, coded.Unauthenticated, refusedAs(t, h, user("bob", 0)).Code)
		p.playTo(len(s.frames))
		time.Sleep(time.Minute)
		ann.done(0)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, ann.live.Conversation(), false))
	})
}

// Promise 15: nobody's session is refused by everything, without asking upstream.
func TestNobodyIsRefused(t *testing.T) {
	driving(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		ctx, id := t.Context(), conv
		c := openAs(t, h, nobody).Conversation()
		p.called()
		for name, ask := range map[string]func() error{
			"open": func() error { _, err := h.Open(ctx, nil, conv); return err },
			"none": func() error { _, err := h.Open(ctx, nil, ""); return err },
			"plan": func() error { _, err := h.Plan(ctx, nil, "agent", 1); return err },
			"list": func() error { _, err := h.List(ctx, nil, upstream.ListQuery{}); return err },
			"send": func() error { _, err := h.Send(ctx, nil, SendInput{AgentID: "agent", Content: "x"}); return err },
			"go on": func() error {
				_, err := h.Send(ctx, nil, SendInput{AgentID: "agent", Content: "x", ConversationID: &id})
				return err
			},
			"result": func() error { _, err := h.SubmitToolResult(ctx, nil, conv, "call", "x"); return err },
			"cancel": func() error { _, err := h.Cancel(ctx, nil, conv); return err },
			"retry":  func() error { _, err := h.Retry(ctx, nil, conv); return err },
			"more":   func() error { _, err := h.LoadEarlier(ctx, nil, conv, 10); return err },
			"page":   func() error { _, err := c.RowPage(ctx, nil, nil, nil, nil); return err },
			"links":  func() error { _, err := c.Backlinks(ctx, nil, "table", "row"); return err },
		} {
			assert.Equal(t, coded.Unauthenticated, coded.CodeOf(ask()), name)
		}
		assert.Empty(t, p.called())
		assert.Empty(t, w.lists)
	})
}

// tenants is an upstream that has other conversations for each token.
type tenants map[string]*fake

func (m tenants) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	return m[auth].Head(ctx, auth, id)
}

func (m tenants) Rows(ctx context.Context, auth, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	return m[auth].Rows(ctx, auth, id, q)
}

func (m tenants) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	return m[auth].Stream(ctx, auth, id, after)
}

// Promise 15: one id in two tenants is two conversations, for the same name of a user too.
func TestTenantsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other := newFake(chat(1, 3), 5), newFake(chat(2, 4), framesOf(4)+5)
		h := NewHub(Options{Source: tenants{"one": one, "other": other}})
		defer h.Close()
		end := time.Now().Add(time.Hour)
		a := watchAs(t, openAs(t, h, session.New("ann", "t1", "one", end)))
		b := watchAs(t, openAs(t, h, session.New("ann", "t2", "other", end)))
		assert.NotSame(t, a.live, b.live)
		one.play(2)
		other.play(1)
		time.Sleep(time.Second)
		assert.Equal(t, want(t, one.story, 7), factsOf(t, a.live.Conversation(), false))
		assert.Equal(t, want(t, other.story, framesOf(4)+6), factsOf(t, b.live.Conversation(), false))
		assert.Equal(t, Stats{Conversations: 2, Subscriptions: 4, Streams: 2}, h.Stats())
		other.set(func() { other.unknown = true })
		assert.Equal(t, coded.NotFound, refusedAs(t, h, session.New("bob", "t2", "other", end)).Code)
		openAs(t, h, session.New("bob", "t1", "one", end))
		a.done(0)
		b.done(0)
	})
}

// Promises 8, 15 and 16: ten viewers of two users cost one stream, a third user sees nothing of it, and it goes on when
// the session it was opened with is over.
func TestTenViewersOfTwoUsers(t *testing.T) {
	s := chat(1, 40)
	bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
		p.may = only(upstream.NotFound, "ann", "bob")
		ann, bob := user("ann", time.Minute), user("bob", 30*time.Second)
		var viewers []*viewer
		for range 5 {
			viewers = append(viewers, watchAs(t, openAs(t, h, ann)), watchAs(t, openAs(t, h, bob)))
		}
		assert.Equal(t, map[string]int{"head": 2, "rows": 1, "stream": 1}, p.called())
		assert.Equal(t, coded.NotFound, refusedAs(t, h, user("cy", 0)).Code)
		for p.at() < 30 {
			p.play(1)
			time.Sleep(time.Second)
		}
		for i := 1; i < len(viewers); i += 2 { // as the transport does when a session is over
			viewers[i].done(0)
		}
		ann2 := watchAs(t, openAs(t, h, session.New("ann", "t", "ann", time.Now().Add(time.Hour))))
		for p.at() < len(s.frames) {
			p.play(1)
			time.Sleep(3 * time.Second)
		}
		for i := 0; i < len(viewers); i += 2 {
			viewers[i].done(0)
		}
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, ann2.live.Conversation(), false))
		ann2.done(0)
		assert.Equal(t, 1, p.most)
		assert.Len(t, p.attached, 2, "it was opened again once, when the session of the first was over")
	})
}

// Promise 12: what is remembered of users who may see a conversation is bounded by those of the last minute.
func TestAdmissionsAreForgotten(t *testing.T) {
	s := chat(1, 1)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		for i := range 3 * fullAdmissions {
			openAs(t, h, user(fmt.Sprint(i), 0))
			time.Sleep(100 * time.Millisecond)
		}
		assert.LessOrEqual(t, len(h.live[key{"t", conv}].admitted), fullAdmissions+1)
		v.leave()
	})
}

// Promise 15: while upstream asks to be left alone, who is not known yet is told so, and upstream is not asked.
func TestJoinerWhileOnHold(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.fail = refusals("head", limited("head", 30*time.Second)) })
		time.Sleep(11 * time.Second)
		p.called()
		assert.Equal(t, coded.RateLimited, refusedAs(t, h, user("bob", 0)).Code)
		assert.Empty(t, p.called())
		time.Sleep(30 * time.Second)
		openAs(t, h, user("bob", 0))
		v.done(0)
	})
}

// Promise 14: a panic while upstream is asked whether somebody may see a conversation is the asker's alone.
func TestPanicWhileAdmitting(t *testing.T) {
	s := chat(1, 5)
	synctest.Test(t, func(t *testing.T) {
		p := &panicky{fake: newFake(s, 4)}
		h := NewHub(Options{Source: p})
		defer h.Close()
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.at = "head" })
		_, err := h.Open(t.Context(), user("bob", 0), conv)
		assert.Equal(t, coded.Internal, coded.CodeOf(err))
		p.set(func() { p.at = "" })
		p.play(2)
		synctest.Wait()
		v.done(0)
		openAs(t, h, user("bob", 0))
	})
}
