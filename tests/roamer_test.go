package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// roamer is a client as a page has one: it follows rowChanges, keeps its rows and its cursor, and whenever its connection
// ends it comes back, by itself, until it is told to stop.
type roamer struct {
	url       string
	operation following
	id        string
	socket    bool // or else server-sent events

	mu     sync.Mutex
	rows   rowList
	cursor string
	visits []Observation // each connection's messages, from the rows that it began with
	failed error         // an operation that can't be replayed, or an error that a message tells
}

// roam starts a roamer, which ends with the test.
func roam(t *testing.T, r *roamer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			if r.socket {
				r.visit(ctx, r.overSocket)
			} else {
				r.visit(ctx, r.overEvents)
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
}

// visit is one connection, if it comes to one.
func (r *roamer) visit(ctx context.Context, connect func(context.Context, request, func(json.RawMessage))) {
	f := r.operation
	r.mu.Lock()
	kept := ""
	if r.cursor != "" {
		f, kept = f.after(r.cursor), r.rows.String()
	}
	r.mu.Unlock()
	first := true
	connect(ctx, request{Query: f.operation(r.id)}, func(payload json.RawMessage) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if first {
			tally.connections.Add(1)
			r.visits = append(r.visits, Observation{Kept: kept})
			first = false
		}
		tally.messages.Add(1)
		r.take(payload)
	})
}

func (r *roamer) take(payload json.RawMessage) {
	var m struct {
		Data   struct{ RowChanges json.RawMessage }
		Errors []json.RawMessage
	}
	if err := json.Unmarshal(payload, &m); err != nil || m.Errors != nil {
		r.failed = fmt.Errorf("%s", payload)
		return
	}
	var at struct{ Cursor string }
	change := string(m.Data.RowChanges)
	if _, err := r.rows.apply(change); err != nil {
		r.failed = err
		return
	}
	if json.Unmarshal([]byte(change), &at) == nil {
		r.cursor = at.Cursor
	}
	o := &r.visits[len(r.visits)-1]
	o.Changes = append(o.Changes, change)
	o.Values = append(o.Values, r.rows.String())
}

func (r *roamer) overSocket(ctx context.Context, what request, next func(json.RawMessage)) {
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, HandshakeTimeout: patience}
	conn, _, err := dialer.DialContext(ctx, strings.Replace(r.url, "http", "ws", 1), nil)
	if err != nil {
		return
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if conn.WriteJSON(map[string]any{"type": "connection_init"}) != nil {
		return
	}
	for {
		var m envelope
		if conn.ReadJSON(&m) != nil {
			return
		}
		switch m.Type {
		case "connection_ack":
			if conn.WriteJSON(map[string]any{"type": "subscribe", "id": "1", "payload": what}) != nil {
				return
			}
		case "next":
			next(m.Payload)
		default:
			return
		}
	}
}

func (r *roamer) overEvents(ctx context.Context, what request, next func(json.RawMessage)) {
	body, err := json.Marshal(what)
	if err != nil {
		return
	}
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return
	}
	ask.Header.Set("Content-Type", mediaJSON)
	ask.Header.Set("Accept", mediaEvents)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(ask)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return
	}
	eachEvent(res, func(event, data string) {
		if event == "next" {
			next(json.RawMessage(data))
		}
	})
}

// has is what a roamer has now, and how often it connected.
func (r *roamer) has() (rows string, visits []Observation, failed error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rows.String(), r.visits[:len(r.visits):len(r.visits)], r.failed
}
