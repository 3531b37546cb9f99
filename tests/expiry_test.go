package tests

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// slowly is a connection to a server whose kernel takes little that nobody reads.
func slowly(t *testing.T, s *server) net.Conn {
	t.Helper()
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/graphql")
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	t.Cleanup(func() { conn.Close() })
	return conn
}

// rest reads what is left of a connection, which must end.
func rest(t *testing.T, conn net.Conn) (said string, err error) {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	all, err := io.ReadAll(conn)
	return string(all), err
}

// A session that ends in mid-stream, over real sockets: whoever reads is told, at exp and no earlier; a client that reads
// nothing, over WebSocket or event stream, is cut off 2 s later, and of what came after that it never gets a word.
func TestExpiryOfAStalledClient(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	const lifetime = 4 * time.Second
	until := time.Now().Add(lifetime).Truncate(time.Second)
	short, long := p.enrol(t, "ann", "acme", until), p.enrol(t, "ann", "acme", time.Now().Add(time.Hour))
	s := p.front(t, "--write-timeout-seconds=600")
	c := p.add("acme", "talk", "ann")
	c.say(starting...)
	operation := timeline("").operation("talk")

	// Ann follows with another session as well, so that upstream is read on after the first has ended.
	witness := dialWith(t, s, map[string]any{"token": long}).subscribe(t, operation)
	witness.message(t, 1)
	reading := dialWith(t, s, map[string]any{"token": short})
	brief := chat(`{ status }`).operation("talk") // short, so that who reads is never behind, however slow the machine is
	told := reading.subscribe(t, brief)
	told.message(t, 1)
	streamed := events(t, bearing(s.newPost(t, mediaEvents, request{Query: brief}), short))
	streamed.message(t, 1)

	body, err := json.Marshal(request{Query: operation})
	require.NoError(t, err)
	stalledSSE := slowly(t, s)
	r, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(string(body)))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {mediaJSON}, "Accept": {mediaEvents}, "Authorization": {"Bearer " + short}}
	require.NoError(t, r.Write(stalledSSE))
	line, err := bufio.NewReaderSize(stalledSSE, 16).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "200")

	stalledWS := slowly(t, s)
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, NetDial: func(string, string) (net.Conn, error) { return stalledWS, nil }}
	conn, _, err := dialer.Dial(strings.Replace(s.url, "http", "ws", 1), nil)
	require.NoError(t, err)
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "connection_init", "payload": map[string]any{"token": short}}))
	_, ack, err := conn.ReadMessage()
	require.NoError(t, err)
	require.Contains(t, string(ack), "connection_ack")
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "subscribe", "id": "1", "payload": json.RawMessage(body)}))
	require.True(t, time.Now().Before(until), "the machine was too slow to set the test up")

	// More than the kernels of both sides hold, so that both stand still in the middle of a message.
	chunk := strings.Repeat("words and words ", 4<<10)
	for range 8 {
		for range 16 {
			c.say(saying(chunk))
		}
		c.say(banked)
	}
	assert.Equal(t, 4403, reading.closeCode(t))
	assert.False(t, time.Now().Before(until), "not before exp")
	completed, _ := streamed.end(t)
	assert.True(t, completed)
	payloads, _, _ := streamed.look()
	assert.Equal(t, []string{"UNAUTHENTICATED"}, codes(parse(t, string(payloads[len(payloads)-1])).Errors))

	time.Sleep(time.Until(until.Add(2*time.Second + 2*time.Second))) // the grace, and as much for a busy machine
	const late = "canary of what came too late"
	c.say(saying(late), banked)
	c.say(stopping...)
	witness.until(t, "timeline", "the last words", func(value json.RawMessage) bool { return strings.Contains(string(value), late) })
	for name, conn := range map[string]net.Conn{"WebSocket": stalledWS, "SSE": stalledSSE} {
		said, err := rest(t, conn)
		assert.NotContains(t, said, late, name)
		if err != nil {
			assert.ErrorContains(t, err, "reset", "%s: the connection is cut off, not left open", name)
		}
		assert.NotContains(t, said, "event: complete", name)
		t.Logf("%s: %d bytes were on their way, then: %v", name, len(said), err)
	}
	assert.Equal(t, wire.Paused, c.head().Status)
}
