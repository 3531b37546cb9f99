package conversation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Promises 8, 12 and 13 under churn: opening, following, leaving, evicting and closing race.
func TestChurn(t *testing.T) {
	p := newFake(chat(3, 40), 3)
	h := NewHub(Options{
		Source: many{p}, MaxLive: 4, EvictAfter: 4 * time.Millisecond, Linger: time.Millisecond, HeadFresh: time.Microsecond,
		IdlePoll: time.Millisecond, MinBackoff: time.Microsecond, MaxBackoff: time.Millisecond,
	})
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				l, err := h.Open(t.Context(), nobody, fmt.Sprint((w+i)%6))
				if err != nil {
					code := coded.CodeOf(err)
					assert.True(t, code == coded.RateLimited || errors.Is(err, errClosing), "%v", err)
					continue
				}
				c := l.Changes(everything, "", 0)
				m, err := c.Next(t.Context())
				if assert.NoError(t, err) {
					assert.IsType(t, &projection.RowsReset{}, m.Ops[0])
				}
				if i%3 == 0 {
					time.Sleep(time.Millisecond)
				}
				c.Close()
			}
		})
	}
	for range 130 {
		time.Sleep(3 * time.Millisecond)
		p.play(1)
	}
	go h.Close()
	time.Sleep(5 * time.Millisecond)
	close(stop)
	workers.Wait()
	h.Close()
	assert.Zero(t, p.streams)
}

// panicky is an upstream that panics at an endpoint, once told to.
type panicky struct {
	*fake
	at string
}

func (p *panicky) panics(op string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == op {
		panic(op)
	}
}

func (p *panicky) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	p.panics("head")
	return p.fake.Head(ctx, auth, id)
}

func (p *panicky) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	p.panics("stream")
	st, err := p.fake.Stream(ctx, auth, id, after)
	return panickyStream{st, p}, err
}

type panickyStream struct {
	upstream.Stream
	p *panicky
}

func (s panickyStream) Next(ctx context.Context) (upstream.Item, error) {
	item, err := s.Stream.Next(ctx)
	s.p.panics("next")
	return item, err
}

// Promise 14: a panic ends the conversation it happened in, and nothing else.
func TestPanicWhileReading(t *testing.T) {
	s := chat(2, 5)
	for _, op := range []string{"head", "stream", "next"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &panicky{fake: newFake(s, 4)}
				h := NewHub(Options{Source: p})
				defer h.Close()
				other := NewLive("other")
				h.Adopt(other)
				v, still := watch(t, open(t, h)), watch(t, other)
				p.set(func() { p.at = op })
				if op != "next" {
					cutOnce(p.fake)
				}
				p.play(1)
				v.over.Wait()
				assert.Equal(t, coded.Internal, coded.CodeOf(v.err))
				v.leave()
				assert.Zero(t, p.streams)
				assert.Equal(t, Stats{Conversations: 1, Subscriptions: 2}, h.Stats())
				other.Apply(token("n", "x"))
				still.done(0)
				p.set(func() { p.at = "" })
				assert.Equal(t, want(t, s, 5), factsOf(t, open(t, h).Conversation(), false), "it can be opened again")
			})
		})
	}
}
