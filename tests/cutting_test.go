package tests

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing/iotest"

	"inlaygraph/wire"
)

// cutting is an upstream, as a client's http.RoundTripper, that shows a film and cuts its streams. Time goes by as far as
// it is read.
type cutting struct {
	*film
	cuts       []cut                      // in order; each cuts one stream
	reattaches bool                       // or else a stream that was cut can't be had again, and only the log goes on
	lossy      bool                       // what is cut off may be had from the log alone
	spell      func(f *wire.Frame) string // how a stream spells a frame; nil: as eventText
	begins     string                     // what a stream begins with
	slowly     bool                       // a stream comes byte by byte
	hold       int                        // where it stops to go on until released, after a frame; 0: nowhere
	release    chan struct{}

	mu      sync.Mutex
	told    int
	paused  bool // the head said so since the run paused
	streams int
	broken  int // of which were cut
}

// cut is where a stream ends: after so many bytes of a frame's event.
type cut struct{ offset, bytes int }

// RoundTrip implements http.RoundTripper.
func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := c.answer(r)
	answer.Request = r
	return answer, nil
}

func (c *cutting) answer(r *http.Request) *http.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch path, _ := strings.CutPrefix(r.URL.Path, "/v1/conversations/"+c.id); path {
	case "":
		return reply(http.StatusOK, mediaJSON, bytes.NewReader(c.headLocked().AppendJSON(nil)))
	case "/rows":
		return reply(http.StatusOK, mediaJSON, bytes.NewReader(c.rowsLocked(r).AppendJSON(nil)))
	case "/stream":
		return c.streamLocked(r)
	}
	return reply(http.StatusNotFound, mediaJSON, strings.NewReader("{}"))
}

func reply(status int, kind string, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body),
	}
}

// headLocked is the head now. A run that follows a pause begins once the pause was seen.
func (c *cutting) headLocked() *wire.Head {
	m := c.at(c.told)
	c.told = m.told
	switch {
	case m.head.Status == wire.Running && !c.reattaches && c.broken > 0:
		c.told = min(c.told+3, len(c.frames)) // who looks at the log, looks again and again
	case m.head.Status == wire.Running, c.told == len(c.frames):
	case c.paused:
		c.told, c.paused = c.told+1, false
		return c.headLocked()
	default:
		c.paused = true
	}
	return m.head
}

func (c *cutting) rowsLocked(r *http.Request) *wire.Page {
	page := &wire.Page{}
	number := func(name string) int64 { // 0 where there is none
		n, _ := strconv.ParseInt(r.URL.Query().Get(name), 10, 64)
		return n
	}
	before, after, limit := number("before_seq"), number("after_seq"), int(number("limit"))
	for _, row := range c.at(c.told).rows {
		if row.Seq > after && (before == 0 || row.Seq < before) {
			page.Rows = append(page.Rows, row)
		}
	}
	if after == 0 && len(page.Rows) > limit {
		page.Rows, page.HasEarlier = page.Rows[len(page.Rows)-limit:], true
	}
	return page
}

func (c *cutting) streamLocked(r *http.Request) *http.Response {
	after, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // 0 where there is none
	switch {
	case c.at(c.told).head.Status != wire.Running:
		return reply(http.StatusNoContent, "", http.NoBody)
	case !c.reattaches && c.broken > 0:
		return reply(http.StatusNotFound, mediaJSON, strings.NewReader("{}"))
	}
	c.streams++
	for len(c.cuts) > 0 && c.cuts[0].offset <= after {
		c.cuts = c.cuts[1:]
	}
	var text bytes.Buffer
	text.WriteString(c.begins)
	spell := c.spell
	if spell == nil {
		spell = eventText
	}
	for _, f := range c.frames[after:] {
		event := spell(f)
		tally.told.Add(1)
		if len(c.cuts) > 0 && int(f.Offset) == c.cuts[0].offset {
			kept := c.cuts[0].bytes
			c.cuts = c.cuts[1:]
			c.broken++
			tally.cuts.Add(1)
			text.WriteString(event[:kept])
			if kept > 0 {
				c.told = max(c.told, int(f.Offset))
			}
			var end error = io.ErrUnexpectedEOF // a connection that broke
			if c.streams%2 == 0 {
				end = io.EOF // one that something in between ended
			}
			return reply(http.StatusOK, mediaEvents, io.MultiReader(&text, ending{end}))
		}
		text.WriteString(event)
		if c.hold > 0 && int(f.Offset) == c.hold {
			return reply(http.StatusOK, mediaEvents, io.MultiReader(&text, &heldBack{c: c, after: c.hold}))
		}
		c.told = max(c.told, int(f.Offset))
		if endsARun(f) && int(f.Offset) >= c.told {
			break
		}
	}
	if c.slowly {
		return reply(http.StatusOK, mediaEvents, iotest.OneByteReader(&text))
	}
	return reply(http.StatusOK, mediaEvents, &text)
}

// ending is the end of a stream.
type ending struct{ err error }

func (e ending) Read([]byte) (int, error) { return 0, e.err }

// left tells what is left of the film.
func (c *cutting) left() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told < len(c.frames) {
		return errors.New("frame " + strconv.Itoa(c.told) + " was the last that was told")
	}
	return nil
}

// heldBack is what a stream says once it is released.
type heldBack struct {
	c     *cutting
	after int
	rest  io.Reader
}

func (h *heldBack) Read(p []byte) (int, error) {
	if h.rest == nil {
		<-h.c.release
		h.c.mu.Lock()
		var text bytes.Buffer
		for _, f := range h.c.frames[h.after:] {
			text.WriteString(eventText(f))
			h.c.told = max(h.c.told, int(f.Offset))
			if endsARun(f) {
				break
			}
		}
		h.c.hold = 0
		h.c.mu.Unlock()
		h.rest = &text
	}
	return h.rest.Read(p)
}
