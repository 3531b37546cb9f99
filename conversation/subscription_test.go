package conversation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

var (
	timelineSlice = []projection.Slice{{Kind: projection.SliceTimeline}}
	runSlice      = []projection.Slice{{Kind: projection.SliceRun}}
)

// token is a word that the node's turn grows by.
func token(node, text string) *wire.Frame {
	return &wire.Frame{Type: wire.MessageDelta, Body: wire.Body{
		Spine: wire.Spine{NodeID: node, Activation: "a"}, ID: "turn of " + node, Content: text, HasContent: true,
	}}
}

// textAt is what a node's turn says.
func textAt(c *Conversation, node string) string {
	var b strings.Builder
	for _, r := range c.RowsAt([]string{node}, nil) {
		b.WriteString(r.(*projection.AssistantRow).Content)
	}
	return b.String()
}

func rowsAt(node string) []projection.Slice {
	return []projection.Slice{{Kind: projection.SliceRowsAt, Path: projection.PathKey([]string{node})}}
}

// Promise 2: what is published while somebody subscribes is in the first value or comes after it, and nothing
// comes twice or goes back.
func TestSubscribeRacesPublish(t *testing.T) {
	const rounds, words = 1000, 8
	for range rounds {
		l := NewLive(conv)
		start := make(chan struct{})
		var publisher sync.WaitGroup
		publisher.Go(func() {
			<-start
			for range words {
				l.Apply(token("n", "x"))
			}
		})
		close(start)
		s := l.Subscribe(rowsAt("n"), 0)
		had := -1
		for had < words {
			c, err := s.Next(t.Context())
			require.NoError(t, err)
			n := len(textAt(c, "n"))
			require.Greater(t, n, had)
			had = n
		}
		publisher.Wait()
		require.Empty(t, s.signal)
		require.False(t, s.dirty)
		s.Close()
	}
}

// Promises 1 and 3: of many publishers' words none is lost, and no reader ever sees an older value after a
// newer one.
func TestManyPublishersManyReaders(t *testing.T) {
	const publishers, readers, words = 4, 8, 200
	l := NewLive(conv)
	var wg sync.WaitGroup
	for range readers {
		s := l.Subscribe(rowsAt("n"), 0)
		wg.Go(func() {
			defer s.Close()
			for had := -1; had < publishers*words; {
				c, err := s.Next(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				n := len(textAt(c, "n"))
				if !assert.Greater(t, n, had) {
					return
				}
				had = n
			}
		})
	}
	for range publishers {
		wg.Go(func() {
			for range words {
				l.Apply(token("n", "x"))
			}
		})
	}
	wg.Wait()
	n, _ := l.following()
	assert.Zero(t, n)
	assert.Empty(t, l.subs)
}

// Promise 5: a change of one slice wakes its subscribers alone, each once however many of its slices moved.
func TestOnlyItsOwnSlicesWake(t *testing.T) {
	l := NewLive(conv)
	a, b, run := l.Subscribe(rowsAt("a"), 0), l.Subscribe(rowsAt("b"), 0), l.Subscribe(runSlice, 0)
	both := l.Subscribe(append(rowsAt("a"), append(rowsAt("b"), timelineSlice...)...), 0)
	for _, s := range []*Subscription{a, b, run, both} {
		_, err := s.Next(t.Context())
		require.NoError(t, err)
	}
	_, woken := l.Apply(token("a", "x"))
	assert.Equal(t, 2, woken)
	assert.Len(t, a.signal, 1)
	assert.Len(t, both.signal, 1)
	assert.Empty(t, b.signal)
	assert.Empty(t, run.signal)
	_, woken = l.Apply(token("a", "y"))
	assert.Zero(t, woken, "they know already")
	_, woken = l.Apply(token("a", "")) // does nothing
	assert.Zero(t, woken)
}

// Promise 4: whoever is slow skips to the newest value, and holds no more for it.
func TestSlowSubscriberHoldsNothing(t *testing.T) {
	l := NewLive(conv)
	s := l.Subscribe(rowsAt("n"), 0)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const words = 20_000
	before := heap()
	for range words {
		l.Apply(token("n", "x"))
	}
	assert.Less(t, heap(), before+1<<20, "less than 52 bytes a word: no value but the newest is held")
	c, err := s.Next(t.Context())
	require.NoError(t, err)
	assert.Len(t, textAt(c, "n"), words)
	assert.Empty(t, s.signal)
	s.Close()
}

// Promise 6: after quiet at once, then at most once an interval, and always the newest in the end.
func TestInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(conv)
		s := l.Subscribe(rowsAt("n"), time.Second)
		defer s.Close()
		type message struct {
			at   time.Duration
			text string
		}
		began := time.Now()
		var got []message
		var reader sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		reader.Go(func() {
			for {
				c, err := s.Next(ctx)
				if err != nil {
					return
				}
				got = append(got, message{time.Since(began), textAt(c, "n")})
			}
		})
		at := func(d time.Duration, text string) {
			time.Sleep(d - time.Since(began))
			l.Apply(token("n", text))
		}
		const ms = time.Millisecond
		at(100*ms, "a")
		at(200*ms, "b")
		at(900*ms, "c")
		at(1100*ms, "d") // the interval's turn: at 1 s "abc" goes out, at 2 s "abcd"
		at(5000*ms, "e") // quiet: at once
		at(5001*ms, "f")
		time.Sleep(10 * time.Second)
		cancel()
		reader.Wait()
		assert.Equal(t, []message{
			{0, ""}, {1000 * ms, "abc"}, {2000 * ms, "abcd"}, {5000 * ms, "abcde"}, {6000 * ms, "abcdef"},
		}, got)
	})
}

// Promise 6: an end is told after what is pending, and neither waits for the interval.
func TestEndComesAfterWhatIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("over")
		l := NewLive(conv)
		s := l.Subscribe(rowsAt("n"), time.Minute)
		none := l.Subscribe(nil, 0)
		defer s.Close()
		defer none.Close()
		for _, s := range []*Subscription{s, none} {
			_, err := s.Next(t.Context())
			require.NoError(t, err)
		}
		l.Apply(token("n", "x"))
		began := time.Now()
		time.AfterFunc(time.Second, func() { l.end(over); l.end(errors.New("again")) })
		c, err := s.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "x", textAt(c, "n"))
		for range 2 {
			_, err = s.Next(t.Context())
			assert.Equal(t, over, err)
		}
		_, err = none.Next(t.Context())
		assert.Equal(t, over, err, "nobody is left waiting")
		assert.Equal(t, time.Second, time.Since(began))

		late := l.Subscribe(rowsAt("n"), 0)
		defer late.Close()
		_, err = late.Next(t.Context())
		require.NoError(t, err, "the value as it stood comes first")
		_, err = late.Next(t.Context())
		assert.Equal(t, over, err)
	})
}

// A context ends Next wherever it waits, and Close ends it too.
func TestContextAndCloseEndNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(conv)
		for _, every := range []time.Duration{0, time.Hour} {
			s := l.Subscribe(rowsAt("n"), every)
			_, err := s.Next(t.Context())
			require.NoError(t, err)
			if every > 0 {
				l.Apply(token("n", "x")) // now it waits for the interval
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			_, err = s.Next(ctx)
			assert.Equal(t, context.DeadlineExceeded, err)
			assert.Equal(t, time.Second, time.Since(began))
			cancel()
			s.Close()
		}
		s := l.Subscribe(rowsAt("n"), 0)
		_, err := s.Next(t.Context())
		require.NoError(t, err)
		time.AfterFunc(time.Second, s.Close)
		_, err = s.Next(t.Context())
		assert.Equal(t, errClosed, err)
		c := l.Changes(projection.RowSlice{All: true}, "", 0)
		time.AfterFunc(time.Second, c.Close)
		for err = error(nil); err == nil; _, err = c.Next(t.Context()) {
		}
		assert.Equal(t, errClosed, err)
	})
}

// Closing again changes nothing, and nothing of a closed subscription is left.
func TestCloseAgain(t *testing.T) {
	l := NewLive(conv)
	stays := l.Subscribe(append(rowsAt("n"), timelineSlice...), 0)
	for range 100 {
		s := l.Subscribe(append(rowsAt("n"), rowsAt("n")...), 0)
		c := l.Changes(projection.RowSlice{Path: []string{"n"}}, "", 0)
		for range 3 {
			s.Close()
			c.Close()
		}
	}
	n, _ := l.following()
	assert.Equal(t, 1, n)
	assert.Len(t, l.subs, 2)
	assert.Len(t, l.journals, 1, "one that nobody follows is kept for who comes back")
	assert.Zero(t, l.journals[rowsAt("n")[0]].followers)
	assert.Len(t, l.retired, 1)
	stays.Close()
	assert.Empty(t, l.subs)
}

// One view is made of one state, whoever reads it.
func TestOneViewOfOneState(t *testing.T) {
	l := NewLive("")
	assert.Same(t, l.Conversation(), l.Conversation())
	assert.Empty(t, l.Conversation().ID())
	before := l.Conversation()
	l.Apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{ConversationID: conv}})
	assert.NotSame(t, before, l.Conversation())
	assert.Equal(t, conv, l.Conversation().ID())
}

// What this server alone knows outlives a state that is loaded anew.
func TestReplaceKeepsDeliveriesAndLatches(t *testing.T) {
	l := NewLive(conv)
	states := l.Subscribe([]projection.Slice{{Kind: projection.SliceToolStates}}, 0)
	defer states.Close()
	for _, call := range []string{"c1", "c2"} {
		l.Apply(projection.Delivery{ToolDelivery: projection.ToolDelivery{ToolCallID: call, Status: projection.ToolSubmitting}})
	}
	l.Apply(projection.Latch{Kind: projection.LatchCancel, On: true})
	l.Apply(projection.Latch{Kind: projection.LatchSend, On: true})
	l.Apply(projection.Latch{Kind: projection.LatchSend, On: false})
	_, err := states.Next(t.Context())
	require.NoError(t, err)

	state := projection.New(conv)
	state.Apply(&wire.Head{ConversationID: conv, Status: wire.Paused})
	l.Replace(state)
	c, err := states.Next(t.Context())
	require.NoError(t, err)
	snap := c.Snapshot()
	assert.Equal(t, projection.ChatPaused, snap.Status())
	assert.Equal(t, "c1 c2", fmt.Sprint(snap.ToolStates()[0].ToolCallID, " ", snap.ToolStates()[1].ToolCallID))
	assert.Equal(t, projection.Capabilities{CanSend: true}, snap.Capabilities(), "the cancel is still in flight")
}
