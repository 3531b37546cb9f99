package tests

import (
	"encoding/json"
	"fmt"
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

// rooted is how the matrix asks for a root field.
type rooted struct {
	names    string      // the argument that names a conversation; "": what it reads is the caller's, whoever that is
	standing wire.Status // of the conversation
	asks     int         // how often the first caller's question goes upstream, where no conversation is named
	given    map[string]string
}

// theRoots has every root field of the schema.
var theRoots = map[string]rooted{
	"Query.conversation":  {names: "id", standing: wire.Paused},
	"Query.conversations": {asks: 1},
	"Query.agentPlan":     {asks: 1, given: map[string]string{"agentVersion": "4"}}, // which no conversation is of
	"Query.billing":       {asks: 5},
	"Query.session":       {},

	"Mutation.send":              {names: "conversationId", standing: wire.Paused},
	"Mutation.submitToolResult":  {names: "conversationId", standing: wire.AwaitingClientTool},
	"Mutation.cancel":            {names: "conversationId", standing: wire.AwaitingClientTool},
	"Mutation.retry":             {names: "conversationId", standing: wire.Failed},
	"Mutation.loadEarlier":       {names: "conversationId", standing: wire.Paused},
	"Mutation.topup":             {asks: 1},
	"Mutation.subscribeCheckout": {asks: 1},

	"Subscription.chat":         {names: "conversationId", standing: wire.Paused},
	"Subscription.feed":         {names: "conversationId", standing: wire.Paused},
	"Subscription.transcript":   {names: "conversationId", standing: wire.Paused},
	"Subscription.timeline":     {names: "conversationId", standing: wire.Paused},
	"Subscription.rowsAt":       {names: "conversationId", standing: wire.Paused},
	"Subscription.rowChanges":   {names: "conversationId", standing: wire.Paused},
	"Subscription.run":          {names: "conversationId", standing: wire.Paused},
	"Subscription.node":         {names: "conversationId", standing: wire.Paused},
	"Subscription.subagent":     {names: "conversationId", standing: wire.Paused},
	"Subscription.toolCall":     {names: "conversationId", standing: wire.AwaitingClientTool},
	"Subscription.pendingTools": {names: "conversationId", standing: wire.AwaitingClientTool},
	"Subscription.binding":      {names: "conversationId", standing: wire.Paused},
	"Subscription.table":        {names: "conversationId", standing: wire.Paused},
}

// tokenless are callers whom the server does not know, each with what it sends in the place of a token.
type tokenless struct{ name, token string }

// matrix is the scene of the test: a server in front of two tenants, who reads a response and may read what.
type matrix struct {
	*documents
	p         *tenancy
	s         *server
	tokens    map[user]string
	tokenless []tokenless
	heard     map[user][]string // every response, by whom it went to
	next      int
}

// The users: two of one tenant, one of another.
var ann, bob, eve = user{"ann", "acme"}, user{"bob", "acme"}, user{"eve", "umbrella"}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	m := &matrix{documents: newDocuments(t), p: newTenancy(t), tokens: map[user]string{}, heard: map[user][]string{}}
	m.s = m.p.front(t, "--window-rows", "2", "--log-level", "debug", "--idle-poll-seconds", "600", // nothing is asked by itself
		"--max-operations-per-second-per-user", "0", "--max-sends-per-minute-per-user", "0")
	for _, u := range []user{ann, bob, eve} {
		m.tokens[u] = m.p.enrol(t, u.name, u.tenant, time.Now().Add(time.Hour))
	}
	m.tokenless = []tokenless{
		{"anonymous", ""}, {"forged", token(t, "HS256", []byte("a word that somebody made up himself"), map[string]any{"sub": "ann"})},
		{"expired", m.p.enrol(t, "ann", "acme", time.Now().Add(-time.Minute))},
	}
	return m
}

// The tenant matrix of docs/service.md, "Who may see what", over every root field: its own user reads it; another user of
// the tenant, a user of another tenant, and whoever asks for what nobody has or what is gone read one and the same
// NOT_FOUND, after one question upstream, whether the conversation is in memory or not; without a good token everybody
// reads UNAUTHENTICATED, and upstream hears nothing. Nobody's token is used for anybody else.
func TestTenantMatrix(t *testing.T) {
	t.Parallel()
	m := newMatrix(t)
	seen := 0
	for _, root := range m.roots() {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			seen++
			name := root.Name + "." + field.Name
			how, ok := theRoots[name]
			require.True(t, ok, "the matrix does not know %s", name)
			require.Equal(t, how.names == "", !m.takes(field, "id") && !m.takes(field, "conversationId"), "%s names a conversation, or it does not", name)
			t.Run(name, func(t *testing.T) {
				m.reachesEverything(t, root, field, how)
				m.s.lossy = field.Name == "cancel" // whose end no stream tells
				if how.names == "" {
					m.callersOwn(t, root, field, how)
				} else {
					m.oneConversation(t, root, field, how)
					m.sameID(t, root, field, how)
				}
			})
		}
	}
	require.Len(t, theRoots, seen, "the matrix knows a field that the schema does not have")
	t.Run("nothing leaks", m.nothingLeaks)
}

// id is a conversation id that was not used before. All are equally long.
func (m *matrix) id() string {
	m.next++
	return fmt.Sprintf("talk-%03d", m.next)
}

func (m *matrix) oneConversation(t *testing.T, root *gql.Definition, field *gql.FieldDefinition, how rooted) {
	id, nowhere, gone := m.id(), m.id(), m.id()
	m.p.add(ann.tenant, id, ann.name).begin(how.standing)
	m.p.add(ann.tenant, gone, ann.name, bob.name).gone = true
	text := func(id string) string {
		return m.operation(t, root, field, map[string]string{how.names: fmt.Sprintf("%q", id)})
	}
	var refusals []string
	strangers := func() {
		for _, u := range []user{bob, eve} {
			refusals = append(refusals, m.refused(t, u, id, text(id))...)
		}
	}
	strangers()
	m.anonymous(t, text(id))
	refusals = append(refusals, slices.Concat(m.refused(t, ann, nowhere, text(nowhere)), m.refused(t, bob, gone, text(gone)))...)

	_, from := m.p.since(0)
	// What is in memory, and followed, is nobody else's all the same.
	rows := m.dial(t, ann).subscribe(t, rowChanges().operation(id))
	cursor := cursorOf(t, string(valueOf(t, "rowChanges", rows.message(t, 1))))
	m.keeps(t, ann, root, text(id))
	strangers()
	m.anonymous(t, text(id))
	if m.takes(field, "after") {
		stolen := m.operation(t, root, field, map[string]string{how.names: fmt.Sprintf("%q", id), "after": fmt.Sprintf("%q", cursor)})
		for _, u := range []user{bob, eve} {
			refusals = append(refusals, m.refused(t, u, id, stolen)...)
		}
		m.anonymous(t, stolen)
	}
	for _, refusal := range refusals {
		assert.Equal(t, refusals[0], refusal, "one answer, whatever the reason")
	}
	assert.Contains(t, refusals[0], `"NOT_FOUND"`)

	m.reads(t, ann, root, text(id), id)
	asked, _ := m.p.since(from)
	for _, a := range asked {
		if a.user != ann && !(a.request == "GET /v1/conversations/"+id) {
			t.Errorf("%s asked for %s with the conversation in memory", a.user, a.request)
		}
	}
	if root == m.schema.Mutation {
		assert.True(t, slices.ContainsFunc(asked, func(a asking) bool { return a.user == ann && a.request != "GET /v1/conversations/"+id }), "it was done")
	}
}

// keeps leaves a subscription open, so that whoever asks for the very same finds it under way.
func (m *matrix) keeps(t *testing.T, u user, root *gql.Definition, text string) {
	t.Helper()
	if root == m.schema.Subscription {
		m.dial(t, u).subscribe(t, text).message(t, 1)
		events(t, m.as(t, u, mediaEvents, text)).message(t, 1)
	}
}

// refused asks as somebody who may not, in every way that the operation can be sent, and answers what was said.
func (m *matrix) refused(t *testing.T, u user, id, text string) (said []string) {
	t.Helper()
	for name, send := range m.ways(t, u, text) {
		_, from := m.p.since(0)
		got := send()
		asked, _ := m.p.since(from)
		// Whoever may read it may be told of a change that he asked for before.
		asked = slices.DeleteFunc(m.forNow(asked, id), func(a asking) bool { return a.user != u && m.p.admits(a.user, id) })
		assert.Equal(t, []asking{{u, "GET /v1/conversations/" + id, ""}}, asked, "%s by %s: one question, with the own token", u, name)
		said = append(said, got)
	}
	return said
}

// forNow are requests but those for other conversations than the one of an id, by who may see them: what was asked for
// earlier, a cancel or a message, may be looked after for a while.
func (m *matrix) forNow(asked []asking, id string) []asking {
	return slices.DeleteFunc(asked, func(a asking) bool {
		_, path, _ := strings.Cut(a.request, "/v1/conversations/")
		other, _, _ := strings.Cut(path, "/")
		return other != id && m.p.admits(a.user, other)
	})
}

// ways are the ways in which an operation can be sent; each answers the one response to it.
func (m *matrix) ways(t *testing.T, u user, text string) map[string]func() string {
	t.Helper()
	note := func(said string) string {
		m.heard[u] = append(m.heard[u], said)
		return said
	}
	ways := map[string]func() string{"WebSocket": func() string {
		c := m.dial(t, u)
		defer c.close()
		got := c.subscribe(t, text)
		said := note(string(got.message(t, 1)))
		if strings.Contains(said, `"errors"`) {
			_, refused := got.end(t)
			assert.Nil(t, refused)
			assert.Equal(t, 1, got.count())
		}
		return said
	}}
	if strings.HasPrefix(text, "subscription") {
		ways["SSE"] = func() string {
			got := events(t, m.as(t, u, mediaEvents, text))
			return note(string(got.message(t, 1)))
		}
	} else {
		ways["POST"] = func() string { return note(send(t, m.as(t, u, mediaResponse, text)).body) }
	}
	if !strings.HasPrefix(text, "mutation") {
		ways["GET"] = func() string {
			r := m.s.newGet(t, mediaJSON, request{Query: text})
			if strings.HasPrefix(text, "subscription") {
				r.Header.Set("Accept", mediaEvents)
				return note(string(events(t, bearing(r, m.tokens[u])).message(t, 1)))
			}
			return note(send(t, bearing(r, m.tokens[u])).body)
		}
	}
	return ways
}

func (m *matrix) as(t *testing.T, u user, accept, text string) *http.Request {
	t.Helper()
	r := m.s.newPost(t, accept, request{Query: text})
	r.Header.Set("Authorization", "Bearer "+m.tokens[u])
	return r
}

func (m *matrix) dial(t *testing.T, u user) *socket {
	t.Helper()
	return dialWith(t, m.s, map[string]any{"Authorization": "Bearer " + m.tokens[u]})
}

// turnedAway begins a WebSocket, and is answered with what ends it.
func (m *matrix) turnedAway(t *testing.T, token, text string) error {
	t.Helper()
	conn, _, err := dialRaw(t, m.s, "graphql-transport-ws")
	require.NoError(t, err)
	defer conn.Close()
	init := map[string]any{"type": "connection_init"}
	if token != "" {
		init["payload"] = map[string]any{"token": token}
	}
	require.NoError(t, conn.WriteJSON(init))
	require.NoError(t, conn.WriteJSON(map[string]any{"id": "1", "type": "subscribe", "payload": request{Query: text}}))
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	_, _, err = conn.ReadMessage()
	return err
}

// anonymous asks without a good token.
func (m *matrix) anonymous(t *testing.T, text string) {
	t.Helper()
	_, from := m.p.since(0)
	for _, who := range m.tokenless {
		for _, accept := range []string{mediaResponse, mediaJSON, mediaEvents} {
			got := m.s.askFor(t, accept, who.token, text)
			assert.Equal(t, http.StatusUnauthorized, got.status, "%s, %s", who.name, accept)
			assert.Equal(t, []string{"UNAUTHENTICATED"}, codes(parse(t, got.body).Errors), who.name)
			m.heard[user{}] = append(m.heard[user{}], got.body)
		}
		err := m.turnedAway(t, who.token, text)
		if websocket.IsCloseError(err, websocket.CloseAbnormalClosure) { // a machine that stood still for the 2 s of a closing
			err = m.turnedAway(t, who.token, text)
		}
		assert.True(t, websocket.IsCloseError(err, 4403), "%s: %v", who.name, err)
		m.heard[user{}] = append(m.heard[user{}], err.Error())
	}
	asked, _ := m.p.since(from)
	assert.Empty(t, asked, "upstream hears nothing of whoever has no token")
}

// reads asks as somebody who may; every way for what only reads.
func (m *matrix) reads(t *testing.T, u user, root *gql.Definition, text, id string) {
	t.Helper()
	for name, send := range m.ways(t, u, text) {
		got := send()
		assert.Empty(t, parse(t, got).Errors, "%s by %s: %s", u, name, short(got))
		if root == m.schema.Mutation {
			return // once
		}
		if id != "" && strings.Contains(text, " content") {
			assert.Contains(t, got, "canary of "+id+" of "+u.tenant)
		}
	}
}

// sameID has two tenants with a conversation of one id, each of which reads its own.
func (m *matrix) sameID(t *testing.T, root *gql.Definition, field *gql.FieldDefinition, how rooted) {
	id := m.id()
	cursor := ""
	for _, u := range []user{ann, eve} {
		m.p.add(u.tenant, id, u.name).begin(how.standing)
		rows := m.dial(t, u).subscribe(t, rowChanges().operation(id))
		first := string(valueOf(t, "rowChanges", rows.message(t, 1)))
		assert.Contains(t, first, "canary of "+id+" of "+u.tenant)
		m.heard[u] = append(m.heard[u], first)
		if u == ann {
			cursor = cursorOf(t, first)
		}
	}
	given := map[string]string{how.names: fmt.Sprintf("%q", id)}
	m.keeps(t, ann, root, m.operation(t, root, field, given))
	m.reads(t, ann, root, m.operation(t, root, field, given), id)
	if m.takes(field, "after") {
		given["after"] = fmt.Sprintf("%q", cursor)
	}
	m.reads(t, eve, root, m.operation(t, root, field, given), id)
	refusals := m.refused(t, bob, id, m.operation(t, root, field, given))
	assert.Contains(t, refusals[0], `"NOT_FOUND"`)
	if m.takes(field, "after") {
		got := string(valueOf(t, field.Name, json.RawMessage(m.heard[eve][len(m.heard[eve])-1])))
		assert.True(t, isReset(t, got), "another tenant's cursor is as good as none: %s", short(got))
	}
}

// callersOwn asks for what is whoever asks's own.
func (m *matrix) callersOwn(t *testing.T, root *gql.Definition, field *gql.FieldDefinition, how rooted) {
	text := m.operation(t, root, field, how.given)
	m.anonymous(t, text)
	for _, u := range []user{ann, bob, eve} {
		_, from := m.p.since(0)
		m.reads(t, u, root, text, "")
		asked, _ := m.p.since(from)
		asked = m.forNow(asked, "")
		for _, a := range asked {
			assert.Equal(t, u, a.user, "the caller's own token and nobody else's, for %s", a.request)
		}
		if u == ann {
			assert.GreaterOrEqual(t, len(asked), how.asks)
		}
	}
}

// nothingLeaks looks through everything that was said and logged.
func (m *matrix) nothingLeaks(t *testing.T) {
	everywhere := []string{jwtSecret, secretly}
	for _, token := range m.tokens {
		everywhere = append(everywhere, token, strings.Split(token, ".")[1], strings.Split(token, ".")[2])
	}
	for _, who := range m.tokenless[1:] {
		everywhere = append(everywhere, who.token, strings.Split(who.token, ".")[2])
	}
	for u, all := range m.heard {
		require.NotEmpty(t, all)
		foreign := slices.Clone(everywhere)
		for _, other := range []user{ann, bob, eve} {
			if other != u {
				foreign = append(foreign, canary(other), strings.ReplaceAll(canary(other), " ", "-"))
			}
			if other.tenant != u.tenant {
				foreign = append(foreign, "of "+other.tenant)
			}
		}
		if u == bob { // who may see no conversation
			foreign = append(foreign, "canary of talk-", "title of talk-")
		}
		for _, said := range all {
			for _, word := range foreign {
				assert.NotContains(t, said, word, "told to %s", u)
			}
		}
	}
	require.Equal(t, 0, m.s.stop(t))
	log := m.s.stderr.String()
	require.Contains(t, log, "token refused", "the log is at its most talkative")
	for _, word := range slices.Concat(everywhere, []string{"canary of"}) {
		assert.NotContains(t, log, word)
	}
}

func (u user) String() string { return fmt.Sprintf("%s of %s", u.name, u.tenant) }

// askFor posts an operation with a token, "" for none.
func (s *server) askFor(t *testing.T, accept, token, text string) answer {
	t.Helper()
	r := s.newPost(t, accept, request{Query: text})
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, r)
}
