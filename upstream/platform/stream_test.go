package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

func delta(offset int64, text string) string {
	return fmt.Sprintf(`{"type":"message.delta","offset":%d,"id":"m1","node_id":"n","activation":"a","content":%q}`, offset, text)
}

func sseOf(offset int64, data string) string {
	return fmt.Sprintf("id: %d\nevent: message.delta\ndata: %s\n\n", offset, data)
}

// streaming answers with an event stream of the given text, then does what is left to do.
func streaming(text string, then func(r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
		http.NewResponseController(w).Flush()
		if then != nil {
			then(r)
		}
	}
}

// hang waits until the client is gone, which a server notices only when it has read the body.
func hang(r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func open(t *testing.T, h http.HandlerFunc, o Options) upstream.Stream {
	t.Helper()
	s, err := serve(t, h, o).Stream(t.Context(), "", "c1", 0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// drain reads a stream to its end.
func drain(t *testing.T, s upstream.Stream) (items []upstream.Item, end error) {
	t.Helper()
	for {
		item, err := s.Next(t.Context())
		if err != nil {
			_, again := s.Next(t.Context())
			assert.Equal(t, err, again, "an end stays the end")
			return items, err
		}
		items = append(items, item)
	}
}

// Promises 3 and 4 of package upstream.
func TestStreamItems(t *testing.T) {
	big := delta(4, strings.Repeat("x", 600))
	text := sseOf(1, delta(1, "a")) +
		": keep-alive\n\n" +
		"id: 2\nevent: ping\n\n" + // a control line with an id
		"id: 2\nevent: stats\ndata: {\"type\":\"stats\",\"offset\":2}\n\n" +
		"id: 3\nevent: message.delta\ndata: {\"type\":\"message.delta\",\"offset\":3,\"content\":7}\n\n" +
		sseOf(4, big) +
		"id: 5\ndata: " + strings.Replace(delta(5, "b"), `"offset":5,`, "", 1) + "\n\n" +
		"id: 6\nevent: message.delta\ndata: not json\n\n" +
		sseOf(7, delta(1, "again")) +
		"data: " + delta(9, "gap") + "\n" // without its blank line
	items, end := drain(t, open(t, streaming(text, nil), Options{MaxFrame: 500}))
	assert.Equal(t, io.EOF, end)

	var got []string
	for _, item := range items {
		line := fmt.Sprint(item.Offset, " ")
		if f := item.Frame; f != nil {
			assert.Nil(t, item.Rejection)
			assert.Equal(t, item.Offset, f.Offset)
			line += f.Type.String() + " " + f.Content
		} else {
			assert.Equal(t, item.Offset, item.Rejection.Offset)
			line += string(item.Rejection.Reason) + " " + item.Rejection.Type
		}
		got = append(got, line)
	}
	assert.Equal(t, []string{
		"1 message.delta a",
		"2 unknown_type stats",
		"3 wrong_type message.delta",
		"4 too_large message.delta",
		"5 message.delta b",
		"6 malformed_json message.delta",
		"1 message.delta again", // the data stands for itself
		"9 message.delta gap",
	}, got)
}

// A frame that was cut off uses up nothing: whoever reattaches gets it again.
func TestCutFramesAreNotDelivered(t *testing.T) {
	first, second := sseOf(1, delta(1, "é😀")), sseOf(2, delta(2, "e\u0301nd 👩‍🍳"))
	complete := strings.TrimSuffix(second, "\n\n")
	for cut := range len(second) {
		items, end := drain(t, open(t, streaming(first+second[:cut], nil), Options{}))
		assert.Equal(t, io.EOF, end)
		want := 1
		if cut >= len(complete) {
			want = 2
		}
		if assert.Len(t, items, want, "cut after %q", second[:cut]) {
			assert.EqualValues(t, want, items[want-1].Frame.Offset)
		}
	}
	items, _ := drain(t, open(t, streaming(first+"id: 2\ndata: "+strings.Repeat("x", 600), nil), Options{MaxFrame: 500}))
	assert.Len(t, items, 1, "an oversized frame that is cut off is not told either")
}

func TestBrokenStream(t *testing.T) {
	s := open(t, streaming(sseOf(1, delta(1, "a"))+"data: "+delta(2, "b")+"\n", func(*http.Request) {
		panic(http.ErrAbortHandler)
	}), Options{})
	items, end := drain(t, s)
	assert.Len(t, items, 2, "what arrived whole counts")
	assert.ErrorIs(t, end, upstream.Unavailable)
}

// Promise 1 of the package: silence ends a stream, comments do not let it end, and a slow reader is no silence.
func TestIdle(t *testing.T) {
	s := open(t, streaming(sseOf(1, delta(1, "a")), hang), Options{IdleTimeout: 60 * time.Millisecond})
	time.Sleep(150 * time.Millisecond)
	items, end := drain(t, s)
	assert.Len(t, items, 1)
	assert.ErrorIs(t, end, upstream.Unavailable)
	assert.NotErrorIs(t, end, context.Canceled)

	var comments atomic.Int32
	s = open(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 10 {
			io.WriteString(w, ":\n")
			http.NewResponseController(w).Flush()
			comments.Add(1)
			time.Sleep(250 * time.Millisecond)
		}
		io.WriteString(w, sseOf(1, delta(1, "a")))
	}, Options{IdleTimeout: 2 * time.Second})
	items, end = drain(t, s)
	assert.Len(t, items, 1)
	assert.Equal(t, io.EOF, end)
	assert.EqualValues(t, 10, comments.Load())
}

// Promise 6 of package upstream.
func TestGivingUp(t *testing.T) {
	left := make(chan struct{}, 8)
	h := streaming(sseOf(1, delta(1, "a")), func(r *http.Request) { hang(r); left <- struct{}{} })
	c := serve(t, h, Options{})
	for name, give := range map[string]struct {
		up   func(s upstream.Stream, opened, next context.CancelFunc)
		want error
	}{
		"close":        {func(s upstream.Stream, _, _ context.CancelFunc) { s.Close() }, context.Canceled},
		"outer cancel": {func(_ upstream.Stream, opened, _ context.CancelFunc) { opened() }, context.Canceled},
		"next's own":   {func(_ upstream.Stream, _, next context.CancelFunc) { next() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			opened, cancelOpened := context.WithCancel(t.Context())
			defer cancelOpened()
			next, cancelNext := context.WithCancel(t.Context())
			defer cancelNext()
			s, err := c.Stream(opened, "", "c1", 0)
			require.NoError(t, err)
			defer s.Close()
			_, err = s.Next(next)
			require.NoError(t, err)
			time.AfterFunc(20*time.Millisecond, func() { give.up(s, cancelOpened, cancelNext) })
			_, err = s.Next(next)
			assert.Equal(t, give.want, err)
			var e *upstream.Error
			assert.False(t, errors.As(err, &e))
			<-left
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Stream(gone, "", "c1", 0)
	assert.Equal(t, context.Canceled, err)
}

func TestOffsetOf(t *testing.T) {
	for id, want := range map[string]int64{
		"": 0, "7": 7, "0": 0, "-4": 0, "+4": 0, "x": 0, "1 ": 0, "1.0": 0, "9223372036854775807": 1<<63 - 1, "99999999999999999999": 0,
		"1750000000000-0": 0,
	} {
		assert.Equal(t, want, offsetOf([]byte(id)), "%q", id)
	}
}

func BenchmarkStream(b *testing.B) {
	var text strings.Builder
	const frames = 2000
	for i := range int64(frames) {
		text.WriteString(sseOf(i+1, delta(i+1, " word")))
	}
	src := text.String()
	b.ReportAllocs()
	for b.Loop() {
		s := &stream{}
		events := exchange.NewReader(strings.NewReader(src), wire.DefaultMaxRecord)
		n := 0
		for {
			ev, err := events.Next()
			if err != nil {
				break
			}
			if item, ok := s.take(ev); ok && item.Frame != nil {
				n++
			}
		}
		if n != frames {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames), "ns/frame")
}
