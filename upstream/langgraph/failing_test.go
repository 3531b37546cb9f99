package langgraph_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
)

const (
	said   = "words of the server's own"
	apiKey = "lsv2_pt_00112233445566778899"
)

// failures are the ways in which a request can go wrong, and the kinds of error that may be the answer.
var failures = map[string]struct {
	answer func(w http.ResponseWriter, r *http.Request)
	kinds  []upstream.Kind
}{
	"400": {status(400), []upstream.Kind{upstream.Refused, upstream.NotFound}}, "401": {status(401), []upstream.Kind{upstream.Unavailable}},
	"403": {status(403), []upstream.Kind{upstream.Unavailable}}, "404": {status(404), []upstream.Kind{upstream.NotFound, upstream.Conflict}},
	"409": {status(409), []upstream.Kind{upstream.Conflict}}, "410": {status(410), []upstream.Kind{upstream.Gone}},
	"422": {status(422), []upstream.Kind{upstream.Refused, upstream.NotFound}},
	"429": {status(429), []upstream.Kind{upstream.RateLimited}}, "500": {status(500), []upstream.Kind{upstream.Unavailable, upstream.NotFound}},
	"503": {status(503), []upstream.Kind{upstream.Unavailable}},
	"redirect": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}, []upstream.Kind{upstream.Unavailable}},
	"html": {text("<html>" + said), nonsense}, "empty": {text(""), nonsense}, "null": {text("null"), nonsense}, "an object": {text("{}"), nonsense},
	"a list": {text("[]"), nonsense}, "deep": {text(strings.Repeat("[", 20_000)), nonsense},
	"of another kind": {text(`{"thread_id":7,"run_id":[],"assistant_id":{},"tasks":3,"checkpoint":"c","version":{}}`), nonsense},
	"long":            {text(`"` + strings.Repeat("x", 1<<20) + `"`), []upstream.Kind{upstream.Unavailable}},
	"broken":          {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, []upstream.Kind{upstream.Unavailable}},
	"silent":          {func(_ http.ResponseWriter, r *http.Request) { hang(r) }, []upstream.Kind{upstream.Unavailable}},
}

// nonsense is Unavailable, but of a thread's state, which then can't be read.
var nonsense = []upstream.Kind{upstream.Unavailable, upstream.NotFound}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"detail":"%s: %s"}`, said, r.Header.Get("X-Api-Key"))
	}
}

func text(body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

// asking are the operations, each on a server made for it.
var asking = map[string]func(ctx context.Context, s *graphServer, c *langgraph.Client, th *graphThread) error{
	"head": func(ctx context.Context, _ *graphServer, c *langgraph.Client, th *graphThread) error {
		_, err := c.Head(ctx, "", th.ID)
		return err
	},
	"head of a failed one": func(ctx context.Context, s *graphServer, c *langgraph.Client, th *graphThread) error {
		s.set(func() { th.Runs[0].Status = "error" })
		_, err := c.Head(ctx, "", th.ID)
		return err
	},
	"rows": func(ctx context.Context, _ *graphServer, c *langgraph.Client, th *graphThread) error {
		_, _, err := c.Rows(ctx, "", th.ID, upstream.RowsQuery{})
		return err
	},
	"stream": func(ctx context.Context, s *graphServer, c *langgraph.Client, th *graphThread) error {
		s.set(func() {
			th.Runs[0].Status, th.Runs[0].Body = "running", map[string]any{
				"stream_resumable": true, "stream_subgraphs": true, "stream_mode": []any{"updates", "messages-tuple", "tasks"},
			}
		})
		stream, err := c.Stream(ctx, "", th.ID, 0)
		s.set(func() { th.Runs[0].Status = "success" })
		return drained(ctx, stream, err)
	},
	"execute": func(ctx context.Context, _ *graphServer, c *langgraph.Client, _ *graphThread) error {
		stream, err := c.Execute(ctx, "", graphName, say("", "hi"))
		return drained(ctx, stream, err)
	},
	"execute, going on": func(ctx context.Context, _ *graphServer, c *langgraph.Client, th *graphThread) error {
		stream, err := c.Execute(ctx, "", graphName, say(th.ID, "hi"))
		return drained(ctx, stream, err)
	},
	"retry": func(ctx context.Context, s *graphServer, c *langgraph.Client, th *graphThread) error {
		s.set(func() { th.Runs[0].Status = "error" })
		stream, err := c.Retry(ctx, "", th.ID)
		return drained(ctx, stream, err)
	},
	"cancel": func(ctx context.Context, s *graphServer, c *langgraph.Client, th *graphThread) error {
		s.set(func() { th.Runs[0].Status = "running" })
		return c.Cancel(ctx, "", th.ID)
	},
	"list": func(ctx context.Context, _ *graphServer, c *langgraph.Client, _ *graphThread) error {
		_, err := c.List(ctx, "", upstream.ListQuery{AgentID: graphName})
		return err
	},
	"plan": func(ctx context.Context, _ *graphServer, c *langgraph.Client, _ *graphThread) error {
		_, err := c.Plan(ctx, "", graphName, 3)
		return err
	},
}

func drained(ctx context.Context, stream upstream.Stream, err error) error {
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		if _, err := stream.Next(ctx); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Promises 1 and 2 of package upstream: whichever request of whichever operation goes wrong in whichever way, the answer
// is an error of one kind in words of ours, or as if nothing had happened where it can be done without.
func TestEveryRequestFails(t *testing.T) {
	for op, ask := range asking {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			good := failingAt(t, ask, -1, "")
			require.NoError(t, good.err)
			require.NotEmpty(t, good.asked)
			var all sync.WaitGroup // most of the time they wait
			defer all.Wait()
			for i, asked := range good.asked {
				all.Go(func() {
					for name := range failures {
						checkFailure(t, op, i, len(good.asked), asked, name)
					}
				})
			}
		})
	}
}

func checkFailure(t *testing.T, op string, place, places int, asked, name string) {
	failure := failures[name]
	got := failingAt(t, asking[op], place, name)
	if got.err == nil {
		assert.True(t, spared(op, asked, place == places-1, name), "%s to %s has to fail", name, asked)
		return
	}
	e, ok := errors.AsType[*upstream.Error](got.err)
	if !assert.True(t, ok, "%s to %s: %v", name, asked, got.err) {
		return
	}
	if name != "a list" || !strings.Contains(asked, "/runs?") { // then no run is known
		assert.Contains(t, failure.kinds, e.Kind, "%s to %s", name, asked)
	}
	assert.NotContains(t, got.err.Error(), said)
	assert.NotContains(t, e.LogValue().String(), apiKey)
	assert.Less(t, len(e.LogValue().String()), 1000)
}

// spared tells whether an operation can do without what was asked. A run is told without its plan, a conversation
// without its assistant, whose name it has; a stream is joined again while that may help; how a run ended is told by its
// status where the state can't be.
func spared(op, asked string, last bool, failure string) bool {
	transient := slices.Contains(failures[failure].kinds, upstream.Unavailable)
	unknown := slices.Contains([]string{"400", "404", "422"}, failure)
	driving := !slices.Contains([]string{"head", "head of a failed one", "rows", "cancel", "list", "plan"}, op)
	method, uri, _ := strings.Cut(asked, " ")
	path, _, _ := strings.Cut(uri, "?")
	switch {
	case method == http.MethodGet && failure == "broken":
		return true // package http asks again
	case strings.HasSuffix(path, "/graph"):
		return op != "plan"
	case strings.HasPrefix(path, "/assistants/"):
		return op != "plan" && unknown || op == "list" && last
	case strings.HasSuffix(path, "/state"):
		return driving && last
	case strings.HasSuffix(path, "/stream"), strings.Count(path, "/") == 4 && method == http.MethodGet:
		return transient
	case strings.HasSuffix(path, "/cancel"):
		return slices.Contains([]string{"html", "empty", "null", "an object", "a list", "deep", "of another kind", "long"}, failure)
	}
	return failure == "a list" // which may be empty
}

type failed struct {
	err   error
	asked []string
}

// failingAt does an operation whose request of that place goes wrong.
func failingAt(t *testing.T, ask func(context.Context, *graphServer, *langgraph.Client, *graphThread) error, place int, name string) failed {
	t.Helper()
	s := newGraphServer(t)
	s.script = func(r *graphRun) { r.tell("x", "success") }
	th := s.thread(nil, "one")
	n := -1
	s.odd = func(w http.ResponseWriter, r *http.Request) bool {
		s.mu.Lock()
		n++
		hit := n == place
		s.mu.Unlock()
		if hit {
			failures[name].answer(w, r)
		}
		return hit
	}
	o := langgraph.Options{OpenThreads: true, Header: http.Header{"X-Api-Key": {apiKey}}, MaxAnswer: 1 << 19}
	if name == "silent" {
		o.ReadTimeout, o.IdleTimeout = 150*time.Millisecond, 150*time.Millisecond
	}
	c := s.client(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := ask(ctx, s, c, th)
	assert.False(t, errors.Is(err, context.DeadlineExceeded), "it waits for ever")
	s.mu.Lock()
	defer s.mu.Unlock()
	return failed{err, s.asked}
}
