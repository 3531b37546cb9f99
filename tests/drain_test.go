package tests

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// hostOf is where a server listens.
func hostOf(s *server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/graphql")
}

// SIGTERM with a thousand live subscriptions: every WebSocket is closed with 1012, which clients come back after, event streams
// end without `complete`, and the process leaves well within the drain.
func TestDrain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		signal  syscall.Signal
		clients int // each with three subscriptions
	}{"SIGTERM": {syscall.SIGTERM, 334}, "SIGINT": {syscall.SIGINT, 20}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "--drain-seconds", "60")
			var sockets []*socket
			var streams []*stream
			for range tc.clients {
				c := dial(t, s)
				sockets = append(sockets, c)
				streams = append(streams,
					c.subscribe(t, rowsAt(`path: ["flights"]`).operation("demo-fanout")),
					c.subscribe(t, rowChanges().operation("demo-chat")),
					s.stream(t, chat(`{ status }`).operation("demo-subagents")))
			}
			for _, m := range streams {
				m.message(t, 1)
			}
			begin := time.Now()
			require.NoError(t, s.cmd.Process.Signal(tc.signal))
			for _, c := range sockets {
				assert.Equal(t, websocket.CloseServiceRestart, c.closeCode(t))
			}
			assert.Equal(t, 0, s.exit(t))
			assert.Less(t, time.Since(begin), 2*patience, "well within the drain")
			for _, m := range streams {
				completed, _ := m.end(t)
				assert.False(t, completed)
			}
		})
	}
}

// stalled opens a WebSocket that subscribes and then reads nothing.
func stalled(t *testing.T, s *server, operation string) *websocket.Conn {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, NetDial: func(network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // the less the kernel takes for it, the sooner it stalls
		}
		return conn, err
	}}
	conn, _, err := dialer.DialContext(t.Context(), strings.Replace(s.url, "http", "ws", 1), nil)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "connection_init"}))
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "subscribe", "id": "1", "payload": request{Query: operation}}))
	return conn
}

// talk is a conversation with a node that says something long first and one that says a little more with every frame,
// so that every message of the timeline is long.
func talk(p *platform, conversationID string, frames int) *play {
	c := &play{
		head: &wire.Head{ConversationID: conversationID, AgentID: "talker", AgentVersion: 1, Status: wire.Running},
		news: make(chan struct{}),
	}
	add := func(kind wire.FrameType, body wire.Body) {
		c.frames = append(c.frames, &wire.Frame{Type: kind, Offset: int64(len(c.frames) + 1), Body: body})
	}
	delta := func(node, text string) wire.Body {
		return wire.Body{Spine: wire.Spine{NodeID: node, Activation: "visit"}, ID: "turn of " + node, Content: text, HasContent: true}
	}
	add(wire.RunStart, wire.Body{RunID: "run", ConversationID: conversationID, AgentID: "talker", AgentVersion: 1})
	add(wire.MessageDelta, delta("long", strings.Repeat("long ", 40_000)))
	for range frames {
		add(wire.MessageDelta, delta("short", " more"))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plays[conversationID] = c
	return c
}

// Promise 8: clients that stopped reading are dropped within the write timeout, and others get their messages as
// before, on the same conversation.
func TestStalledClientsCostOthersNothing(t *testing.T) {
	t.Parallel()
	p, s := upstream(t, "--write-timeout-seconds", "1")
	const frames = 70
	c := talk(p, "talk", frames)
	c.tell(2)
	f := rowsAt(`path: ["short"]`)
	m := dial(t, s).subscribe(t, f.operation("talk"))
	m.message(t, 1)
	var dead []*websocket.Conn
	for range 5 {
		dead = append(dead, stalled(t, s, timeline("").operation("talk")))
	}
	slowest := time.Duration(0)
	for i := range frames {
		begin := time.Now()
		c.tell(1)
		m.message(t, i+2)
		slowest = max(slowest, time.Since(begin))
		time.Sleep(10 * time.Millisecond)
	}
	o := f.observe(t, m)
	o.Slowest, o.Final = slowest, f.read(t, s, "talk")
	assert.NoError(t, Validate(o))
	assert.Len(t, o.Values, frames+1)
	for _, conn := range dead {
		eventually(t, patience, func() string {
			if conn.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)) == nil {
				return "a stalled client is still connected"
			}
			return ""
		})
	}
}

// A client that takes nothing can't hold the server up: what is open at the end of the drain is cut off, and the exit
// code tells.
func TestTheDrainIsBounded(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	s := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--upstream", p.http.URL, "--insecure", "--write-timeout-seconds", "60", "--drain-seconds", "1")
	c := talk(p, "talk", 80)
	c.tell(2)
	conn := stalled(t, s, timeline("").operation("talk"))
	for range 80 {
		c.tell(1)
		time.Sleep(15 * time.Millisecond)
	}
	begin := time.Now()
	assert.Equal(t, 1, s.stop(t))
	assert.Less(t, time.Since(begin), 8*time.Second)
	assert.Contains(t, s.stderr.String(), "still open after 1 s")
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	_, err := io.Copy(io.Discard, conn.NetConn())
	var timeout net.Error
	assert.False(t, errors.As(err, &timeout) && timeout.Timeout(), "the connection is gone")
}

// Nothing is served before the port is known to be free.
func TestAPortInUse(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo-speed", "8")
	r := run(t, nil, "serve", "--listen", hostOf(s))
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "--listen")
	assert.NotContains(t, r.stderr, "serves")
	assert.Equal(t, http.StatusOK, s.post(t, mediaJSON, request{Query: "{ __typename }"}).status)
}
