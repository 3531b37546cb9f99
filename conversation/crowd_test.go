package conversation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// crowd is many users who come and go while a conversation runs.
type crowd struct {
	t       *testing.T
	random  *rand.Rand
	h       *Hub
	p       *fake
	refused map[string]bool // tokens
	here    []*member
	seen    int // viewers in all
}

// member is somebody who follows with a session.
type member struct {
	*viewer
	who *session.Session
}

// Promises 3, 7, 8, 10 and 15 to 21 in a crowd: users join, leave, are refused and run out of time in any order while runs
// go on that they ask for, streams break and frames are lost. Nobody ever goes back, every copy is the timeline, one stream is open at most,
// and in the end nothing is missing and nothing is left.
func TestCrowd(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			told := tale(conv)
			for turn := 1; turn <= 5; turn++ {
				told.turn(turn, 12)
				told.asks(fmt.Sprint("c", turn))
			}
			s := told.told()
			opts := Options{WindowRows: 6, MinBackoff: 10 * time.Millisecond, EvictAfter: time.Minute, HeadFresh: 500 * time.Millisecond}
			driving(t, s, 5, opts, func(t *testing.T, h *Hub, w *world, p *fake) {
				c := &crowd{t: t, random: rand.New(rand.NewPCG(seed, 1)), h: h, p: p, refused: map[string]bool{}}
				p.may = func(token string) error {
					if c.refused[token] {
						return refused("asked", upstream.Unauthenticated)
					}
					return nil
				}
				p.latency = time.Duration(seed%3) * 7 * time.Millisecond
				for range 200 {
					c.step()
					synctest.Wait()
					c.settle()
				}
				c.end()
			})
		})
	}
}

func (c *crowd) user() *session.Session {
	lasts := []time.Duration{0, time.Hour, time.Duration(1+c.random.IntN(20)) * time.Second}
	return user([]string{"ann", "bob", "cy", "dee"}[c.random.IntN(4)], lasts[c.random.IntN(3)])
}

// step does something.
func (c *crowd) step() {
	switch c.random.IntN(14) {
	case 0, 1:
		c.join(c.user())
	case 2:
		if len(c.here) > 0 {
			c.leave(c.random.IntN(len(c.here)))
		}
	case 3:
		c.p.set(func() { c.refused[c.user().Token()] = true })
	case 4:
		c.p.set(func() { clear(c.refused) })
	case 5:
		cutOnce(c.p)
	case 6:
		if c.random.IntN(3) == 0 {
			lost(c.p, int64(c.p.at()+1+c.random.IntN(4)))
		}
	case 7:
		_, err := c.h.LoadEarlier(c.t.Context(), c.user(), conv, 1+c.random.IntN(5))
		c.understood(err)
	case 8:
		if calls := c.waiting(); len(calls) > 0 {
			_, err := c.h.SubmitToolResult(c.t.Context(), c.user(), conv, calls[0], "out of "+calls[0])
			c.understood(err)
		} else if c.p.story.head(c.p.at()).Status != wire.Running && c.p.at() < len(c.p.story.frames) {
			_, err := c.h.Send(c.t.Context(), c.user(), to(conv, "x"))
			c.understood(err)
		}
	case 9:
		time.Sleep(time.Duration(c.random.IntN(15)) * time.Second)
	case 10:
		time.Sleep(time.Duration(c.random.IntN(300)) * time.Millisecond)
	default:
		c.p.play(c.random.IntN(6))
	}
}

// waiting is the calls that wait for the client by the log.
func (c *crowd) waiting() []string {
	head, state := c.p.story.head(c.p.at()), projection.New(conv)
	state.Apply(&wire.Page{Rows: c.p.story.rows(c.p.at())})
	if head.Status != wire.AwaitingClientTool {
		return nil
	}
	return []string{state.Snapshot().PendingTools()[0].ToolCallID()}
}

// understood checks that an error is one of those that may be.
func (c *crowd) understood(err error) {
	codes := []coded.Code{"", coded.Unauthenticated, coded.Conflict, coded.UpstreamUnavailable, coded.BadUserInput} // the last: a call not seen yet
	assert.Contains(c.t, codes, coded.CodeOf(err), "%v", err)
}

func (c *crowd) join(who *session.Session) {
	bad := c.refused[who.Token()]
	v, err := c.h.Open(c.t.Context(), who, conv)
	if err != nil {
		c.understood(err)
		return
	}
	assert.False(c.t, bad && time.Since(v.reader.admittedAt(who)) > admittedFor, "who is refused is admitted")
	c.here = append(c.here, &member{watchAs(c.t, v), who})
	c.seen++
}

// admittedAt is when it was last found that who may see the conversation.
func (r *reader) admittedAt(who *session.Session) time.Time {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	return r.admitted[who.Subject].Add(-admittedFor)
}

// leave takes somebody off and checks what was seen: it is what the conversation was, and never went back.
func (c *crowd) leave(i int) {
	m := c.here[i]
	c.here = slices.Delete(c.here, i, i+1)
	m.viewer.leave()
	assert.IsNonDecreasing(c.t, m.sizes, "promise 3: never back")
	assert.Equal(c.t, rowsOf(m.live, everything), m.copy.rows, "promise 7: the copy is the timeline")
}

// settle has those leave whose session is over, as the transport does, and those whom the hub has left; and checks what
// holds at any time.
func (c *crowd) settle() {
	for i := len(c.here) - 1; i >= 0; i-- {
		m := c.here[i]
		switch {
		case m.ended.Load():
			assert.Equal(c.t, coded.Unauthenticated, coded.CodeOf(m.err))
			c.leave(i)
		case m.who.Expired(time.Now()):
			c.leave(i)
		}
	}
	assert.LessOrEqual(c.t, c.p.open(), 1, "promise 8: one stream")
}

// end lets all of it come to rest.
func (c *crowd) end() {
	c.p.set(func() { clear(c.refused); c.p.cut, c.p.alter = nil, nil })
	time.Sleep(time.Second) // for the refusals that are on their way
	c.join(user("ann", 0))
	c.p.play(1)
	time.Sleep(time.Minute)
	synctest.Wait()
	c.settle()
	require.NotEmpty(c.t, c.here)
	shared := func(f facts) facts { // what the log knows too
		f.Chat = ""
		return withoutPlaceholders(f)
	}
	last := c.here[len(c.here)-1].live
	for last.Conversation().Snapshot().HasEarlier() {
		_, err := c.h.LoadEarlier(c.t.Context(), user("ann", 0), conv, 100)
		require.NoError(c.t, err)
	}
	assert.Equal(c.t, shared(want(c.t, c.p.story, c.p.at())), shared(factsOf(c.t, last.Conversation(), false)))
	for len(c.here) > 0 {
		c.leave(0)
	}
	time.Sleep(2 * time.Minute)
	assert.Zero(c.t, c.p.open())
	assert.Zero(c.t, c.h.Stats().Conversations)
	assert.Positive(c.t, c.seen)
	delivered := map[string]int{}
	for _, in := range c.p.inputs {
		if m := in.input.Messages[0]; m.Role == wire.Tool {
			delivered[m.ToolCallID]++
			assert.Equal(c.t, 1, delivered[m.ToolCallID], "promise 21: delivered once")
		}
	}
}
