package conversation

import (
	"context"
	"fmt"
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

// waits is a story of a run that waits for the given client tools, and of those that take their results, one by one.
func waits(calls ...string) story {
	s := tale(conv)
	s.starts("r")
	s.says("hello")
	s.calls("server", false)
	s.results("server", "done")
	for _, call := range calls {
		s.calls(call, true)
	}
	s.pauses(wire.AwaitingClientTool)
	for i, call := range calls {
		s.starts("r of " + call)
		s.results(call, "out of "+call)
		s.says("after " + call)
		if i < len(calls)-1 {
			s.pauses(wire.AwaitingClientTool)
		} else {
			s.pauses(wire.Paused)
		}
	}
	return s.told()
}

// untilWaiting is how many frames a story of waits has until it waits, and answering how many each run after.
func untilWaiting(calls int) int { return 5 + calls }

const answering = 4

// states is how deliveries stand.
func states(l *Live) string {
	words := map[projection.ToolCallStatus]string{
		projection.ToolPending: "pending", projection.ToolSubmitting: "submitting", projection.ToolSubmitted: "submitted",
		projection.ToolFailed: "failed", projection.ToolCancelled: "cancelled",
	}
	var all []string
	for _, d := range l.Conversation().Snapshot().ToolStates() {
		one := d.ToolCallID + " " + words[d.Status]
		if d.Error != nil {
			one += ": " + *d.Error
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

// pending is the calls that wait.
func pending(l *Live) (calls []string) {
	for _, call := range l.Conversation().Snapshot().PendingTools() {
		calls = append(calls, call.ToolCallID())
	}
	return calls
}

func submit(t *testing.T, h *Hub, name, call, output string) error {
	_, err := h.SubmitToolResult(t.Context(), user(name, 0), conv, call, output)
	return err
}

// Promise 21: a result is delivered by a run of its own, and how it stands is seen on its way.
func TestDeliver(t *testing.T) {
	s := waits("c1")
	driving(t, s, untilWaiting(1), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		assert.Equal(t, []string{"c1"}, pending(v.live))
		p.set(func() { p.latency = time.Second })
		began := time.Now()
		time.AfterFunc(500*time.Millisecond, func() { assert.Equal(t, "c1 submitting", states(v.live)) })
		c, err := h.SubmitToolResult(t.Context(), user("ann", 0), conv, "c1", "out of c1")
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, "c1 submitted", states(v.live))
		assert.Equal(t, projection.ChatStreaming, c.Snapshot().Status())
		assert.Equal(t, []given{{"ann", "agent", &wire.ExecutionInput{
			ConversationID: conv, Messages: []wire.Message{{Role: wire.Tool, Content: "out of c1", ToolCallID: "c1"}},
		}}}, p.inputs)
		p.playTo(len(s.frames))
		time.Sleep(5 * time.Second)
		assert.Empty(t, pending(v.live))
		v.done(0)
		assert.Equal(t, "c1 submitted", states(v.live))
		assert.Equal(t, want(t, s, len(s.frames)).Rows, factsOf(t, v.live.Conversation(), false).Rows)
		assert.Empty(t, p.with("stream"))
		assert.Equal(t, 1, p.most)
	})
}

// Promise 21: clicked twice, and by two viewers, before and after it was delivered, it is delivered once.
func TestDeliverOnce(t *testing.T) {
	s := waits("c1")
	driving(t, s, untilWaiting(1), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		watchAs(t, openAs(t, h, user("bob", 0))).leave()
		p.set(func() { p.latency = time.Second })
		var clicks sync.WaitGroup
		for i := range 10 {
			clicks.Go(func() { assert.NoError(t, submit(t, h, []string{"ann", "bob"}[i%2], "c1", "out of c1")) })
		}
		time.Sleep(time.Millisecond)
		assert.Equal(t, "the call was answered with another result", conflict(t, submit(t, h, "bob", "c1", "another")))
		clicks.Wait()
		assert.NoError(t, submit(t, h, "bob", "c1", "out of c1"), "the result is not known yet")
		conflict(t, submit(t, h, "bob", "c1", "another"))
		p.playTo(len(s.frames))
		time.Sleep(5 * time.Second)
		assert.NoError(t, submit(t, h, "bob", "c1", "out of c1"), "the result is known")
		conflict(t, submit(t, h, "bob", "c1", "another"))
		assert.Len(t, p.inputs, 1)
		v.done(0)
	})
	// The log says the same to a server that delivered nothing.
	driving(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		assert.NoError(t, submit(t, h, "bob", "c1", "out of c1"))
		conflict(t, submit(t, h, "bob", "c1", "another"))
		assert.Empty(t, p.inputs)
	})
}

// What is no result of a call that waits is refused, and not sent.
func TestDeliverRefusesInput(t *testing.T) {
	s := waits("c1")
	driving(t, s, untilWaiting(1), Options{MaxContentBytes: 10}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		for call, output := range map[string]string{"unknown": "x", "": "x", "server": "done", "c1": "eleven long"} {
			assert.Equal(t, coded.BadUserInput, coded.CodeOf(submit(t, h, "ann", call, output)), call)
		}
		assert.Empty(t, p.inputs)
		assert.Empty(t, states(v.live))
		assert.NoError(t, submit(t, h, "ann", "c1", ""), "a tool may have nothing to say")
		v.done(0)
	})
}

// Promise 18: a call of a run that is over takes no result.
func TestDeliverToWhatIsOver(t *testing.T) {
	for _, status := range []wire.Status{wire.Completed, wire.Failed, wire.Cancelled} {
		s := tale(conv)
		s.starts("r")
		s.calls("c1", true)
		s.ends(status, true)
		driving(t, s.told(), len(s.frames), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
			assert.Equal(t, "the run is over", conflict(t, submit(t, h, "ann", "c1", "x")))
			assert.Empty(t, states(openAs(t, h, user("ann", 0)).Live))
			assert.Empty(t, p.inputs)
		})
	}
}

// Promise 21: several results go one after the other: the second waits until the run of the first stops, and who
// submitted it is answered meanwhile.
func TestDeliverInTurn(t *testing.T) {
	s := waits("c1", "c2", "c3")
	driving(t, s, untilWaiting(3), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		openAs(t, h, user("bob", 0))
		p.set(func() { p.latency = time.Second })
		var callers sync.WaitGroup
		for i, call := range []string{"c1", "c2", "c3"} {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				began := time.Now()
				assert.NoError(t, submit(t, h, []string{"ann", "bob", "ann"}[i], call, "out of "+call))
				if call != "c1" {
					assert.Equal(t, 10*time.Second, time.Since(began).Round(time.Second), "that long others may take")
				}
			})
		}
		time.Sleep(2500 * time.Millisecond)
		assert.Equal(t, "c1 submitted, c2 pending, c3 pending", states(v.live))
		callers.Wait()
		time.Sleep(time.Minute)
		assert.Equal(t, "c1 submitted, c2 pending, c3 pending", states(v.live), "the run goes on")
		assert.Len(t, p.inputs, 1)
		p.playTo(untilWaiting(3) + answering)
		time.Sleep(500 * time.Millisecond)
		assert.Equal(t, "c1 submitted, c2 submitting, c3 pending", states(v.live))
		time.Sleep(time.Second)
		assert.Equal(t, "c1 submitted, c2 submitted, c3 pending", states(v.live))
		p.playTo(untilWaiting(3) + 2*answering)
		time.Sleep(1500 * time.Millisecond)
		assert.Equal(t, "c1 submitted, c2 submitted, c3 submitted", states(v.live))
		p.playTo(len(s.frames))
		time.Sleep(3 * time.Second)
		assert.Empty(t, pending(v.live))
		var given []string
		for _, in := range p.inputs {
			given = append(given, in.token+" "+in.input.Messages[0].ToolCallID)
		}
		assert.Equal(t, []string{"ann c1", "bob c2", "ann c3"}, given, "each with its own token")
		v.done(0)
	})
}

// A call can be answered while the run still says what else it waits for: the result goes once it has stopped.
func TestDeliverWhileStreaming(t *testing.T) {
	s := waits("c1", "c2")
	driving(t, s, untilWaiting(2)-2, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		time.AfterFunc(3*time.Second, func() { p.playTo(untilWaiting(2)) })
		began := time.Now()
		require.NoError(t, submit(t, h, "ann", "c1", "out of c1"))
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Equal(t, "c1 submitted", states(v.live))
		v.done(0)
	})
}

// Promise 21: a delivery that failed says so in words that are safe, whoever asks is told by the code, and the next one
// is delivered; it can be submitted again, by anybody and with another result.
func TestDeliveryFails(t *testing.T) {
	s := waits("c1", "c2")
	for name, tc := range map[string]struct {
		code    coded.Code
		message string
		setup   func(p *fake)
	}{
		"503":   {coded.UpstreamUnavailable, "upstream does not answer", func(p *fake) { p.fail = refusals("execute", secret(upstream.Unavailable)) }},
		"409":   {coded.Conflict, "upstream does not allow it as things stand", func(p *fake) { p.fail = refusals("execute", secret(upstream.Conflict)) }},
		"401":   {coded.Unauthenticated, "upstream does not accept the session", func(p *fake) { p.fail = refusals("execute", secret(upstream.Unauthenticated)) }},
		"mute":  {coded.UpstreamUnavailable, "upstream does not answer", func(p *fake) { p.mute = true }},
		"odd":   {coded.Internal, "internal error", func(p *fake) { p.fail = refusals("execute", fmt.Errorf("a secret")) }},
		"panic": {coded.Internal, "internal error", func(p *fake) { p.hang = func(op string) bool { panic("a secret") } }},
	} {
		t.Run(name, func(t *testing.T) {
			driving(t, s, untilWaiting(2), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
				v := watchAs(t, openAs(t, h, user("ann", 0)))
				openAs(t, h, user("bob", 0))
				p.set(func() { tc.setup(p) })
				if name == "panic" {
					p.hang = func(op string) bool {
						if op == "execute" {
							p.mu.Unlock()
							panic("a secret")
						}
						return false
					}
				}
				err := submit(t, h, "ann", "c1", "x")
				assert.Equal(t, tc.code, coded.CodeOf(err))
				assert.Equal(t, "c1 failed: "+tc.message, states(v.live))
				assert.Equal(t, []string{"c1", "c2"}, pending(v.live))
				p.set(func() { p.fail, p.mute, p.hang = nil, false, nil })
				require.NoError(t, submit(t, h, "bob", "c1", "out of c1"))
				assert.Equal(t, "c1 submitted", states(v.live))
				p.playTo(untilWaiting(2) + answering)
				synctest.Wait()
				require.NoError(t, submit(t, h, "bob", "c2", "out of c2"))
				p.playTo(len(s.frames))
				time.Sleep(time.Second)
				v.done(0)
			})
		})
	}
}

// secret is a refusal of which only the kind may be told.
func secret(kind upstream.Kind) error {
	return &upstream.Error{Op: "execute", Kind: kind, Detail: fmt.Errorf("a secret")}
}

// A result that waits for another and turns out to be there, or not to be wanted any more, is not sent.
func TestDeliveryIsNotWanted(t *testing.T) {
	s := tale(conv)
	s.starts("r")
	for _, call := range []string{"c1", "c2", "c3", "c4"} {
		s.calls(call, true)
	}
	s.pauses(wire.AwaitingClientTool)
	waiting := len(s.frames)
	s.starts("r2")
	s.results("c1", "x")
	s.results("c2", "x") // by somebody elsewhere
	s.results("c3", "y")
	s.ends(wire.Failed, true)
	driving(t, s.told(), waiting, Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		require.NoError(t, submit(t, h, "ann", "c1", "x"))
		var callers sync.WaitGroup
		for _, call := range []string{"c2", "c3", "c4"} {
			callers.Go(func() {
				err := submit(t, h, "ann", call, "x")
				switch call {
				case "c2":
					assert.NoError(t, err)
				case "c3":
					assert.Equal(t, "the call was answered with another result", conflict(t, err))
				case "c4":
					assert.Equal(t, "the run is over", conflict(t, err))
				}
			})
		}
		synctest.Wait()
		p.playTo(len(s.frames))
		callers.Wait()
		assert.Len(t, p.inputs, 1)
		assert.Contains(t, states(v.live), "c2 submitted")
		assert.Contains(t, states(v.live), "c3 failed: the call was answered with another result")
		assert.Contains(t, states(v.live), "c4 failed: the run is over")
		v.done(0)
	})
}

// Promise 21: how deliveries stand outlives a window that is loaded again, also in the middle of one.
func TestDeliveryOutlivesReload(t *testing.T) {
	s := waits("c1", "c2")
	driving(t, s, untilWaiting(2), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		p.set(func() { p.fail = refusals("execute", refused("execute", upstream.Unavailable)) })
		assert.Error(t, submit(t, h, "ann", "c2", "x"))
		p.set(func() { p.hang = func(op string) bool { return op == "execute" } })
		var caller sync.WaitGroup
		caller.Go(func() { assert.Error(t, submit(t, h, "ann", "c1", "out of c1")) })
		time.Sleep(time.Second)
		p.set(func() { p.story.head = touched(s.head); p.noLastOffset = true })
		state := projection.New(conv)
		state.Apply(s.head(untilWaiting(2)))
		state.Apply(&wire.Page{Rows: s.rows(untilWaiting(2))})
		v.live.Replace(state)
		assert.Equal(t, "c2 failed: upstream does not answer, c1 submitting", states(v.live))
		conflict(t, submit(t, h, "bob", "c1", "another"))
		caller.Wait()
		assert.Equal(t, "c2 failed: upstream does not answer, c1 failed: upstream does not answer", states(v.live))
		v.leave()
	})
}

// Promises 12 and 21: a conversation is not evicted while it delivers, though nobody follows; eviction and reopening
// then give the same, but for how deliveries stood.
func TestDeliveringIsNotEvicted(t *testing.T) {
	s := waits("c1", "c2")
	opts := Options{EvictAfter: time.Minute, DriveLimit: time.Hour}
	driving(t, s, untilWaiting(2), opts, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.mute = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := h.SubmitToolResult(ctx, user("ann", 0), conv, "c1", "out of c1")
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err), "the caller left")
		time.Sleep(30 * time.Minute)
		assert.Equal(t, 1, h.Stats().Conversations)
		live := h.live[key{"t", conv}].live
		assert.Equal(t, "c1 submitting", states(live))
		p.playTo(untilWaiting(2) + answering)
		time.Sleep(2 * time.Minute)
		assert.Zero(t, h.Stats().Conversations)
		assert.Equal(t, "c1 submitted", states(live))
		again := openAs(t, h, user("ann", 0))
		assert.Empty(t, states(again.Live))
		before, after := factsOf(t, live.Conversation(), true), factsOf(t, again.Conversation(), true)
		assert.Equal(t, before.Rows, after.Rows)
		assert.Equal(t, []string{"c2"}, pending(again.Live))
	})
}

// A retry or a delivery whose run is another conversation's makes no sense.
func TestRunOfAnother(t *testing.T) {
	s := waits("c1")
	other := tale("other")
	other.turn(1, 5)
	other.turn(2, 5)
	driving(t, s, untilWaiting(1), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		w.of[conv] = newFake(other.told(), framesOf(5))
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(submit(t, h, "ann", "c1", "x")))
		assert.Equal(t, "c1 failed: upstream does not answer", states(v.live))
		w.of[conv] = p
		v.done(0)
	})
}
