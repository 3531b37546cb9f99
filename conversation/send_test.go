package conversation

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// to is a message for the agent of the stories, to go on with a conversation; "" begins one.
func to(id, content string) SendInput {
	in := SendInput{AgentID: "agent", Content: content}
	if id != "" {
		in.ConversationID = &id
	}
	return in
}

// as gives a message an id of its client's.
func (in SendInput) as(requestID string) SendInput {
	in.ClientRequestID = &requestID
	return in
}

// conflict is why something is refused with CONFLICT.
func conflict(t *testing.T, err error) string {
	t.Helper()
	var e *coded.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, coded.Conflict, e.Code, "%v", e)
	return e.Message
}

// may is what the conversation may be asked for now: send, cancel, retry.
func may(l *Live) string {
	s := l.Conversation().Snapshot()
	var all []string
	for word, can := range map[string]bool{"send": s.Capabilities().CanSend, "cancel": s.Capabilities().CanCancel, "retry": s.CanRetry()} {
		if can {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Promise 19: a message that begins a conversation is answered once its run has begun, with the conversation that it
// began; its own stream is what subscribers follow, and nothing else is asked of upstream.
func TestSendBegins(t *testing.T) {
	s := tale("new")
	s.turn(1, 20)
	driving(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, w *world, _ *fake) {
		p := newFake(s.told(), 0)
		p.latency = time.Second
		w.next = []*fake{p}
		version := 7
		in := to("", "hello")
		in.AgentVersion = &version
		began := time.Now()
		sent, err := h.Send(t.Context(), user("ann", 0), in.as("r1"))
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, "new", sent.Conversation.ID())
		assert.False(t, sent.Fresh)
		assert.Equal(t, projection.ChatStreaming, sent.Conversation.Snapshot().Status())
		assert.Equal(t, []given{{"ann", "agent", &wire.ExecutionInput{
			AgentVersion: &version, Messages: []wire.Message{{Role: wire.User, Content: "hello"}}, ClientRequestID: "r1",
		}}}, p.inputs)
		v, err := h.Open(t.Context(), user("ann", 0), "new")
		require.NoError(t, err)
		follower := watchAs(t, v)
		for p.at() < len(p.story.frames) {
			p.play(1)
			synctest.Wait()
			assert.Equal(t, wantOf(t, p), factsOf(t, v.Conversation(), false))
		}
		time.Sleep(time.Second)
		follower.done(0)
		assert.Equal(t, map[string]int{"execute": 1, "head": 1}, p.called(), "the head says that the run is over")
		assert.Equal(t, 1, p.most)
	})
}

// Promise 19: the same in a conversation that somebody follows: neither a reset nor a second stream.
func TestSendContinues(t *testing.T) {
	s := chat(3, 10)
	turn := framesOf(10)
	driving(t, s, turn, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		ann, bob := watchAs(t, openAs(t, h, user("ann", 0))), watchAs(t, openAs(t, h, user("bob", time.Hour)))
		for run := 2; run <= 3; run++ {
			assert.Equal(t, "cancel send", may(ann.live))
			sent, err := h.Send(t.Context(), user("bob", time.Hour), to(conv, "go on"))
			require.NoError(t, err)
			assert.Equal(t, conv, sent.Conversation.ID())
			assert.False(t, sent.Fresh)
			assert.Equal(t, "cancel", may(ann.live))
			for p.at() < run*turn {
				p.play(1)
				synctest.Wait()
			}
			time.Sleep(20 * time.Second)
		}
		assert.Equal(t, conv, p.inputs[0].input.ConversationID)
		assert.Equal(t, []string{"bob", "bob"}, p.with("execute"))
		assert.Empty(t, p.with("stream"))
		assert.Equal(t, 1, p.most)
		ann.done(0)
		bob.done(0)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, ann.live.Conversation(), false))
	})
}

// A terminal conversation takes no message: a new one is begun, and it stays as it is. Upstream has the last word on it.
func TestSendStartsAfresh(t *testing.T) {
	for _, status := range []wire.Status{wire.Completed, wire.Failed, wire.Cancelled} {
		old := tale(conv)
		old.starts("r1")
		old.says("x")
		old.ends(status, true)
		next := tale("new")
		next.turn(1, 5)
		for _, known := range []bool{true, false} {
			driving(t, old.told(), len(old.frames), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				fresh := newFake(next.told(), 0)
				w.next = []*fake{fresh}
				if !known {
					p.sent = 0 // nothing of it was seen but that it is there
					p.story.head = func(n int) *wire.Head {
						head := *old.told().head(n)
						if n == 0 {
							head.Status = wire.Paused
						}
						return &head
					}
				}
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				p.playTo(len(old.frames))
				before := p.at()
				sent, err := h.Send(t.Context(), user("ann", 0), to(conv, "again"))
				require.NoError(t, err)
				assert.True(t, sent.Fresh)
				assert.Equal(t, "new", sent.Conversation.ID())
				if known {
					assert.Empty(t, fresh.inputs[0].input.ConversationID)
					assert.Contains(t, may(v.live), "send")
				} else {
					assert.Equal(t, conv, fresh.inputs[0].input.ConversationID)
				}
				fresh.playTo(framesOf(5))
				time.Sleep(time.Minute)
				assert.Equal(t, before, p.at())
				w2, err := h.Open(t.Context(), user("ann", 0), "new")
				require.NoError(t, err)
				assert.Equal(t, wantOf(t, fresh), factsOf(t, w2.Conversation(), false))
				v.leave()
			})
		}
	}
}

// What is no message is refused before anything is asked of upstream.
func TestSendRefusesInput(t *testing.T) {
	s := chat(2, 3)
	driving(t, s, framesOf(3), Options{MaxContentBytes: 100}, func(t *testing.T, h *Hub, w *world, p *fake) {
		openAs(t, h, user("ann", 0))
		p.called()
		negative := -1
		for name, in := range map[string]SendInput{
			"no agent":      {Content: "x"},
			"empty":         to(conv, ""),
			"too long":      to(conv, strings.Repeat("é", 50)+"x"),
			"no id":         {AgentID: "agent", Content: "x", ConversationID: new(string)},
			"version":       {AgentID: "agent", Content: "x", AgentVersion: &negative},
			"empty request": to(conv, "x").as(""),
			"long request":  to(conv, "x").as(strings.Repeat("x", 257)),
			"another agent": {AgentID: "another", Content: "x", ConversationID: to(conv, "").ConversationID},
		} {
			_, err := h.Send(t.Context(), user("ann", 0), in)
			assert.Equal(t, coded.BadUserInput, coded.CodeOf(err), name)
		}
		assert.Empty(t, p.called())
		assert.Equal(t, "cancel send", may(openAs(t, h, user("ann", 0)).Live))
		_, err := h.Send(t.Context(), user("ann", 0), to(conv, strings.Repeat("é", 50)))
		assert.NoError(t, err, "just so long")
	})
	h := NewHub(Options{})
	defer h.Close()
	_, err := h.Send(t.Context(), nobody, to("", strings.Repeat("x", 256<<10)))
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err), "there is no driver")
	_, err = h.Send(t.Context(), nobody, to("", strings.Repeat("x", 256<<10+1)))
	assert.Equal(t, coded.BadUserInput, coded.CodeOf(err))
}

// Promise 18: a message that the state does not allow is refused with the reason, and upstream is not asked.
func TestSendConflicts(t *testing.T) {
	s := tale(conv)
	s.starts("r1")
	s.says("x")
	streaming := len(s.frames)
	s.calls("c1", true)
	s.pauses(wire.AwaitingClientTool)
	driving(t, s.told(), streaming, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		ann := user("ann", 0)
		v := watchAs(t, openAs(t, h, ann))
		_, err := h.Send(t.Context(), ann, to(conv, "x"))
		assert.Equal(t, "the run is in progress", conflict(t, err))
		p.playTo(len(s.frames))
		synctest.Wait()
		_, err = h.Send(t.Context(), ann, to(conv, "x"))
		assert.Equal(t, "a tool call waits for its answer", conflict(t, err))
		assert.Empty(t, p.inputs)
		v.done(0)
	})
}

// Promise 18: of many that send at once one wins, the others are told why not, and the latch is on meanwhile.
func TestOneOfManySendsWins(t *testing.T) {
	s := chat(2, 5)
	driving(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		openAs(t, h, user("bob", 0))
		p.set(func() { p.latency = time.Second })
		var senders sync.WaitGroup
		var mu sync.Mutex
		reasons := map[string]int{}
		for i := range 10 {
			senders.Go(func() {
				_, err := h.Send(t.Context(), user([]string{"ann", "bob"}[i%2], 0), to(conv, "x"))
				reason := ""
				if err != nil {
					reason = conflict(t, err)
				}
				mu.Lock()
				defer mu.Unlock()
				reasons[reason]++
			})
		}
		time.Sleep(500 * time.Millisecond)
		assert.Equal(t, "cancel", may(v.live))
		senders.Wait()
		assert.Equal(t, map[string]int{"": 1, "a message is being sent": 9}, reasons)
		assert.Len(t, p.inputs, 1)
		p.playTo(2 * framesOf(5))
		time.Sleep(5 * time.Second)
		assert.Equal(t, "cancel send", may(v.live))
		v.done(0)
	})
}

// Promises 18 and 19: what upstream refuses is told to the sender by its code, within DriveLimit, and the latch is off; nobody
// else sees anything of it, and the next message is taken.
func TestSendFails(t *testing.T) {
	s := chat(2, 5)
	execute := func(kind upstream.Kind) func(*fake) {
		return func(p *fake) { p.fail = refusals("execute", refused("execute", kind)) }
	}
	for name, tc := range map[string]struct {
		code  coded.Code
		setup func(p *fake)
		after time.Duration
	}{
		"409":   {coded.Conflict, execute(upstream.Conflict), 0},
		"404":   {coded.NotFound, execute(upstream.NotFound), 0},
		"403":   {coded.NotFound, execute(upstream.Forbidden), 0},
		"401":   {coded.Unauthenticated, execute(upstream.Unauthenticated), 0},
		"429":   {coded.RateLimited, execute(upstream.RateLimited), 0},
		"400":   {coded.BadUserInput, execute(upstream.Refused), 0},
		"503":   {coded.UpstreamUnavailable, execute(upstream.Unavailable), 0},
		"hangs": {coded.UpstreamUnavailable, func(p *fake) { p.hang = func(op string) bool { return op == "execute" } }, 10 * time.Second},
		"mute":  {coded.UpstreamUnavailable, func(p *fake) { p.mute = true }, 10 * time.Second},
		"cut":   {coded.UpstreamUnavailable, func(p *fake) { p.cut = func(int, *wire.Frame) bool { return true } }, 0},
		"no sense": {coded.UpstreamUnavailable, func(p *fake) {
			p.alter = func(*wire.Frame) (upstream.Item, bool) {
				return upstream.Item{Rejection: &wire.Rejection{Reason: wire.ReasonMalformed}}, true
			}
		}, 0},
		"no start": {coded.UpstreamUnavailable, func(p *fake) {
			p.alter = func(*wire.Frame) (upstream.Item, bool) { return item(s.frames[2]), true }
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			driving(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				openAs(t, h, user("bob", 0))
				p.set(func() { tc.setup(p) })
				began := time.Now()
				_, err := h.Send(t.Context(), user("bob", 0), to(conv, "x"))
				assert.Equal(t, tc.code, coded.CodeOf(err))
				assert.Equal(t, tc.after, time.Since(began))
				assert.Equal(t, "cancel send", may(v.live))
				assert.Zero(t, p.streams)
				p.set(func() { p.sent, p.fail, p.hang, p.mute, p.cut, p.alter = framesOf(5), nil, nil, false, nil, nil })
				time.Sleep(20 * time.Second)
				assert.NoError(t, v.err)
				_, err = h.Send(t.Context(), user("bob", 0), to(conv, "x"))
				require.NoError(t, err)
				p.playTo(2 * framesOf(5))
				time.Sleep(time.Second)
				v.done(0)
				assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
			})
		})
	}
}

// A message to an agent that is not there, or that panics our client, is the sender's alone.
func TestSendToNoAgent(t *testing.T) {
	driving(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		_, err := h.Send(t.Context(), user("ann", 0), to("", "x"))
		assert.Equal(t, coded.NotFound, coded.CodeOf(err))
		_, err = h.Send(t.Context(), user("ann", 0), to("another", "x"))
		assert.Equal(t, coded.NotFound, coded.CodeOf(err))
		w.next = []*fake{nil}
		_, err = h.Send(t.Context(), user("ann", 0), to("", "x").as("r"))
		assert.Equal(t, coded.Internal, coded.CodeOf(err))
		assert.Empty(t, h.sends)
	})
}

// Upstream that says that things stand otherwise than they seemed is looked at anew.
func TestConflictIsLookedInto(t *testing.T) {
	s := chat(2, 5)
	driving(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		time.Sleep(time.Second)
		p.play(3) // a run began elsewhere
		_, err := h.Send(t.Context(), user("ann", 0), to(conv, "x"))
		conflict(t, err)
		time.Sleep(time.Second)
		assert.Equal(t, want(t, s, p.at()), factsOf(t, v.live.Conversation(), false), "long before it would be looked at")
		v.done(0)
	})
}

// Promise 19: a caller that leaves in mid-send leaves the send to go on.
func TestSenderLeaves(t *testing.T) {
	s := chat(2, 5)
	driving(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.latency = time.Second
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		_, err := h.Send(ctx, user("ann", 0), to(conv, "x").as("r"))
		assert.ErrorIs(t, err, context.Canceled)
		time.Sleep(time.Second)
		assert.Equal(t, "cancel", may(v.live))
		sent, err := h.Send(t.Context(), user("ann", 0), to(conv, "x").as("r"))
		require.NoError(t, err, "it is that of before")
		assert.Equal(t, conv, sent.Conversation.ID())
		assert.Len(t, p.inputs, 1)
		p.playTo(len(s.frames))
		time.Sleep(5 * time.Second)
		v.done(0)
		assert.Equal(t, want(t, s, len(s.frames)), factsOf(t, v.live.Conversation(), false))
	})
}

// Promise 12: a conversation is not evicted while a message is on its way, though nobody follows.
func TestSendingIsNotEvicted(t *testing.T) {
	s := chat(2, 5)
	opts := Options{EvictAfter: time.Minute, DriveLimit: time.Hour}
	driving(t, s, framesOf(5), opts, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.mute = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := h.Send(ctx, user("ann", 0), to(conv, "x"))
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err), "the sender left")
		time.Sleep(30 * time.Minute)
		assert.Equal(t, 1, h.Stats().Conversations)
		_, err = h.Send(t.Context(), user("ann", 0), to(conv, "x"))
		assert.Equal(t, "a message is being sent", conflict(t, err))
		p.play(1)
		time.Sleep(time.Second)
		assert.Equal(t, want(t, s, p.at()), factsOf(t, openAs(t, h, user("ann", 0)).Conversation(), false))
	})
}
