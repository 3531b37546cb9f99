package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gql "github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/wire"
)

// The canaries: words that are planted where they must not come out.
const (
	inRefusal = "canary-of-a-refusal" // in what upstream says to itself when it refuses
	inFrame   = "canary-of-a-frame"   // in frames and rows that make no sense
	inContent = "canary-of-content"   // in what a user sends, which is nobody's but upstream's and the viewers'
)

// heard collects everything that a server said to somebody.
type heard struct{ said []string }

func (h *heard) note(text string) { h.said = append(h.said, text) }

// everything sends an operation in every way that fits it with a token, and notes all that comes back: bodies, headers,
// messages, close frames. A subscription is left at its first message.
func (h *heard) everything(t *testing.T, s *server, token string, kind gql.Operation, text string) {
	t.Helper()
	ask := func(req *http.Request) {
		c := client(t)
		c.Timeout = patience
		res, err := c.Do(bearing(req, token))
		require.NoError(t, err)
		defer res.Body.Close()
		h.note(fmt.Sprint(res.Header))
		if strings.HasPrefix(res.Header.Get("Content-Type"), mediaEvents) {
			h.note(firstEvent(t, res.Body))
			return
		}
		said, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		h.note(string(said))
	}
	r := request{Query: text}
	switch kind {
	case gql.Query:
		ask(s.newPost(t, mediaResponse, r))
		ask(s.newGet(t, mediaJSON, r))
	case gql.Mutation:
		ask(s.newPost(t, mediaJSON, r))
	case gql.Subscription:
		ask(s.newPost(t, mediaEvents, r))
		ask(s.newGet(t, mediaEvents, r))
	}
	h.note(overSocket(t, s, token, r))
}

// firstEvent reads a stream up to its first event that is not a comment, or its end.
func firstEvent(t *testing.T, from io.Reader) string {
	t.Helper()
	var all strings.Builder
	buf := make([]byte, 32<<10)
	for !strings.Contains(all.String(), "event: next") || !strings.HasSuffix(all.String(), "\n\n") {
		n, err := from.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			break
		}
	}
	return all.String()
}

// overSocket runs an operation on a WebSocket of its own, and answers its first message with all before it.
func overSocket(t *testing.T, s *server, token string, r request) string {
	t.Helper()
	conn, _, err := dialRaw(t, s, "graphql-transport-ws")
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "connection_init", "payload": map[string]any{"token": token}}))
	require.NoError(t, conn.WriteJSON(map[string]any{"type": "ping"}))
	require.NoError(t, conn.WriteJSON(map[string]any{"id": "1", "type": "subscribe", "payload": r}))
	all := ""
	for {
		_, message, err := conn.ReadMessage()
		all += string(message)
		if closing := (*websocket.CloseError)(nil); err != nil {
			require.ErrorAs(t, err, &closing)
			return all + closing.Text
		}
		if strings.Contains(string(message), `"id":"1"`) {
			return all
		}
	}
}

// endpoints are everything that the tenancy serves, for a conversation of an id; the head first.
func endpoints(id string) []string {
	all := []string{"GET /v1/conversations/" + id}
	for _, rest := range []string{"GET %s/rows", "GET %s/stream", "GET %s/tables/notes/r1/backlinks", "POST %s/retry", "POST %s/cancel"} {
		all = append(all, fmt.Sprintf(rest, "/v1/conversations/"+id))
	}
	all = append(all, "GET /v1/conversations", "POST /v1/agents/helper/execute", "GET /v1/agents/helper/versions/3")
	for _, object := range []string{"balance", "usage", "plans", "invoices", "grants"} {
		all = append(all, "GET /v1/billing/"+object)
	}
	return append(all, "POST /v1/billing/topup", "POST /v1/billing/subscribe")
}

// refusalsOf are the ways in which upstream refuses, each with the canary in what it says.
func refusalsOf() map[int]string {
	all := map[int]string{
		http.StatusOK: `{"error":"` + inRefusal + `","rows":"` + inRefusal + `","status":"` + inRefusal + `","` + inRefusal + `":1}`,
		599:           inRefusal,
		502:           "<html><body>" + inRefusal + "</body></html>",
	}
	for _, status := range []int{400, 401, 402, 403, 404, 409, 410, 413, 422, 429, 500, 503} {
		all[status] = `{"error":{"code":"refused","message":"` + inRefusal + ` at line 3 of /srv/` + inRefusal + `.py"}}`
	}
	return all
}

// What upstream says when it refuses, over every endpoint and status, comes out nowhere: in no message of any operation over
// any transport, and in no log at its most talkative. Neither do tokens.
func TestNoRefusalOfUpstreamComesOut(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	p := newTenancy(t)
	ann := p.enrol(t, "ann", "acme", time.Now().Add(time.Hour))
	s := p.front(t, "--log-level=debug", "--idle-poll-seconds=600", "--drive-seconds=2", "--max-operations-per-second-per-user=0", "--max-sends-per-minute-per-user=0")
	h := &heard{}
	rounds, planted := 0, 0
	for status, said := range refusalsOf() {
		for _, from := range []int{0, 1} { // everything refuses, or everything but the head
			rounds++
			for _, root := range d.roots() {
				for _, field := range root.Fields {
					how, ok := theRoots[root.Name+"."+field.Name]
					if !ok || from == 1 && root == d.schema.Subscription && field.Name != "timeline" && field.Name != "feed" {
						continue // one and the same window behind all of them
					}
					id := fmt.Sprintf("talk-%d-%d-%s", status, from, field.Name)
					standing := how.standing
					if standing == 0 {
						standing = wire.Paused
					}
					p.add("acme", id, "ann").begin(standing)
					for _, endpoint := range endpoints(id)[from:] {
						p.answer(endpoint, status, said)
					}
					given := map[string]string{"agentVersion": "3"}
					if how.names != "" {
						given = map[string]string{how.names: fmt.Sprintf("%q", id)}
					}
					_, before := p.since(0)
					h.everything(t, s, ann, gql.Operation(strings.ToLower(root.Name)), d.operation(t, root, field, given))
					_, after := p.since(0)
					planted += after - before
				}
			}
		}
	}
	require.Greater(t, planted, 5*rounds, "upstream was asked")
	require.Equal(t, 0, s.stop(t))
	log := s.stderr.String()
	require.Contains(t, log, `"upstream`, "the log tells that upstream refused")
	for _, word := range []string{inRefusal, ann, strings.Split(ann, ".")[1], strings.Split(ann, ".")[2], jwtSecret} {
		assert.False(t, strings.Contains(log, word), "the log has %s: %s", short(word), around(log, word))
		for _, said := range h.said {
			require.NotContains(t, said, word)
		}
	}
	t.Logf("%d answers of upstream in %d rounds, %d texts to clients, %d bytes of log", planted, rounds, len(h.said), len(log))
}

// around is the part of a text that a word stands in.
func around(text, word string) string {
	i := strings.Index(text, word)
	if i < 0 {
		return ""
	}
	return text[max(0, i-200):min(len(text), i+200)]
}

// What a user says, what a frame that is refused holds, and what is another tenant's: the first comes out to viewers and in
// no log, the second nowhere, the third to its own tenant alone.
func TestNoContentComesOutInLogs(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	ann, eve := p.enrol(t, "ann", "acme", time.Now().Add(time.Hour)), p.enrol(t, "eve", "umbrella", time.Now().Add(time.Hour))
	s := p.front(t, "--log-level=debug")
	talks := map[string]*kept{}
	for token, tenant := range map[string]string{ann: "acme", eve: "umbrella"} {
		user := map[string]string{"acme": "ann", "umbrella": "eve"}[tenant]
		talks[token] = p.add(tenant, "talk", user).begin(wire.AwaitingClientTool)
		// Frames that make no sense are told of, with where and why.
		p.answer("GET /v1/conversations/nonsense-"+user+"/rows", http.StatusOK,
			`{"rows":[{"type":"assistant","seq":"`+inFrame+`","`+inFrame+`":{}},{"type":"`+inFrame+`"},"`+inFrame+`"],"has_earlier":false}`)
		p.add(tenant, "nonsense-"+user, user).begin(wire.Paused)
	}
	h := map[string]*heard{ann: {}, eve: {}}
	for token, all := range h {
		for _, text := range []string{
			fmt.Sprintf(`mutation { submitToolResult(input: { conversationId: "talk", toolCallId: "call1", output: { x: %q } }) { conversation { chat { status toolStates { error } } } } }`, inContent),
			fmt.Sprintf(`mutation { send(input: { conversationId: "talk", agentId: "helper", content: %q, clientRequestId: %q }) { conversation { chat { transcript { ... on UserRow { content } } } } } }`, inContent, inContent),
			fmt.Sprintf(`mutation { send(input: { conversationId: "talk", agentId: "helper", content: %q, agentVersion: -1 }) { fresh } }`, inContent),
			fmt.Sprintf(`{ conversation(id: "talk") { toolCall(toolCallId: %q) { call { id } } rowsAt(path: [%q]) { id } } }`, inContent, inContent),
			fmt.Sprintf(`{ conversation(id: %q) { id } }`, "nowhere"),
			fmt.Sprintf(`{ %s }`, strings.ReplaceAll(inContent, "-", "_")),
			`{ conversation(id: "nonsense-ann") { timeline { id } } }`, `{ conversation(id: "nonsense-eve") { timeline { id } } }`,
		} {
			kind := gql.Query
			if strings.HasPrefix(text, "mutation") {
				kind = gql.Mutation
			}
			all.everything(t, s, token, kind, text)
		}
		all.everything(t, s, token, gql.Subscription, timeline("").operation("talk"))
		for _, said := range all.said {
			assert.NotContains(t, said, inFrame)
			other := map[string]string{ann: "umbrella", eve: "acme"}[token]
			assert.NotContains(t, said, "canary of talk of "+other)
		}
		own := map[string]string{ann: "acme", eve: "umbrella"}[token]
		assert.True(t, slices.ContainsFunc(all.said, func(said string) bool { return strings.Contains(said, "canary of talk of "+own) }), "one's own is there")
		assert.True(t, slices.ContainsFunc(all.said, func(said string) bool { return strings.Contains(said, `"content":"`+inContent) }), "what was sent is there")
	}
	rows := fmt.Sprint(talks[ann].frames)
	require.NotEmpty(t, rows)
	require.Equal(t, 0, s.stop(t))
	log := s.stderr.String()
	for _, word := range []string{inFrame, inContent, strings.ReplaceAll(inContent, "-", "_"), "canary of talk", ann, eve, strings.Split(ann, ".")[2]} {
		assert.False(t, strings.Contains(log, word), "the log has %s: %s", short(word), around(log, word))
	}
	require.Contains(t, log, `"rejected"`)
	for line := range strings.Lines(log[strings.Index(log, "{"):]) {
		require.True(t, json.Valid([]byte(line)), "%s", line)
	}
}
