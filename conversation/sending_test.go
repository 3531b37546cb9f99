package conversation

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
	"inlaygraph/session"
)

// Promise 20: the same clientRequestId is the same message while it is in flight and for ten minutes after, per user; one
// that failed is forgotten, and so is every one in the end.
func TestSameRequestIsSentOnce(t *testing.T) {
	stories := func() (all []*fake) {
		for _, id := range []string{"one", "two", "three", "four", "five"} {
			s := tale(id)
			s.turn(1, 5)
			all = append(all, newFake(s.told(), 0))
		}
		return all
	}
	driving(t, chat(1, 1), framesOf(1), Options{}, func(t *testing.T, h *Hub, w *world, _ *fake) {
		w.next = stories()
		all := w.next
		all[0].latency = time.Second
		var senders sync.WaitGroup
		send := func(who *session.Session, in SendInput, id string) {
			t.Helper()
			sent, err := h.Send(t.Context(), who, in)
			if assert.NoError(t, err) {
				assert.Equal(t, id, sent.Conversation.ID())
			}
		}
		for range 5 {
			senders.Go(func() { send(user("ann", 0), to("", "x").as("r"), "one") })
		}
		time.Sleep(time.Millisecond)
		for _, other := range []SendInput{to("", "y").as("r"), to(conv, "x").as("r"), {AgentID: "b", Content: "x", ClientRequestID: to("", "").as("r").ClientRequestID}} {
			_, err := h.Send(t.Context(), user("ann", 0), other)
			assert.Equal(t, "the clientRequestId is that of another message", conflict(t, err))
		}
		senders.Wait()
		all[0].playTo(framesOf(5))
		send(session.New("ann", "t", "another token", time.Time{}), to("", "x").as("r"), "one")
		send(user("ann", 0), to("", "x"), "two")
		send(user("bob", 0), to("", "x").as("r"), "three")
		send(userOf("t2", "ann", 0), to("", "x").as("r"), "four")
		time.Sleep(9 * time.Minute)
		send(user("ann", 0), to("", "x").as("r"), "one")
		time.Sleep(time.Minute + time.Second)
		send(user("ann", 0), to("", "x").as("r"), "five")
		_, err := h.Send(t.Context(), user("cy", 0), to("", "x").as("r"))
		assert.Equal(t, coded.NotFound, coded.CodeOf(err), "there is no more")
		w.mu.Lock()
		w.next = stories()[:1]
		w.of = map[string]*fake{}
		w.mu.Unlock()
		send(user("cy", 0), to("", "x").as("r"), "one")
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		assert.Empty(t, h.sends)
	})
}

// Promise 20: joined while it is in flight, a failed message is failed for all.
func TestJoinedSendFails(t *testing.T) {
	s := chat(2, 5)
	driving(t, s, framesOf(5), Options{}, func(t *testing.T, h *Hub, w *world, p *fake) {
		p.mute = true
		var senders sync.WaitGroup
		for range 3 {
			senders.Go(func() {
				_, err := h.Send(t.Context(), user("ann", 0), to(conv, "x").as("r"))
				assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
			})
		}
		senders.Wait()
		assert.Len(t, p.inputs, 1)
		assert.Empty(t, h.sends)
	})
}

// Promise 20: what is remembered is bounded.
func TestSendsAreBounded(t *testing.T) {
	now := time.Now()
	m := sends{}
	for i := range maxSends {
		m[sendKey{id: fmt.Sprint(i)}] = &sending{until: now.Add(time.Hour)}
	}
	_, err := m.note(sendKey{"t", "ann", "r"}, &sending{})
	assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
	for _, s := range m {
		s.until = now.Add(-time.Second)
		break
	}
	_, err = m.note(sendKey{"t", "ann", "r"}, &sending{})
	assert.NoError(t, err, "there is room for one")
	assert.Len(t, m, maxSends)
}
