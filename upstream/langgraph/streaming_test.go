package langgraph_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/wire"
)

// isStream tells the request that joins a run.
func isStream(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/stream") }

// inFlight is a thread with one run that is over and one in flight, which others started.
func inFlight(s *graphServer) *graphThread {
	th := s.thread(nil, "first")
	s.set(func() {
		s.script = func(r *graphRun) { r.tell("The second answer, word by word.", "running") }
		s.newRun(th, map[string]any{
			"input":            map[string]any{"messages": []any{map[string]any{"role": "user", "content": "again", "id": "h2"}}},
			"stream_resumable": true, "stream_subgraphs": true, "stream_mode": []any{"values", "updates", "messages-tuple", "tasks"},
		})
	})
	return th
}

// A run in flight is told from its start behind the head's offset, to each who attaches; at any offset behind it goes on
// exactly there.
func TestAttachAnywhere(t *testing.T) {
	t.Parallel()
	s := newGraphServer(t)
	th := inFlight(s)
	c := s.client(t, langgraph.Options{OpenThreads: true})
	head, err := c.Head(t.Context(), "", th.ID)
	require.NoError(t, err)
	assert.Equal(t, wire.Running, head.Status)
	assert.True(t, head.HasLastOffset)
	s.set(func() { th.Runs[1].Status = "success" })
	over, err := c.Stream(t.Context(), "", th.ID, head.LastOffset)
	assert.Nil(t, over)
	require.ErrorIs(t, err, upstream.Idle)
	s.set(func() { th.Runs[1].Status = "running" })

	read := func(after int64) []string {
		stream, err := c.Stream(t.Context(), "", th.ID, after)
		require.NoError(t, err)
		s.set(func() { th.Runs[1].Status = "success" })
		defer s.set(func() { th.Runs[1].Status = "running" })
		return told(t, stream, err)
	}
	head, err = c.Head(t.Context(), "", th.ID)
	require.NoError(t, err)
	whole := read(head.LastOffset)
	require.Greater(t, len(whole), 10)
	assert.Contains(t, whole[0], fmt.Sprintf(`"offset":%d`, head.LastOffset+1))
	assert.Contains(t, whole[0], `"run.start"`)
	assert.Contains(t, whole[1], `"content":"again"`)
	assert.Contains(t, whole[len(whole)-1], `"run.pause"`)
	for i := range whole {
		assert.Equal(t, whole[i:], read(head.LastOffset+int64(i)), "behind %d", i)
	}
	assert.Empty(t, read(head.LastOffset+int64(len(whole))))
}

// However the connection ends, and wherever: the frames are the same, once each. A proxy cuts the stream after every
// number of bytes, cleanly, by a reset, and where the end of the connection is the only mark of the end.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	s := newGraphServer(t)
	s.script = func(r *graphRun) { r.tell("a b c d", "success") }
	ask := func(o langgraph.Options, base string) []string {
		o.OpenThreads = true
		c := s.client(t, o)
		if base != "" {
			o.BaseURL = base
			var err error
			c, err = langgraph.New(o)
			require.NoError(t, err)
			defer c.Close()
		}
		stream, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
		return anonymous(told(t, stream, err))
	}
	want := ask(langgraph.Options{}, "")
	size := 0
	for _, th := range s.threads {
		size = len(strings.Join(th.Runs[0].events, ""))
	}
	for how, end := range map[string]func(w http.ResponseWriter){
		"cleanly": func(http.ResponseWriter) {},
		"a reset": func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			require.NoError(t, err)
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		},
		"unmarked": func(http.ResponseWriter) {},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for cut := 0; cut < size; cut += 41 {
				var joins atomic.Int32
				front := cutting(t, s, cut, how == "unmarked", end, &joins)
				assert.Equal(t, want, ask(langgraph.Options{}, front.URL), "cut after %d bytes", cut)
				assert.GreaterOrEqual(t, joins.Load(), int32(2))
				front.Close()
			}
		})
	}
}

// anonymous are lines without the ids that the server made.
func anonymous(lines []string) []string {
	var all []string
	for _, line := range lines {
		for _, id := range []string{"00000000-0000-4000-8000-", "10000000-0000-4000-8000-"} {
			for {
				i := strings.Index(line, id)
				if i < 0 {
					break
				}
				line = line[:i] + "id" + line[i+len(id)+12:]
			}
		}
		if i := strings.Index(line, `/user/`); i >= 0 {
			line = line[:i] + line[i+len("/user/")+36:]
		}
		if i := strings.Index(line, `"at":"`); i >= 0 {
			line = line[:i] + line[i+len(`"at":"2026-01-01T00:00:00Z"`):]
		}
		all = append(all, line)
	}
	return all
}

// cutting is a proxy in front of a server whose streams it cuts after so many bytes, the first time they are joined.
// There the run still goes on, as far as it tells.
func cutting(t *testing.T, s *graphServer, cut int, unmarked bool, end func(http.ResponseWriter), joins *atomic.Int32) *proxy {
	t.Helper()
	p := &proxy{target: s.URL}
	p.handle = func(w http.ResponseWriter, r *http.Request, answer []byte, status int) bool {
		if !isStream(r) {
			return false
		}
		n := joins.Add(1)
		if unmarked {
			conn, buffer, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return true
			}
			defer conn.Close()
			if n == 1 {
				answer = answer[:min(cut, len(answer))]
			}
			fmt.Fprintf(buffer, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n%s", answer)
			buffer.Flush()
			return true
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if n > 1 {
			_, _ = w.Write(answer)
			return true
		}
		_, _ = w.Write(answer[:min(cut, len(answer))])
		_ = http.NewResponseController(w).Flush()
		end(w)
		return true
	}
	p.running = func() bool { return joins.Load() < 2 && !unmarked }
	p.start(t)
	return p
}

// A run that goes on though its stream ends at once, again and again, is not waited for without end.
func TestStreamsThatSayNothing(t *testing.T) {
	t.Parallel()
	s := newGraphServer(t)
	th := inFlight(s)
	joins := 0
	s.odd = func(w http.ResponseWriter, r *http.Request) bool {
		if !isStream(r) {
			return false
		}
		s.set(func() { joins++ })
		w.Header().Set("Content-Type", "text/event-stream")
		return true
	}
	c := s.client(t, langgraph.Options{OpenThreads: true})
	stream, err := c.Stream(t.Context(), "", th.ID, 0)
	require.NoError(t, err)
	frames, end := drain(t, stream)
	assert.Len(t, frames, 2, "its start")
	assert.ErrorIs(t, end, upstream.Unavailable)
	assert.Equal(t, 7, joins)
}

// Silence is no end: the stream is joined again where it was, and nothing comes twice.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := newGraphServer(t)
	th := inFlight(s)
	run := th.Runs[1]
	run.shown = 3
	c := s.client(t, langgraph.Options{OpenThreads: true, IdleTimeout: 40 * time.Millisecond})
	stream, err := c.Stream(t.Context(), "", th.ID, 0)
	require.NoError(t, err)
	defer time.AfterFunc(200*time.Millisecond, func() {
		s.set(func() { run.shown, run.Status = len(run.events), "success" })
	}).Stop()
	lines := told(t, stream, err)
	ids := map[string]bool{}
	for _, asked := range s.headers {
		ids[asked.Get("Last-Event-ID")] = true
	}
	assert.True(t, ids["-1"] && ids["2"], "%v", ids)
	assert.Equal(t, 1, strings.Count(strings.Join(lines, ""), `"The "`))
	assert.Contains(t, lines[len(lines)-1], `"run.pause"`)
}

// Promise 6 of package upstream: who leaves is let go at once, whatever the stream is doing, and nothing stays.
func TestLeaving(t *testing.T) {
	t.Parallel()
	for what, odd := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"while it waits for an event": func(http.ResponseWriter, *http.Request) bool { return false },
		"while it joins":              func(_ http.ResponseWriter, r *http.Request) bool { return isStream(r) && hang(r) },
		"while it asks for the run": func(w http.ResponseWriter, r *http.Request) bool {
			if isStream(r) {
				w.Header().Set("Content-Type", "text/event-stream")
				return true
			}
			return strings.Count(r.URL.Path, "/") == 4 && r.Method == http.MethodGet && hang(r)
		},
		"while it pauses": func(_ http.ResponseWriter, r *http.Request) bool {
			if isStream(r) {
				panic(http.ErrAbortHandler)
			}
			return false
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, how := range []string{"close", "outer", "next"} {
				s := newGraphServer(t)
				th := inFlight(s)
				s.odd = odd
				c := s.client(t, langgraph.Options{OpenThreads: true})
				outer, cancelOuter := context.WithCancel(t.Context())
				next, cancelNext := context.WithCancel(t.Context())
				stream, err := c.Stream(outer, "", th.ID, 0)
				require.NoError(t, err)
				time.AfterFunc(150*time.Millisecond, func() {
					switch how {
					case "close":
						stream.Close()
					case "outer":
						cancelOuter()
					default:
						cancelNext()
					}
				})
				for err == nil {
					_, err = stream.Next(next)
				}
				assert.Equal(t, context.Canceled, err, how)
				cancelOuter()
				cancelNext()
			}
		})
	}
	s := newGraphServer(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.client(t, langgraph.Options{}).Execute(gone, "", graphName, say("", "hi"))
	assert.ErrorIs(t, err, context.Canceled)
	var e *upstream.Error
	assert.False(t, errors.As(err, &e))
}

// hang waits until the client is gone.
func hang(r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	return true
}

// What others started so that it can't be joined is not touched: joining would take events from them.
func TestRunsThatCannotBeJoined(t *testing.T) {
	t.Parallel()
	for _, body := range []map[string]any{
		{}, {"stream_resumable": true, "stream_subgraphs": true, "stream_mode": []any{"values"}},
		{"stream_resumable": true, "stream_mode": []any{"tasks", "messages-tuple", "updates"}},
		{"stream_subgraphs": true, "stream_mode": []any{"tasks", "messages-tuple", "updates"}},
	} {
		s := newGraphServer(t)
		th := s.thread(nil, "a")
		s.set(func() {
			s.script = func(r *graphRun) { r.tell("b", "running") }
			s.newRun(th, body)
		})
		c := s.client(t, langgraph.Options{OpenThreads: true})
		_, err := c.Stream(t.Context(), "", th.ID, 0)
		assert.ErrorIs(t, err, upstream.CannotReattach)
		_, _, err = c.Rows(t.Context(), "", th.ID, upstream.RowsQuery{})
		assert.NoError(t, err)
		for _, asked := range s.asked {
			assert.NotContains(t, asked, "/stream")
		}
	}
}

// An event or a frame that is too long is told as such, and the rest goes on.
func TestTooLong(t *testing.T) {
	t.Parallel()
	s := newGraphServer(t)
	s.script = func(r *graphRun) {
		r.tell("fine", "success")
		long := strings.Repeat("x", 3000)
		r.events = append(r.events[:2:2], append([]string{
			"event: tasks\ndata: {\"pad\":\"" + strings.Repeat("x", 20_000) + "\"}\n",
			fmt.Sprintf("event: messages\ndata: [{\"content\":%q,\"id\":\"long\",\"type\":\"ai\"},{\"langgraph_node\":\"answer\",\"langgraph_checkpoint_ns\":\"answer:t-%s\"}]\n", long, r.ID),
		}, r.events[2:]...)...)
		r.shown = len(r.events)
	}
	c := s.client(t, langgraph.Options{MaxFrame: 2000, MaxEvent: 10_000})
	stream, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
	require.NoError(t, err)
	defer stream.Close()
	rejected, text := 0, ""
	for {
		item, err := stream.Next(t.Context())
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if item.Rejection != nil {
			assert.Equal(t, wire.ReasonTooLarge, item.Rejection.Reason)
			assert.Equal(t, item.Offset, item.Rejection.Offset)
			rejected++
		} else if item.Frame.Type == wire.MessageDelta {
			text += item.Frame.Content
		}
	}
	assert.Positive(t, rejected)
	assert.Equal(t, "fine", text)
	assert.EqualValues(t, 1, c.Skipped()[langgraph.SkipTooLarge])
}
