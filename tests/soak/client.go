package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// patience is how long the answer to a ping may take. Most of it is the machine's, which has this crowd to run too.
const patience = 30 * time.Second

// headerTimeout is how long the server waits for the header of a request (docs/service.md, "Limits"); then it hangs up.
const headerTimeout = 10 * time.Second

// client is one page: a WebSocket with some subscriptions, or an event stream with one. It comes back whenever its
// connection ends.
type client struct {
	*crowd
	who    *user
	socket bool
	narrow bool // the kernel takes little for it, so that it can stall
	subs   []*subscriber
	dice   *rand.Rand
}

// visit is one connection.
type visit struct {
	*client
	end      context.CancelFunc
	stallAt  time.Time     // when it stops reading
	stall    time.Duration // for how long
	stalled  bool
	ours     atomic.Bool // it was this client that ended it
	polite   atomic.Bool // and with a goodbye
	answered atomic.Bool // the server has answered the request
	pinged   time.Time   // when it asked for a pong that has not come; zero: it did not
}

// run visits the server until ctx ends.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		c.visit(ctx)
		pause := time.Duration(c.dice.IntN(2000)) * time.Millisecond
		if c.isQuiet() {
			pause = 50 * time.Millisecond
		}
		sleep(ctx, pause)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// visit connects, and reads until the connection is over.
func (c *client) visit(ctx context.Context) {
	id := c.conversation(c.who)
	if id == "" {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := &visit{client: c, end: cancel}
	mean := min(25*time.Second, c.lasts/5)
	life := mean/10 + time.Duration(c.dice.ExpFloat64()*float64(mean))
	switch n := c.dice.IntN(4); {
	case n < 2 && c.narrow:
		v.stallAt, v.stall = time.Now().Add(life), time.Duration(1+c.dice.IntN(10))*time.Second
	case n == 2:
		go v.leave(ctx, life, true, &c.r.leaves)
	default:
		go v.leave(ctx, life, false, &c.r.drops)
	}
	requests := make([]map[string]any, len(c.subs))
	for i, s := range c.subs {
		of := s.id
		if of == "" {
			of = id
		}
		before := ""
		if c.dice.IntN(5) == 0 && s.field != "rowChanges" {
			before = c.ask(ctx, c.who, s.kind, of)
		}
		requests[i] = s.begin(of, before)
	}
	var err error
	began := time.Now()
	if c.socket {
		err = v.overSocket(ctx, requests)
	} else {
		err = v.overEvents(ctx, requests[0])
	}
	for _, s := range c.subs {
		s.stop()
	}
	if err != nil && !v.answered.Load() && time.Since(began) > headerTimeout-time.Second {
		c.r.late.Add(1) // on a busy machine: the server waits no longer for the header of a request
		return
	}
	if err != nil && ctx.Err() == nil && !v.ours.Load() && !v.stalled && !v.narrow { // who takes little at a time may be found too slow
		c.faults.add("%s of %s ended: %w", map[bool]string{true: "a WebSocket", false: "an event stream"}[c.socket], c.who.canary(), err)
	}
}

// leave ends the connection after a while, politely or not. While it is quiet nobody leaves.
func (v *visit) leave(ctx context.Context, after time.Duration, politely bool, count *atomic.Int64) {
	for sleep(ctx, after); v.isQuiet() && ctx.Err() == nil; {
		sleep(ctx, 100*time.Millisecond)
	}
	if ctx.Err() != nil {
		return
	}
	count.Add(1)
	v.ours.Store(true)
	if politely {
		v.polite.Store(true)
	}
	v.end()
}

// hold stops reading for a while, when it is time.
func (v *visit) hold(ctx context.Context) {
	if v.stall > 0 && !v.stalled && time.Now().After(v.stallAt) && !v.isQuiet() {
		v.stalled = true
		v.r.stalls.Add(1)
		sleep(ctx, v.stall)
	}
}

// dial connects; what ctx ends is dropped without a goodbye.
func (v *visit) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	if v.narrow {
		err = tcp.SetReadBuffer(16 << 10)
	}
	if err == nil {
		err = tcp.SetLinger(0)
	}
	v.r.connections.Add(1)
	return conn, err
}

// next takes a response to a subscriber; not ok: there will be no more.
func (v *visit) next(s *subscriber, payload json.RawMessage) (ok bool) {
	var a answer
	var data map[string]json.RawMessage
	if err := json.Unmarshal(payload, &a); err != nil {
		v.faults.add("no response: %w: %s", err, payload)
		return false
	}
	if code := a.code(); code != "" {
		if code != "UPSTREAM_UNAVAILABLE" && code != "RATE_LIMITED" { // which upstream's faults explain
			v.faults.add("%s: %s", s.field, payload)
		}
		v.r.turnedAway.Add(1)
		return false
	}
	if err := json.Unmarshal(a.Data, &data); err != nil || data[s.field] == nil {
		v.faults.add("no value: %s", payload)
		return false
	}
	if err := s.take(string(data[s.field]), v.r); err != nil {
		v.faults.add("%w", err)
		return false
	}
	return true
}

func (v *visit) overSocket(ctx context.Context, requests []map[string]any) error {
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, HandshakeTimeout: time.Minute, NetDialContext: v.dial}
	ws, _, err := dialer.DialContext(ctx, strings.Replace(v.server.url, "http", "ws", 1), nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	v.answered.Store(true)
	stop := context.AfterFunc(ctx, func() {
		if v.polite.Load() { // WriteControl may be called beside a write
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
		}
		ws.Close()
	})
	defer stop()
	ws.SetPingHandler(func(text string) error { // gorilla's own gives a busy machine a second
		return ws.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(patience))
	})
	var writing sync.Mutex
	write := func(m map[string]any) error {
		writing.Lock()
		defer writing.Unlock()
		return ws.WriteJSON(m)
	}
	if err := write(map[string]any{"type": "connection_init", "payload": map[string]any{"token": v.who.token}}); err != nil {
		return err
	}
	for {
		v.hold(ctx)
		var m struct {
			ID, Type string
			Payload  json.RawMessage
		}
		if err := ws.ReadJSON(&m); err != nil {
			return err
		}
		switch m.Type {
		case "connection_ack":
			for i, request := range requests {
				if err := write(map[string]any{"type": "subscribe", "id": fmt.Sprint(i), "payload": request}); err != nil {
					return err
				}
			}
		case "next":
			var i int
			if _, err := fmt.Sscan(m.ID, &i); err != nil || i >= len(v.subs) {
				return fmt.Errorf("a message to operation %q", m.ID)
			}
			if !v.next(v.subs[i], m.Payload) {
				return nil
			}
			if v.pinged.IsZero() && v.dice.IntN(20) == 0 && !v.stalled {
				v.pinged = time.Now()
				if err := write(map[string]any{"type": "ping"}); err != nil {
					return err
				}
			}
		case "pong":
			took := time.Since(v.pinged)
			v.pinged = time.Time{}
			if v.stalled {
				break
			}
			v.r.slowest(took)
			if took > patience {
				v.faults.add("Bounded: a ping took %s", took)
			}
		default:
			return fmt.Errorf("%s: %s", m.Type, m.Payload)
		}
	}
}

func (v *visit) overEvents(ctx context.Context, request map[string]any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.server.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+v.who.token)
	res, err := (&http.Client{Transport: &http.Transport{DialContext: v.dial, DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	v.answered.Store(true)
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	lines := bufio.NewReader(res.Body)
	event, data := "", ""
	for {
		v.hold(ctx)
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "event: "):
			event = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		case line == "" && event == "next":
			if !v.next(v.subs[0], json.RawMessage(data)) {
				return nil
			}
			event, data = "", ""
		case line == "" && event == "complete":
			return fmt.Errorf("it was completed")
		}
	}
}
