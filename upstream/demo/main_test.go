package demo

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// handClock is a clock that a test moves.
type handClock struct {
	mu    sync.Mutex
	now   time.Time
	moved chan struct{}
	// asleep is how many sleep at the time that it is.
	asleep int
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), moved: make(chan struct{})}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) SleepUntil(ctx context.Context, t time.Time) error {
	for {
		c.mu.Lock()
		moved := c.moved
		if !c.now.Before(t) {
			c.mu.Unlock()
			return ctx.Err()
		}
		c.asleep++
		c.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *handClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.asleep = c.now.Add(d), 0
	close(c.moved)
	c.moved = make(chan struct{})
}

// settle waits until so many sleep again.
func (c *handClock) settle(t *testing.T, sleepers int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Microsecond) {
		c.mu.Lock()
		asleep := c.asleep
		c.mu.Unlock()
		if asleep >= sleepers {
			return
		}
		require.True(t, time.Now().Before(deadline), "nobody sleeps")
	}
}

// record reads lines as a recording.
func record(t *testing.T, name string, lines ...string) *recording.Recording {
	t.Helper()
	rec, err := recording.Read(strings.NewReader(strings.Join(lines, "\n")), name+".ndjson", 0)
	require.NoError(t, err)
	return rec
}

// builtIn reads one of the built-in scenarios.
func builtIn(t *testing.T, name string) *recording.Recording {
	t.Helper()
	text, err := files.ReadFile("scenarios/" + name + ".ndjson")
	require.NoError(t, err)
	rec, err := recording.Read(bytes.NewReader(text), name+".ndjson", 0)
	require.NoError(t, err)
	return rec
}

// start plays and serves recordings (none: the built-in scenarios), and makes a client.
func start(t *testing.T, o Options, recs ...*recording.Recording) (*Demo, *platform.Client) {
	t.Helper()
	o.Recordings = recs
	d, err := New(o)
	require.NoError(t, err)
	require.NoError(t, d.Start("127.0.0.1:0"))
	client, err := platform.New(platform.Options{BaseURL: d.URL()})
	require.NoError(t, err)
	t.Cleanup(func() {
		client.Close()
		require.NoError(t, d.Close())
	})
	return d, client
}

// until waits for the conversation to satisfy a condition.
func until(t *testing.T, c *conversation, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		c.mu.Lock()
		done, changed := ok(), c.changed
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-time.After(2 * time.Millisecond): // what is waited for may be no frame
		case <-deadline:
			require.Fail(t, "waited in vain", what)
		}
	}
}

// played waits until the conversation has sent so many frames in all.
func played(t *testing.T, c *conversation, offset int64) {
	t.Helper()
	until(t, c, "frames", func() bool { return c.ledger.offset >= offset })
}

// over waits until the conversation has played all that it plays by itself.
func over(t *testing.T, c *conversation) {
	t.Helper()
	until(t, c, "its end", func() bool { return !c.inFlight && c.loopsAreOver() })
}

// advance moves the clock step by step until the only conversation has sent so many frames in all.
func advance(t *testing.T, clock *handClock, step time.Duration, c *conversation, offset int64) {
	t.Helper()
	for range 100_000 {
		clock.settle(t, 1)
		c.mu.Lock()
		done := c.ledger.offset >= offset
		c.mu.Unlock()
		if done {
			return
		}
		clock.move(step)
	}
	require.Fail(t, "advanced in vain")
}

// read takes frames from a stream until it ends or n (0: no limit) are there.
func read(t *testing.T, s upstream.Stream, n int) []*wire.Frame {
	t.Helper()
	var frames []*wire.Frame
	for n == 0 || len(frames) < n {
		item, err := s.Next(t.Context())
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.Nil(t, item.Rejection)
		frames = append(frames, item.Frame)
	}
	return frames
}

// sentFrames decodes what a conversation has sent and kept.
func sentFrames(t tester, c *conversation) []*wire.Frame {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var frames []*wire.Frame
	for _, s := range c.frames {
		_, data, ok := bytes.Cut(s.event, []byte("\ndata: "))
		require.True(t, ok)
		f, err := wire.DecodeFrame(bytes.TrimSpace(data))
		require.NoError(t, err)
		frames = append(frames, f)
	}
	return frames
}
