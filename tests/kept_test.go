package tests

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"inlaygraph/wire"
)

// The agent of every conversation that a tenancy keeps.
const (
	keptAgent   = "helper"
	keptVersion = 3
)

// kept is one conversation of a tenancy: its frames, from the first, and the log that they make.
type kept struct {
	*tenancy
	place
	users []string // of the tenant, who may see it
	gone  bool     // nobody may any more; said before anybody asks

	mu      sync.Mutex
	frames  []*wire.Frame
	rows    []*wire.Row
	status  wire.Status
	failed  bool
	turn    string        // the text of the assistant's turn that is open
	opened  int64         // the offset of its first frame; 0: none is open
	news    chan struct{} // closed, and made anew, when frames were added
	streams int           // opened so far
	reading int           // open now
}

// say adds frames of the types that a helper needs: what is lasting goes to the log.
func (c *kept) say(frames ...wire.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tally.told.Add(int64(len(frames)))
	for _, f := range frames {
		c.addLocked(f)
	}
	close(c.news)
	c.news = make(chan struct{})
}

func (c *kept) addLocked(f wire.Frame) {
	f.Offset = int64(len(c.frames)) + 1
	f.At = momentOf(f.Offset)
	switch f.Type {
	case wire.RunStart:
		f.ConversationID, f.AgentID, f.AgentVersion = c.id, keptAgent, keptVersion
		f.RunID = fmt.Sprintf("%s of %s, run %d", c.id, c.tenant, f.Offset)
		c.status, c.failed = wire.Running, false
	case wire.UserMessage:
		c.logLocked(wire.RowUser, &f)
	case wire.NodeStart:
		c.logLocked(wire.RowNodeStart, &f)
	case wire.MessageDelta:
		if c.opened == 0 {
			c.opened = f.Offset
		}
		f.ID = c.mint(c.opened)
		c.turn += f.Content
	case wire.MessageEnd:
		f.ID, f.Content, f.HasContent = c.mint(c.opened), c.turn, true
		c.logLocked(wire.RowAssistant, &f)
		c.rows[len(c.rows)-1].At = momentOf(c.opened)
		c.turn, c.opened = "", 0
	case wire.ToolCall:
		c.logLocked(wire.RowToolCall, &f)
	case wire.ToolResult:
		c.logLocked(wire.RowToolResult, &f)
	case wire.NodeEnd:
		c.logLocked(wire.RowNodeEnd, &f)
	case wire.RunPause, wire.RunEnd:
		c.status, c.failed = f.Status, f.Retryable
	}
	c.frames = append(c.frames, &f)
}

// momentOf is when the frame of an offset happened.
func momentOf(offset int64) time.Time {
	return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(offset) * time.Millisecond)
}

func (c *kept) logLocked(kind wire.RowType, f *wire.Frame) {
	if f.ID == "" {
		f.ID = c.mint(f.Offset)
	}
	f.Seq = int64(len(c.rows)) + 1
	c.rows = append(c.rows, &wire.Row{Type: kind, Body: f.Body})
}

// mint makes the id of a row that begins with the frame of an offset. It names its place, which nobody else may read.
func (c *kept) mint(offset int64) string {
	return fmt.Sprintf("%s of %s, row %d", c.id, c.tenant, offset)
}

// Parts of what a helper says.
var (
	helper   = wire.Spine{NodeID: "helper", Activation: "visit"}
	starting = []wire.Frame{
		{Type: wire.RunStart}, {Type: wire.UserMessage, Body: wire.Body{Content: "Hello", HasContent: true}}, {Type: wire.NodeStart, Body: wire.Body{Spine: helper, Kind: "ensemble"}},
	}
	stopping = []wire.Frame{{Type: wire.NodeEnd, Body: wire.Body{Spine: helper, Status: wire.Completed}}, pausing(wire.Paused)}
)

func saying(text string) wire.Frame {
	return wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: helper, Content: text, HasContent: true}}
}

// banked ends what was said before it.
var banked = wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: helper}}

func calling(id string) wire.Frame {
	return wire.Frame{Type: wire.ToolCall, Body: wire.Body{Spine: helper, ToolCallID: id, ToolName: "ask", Input: "{}", RequiresClientResponse: true}}
}

func pausing(status wire.Status) wire.Frame {
	return wire.Frame{Type: wire.RunPause, Body: wire.Body{Status: status}}
}

// begin tells a run up to where a conversation stands in one of the ways that a test wants. What it says is its own.
func (c *kept) begin(standing wire.Status) *kept {
	c.say(starting...)
	c.say(saying("canary of "+c.id+" of "+c.tenant), banked)
	switch standing {
	case wire.Paused:
		c.say(stopping...)
	case wire.AwaitingClientTool:
		c.say(calling("call1"), pausing(wire.AwaitingClientTool))
	case wire.Failed:
		c.say(wire.Frame{Type: wire.RunEnd, Body: wire.Body{Status: wire.Failed, Retryable: true, Error: &wire.PublicError{Kind: wire.ErrorLLM, Message: "It failed."}}})
	case wire.Completed:
		c.say(wire.Frame{Type: wire.RunEnd, Body: wire.Body{Status: wire.Completed}})
	}
	return c
}

func (c *kept) head() *wire.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := &wire.Head{
		ConversationID: c.id, AgentID: keptAgent, AgentVersion: keptVersion, Status: c.status, Title: "title of " + c.id + " of " + c.tenant,
		HasLastOffset: true, LastOffset: int64(len(c.frames)), Retryable: c.failed, HasRetryable: true,
	}
	if c.opened > 0 {
		h.LastOffset = c.opened - 1
	}
	if c.status == wire.Failed {
		h.Error = &wire.PublicError{Kind: wire.ErrorLLM, Message: "It failed."}
	}
	return h
}

func (c *kept) serveHead(w http.ResponseWriter, _ *http.Request, _ user) {
	w.Write(c.head().AppendJSON(nil))
}

func (c *kept) serveRows(w http.ResponseWriter, r *http.Request, _ user) {
	number := func(name string, absent int64) int64 {
		if n, err := strconv.ParseInt(r.FormValue(name), 10, 64); err == nil {
			return n
		}
		return absent
	}
	c.mu.Lock()
	rows := slices.Clone(c.rows)
	c.mu.Unlock()
	before, after, limit := number("before_seq", int64(len(rows))+1), number("after_seq", -1), int(number("limit", 500))
	rows = slices.DeleteFunc(rows, func(row *wire.Row) bool { return row.Seq >= before || row.Seq <= after })
	switch {
	case after >= 0:
		rows = rows[:min(limit, len(rows))]
	default:
		rows = rows[max(0, len(rows)-limit):]
	}
	w.Write((&wire.Page{Rows: rows, HasEarlier: len(rows) > 0 && rows[0].Seq > 1}).AppendJSON(nil))
}

func (c *kept) serveBacklinks(w http.ResponseWriter, _ *http.Request, _ user) {
	fmt.Fprintf(w, `{"backlinks":["canary of %s of %s"]}`, c.id, c.tenant)
}

func (c *kept) serveCancel(w http.ResponseWriter, _ *http.Request, _ user) {
	c.say(wire.Frame{Type: wire.RunEnd, Body: wire.Body{Status: wire.Cancelled}})
	w.WriteHeader(http.StatusAccepted)
}

func (c *kept) serveRetry(w http.ResponseWriter, r *http.Request, _ user) { c.serveRun(w, r, nil) }

// serveAttach streams the frames after Last-Event-ID while a run is in flight.
func (c *kept) serveAttach(w http.ResponseWriter, r *http.Request, _ user) {
	after := 0
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		var err error
		if after, err = strconv.Atoi(id); err != nil {
			refuse(w, http.StatusBadRequest)
			return
		}
	}
	c.mu.Lock()
	running, until := c.status == wire.Running, len(c.frames)
	c.mu.Unlock()
	if !running {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	c.stream(w, r, after, until)
}

// serveRun begins a run, with what it was given, and answers its stream.
func (c *kept) serveRun(w http.ResponseWriter, r *http.Request, messages []wire.Message) {
	c.tenancy.mu.Lock()
	unhurried, held := c.unhurried, c.held
	c.tenancy.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	c.mu.Lock()
	before, busy := len(c.frames), c.status == wire.Running
	c.mu.Unlock()
	if busy {
		refuse(w, http.StatusConflict)
		return
	}
	frames := []wire.Frame{{Type: wire.RunStart}}
	for _, m := range messages {
		if m.Role == wire.Tool {
			frames = append(frames, wire.Frame{Type: wire.ToolResult, Body: wire.Body{Spine: helper, ToolCallID: m.ToolCallID, Output: m.Content}})
		} else {
			frames = append(frames, wire.Frame{Type: wire.UserMessage, Body: wire.Body{Content: m.Content, HasContent: true}})
		}
	}
	c.say(frames...)
	if !unhurried {
		c.say(saying("canary of "+c.id+" of "+c.tenant), banked, pausing(wire.Paused))
	}
	c.stream(w, r, before, before)
}

// stream sends the frames after a place until one beyond another ends a run.
func (c *kept) stream(w http.ResponseWriter, r *http.Request, after, until int) {
	c.mu.Lock()
	c.streams++
	c.reading++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reading--
	}()
	w.Header().Set("Content-Type", mediaEvents)
	flush := http.NewResponseController(w).Flush
	for {
		c.mu.Lock()
		frames, news := c.frames[after:len(c.frames):len(c.frames)], c.news
		c.mu.Unlock()
		for _, f := range frames {
			after++
			io.WriteString(w, eventText(f))
			if (f.Type == wire.RunPause || f.Type == wire.RunEnd) && after > until {
				return
			}
		}
		if flush() != nil {
			return
		}
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
}

// eventText is a frame as a stream spells it.
func eventText(f *wire.Frame) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", f.Offset, f.Type, f.AppendJSON(nil))
}

// open tells how many streams are read at the moment, and how many were opened so far.
func (c *kept) attached() (reading, opened int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reading, c.streams
}
