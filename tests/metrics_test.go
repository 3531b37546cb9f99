package tests

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// scraped are what a scrape has, by name and labels as they are written.
type scraped map[string]float64

// scrape reads /metrics below an address.
func scrape(t *testing.T, base string) scraped {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/metrics", nil)
	require.NoError(t, err)
	got := send(t, r)
	require.Equal(t, http.StatusOK, got.status)
	all := scraped{}
	for line := range strings.Lines(got.body) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseFloat(line[at+1:], 64)
		require.NoError(t, err, line)
		all[line[:at]] = n
	}
	return all
}

// sum adds up what one metric has, over all labels. Of a histogram it is how many there were.
func (f scraped) sum(name string) (sum float64) {
	for series, n := range f {
		if base, _, _ := strings.Cut(series, "{"); base == name || base == name+"_count" {
			sum += n
		}
	}
	return sum
}

// base is the address of the server, without /graphql.
func (s *server) base() string { return strings.TrimSuffix(s.url, "/graphql") }

// moves waits until a metric is above what it was.
func (s *server) moves(t *testing.T, before scraped, names ...string) {
	t.Helper()
	for _, name := range names {
		eventually(t, patience, func() string {
			if scrape(t, s.base()).sum(name) > before.sum(name) {
				return ""
			}
			return name + " does not move"
		})
	}
}

// documented are the metrics of this project that docs/operations.md lists.
func documented(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	all := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(inlay_[a-z_]+)` ").FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = true
	}
	require.Greater(t, len(all), 20)
	return all
}

// troubled is a conversation with everything that an operator counts: a run of another version, text for a row that is
// complete, a frame twice, and at the end a gap.
func troubled(p *platform) *play {
	c := &play{
		head: &wire.Head{ConversationID: "troubled", AgentID: "talker", AgentVersion: 1, Status: wire.Running},
		news: make(chan struct{}),
	}
	offset := int64(0)
	add := func(kind wire.FrameType, step int64, body wire.Body) {
		offset += step
		c.frames = append(c.frames, &wire.Frame{Type: kind, Offset: offset, Body: body})
	}
	text := wire.Body{Spine: wire.Spine{NodeID: "n", Activation: "visit"}, ID: "turn", Content: "text ", HasContent: true}
	start := wire.Body{RunID: "run", ConversationID: "troubled", AgentID: "talker", AgentVersion: 1}
	add(wire.RunStart, 1, start)
	add(wire.UserMessage, 1, wire.Body{ID: "u", Content: "Hello", HasContent: true})
	for range 20 {
		add(wire.MessageDelta, 1, text)
	}
	add(wire.MessageEnd, 1, text)
	add(wire.MessageDelta, 1, text) // it is complete
	start.RunID, start.AgentVersion = "another", 2
	add(wire.RunStart, 1, start)
	text.ID = "more"
	add(wire.MessageDelta, 1, text)
	add(wire.MessageDelta, 0, text) // known
	add(wire.MessageDelta, 5, text) // what came between is lost
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plays["troubled"] = c
	return c
}

// Every metric that docs/operations.md lists is exposed, moves when it should, and no other is exposed. No label has an id.
func TestEveryMetricMoves(t *testing.T) {
	t.Parallel()
	p, s := upstream(t, "--write-timeout-seconds", "60")
	left := documented(t)
	moves := func(before scraped, names ...string) {
		t.Helper()
		s.moves(t, before, names...)
		for _, name := range names {
			delete(left, name)
		}
	}
	c := troubled(p)
	c.tell(5)
	before := scrape(t, s.base())
	w := dial(t, s)
	first := w.subscribe(t, timeline("").operation("troubled"))
	first.message(t, 1)
	w.subscribe(t, timeline("").operation("troubled")).message(t, 1)
	paced := s.stream(t, timeline("minIntervalMs: 2000").operation("troubled"))
	paced.message(t, 1)
	moves(before, "inlay_conversations_live", "inlay_conversations_watched", "inlay_upstream_streams", "inlay_connections",
		"inlay_subscribers", "inlay_groups", "inlay_group_members", "inlay_group_executions_total", "inlay_deliveries_total",
		"inlay_operations_total", "inlay_operation_seconds", "inlay_frames_total", "inlay_upstream_request_seconds")
	now := scrape(t, s.base())
	assert.InDelta(t, 1, now[`inlay_connections{transport="websocket"}`], 0)
	assert.InDelta(t, 1, now[`inlay_connections{transport="sse"}`], 0)
	assert.InDelta(t, 3, now[`inlay_subscribers{field="timeline"}`], 0)
	assert.InDelta(t, 3, now.sum("inlay_group_members"), 0)
	assert.GreaterOrEqual(t, now[`inlay_frames_total{type="message.delta"}`], 3.0)
	assert.GreaterOrEqual(t, now[`inlay_deliveries_total{transport="websocket"}`], 2.0)
	assert.GreaterOrEqual(t, now[`inlay_deliveries_total{transport="sse"}`], 1.0)
	assert.GreaterOrEqual(t, now[`inlay_upstream_request_seconds_count{endpoint="head",status="2xx"}`], 1.0)

	before = now
	for range 18 {
		c.tell(1)
		first.message(t, first.count())
	}
	moves(before, "inlay_coalesced_total", "inlay_row_cache_misses_total", "inlay_row_cache_hits_total", "inlay_row_cache_bytes", "inlay_row_cache_rows")
	streams := c.streams()
	c.drop()
	c.awaitStream(t, streams)
	moves(before, "inlay_reconnects_total")
	before = scrape(t, s.base())
	assert.Zero(t, before.sum("inlay_resets_total"), "a cut is no reset")
	c.tell(c.left() - 1)
	moves(before, "inlay_rejected_total", "inlay_other_openers_total", "inlay_duplicates_total")
	assert.InDelta(t, 1, scrape(t, s.base())[`inlay_rejected_total{reason="row_complete"}`], 0)
	c.tell(1)
	moves(before, "inlay_resets_total")
	assert.Positive(t, scrape(t, s.base())[`inlay_resets_total{reason="gap"}`])

	before = scrape(t, s.base())
	r := s.newPost(t, mediaJSON, request{Query: `{ __typename }`})
	r.Header.Set("Origin", "https://evil.example")
	require.Equal(t, http.StatusForbidden, send(t, r).status)
	raw, _, err := dialRaw(t, s, "graphql-transport-ws")
	require.NoError(t, err)
	require.NoError(t, raw.WriteMessage(websocket.TextMessage, []byte("nothing")))
	moves(before, "inlay_requests_refused_total", "inlay_websocket_closes_total")
	s.post(t, mediaJSON, request{Query: `{ nothing }`})
	now = scrape(t, s.base())
	assert.InDelta(t, 1, now[`inlay_requests_refused_total{reason="origin"}`], 0)
	assert.InDelta(t, 1, now[`inlay_websocket_closes_total{code="4400"}`], 0)
	assert.InDelta(t, 1, now[`inlay_operations_total{code="GRAPHQL_VALIDATION_FAILED",kind="refused"}`], 0)

	long := talk(p, "talk", 80)
	long.tell(2)
	before = scrape(t, s.base())
	stalled(t, s, timeline("").operation("talk"))
	for long.left() > 0 {
		long.tell(1)
		time.Sleep(15 * time.Millisecond) // a pace at which every frame is a message
	}
	moves(before, "inlay_queue_bytes", "inlay_queue_messages")

	for series := range scrape(t, s.base()) {
		name, _, _ := strings.Cut(series, "{")
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			if base, is := strings.CutSuffix(name, end); is && documented(t)[base] {
				name = base
			}
		}
		if strings.HasPrefix(name, "inlay_") && !strings.HasPrefix(name, "inlay_bus_") { // those are TestEveryBusMetricMoves's
			assert.True(t, documented(t)[name], "%s is not in docs/operations.md", name)
		}
		for _, id := range []string{"troubled", "talk\"", "talker", "another", "nothing"} {
			assert.NotContains(t, series, id)
		}
	}
	delete(left, "inlay_auth_failures_total") // TestTokensAreCounted
	delete(left, "inlay_draining")            // TestDrainDelay
	delete(left, "inlay_memory_short")        // package conversation has the tests of these two: it takes memory to move them
	delete(left, "inlay_evicted_for_memory_total")
	assert.Empty(t, left)
}

// Tokens that are refused are counted by reason, and metrics need none.
func TestTokensAreCounted(t *testing.T) {
	t.Parallel()
	s := serve(t, "--jwt-secret", jwtSecret)
	s.ask(t, "", whoAsks)
	s.ask(t, "nonsense", whoAsks)
	s.ask(t, token(t, "HS256", []byte("another secret"), nil), whoAsks)
	s.ask(t, token(t, "HS256", []byte(jwtSecret), map[string]any{"exp": 1}), whoAsks)
	s.ask(t, token(t, "HS256", []byte(jwtSecret), nil), whoAsks)
	now := scrape(t, s.base())
	for _, reason := range []string{"missing", "malformed", "signature", "expired"} {
		assert.InDelta(t, 1, now[`inlay_auth_failures_total{reason="`+reason+`"}`], 0, reason)
	}
	assert.InDelta(t, 4, now.sum("inlay_auth_failures_total"), 0)
	assert.InDelta(t, 4, now[`inlay_requests_refused_total{reason="unauthenticated"}`], 0)
	assert.Positive(t, now.sum("go_goroutines"))
	assert.Positive(t, now.sum("process_resident_memory_bytes"))
}

// get reads a path of an address.
func get(t *testing.T, url string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	return send(t, r)
}

// With an admin listener metrics are there and not on the main one, which has health; profiles are there when asked for.
func TestTheAdminListener(t *testing.T) {
	t.Parallel()
	admin := freeAddress(t)
	s := serve(t, "--admin-listen", admin)
	assert.Equal(t, http.StatusNotFound, get(t, s.base()+"/metrics").status)
	assert.Equal(t, http.StatusOK, get(t, s.base()+"/healthz").status)
	assert.Equal(t, http.StatusOK, get(t, s.base()+"/readyz").status)
	assert.Equal(t, http.StatusOK, get(t, "http://"+admin+"/healthz").status)
	assert.Equal(t, http.StatusOK, get(t, "http://"+admin+"/readyz").status)
	assert.Positive(t, scrape(t, "http://"+admin).sum("go_goroutines"))
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+admin+"/debug/pprof/").status)
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+admin+"/graphql").status)

	everywhere := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--admin-listen", freeAddress(t), "--pprof")
	assert.Equal(t, http.StatusNotFound, get(t, everywhere.base()+"/debug/pprof/").status)
	profiled := freeAddress(t)
	start(t, nil, "serve", "--listen", "127.0.0.1:0", "--admin-listen", profiled, "--pprof")
	assert.Equal(t, http.StatusOK, get(t, "http://"+profiled+"/debug/pprof/").status)
}

// Ready is whoever has an upstream that answers, and is not told to stop; the process is up all the while.
func TestReadiness(t *testing.T) {
	t.Parallel()
	status := make(chan int, 1)
	status <- http.StatusUnauthorized // which is an answer
	upstream := answering503(t, status)
	s := serve(t, "--upstream", upstream, "--insecure")
	ready := func(want int, says string) {
		t.Helper()
		eventually(t, patience, func() string {
			if got := get(t, s.base()+"/readyz"); got.status != want || !strings.Contains(got.body, says) {
				return strconv.Itoa(got.status) + got.body
			}
			return ""
		})
		assert.Equal(t, http.StatusOK, get(t, s.base()+"/healthz").status)
	}
	ready(http.StatusOK, `{"ready":true}`)
	<-status
	status <- http.StatusServiceUnavailable
	ready(http.StatusServiceUnavailable, `{"failed":[{"check":"upstream","reason":"upstream reach: unavailable (503)"}],"ready":false}`)
	assert.NotContains(t, get(t, s.base()+"/readyz").body, secretly)
	<-status
	status <- http.StatusOK
	ready(http.StatusOK, `{"ready":true}`)
}

// On SIGTERM the server is not ready first, serves on for the delay, and is gone at once with a second signal.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--drain-delay-seconds", "600", "--drain-seconds", "600")
	m := dial(t, s).subscribe(t, chat(`{ status }`).operation("demo-chat"))
	m.message(t, 1)
	assert.InDelta(t, 0, scrape(t, s.base()).sum("inlay_draining"), 0)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	eventually(t, patience, func() string { return unready(t, s) })
	assert.Contains(t, get(t, s.base()+"/readyz").body, `"check":"draining"`)
	assert.InDelta(t, 1, scrape(t, s.base()).sum("inlay_draining"), 0)
	assert.Equal(t, http.StatusOK, s.post(t, mediaJSON, request{Query: demoChat}).status)
	dial(t, s).subscribe(t, chat(`{ status }`).operation("demo-chat")).message(t, 1)
	_, ended, _ := m.look()
	assert.False(t, ended, "nothing is closed yet")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 1, s.exit(t))
	assert.Contains(t, s.stderr.String(), "a second signal")
}

func unready(t *testing.T, s *server) string {
	if get(t, s.base()+"/readyz").status == http.StatusServiceUnavailable {
		return ""
	}
	return "still ready"
}

// A short delay is waited for, and then the drain is as ever.
func TestDrainAfterTheDelay(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--drain-delay-seconds", "1")
	c := dial(t, s)
	m := s.stream(t, chat(`{ status }`).operation("demo-chat"))
	m.message(t, 1)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, websocket.CloseServiceRestart, c.closeCode(t))
	completed, _ := m.end(t)
	assert.False(t, completed)
	assert.Equal(t, 0, s.exit(t))
}
