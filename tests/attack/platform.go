package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"inlaygraph/wire"
)

// platform is an upstream (docs/wire.md, "Endpoints") of which every conversation that is asked for exists.
type platform struct {
	http *http.Server
	addr string
	said atomic.Int64 // frames written
	over atomic.Bool  // the stream has ended

	// stream writes the frames of the run that every conversation is in, up to its stop; nil: there is none.
	stream func(say func(wire.Frame) error) error
	// rows are those of the log of a conversation without a run.
	rows []*wire.Row
}

func newPlatform() *platform { return &platform{} }

// serve begins to answer.
func (p *platform) serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.addr = l.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/conversations/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(p.head(r.PathValue("id")).AppendJSON(nil))
	})
	mux.HandleFunc("GET /v1/conversations/{id}/rows", func(w http.ResponseWriter, _ *http.Request) {
		page := []byte(`{"rows":[`)
		for i, row := range p.rows {
			if i > 0 {
				page = append(page, ',')
			}
			page = row.AppendJSON(page)
		}
		_, _ = w.Write(append(page, `],"has_earlier":false}`...))
	})
	mux.HandleFunc("GET /v1/conversations/{id}/stream", p.play)
	p.http = &http.Server{Handler: mux}
	go func() { _ = p.http.Serve(l) }() // until it is closed
	return nil
}

func (p *platform) close() { _ = p.http.Close() }

func (p *platform) head(id string) *wire.Head {
	h := &wire.Head{ConversationID: id, AgentID: "agent", AgentVersion: 1, Status: wire.Paused, UpdatedAt: time.Unix(1, 0).UTC()}
	if p.stream != nil && !p.over.Load() {
		h.Status = wire.Running // without a last offset: the run is folded from its stream's start
	}
	return h
}

// play streams the run.
func (p *platform) play(w http.ResponseWriter, r *http.Request) {
	if p.stream == nil || p.over.Load() {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := bufio.NewWriterSize(w, 64<<10)
	offset, event, data := int64(0), []byte(nil), []byte(nil)
	say := func(f wire.Frame) error {
		offset++
		f.Offset = offset
		data = f.AppendJSON(data[:0])
		event = fmt.Appendf(event[:0], "id: %d\nevent: %s\ndata: %s\n\n", offset, f.Type, data)
		p.said.Add(1)
		_, err := out.Write(event)
		return err
	}
	start := wire.Body{RunID: "r", ConversationID: r.PathValue("id"), AgentID: "agent", AgentVersion: 1}
	err := say(wire.Frame{Type: wire.RunStart, Body: start})
	if err == nil {
		err = p.stream(say)
	}
	if err != nil {
		return // whoever listened left
	}
	p.over.Store(true)
	if say(wire.Frame{Type: wire.RunPause, Body: wire.Body{Status: wire.Paused}}) == nil {
		_ = out.Flush() // whoever listened may have left
	}
}
