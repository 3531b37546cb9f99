package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// viewer follows the rows of one conversation by operations, at one server, and at the next when that ends.
type viewer struct {
	fleet        *fleet
	conversation string
	at           int // the server
	every        int // milliseconds between two messages, at least

	mu       sync.Mutex
	messages []message
	cursor   string
	joins    int
}

// message is what came, in the order in which it did.
type message struct {
	text    string
	at      time.Time
	server  int
	resumes bool // the first of a connection that went on at a cursor
}

func (v *viewer) follow(ctx context.Context) {
	for ctx.Err() == nil {
		v.connect(ctx)
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
		v.mu.Lock()
		v.at = (v.at + 1) % 3
		v.mu.Unlock()
	}
}

// connect follows until the connection ends.
func (v *viewer) connect(ctx context.Context) {
	v.mu.Lock()
	cursor, server := v.cursor, v.at
	v.mu.Unlock()
	after := ""
	if cursor != "" {
		after = fmt.Sprintf(" after: %q", cursor)
	}
	body, err := json.Marshal(map[string]string{"query": fmt.Sprintf(`subscription { rowChanges(conversationId: %q minIntervalMs: %d%s) {
		cursor ops { __typename ... on RowsReset { rows %[4]s } ... on RowInserted { index row %[4]s } ... on RowReplaced { index row %[4]s }
			... on RowTextAppended { index field offset text } ... on RowRemoved { index } } } }`, v.conversation, v.every, after, rowFields)})
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.fleet.url(server), bytes.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	silent := time.AfterFunc(60*time.Second, cancel) // a frozen server says nothing, not even that it is there
	defer silent.Stop()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return
	}
	defer res.Body.Close()
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	first := true
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		silent.Reset(60 * time.Second)
		text, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data:")
		if !is || strings.TrimSpace(text) == "" {
			continue
		}
		var m struct {
			Data   struct{ RowChanges json.RawMessage }
			Errors json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil || m.Errors != nil || m.Data.RowChanges == nil {
			return // it ends here; go on elsewhere
		}
		var c struct{ Cursor string }
		if err := json.Unmarshal(m.Data.RowChanges, &c); err != nil {
			return
		}
		v.mu.Lock()
		if first {
			v.joins++
		}
		v.messages = append(v.messages, message{string(m.Data.RowChanges), time.Now(), server, first && cursor != ""})
		v.cursor = c.Cursor
		v.mu.Unlock()
		first = false
	}
}

func (v *viewer) heard() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.messages) == 0 {
		return time.Now()
	}
	return v.messages[len(v.messages)-1].at
}

// longest is the longest time without a message, of a viewer that heard something before and was not at one server.
func (v *viewer) longest(from, to time.Time, not int) (longest time.Duration, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	last := time.Time{}
	for _, m := range v.messages {
		if m.at.Before(from) {
			last, ok = m.at, m.server != not
			continue
		}
		if m.at.After(to) {
			break
		}
		longest = max(longest, m.at.Sub(last))
		last = m.at
	}
	return max(longest, to.Sub(last)), ok
}
