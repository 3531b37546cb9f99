package tests

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// platform is an upstream (docs/wire.md, "Endpoints") that plays its recordings frame by frame, when the test says so.
// Its heads have no last_offset, so that a run is folded from its stream: what a subscriber sees can be foretold.
type platform struct {
	http *httptest.Server

	mu      sync.Mutex
	plays   map[string]*play
	refused map[string]int // with which status, by conversation
}

// play is one conversation of a platform.
type play struct {
	head   *wire.Head
	frames []*wire.Frame

	mu     sync.Mutex
	told   int           // frames published
	served int           // streams opened so far
	news   chan struct{} // closed, and made anew, when told grows or streams are to be cut
	cut    int           // streams up to this number are cut
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := &platform{plays: map[string]*play{}, refused: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/conversations/{id}", p.with(func(w http.ResponseWriter, _ *http.Request, c *play) {
		w.Write(c.standing().AppendJSON(nil))
	}))
	mux.HandleFunc("GET /v1/conversations/{id}/rows", p.with(func(w http.ResponseWriter, _ *http.Request, _ *play) {
		io.WriteString(w, `{"rows":[],"has_earlier":false}`)
	}))
	mux.HandleFunc("GET /v1/conversations/{id}/stream", p.with(serveFrames))
	p.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.http.CloseClientConnections()
		p.http.Close()
	})
	return p
}

func (p *platform) with(serve func(http.ResponseWriter, *http.Request, *play)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		c, refused := p.plays[r.PathValue("id")], p.refused[r.PathValue("id")]
		p.mu.Unlock()
		if c == nil && refused == 0 {
			refused = http.StatusNotFound
		}
		if refused != 0 {
			http.Error(w, `{"error":{"code":"refused","message":"said by upstream alone"}}`, refused)
			return
		}
		serve(w, r, c)
	}
}

// refuse answers everything about a conversation with a status.
func (p *platform) refuse(conversationID string, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[conversationID] = status
}

// serveFrames streams the frames after Last-Event-ID until the run in flight has ended.
func serveFrames(w http.ResponseWriter, r *http.Request, c *play) {
	last := 0
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.Atoi(id)
		if err != nil {
			http.Error(w, `{"error":{"code":"bad_request","message":"Last-Event-ID"}}`, http.StatusBadRequest)
			return
		}
		last = n
	}
	if c.standing().Status != wire.Running {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", mediaEvents)
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return
	}
	c.mu.Lock()
	c.served++
	number := c.served
	c.mu.Unlock()
	for {
		c.mu.Lock()
		frames, news, cut := c.frames[last:c.told], c.news, c.cut >= number
		over := c.standingLocked().Status != wire.Running // by these frames: what is told meanwhile is not lost
		c.mu.Unlock()
		if cut {
			tally.cuts.Add(1)
			panic(http.ErrAbortHandler)
		}
		for _, f := range frames {
			fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", f.Offset, f.Type, f.AppendJSON(nil))
			last++
		}
		if len(frames) > 0 && flush() != nil {
			return
		}
		if over {
			return
		}
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
}

// standing is the head as it is now.
func (c *play) standing() *wire.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.standingLocked()
}

func (c *play) standingLocked() *wire.Head {
	head := *c.head
	if c.told > 0 {
		switch f := c.frames[c.told-1]; f.Type {
		case wire.RunPause, wire.RunEnd:
			head.Status = f.Status
		}
	}
	return &head
}

// tell publishes frames, and answers how many there are now.
func (c *play) tell(frames int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	tally.told.Add(int64(min(frames, len(c.frames)-c.told)))
	c.told = min(c.told+frames, len(c.frames))
	c.wake()
	return c.told
}

// left is how many frames are to be published yet.
func (c *play) left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.frames) - c.told
}

// streams is how many streams were opened so far.
func (c *play) streams() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.served
}

// awaitStream waits until more streams were opened than the number given. A run that is over before anybody attached
// would be read from the log, and this platform keeps none.
func (c *play) awaitStream(t *testing.T, more int) {
	t.Helper()
	eventually(t, patience, func() string {
		if c.streams() > more {
			return ""
		}
		return "nobody reads the stream"
	})
}

// drop cuts the streams that are open.
func (c *play) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = c.served
	c.wake()
}

func (c *play) wake() {
	close(c.news)
	c.news = make(chan struct{})
}

// records are what a reader of the first n frames is told: the head, then the frames.
func (c *play) records(n int) []wire.Record {
	records := []wire.Record{c.head}
	for _, f := range c.frames[:n] {
		records = append(records, f)
	}
	return records
}

// add takes a recording of testdata on, under another conversation id unless that is "".
func (p *platform) add(t *testing.T, name, conversationID string) *play {
	t.Helper()
	c := &play{news: make(chan struct{})}
	for _, f := range readFrames(t, name) {
		if f.Type == wire.RunStart {
			if conversationID == "" {
				conversationID = f.ConversationID
			}
			f.ConversationID = conversationID
			if c.head == nil {
				c.head = &wire.Head{ConversationID: conversationID, AgentID: f.AgentID, AgentVersion: f.AgentVersion, Status: wire.Running}
			}
		}
		c.frames = append(c.frames, f)
		require.EqualValues(t, len(c.frames), f.Offset, "the offsets of %s", name)
	}
	require.NotNil(t, c.head, "%s has no run.start", name)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plays[conversationID] = c
	return c
}

// readFrames reads a recording of testdata that holds frames alone.
func readFrames(t *testing.T, name string) []*wire.Frame {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer file.Close()
	var frames []*wire.Frame
	reader := wire.NewReader(file, 0)
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return frames
		}
		require.NoError(t, err)
		require.Nil(t, line.Rejected, "%s, line %d", name, line.Number)
		require.IsType(t, &wire.Frame{}, line.Record, "%s, line %d", name, line.Number)
		frames = append(frames, line.Record.(*wire.Frame))
	}
}

// history is every value that the field of a subscription has while the head and the first n frames are folded, as
// `query --recording` tells it.
func (c *play) history(t *testing.T, n int, field, operation string) []string {
	t.Helper()
	var recording strings.Builder
	for _, record := range c.records(n) {
		switch r := record.(type) {
		case *wire.Head:
			recording.Write(r.AppendJSON(nil))
		case *wire.Frame:
			recording.Write(r.AppendJSON(nil))
		}
		recording.WriteByte('\n')
	}
	path := t.TempDir() + "/recording.ndjson"
	require.NoError(t, os.WriteFile(path, []byte(recording.String()), 0o600))
	r := run(t, nil, "query", "--recording", path, operation)
	require.Equal(t, 0, r.code, "%s%s", r.stdout, r.stderr)
	var all []string
	for line := range strings.Lines(r.stdout) {
		all = append(all, string(valueOf(t, field, []byte(line))))
	}
	return all
}
