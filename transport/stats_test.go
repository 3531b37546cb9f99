package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Connections, subscribers by field and what was sent, while they are there and after.
func TestStats(t *testing.T) {
	s := startSharing(t, Options{AllowOrigins: []string{"https://app.example"}})
	s.root.Topic("a").Say("x")
	assert.Equal(t, map[string]int64{"count": 0, "feed": 0, "changes": 0, "flood": 0, "failing": 0, "topic": 0, "news": 0}, s.Stats().Subscribers)

	c := s.as(t, "ann@acme")
	c.subscribe("1", watch)
	c.expect(`{"id":"1","type":"next","payload":` + topicOf("x") + `}`)
	c.subscribe("2", watch)
	c.expect(`{"id":"2","type":"next","payload":` + topicOf("x") + `}`)
	c.subscribe("3", `subscription { count(to: 2) }`)
	c.expect(`{"id":"3","type":"next","payload":{"data":{"count":1}}}`, `{"id":"3","type":"next","payload":{"data":{"count":2}}}`, `{"id":"3","type":"complete"}`)
	now := s.Stats()
	assert.Equal(t, 1, now.WebSockets)
	assert.EqualValues(t, 2, now.Subscribers["topic"])
	assert.Zero(t, now.Subscribers["count"])
	assert.EqualValues(t, 4, now.SentToWebSockets)
	assert.Equal(t, []int{1, 2}, []int{now.Groups, now.GroupMembers})
	assert.Positive(t, now.GroupExecutions)

	ended := s.post(t, `subscription { count(to: 3) }`, "Accept", mediaSSE)
	assert.Contains(t, ended.body, "complete")
	assert.EqualValues(t, 3, s.Stats().SentToStreams)
	assert.Equal(t, http.StatusForbidden, s.post(t, `{ hello }`, "Origin", "https://evil.example").status)
	c.send(`{"type":"complete","id":"1"}`)
	eventually(t, "one subscriber left", func() bool { return s.Stats().Subscribers["topic"] == 1 })
	c.send(`nothing`)
	c.expectClose(4400, "message is not a JSON object")
	eventually(t, "nobody is left", func() bool {
		now := s.Stats()
		return now.WebSockets == 0 && now.EventStreams == 0 && now.Subscribers["topic"] == 0 && now.Groups == 0 && now.GroupMembers == 0
	})
	assert.Equal(t, map[string]int64{"4400": 1}, s.Stats().Closes)
	assert.Equal(t, map[string]int64{refusedOrigin: 1}, s.Stats().Refused)
	for reason := range s.Stats().Refused {
		assert.Contains(t, RefusedReasons(), reason)
	}
}

// What waits for a slow connection is counted, and what a newer value took the place of.
func TestStatsOfASlowConnection(t *testing.T) {
	s := startSharing(t, Options{})
	topic := s.root.Topic("a")
	fast, slow := s.join(t, "ann@acme", watch), s.join(t, "bob@acme", watch)
	defer fast.leave()
	defer slow.leave()
	fast.expect(topicOf(""))
	slow.expect(topicOf(""))
	for n := range 10 {
		topic.Say("x")
		fast.expect(topicOf(strings.Repeat("x", n+1)))
	}
	slow.settle()
	assert.EqualValues(t, 9, s.Stats().Coalesced)
	slow.box.mu.Lock()
	messages, bytes := slow.box.waitingLocked()
	slow.box.mu.Unlock()
	assert.Equal(t, []int{1, len(topicOf(strings.Repeat("x", 10)))}, []int{messages, bytes})
}

// noted are operations as an Observer saw them.
type noted struct {
	mu  sync.Mutex
	all []string
}

type notedKey struct{}

func (n *noted) Begin(ctx context.Context) (context.Context, Observation) {
	return context.WithValue(ctx, notedKey{}, true), &note{of: n}
}

type note struct {
	of   *noted
	text string
}

func (n *note) Accept(op Accepted) {
	n.text = strings.Join([]string{op.Kind, op.Name, op.Field}, " ")
	if name, ok := op.Arguments()["name"].(string); ok {
		n.text += " " + name
	}
}

func (n *note) End(code coded.Code) {
	n.of.mu.Lock()
	defer n.of.mu.Unlock()
	n.of.all = append(n.of.all, n.text+": "+string(code))
}

// next waits for the n-th operation's end.
func (n *noted) next(t *testing.T, i int) (text string) {
	t.Helper()
	eventually(t, fmt.Sprint("operation ", i, " ends"), func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(n.all) <= i {
			return false
		}
		text = n.all[i]
		return true
	})
	return text
}

// Every operation is told once, by whichever way it came, with the code of its first error; of a subscription the first
// value counts.
func TestObserver(t *testing.T) {
	n := &noted{}
	s := startSharing(t, Options{Observer: n})
	s.root.Errors["gone"] = coded.New(coded.NotFound, "gone")
	s.root.Errors["plain"], s.root.Errors["failing"] = errors.New("plain"), errors.New("plain")
	s.root.Topic("a").Say("x")
	c := s.as(t, "ann@acme")
	sent := 0
	for _, tc := range []struct{ query, want string }{
		{`query Greet { hello }`, "query Greet hello: "},
		{`mutation { bump }`, "mutation  bump: "},
		{`{ fail(name: "gone") }`, "query  fail gone: NOT_FOUND"},
		{`{ fail(name: "plain") }`, "query  fail plain: INTERNAL"},
		{`{ panics }`, "query  panics: INTERNAL"},
		{`{ nothing }`, ": GRAPHQL_VALIDATION_FAILED"},
		{`{`, ": GRAPHQL_PARSE_FAILED"},
		{`query ($n: String!) { fail(name: $n) }`, ": BAD_USER_INPUT"},
		{`subscription { count(to: 2) }`, "subscription  count: "},
		{`subscription { failing }`, "subscription  failing: INTERNAL"},
		{`subscription S { topic(name: "a") }`, "subscription S topic a: "},
	} {
		id := "o" + string(rune('a'+sent))
		c.subscribe(id, tc.query)
		assert.Equal(t, tc.want, n.next(t, sent), "on a WebSocket: %s", tc.query)
		sent++
		if strings.HasPrefix(tc.query, "subscription") {
			if strings.Contains(tc.query, "topic") {
				continue // it would not end
			}
			s.post(t, tc.query, "Accept", mediaSSE)
		} else {
			s.post(t, tc.query)
		}
		assert.Equal(t, tc.want, n.next(t, sent), "by HTTP: %s", tc.query)
		sent++
	}
	c.subscribe("block", `{ block }`)
	s.running(t, 1)
	c.send(`{"type":"complete","id":"block"}`)
	assert.Equal(t, "query  block: "+string(Left), n.next(t, sent))
	require.Len(t, n.all, sent+1, "each once")
}
