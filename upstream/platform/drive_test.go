package platform

import (
	"context"
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
	"inlaygraph/wire"
)

// Promises 3 and 4 of package upstream hold for the streams of runs too: they are read by the same code, errors
// say which it was.
func TestDrivenStreams(t *testing.T) {
	for op, open := range openers {
		t.Run(op, func(t *testing.T) {
			c := serve(t, streaming(sseOf(1, delta(1, "a"))+sseOf(2, delta(2, "b"))+"data: "+delta(3, "c"), nil), Options{})
			s, err := open(c, t.Context())
			require.NoError(t, err)
			defer s.Close()
			items, end := drain(t, s)
			assert.Equal(t, io.EOF, end)
			require.Len(t, items, 3)
			assert.Equal(t, "c", items[2].Frame.Content)

			c = serve(t, streaming(sseOf(1, delta(1, "a")), func(*http.Request) { panic(http.ErrAbortHandler) }), Options{})
			s, err = open(c, t.Context())
			require.NoError(t, err)
			defer s.Close()
			items, end = drain(t, s)
			assert.Len(t, items, 1)
			assert.Equal(t, op, requireError(t, end).Op)
		})
	}
}

// An answer that is no stream makes no sense, whatever else it is.
func TestNoStream(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"json": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"conversation_id":"c1","secret":"do not show me"}`)
		},
		"html":    say("<html>do not show me</html>"),
		"no type": func(w http.ResponseWriter, _ *http.Request) { w.Header()["Content-Type"] = nil; io.WriteString(w, "x") },
		"another": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-streams") },
		"encoded": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "gzip")
		},
		"created": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusCreated)
		},
	} {
		c := serve(t, h, Options{})
		for op, open := range openers {
			s, err := open(c, t.Context())
			assert.Nil(t, s, name)
			got := requireError(t, err)
			assert.Equal(t, upstream.Unavailable, got.Kind, name)
			assert.Equal(t, op, got.Op)
			assert.NotContains(t, got.LogValue().String(), "do not show me")
		}
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "Text/Event-Stream;charset=UTF-8")
		w.Header().Set("Content-Encoding", "Identity")
	}, Options{})
	for _, open := range openers {
		assert.NoError(t, drained(t.Context())(open(c, t.Context())))
	}
}

// Promise 2 of the package: a frame at the limit is delivered, one byte more is told and skipped.
func TestLargeFrames(t *testing.T) {
	sized := func(offset int64, size int) string {
		empty := delta(offset, "")
		text := strings.Replace(empty, `"content":""`, `"content":"`+strings.Repeat("x", size-len(empty))+`"`, 1)
		require.Len(t, text, size)
		return text
	}
	const limit = wire.DefaultMaxRecord
	c := serve(t, streaming(sseOf(1, sized(1, limit))+sseOf(2, sized(2, limit+1))+sseOf(3, sized(3, 300_000))+sseOf(4, delta(4, "")), nil), Options{})
	for op, open := range openers {
		s, err := open(c, t.Context())
		require.NoError(t, err)
		defer s.Close()
		items, end := drain(t, s)
		assert.Equal(t, io.EOF, end, op)
		require.Len(t, items, 4, op)
		for i, item := range items {
			assert.EqualValues(t, i+1, item.Offset, op)
			assert.Equal(t, i == 1, item.Frame == nil, op)
		}
		assert.Equal(t, wire.ReasonTooLarge, items[1].Rejection.Reason)
		assert.Greater(t, len(items[0].Frame.Content), limit-200)
	}
}

// What the wire page tolerates, and what it leaves to the reader, through every way to a stream.
func TestTolerance(t *testing.T) {
	a, b := delta(1, "é😀"), delta(2, "b")
	bare := func(text string) string { return strings.Replace(text, `"offset":9,`, "", 1) }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"lf":                   {sseOf(1, a) + sseOf(2, b), []string{"1 é😀", "2 b"}},
		"crlf":                 {strings.ReplaceAll(sseOf(1, a)+sseOf(2, b), "\n", "\r\n"), []string{"1 é😀", "2 b"}},
		"cr":                   {strings.ReplaceAll(sseOf(1, a)+sseOf(2, b), "\n", "\r"), []string{"1 é😀", "2 b"}},
		"bom":                  {"\ufeff" + sseOf(1, a) + sseOf(2, b), []string{"1 é😀", "2 b"}},
		"bom within the data":  {"data: \ufeff" + a + "\n\n", []string{"1 é😀"}},
		"no blank line":        {sseOf(1, a) + "id: 2\ndata: " + b + "\n", []string{"1 é😀", "2 b"}},
		"no line end":          {sseOf(1, a) + "id: 2\ndata: " + b, []string{"1 é😀", "2 b"}},
		"no line end, crlf":    {sseOf(1, a) + "id: 2\r\ndata: " + b + "\r", []string{"1 é😀", "2 b"}},
		"repeated ids":         {sseOf(1, a) + sseOf(1, a) + sseOf(2, b) + sseOf(2, b), []string{"1 é😀", "1 é😀", "2 b", "2 b"}},
		"descending ids":       {sseOf(2, b) + sseOf(1, a), []string{"2 b", "1 é😀"}},
		"a gap":                {sseOf(1, a) + sseOf(9, delta(9, "c")), []string{"1 é😀", "9 c"}},
		"ids of their own":     {sseOf(7, a) + sseOf(3, b), []string{"1 é😀", "2 b"}}, // the data stands for itself
		"ids alone":            {sseOf(5, bare(delta(9, "x"))) + sseOf(4, bare(delta(9, "y"))), []string{"5 x", "4 y"}},
		"an id is nobody's":    {"id: 8\n\ndata: " + bare(delta(9, "x")) + "\n\n", []string{"0 x"}},
		"ids that are none":    {"id: 1e2\ndata: " + bare(delta(9, "x")) + "\n\nid: -4\ndata: " + bare(delta(9, "y")) + "\n\n", []string{"0 x", "0 y"}},
		"control lines":        {": keep-alive\n\nretry: 10\n\nid: 2\nevent: ping\n\n" + sseOf(1, a) + ":\n:\n\nid: 1\nevent: ping\ndata:\n\n" + sseOf(2, b) + "id: 1\n\n", []string{"1 é😀", "2 b"}},
		"control within event": {"id: 1\n: keep-alive\nretry: 5\ndata: " + a + "\n: x\n\n", []string{"1 é😀"}},
		"data in lines":        {"id: 1\ndata: {\ndata: " + a[1:] + "\n\n", []string{"1 é😀"}},
		"nothing":              {"", nil},
	} {
		client := serve(t, streaming(c.text, nil), Options{})
		for op, open := range openers {
			s, err := open(client, t.Context())
			require.NoError(t, err)
			defer s.Close()
			items, end := drain(t, s)
			assert.Equal(t, io.EOF, end)
			var got []string
			for _, item := range items {
				if assert.NotNil(t, item.Frame, "%s: %s: %v", name, op, item.Rejection) {
					got = append(got, fmt.Sprint(item.Frame.Offset, " ", item.Frame.Content))
				}
			}
			assert.Equal(t, c.want, got, "%s: %s", name, op)
		}
	}
}

// Promise 6 of the package: what may have begun is not asked for again, not even where the connection was an old one
// and broke before any answer came, which is when package http sends a GET again.
func TestNoPostIsSentTwice(t *testing.T) {
	var posts atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			io.WriteString(w, headJSON)
			return
		}
		io.Copy(io.Discard, r.Body)
		posts.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if assert.NoError(t, err) {
			conn.Close()
		}
	}, Options{Header: http.Header{"Idempotency-Key": {"k"}, "x-idempotency-key": {"k"}}})
	every(t, func(t *testing.T, e endpoint) {
		if e.method != http.MethodPost {
			return
		}
		posts.Store(0)
		_, err := c.Head(t.Context(), "", "c1")
		require.NoError(t, err, "a connection to use again")
		err = e.ask(c, t.Context(), "tok")
		assert.ErrorIs(t, err, upstream.Unavailable)
		assert.EqualValues(t, 1, posts.Load())

		// A refusal that asks for patience is the caller's to heed.
		busy := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			posts.Add(1)
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, Options{})
		assert.ErrorIs(t, e.ask(busy, t.Context(), "tok"), upstream.Unavailable)
		assert.EqualValues(t, 2, posts.Load())
	})
}

func TestCancel(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204, 299} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if status != 204 {
				io.WriteString(w, "<html>")
			}
		}, Options{})
		assert.NoError(t, c.Cancel(t.Context(), "tok", "c1"), status)
	}
	// An answer that never ends takes nothing back.
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		http.NewResponseController(w).Flush()
		hang(r)
	}, Options{ReadTimeout: 50 * time.Millisecond})
	assert.NoError(t, c.Cancel(t.Context(), "tok", "c1"))
}

// Leaving a run's stream ends the connection and nothing else: upstream sees its reader go.
func TestLeavingARun(t *testing.T) {
	left := make(chan struct{}, 1)
	c := serve(t, streaming(sseOf(1, delta(1, "a")), func(r *http.Request) { hang(r); left <- struct{}{} }), Options{})
	for op, open := range openers {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := open(c, ctx)
		require.NoError(t, err)
		_, err = s.Next(ctx)
		require.NoError(t, err)
		cancel()
		_, err = s.Next(t.Context())
		assert.Equal(t, context.Canceled, err, op)
		<-left

		s, err = open(c, t.Context())
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		_, err = s.Next(t.Context())
		assert.Equal(t, context.Canceled, err, op)
		<-left
	}
}
