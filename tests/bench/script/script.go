// Package script is an agent platform that plays stories (docs/wire.md): the upstream of the real server while it is
// measured.
//
// Promises:
//  1. A conversation with open turns is running: its rows are in the log, its turns in the stream.
//  2. A frame is with every stream that is attached when the call that makes it returns, or soon after; it is sent in one
//     write with all frames of its tick.
//  3. A stream that is attached again gets what comes after the offset that it names.
package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"

	"inlaygraph/tests/bench/story"
)

// Platform serves stories.
type Platform struct {
	http *http.Server
	addr string

	stories map[string]*played
	closed  chan struct{}
}

// played is a story and its frames up to now.
type played struct {
	story *story.Story

	mu     sync.Mutex
	frames [][]byte // by offset, from 1; an SSE event each
	more   chan struct{}
}

// Serve plays stories until Close.
func Serve(stories ...*story.Story) (*Platform, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Platform{addr: l.Addr().String(), stories: map[string]*played{}, closed: make(chan struct{})}
	for _, s := range stories {
		p.stories[s.ID] = begin(s)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/conversations/{id}", p.with(head))
	mux.HandleFunc("GET /v1/conversations/{id}/rows", p.with(rows))
	mux.HandleFunc("GET /v1/conversations/{id}/stream", p.with(p.stream))
	p.http = &http.Server{Handler: mux}
	go func() { _ = p.http.Serve(l) }()
	return p, nil
}

// URL is the platform's base.
func (p *Platform) URL() string { return "http://" + p.addr }

// Close ends every stream.
func (p *Platform) Close() error {
	close(p.closed)
	return p.http.Close()
}

// Say has the open turns of a story say a text each, in their order; "" is nothing.
func (p *Platform) Say(id string, texts ...string) error {
	played := p.stories[id]
	if played == nil {
		return fmt.Errorf("no story %q is played", id)
	}
	played.mu.Lock()
	defer played.mu.Unlock()
	for i, text := range texts {
		if text != "" {
			open := &played.story.Open[i]
			played.add("message.delta", map[string]any{"id": open.ID, "content": text}, open)
		}
	}
	played.tell()
	return nil
}

// begin tells what opened the turns.
func begin(s *story.Story) *played {
	p := &played{story: s, more: make(chan struct{})}
	if len(s.Open) == 0 {
		return p
	}
	p.add("run.start", map[string]any{"run_id": "run-1", "conversation_id": s.ID, "agent_id": "bench", "agent_version": 1}, nil)
	for i := range s.Open {
		open := &s.Open[i]
		p.add("node.start", map[string]any{"kind": "llm"}, open)
		p.add("message.delta", map[string]any{"id": open.ID, "content": open.Content}, open)
	}
	return p
}

func (p *played) add(kind string, members map[string]any, of *story.Row) {
	members["type"], members["offset"] = kind, len(p.frames)+1
	if of != nil {
		members["node_id"], members["activation"], members["at"] = of.NodeID, of.Activation, of.At
	}
	data, _ := json.Marshal(members) // strings and numbers have a JSON form
	p.frames = append(p.frames, fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", len(p.frames)+1, kind, data))
}

func (p *played) tell() {
	close(p.more)
	p.more = make(chan struct{})
}

// after are the frames after an offset, joined, and what is closed when there are more.
func (p *played) after(offset int) (text []byte, last int, more <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, frame := range p.frames[min(offset, len(p.frames)):] {
		text = append(text, frame...)
	}
	return text, len(p.frames), p.more
}

func (p *Platform) with(handle func(http.ResponseWriter, *http.Request, *played)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if played := p.stories[r.PathValue("id")]; played != nil {
			handle(w, r, played)
			return
		}
		http.Error(w, `{"error":{"code":"not_found","message":"no such conversation"}}`, http.StatusNotFound)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func head(w http.ResponseWriter, _ *http.Request, p *played) {
	status := "running"
	if len(p.story.Open) == 0 {
		status = "completed"
	}
	answer(w, map[string]any{
		"type": "conversation", "conversation_id": p.story.ID, "agent_id": "bench", "agent_version": 1, "status": status,
		"has_earlier": false, "last_offset": 1, "created_at": "2026-01-31T08:00:00Z", "updated_at": "2026-01-31T08:00:00Z",
	})
}

func rows(w http.ResponseWriter, r *http.Request, p *played) {
	page := []map[string]any{}
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 200
	}
	before, err := strconv.Atoi(r.URL.Query().Get("before_seq"))
	if err != nil {
		before = len(p.story.Rows) + 1
	}
	after, _ := strconv.Atoi(r.URL.Query().Get("after_seq")) // 0 without one
	kept := p.story.Rows[min(after, len(p.story.Rows)):min(before-1, len(p.story.Rows))]
	if n := len(kept); n > limit {
		kept = kept[n-limit:]
	}
	for i := range kept {
		page = append(page, persisted(&kept[i]))
	}
	answer(w, map[string]any{"rows": page, "has_earlier": len(kept) > 0 && *kept[0].Seq > 1})
}

func persisted(r *story.Row) map[string]any {
	m := map[string]any{"type": r.Type, "id": r.ID, "seq": r.Seq, "node_id": r.NodeID, "activation": r.Activation, "at": r.At}
	switch r.Type {
	case "tool-call":
		m["tool_call_id"], m["tool_name"], m["input"], m["requires_client_response"] = r.ToolCallID, r.ToolName, r.Input, false
	case "tool-result":
		m["tool_call_id"], m["output"] = r.ToolCallID, r.Output
	default:
		m["content"] = r.Content
	}
	return m
}

func (p *Platform) stream(w http.ResponseWriter, r *http.Request, played *played) {
	if len(played.story.Open) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	offset, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if err != nil && r.Header.Get("Last-Event-ID") != "" {
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	for {
		text, last, more := played.after(offset)
		offset = last
		_, err := w.Write(text)
		if err := errors.Join(err, flush.Flush()); err != nil {
			return
		}
		select {
		case <-more:
		case <-p.closed:
			return
		case <-r.Context().Done():
			return
		}
	}
}
