package demo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// Promise 4: whatever offset a reader has, it gets exactly the frames after it.
func TestReattachAtEveryOffset(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Patience: -1}, builtIn(t, "approval"))
	c := d.looping[0]
	// Four runs, up to just before the end of the last.
	n := len(c.tape.frames)
	advance(t, clock, 100*time.Millisecond, c, int64(n)+1)
	advance(t, clock, 10*time.Millisecond, c, int64(2*n)-1)
	all := sentFrames(t, c)
	require.Len(t, all, 2*n-1)
	for after := range all {
		s, err := client.Stream(t.Context(), "", c.tape.conversationID, int64(after))
		require.NoError(t, err)
		got := read(t, s, len(all)-after)
		require.NoError(t, s.Close())
		require.Equal(t, all[after:], got, "after %d", after)
	}
	// The end of the run in flight ends the stream, also where the ends of earlier ones passed by.
	s, err := client.Stream(t.Context(), "", c.tape.conversationID, 0)
	require.NoError(t, err)
	defer s.Close()
	read(t, s, len(all))
	clock.move(time.Second)
	assert.Equal(t, "run.pause:paused", types(read(t, s, 0)))
}

// cutter passes a stream on until so many bytes of it went by, then breaks the connection.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	if n < len(p) {
		c.ResponseWriter.Write(p[:n])
		http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= n
	return c.ResponseWriter.Write(p)
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// A stream that is cut anywhere, in a line or in a character too, loses and doubles nothing: the next one
// goes on after the last whole frame.
func TestCutAnywhere(t *testing.T) {
	clock := newHandClock()
	d, _ := start(t, Options{Clock: clock, Patience: -1}, record(t, "c", opened,
		`{"type":"user.message","offset":2,"content":"é😀"}`,
		`{"type":"message.delta","offset":3,"id":"m","content":"e\u0301 👩‍🍳","at":"2026-01-05T09:00:00Z",`+n+`}`,
		`{"type":"run.pause","offset":4,"status":"paused","at":"2026-01-05T09:00:10Z"}`))
	clock.move(time.Second)
	played(t, d.looping[0], 3)
	want := sentFrames(t, d.looping[0])

	var mu sync.Mutex
	cut := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		left := cut
		cut = 1 << 30
		mu.Unlock()
		d.Handler().ServeHTTP(&cutter{w, left}, r)
	}))
	defer proxy.Close()
	client, err := platform.New(platform.Options{BaseURL: proxy.URL})
	require.NoError(t, err)
	defer client.Close()

	total := 0
	for _, s := range d.looping[0].frames[:len(want)] {
		total += len(s.event)
	}
	for at := range total {
		mu.Lock()
		cut = at
		mu.Unlock()
		var got []*wire.Frame
		for len(got) < len(want) {
			after := int64(0)
			if len(got) > 0 {
				after = got[len(got)-1].Offset
			}
			s, err := client.Stream(t.Context(), "", "c", after)
			require.NoError(t, err)
			for len(got) < len(want) {
				item, err := s.Next(t.Context())
				if err != nil {
					require.NotEqual(t, io.EOF, err)
					break
				}
				require.NotNil(t, item.Frame)
				got = append(got, item.Frame)
			}
			require.NoError(t, s.Close())
		}
		require.Equal(t, want, got, "cut after %d bytes", at)
	}
}

// A run that begins while somebody is interested waits for its stream.
func TestPatience(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Rest: time.Second, Patience: 5 * time.Second}, record(t, "c", opened, said, paused))
	c := d.looping[0]
	clock.move(time.Minute)
	played(t, c, 3) // nobody was there: it did not wait

	_, err := client.Head(t.Context(), "", "c")
	require.NoError(t, err)
	clock.move(time.Second)
	played(t, c, 4)
	clock.move(time.Second)
	h, err := client.Head(t.Context(), "", "c")
	require.NoError(t, err)
	assert.EqualValues(t, 4, h.LastOffset, "it waits")
	assert.Equal(t, wire.Running, h.Status)
	s, err := client.Stream(t.Context(), "", "c", h.LastOffset)
	require.NoError(t, err)
	defer s.Close()
	until(t, c, "the wait to end", func() bool { return c.onAttach == nil })
	clock.move(100 * time.Millisecond)
	assert.Equal(t, "user.message run.pause:paused", types(read(t, s, 0)))

	advance(t, clock, 100*time.Millisecond, c, 7)
	begun := clock.Now()
	advance(t, clock, 100*time.Millisecond, c, 8) // nobody comes, and it does not wait for ever
	assert.InDelta(t, 5, clock.Now().Sub(begun).Seconds(), 0.5)
}
