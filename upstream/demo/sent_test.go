package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// Promise 10: which scenario answers what.
func TestChoose(t *testing.T) {
	tapes, err := tapes(Options{})
	require.NoError(t, err)
	two := 2
	six := 6
	for _, c := range []struct {
		agent   string
		version *int
		text    string
		want    string
	}{
		{"nobody", nil, "Hello", "demo-chat"},
		{"jury", nil, "Hello", "demo-repeats"},
		{"jury", nil, "A TRIP, perhaps?", "demo-fanout"},
		{"", nil, "play demo-failure", "demo-failure"},
		{"", nil, "ask travel-desk", "demo-fanout"},
		{"", nil, "subagents", "demo-subagents"},
		{"", nil, "the recipe, or the news?", "demo-artifacts"},
		{"jury", nil, "retrying is no retry", "demo-failure"},
		{"jury", nil, "booked", "demo-repeats"},
		{"concierge", &two, "a recipe", "demo-approval"},
		{"release-bot", &six, "", "demo-failure"},
		{"concierge", &six, "book", ""},
		{"nobody", &two, "book", ""},
	} {
		chosen := choose(tapes, c.agent, c.version, c.text)
		if c.want == "" {
			assert.Nil(t, chosen, "%+v", c)
			continue
		}
		assert.Equal(t, c.want, chosen.conversationID, "%+v", c)
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, tape := range tapes {
		said := ""
		for _, f := range ofType(tape.frames, wire.UserMessage) {
			said = f.Content
		}
		assert.Same(t, tape, choose(tapes, "nobody", nil, said), "what its own user says")
		require.NotEmpty(t, words[tape.conversationID])
		quoted := "`" + strings.Join(words[tape.conversationID], "` `") + "`"
		assert.True(t, strings.Contains(string(readme), quoted), "README.md lists %s", quoted)
	}
	assert.Len(t, words, len(tapes))
}

// identified is a demo for which a token is its user's name, and two of its users' clients.
func identified(token string) (string, error) {
	if token == "" || token == "expired" {
		return "", errors.New("no session")
	}
	return token, nil
}

// Promise 13: what a user sends is that user's alone, and scenarios are for all.
func TestWhoSeesWhat(t *testing.T) {
	o := quick
	o.Identify = identified
	d, client := start(t, o)
	ctx := t.Context()
	s, err := client.Execute(ctx, "ann", "concierge", user("", "Book it"))
	all := drained(t, s, err)
	id, call := all[0].ConversationID, ofType(all, wire.ToolCall)[1].ToolCallID
	seen := func(token string) (ids []string) {
		page, err := client.List(ctx, token, upstream.ListQuery{})
		require.NoError(t, err)
		for _, c := range page.Items {
			ids = append(ids, c.ConversationID)
		}
		return ids
	}
	assert.Len(t, seen("ann"), 8)
	assert.Contains(t, seen("ann"), id)
	assert.Len(t, seen("bob"), 7)
	assert.NotContains(t, seen("bob"), id)

	for token, want := range map[string]error{"bob": upstream.NotFound, "expired": upstream.Unauthenticated, "": upstream.Unauthenticated} {
		calls := map[string]func(id string) error{
			"head": func(id string) error { _, err := client.Head(ctx, token, id); return err },
			"rows": func(id string) error {
				_, _, err := client.Rows(ctx, token, id, upstream.RowsQuery{})
				return err
			},
			"backlinks": func(id string) error { _, err := client.Backlinks(ctx, token, id, "t", "r"); return err },
			"say": func(id string) error {
				_, err := client.Execute(ctx, token, "concierge", user(id, "hi"))
				return err
			},
			"answer": func(id string) error {
				_, err := client.Execute(ctx, token, "concierge", result(id, call, yes))
				return err
			},
			"retry":  func(id string) error { _, err := client.Retry(ctx, token, id); return err },
			"cancel": func(id string) error { return client.Cancel(ctx, token, id) },
		}
		for name, do := range calls {
			theirs, none := do(id), do("nope")
			assert.ErrorIs(t, theirs, want, "%q %s", token, name)
			assert.Equal(t, none, theirs, "%q %s: as if there were none", token, name)
		}
		_, err := client.Stream(ctx, token, id, 0)
		if want == upstream.NotFound {
			want = upstream.CannotReattach
		}
		assert.ErrorIs(t, err, want)
	}
	assert.Equal(t, wire.AwaitingClientTool, d.byID[id].ledger.status)
	_, err = client.Head(ctx, "bob", "demo-chat")
	assert.NoError(t, err)
	_, err = client.Plan(ctx, "bob", "companion", 1)
	assert.NoError(t, err)
	for _, read := range []string{"balance", "usage", "plans", "invoices", "grants"} {
		_, err = client.Get(ctx, "expired", nil, "billing", read)
		assert.ErrorIs(t, err, upstream.Unauthenticated, read)
	}
	_, err = client.List(ctx, "expired", upstream.ListQuery{})
	assert.ErrorIs(t, err, upstream.Unauthenticated)
	_, err = client.Plan(ctx, "expired", "companion", 1)
	assert.ErrorIs(t, err, upstream.Unauthenticated)

	// The same client_request_id of another user is another request.
	in := user("", "hi")
	in.ClientRequestID = "r"
	s, err = client.Execute(ctx, "ann", "companion", in)
	anns := drained(t, s, err)
	s, err = client.Execute(ctx, "bob", "companion", in)
	assert.NotEqual(t, anns[0].ConversationID, drained(t, s, err)[0].ConversationID)

	for header, want := range map[string]int{"Bearer ann": 200, "bearer ann": 200, "Basic ann": 401, "ann": 401, "": 401, "Bearer ": 401} {
		r := httptest.NewRequest(http.MethodGet, "/v1/conversations/"+id, nil)
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		assert.Equal(t, want, w.Code, "%q", header)
	}
}

// Promise 13: a list has those in which something happened last first.
func TestList(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Loops: 1})
	clock.move(2 * time.Minute)
	for _, c := range d.looping {
		for range 3 {
			clock.move(time.Minute)
			time.Sleep(time.Millisecond)
		}
		over(t, c)
	}
	list := func(q upstream.ListQuery) (ids []string, more bool) {
		page, err := client.List(t.Context(), "", q)
		require.NoError(t, err)
		for _, c := range page.Items {
			ids = append(ids, c.ConversationID)
		}
		return ids, page.HasMore
	}
	var sent []string
	for _, text := range []string{"a recipe", "hello", "book it"} {
		clock.move(time.Second)
		b, no := d.begin("", "x", user("", text))
		require.Nil(t, no)
		clock.move(time.Minute)
		until(t, b.conversation, "its run", func() bool { return !b.conversation.inFlight })
		sent = append([]string{b.conversation.id}, sent...)
	}
	ids, more := list(upstream.ListQuery{})
	assert.Len(t, ids, 10)
	assert.Equal(t, sent, ids[:3])
	assert.False(t, more)
	ids, more = list(upstream.ListQuery{Limit: 2, Offset: 1})
	assert.Equal(t, sent[1:], ids)
	assert.True(t, more)
	ids, more = list(upstream.ListQuery{Offset: 9})
	assert.Len(t, ids, 1)
	assert.False(t, more)
	ids, _ = list(upstream.ListQuery{Offset: 10})
	assert.Empty(t, ids)
	ids, _ = list(upstream.ListQuery{AgentID: "studio"})
	assert.Equal(t, []string{sent[2], "demo-artifacts"}, ids)
	ids, _ = list(upstream.ListQuery{Status: wire.AwaitingClientTool})
	assert.Equal(t, sent[:1], ids)
	ids, _ = list(upstream.ListQuery{Status: wire.Paused, AgentID: "companion"})
	assert.Equal(t, []string{sent[1], "demo-chat"}, ids)
	ids, _ = list(upstream.ListQuery{Status: wire.Failed})
	assert.Empty(t, ids)

	page, err := client.List(t.Context(), "", upstream.ListQuery{Limit: 1})
	require.NoError(t, err)
	one := page.Items[0]
	assert.Equal(t, []any{"concierge", 2, "book it"}, []any{one.AgentID, *one.AgentVersion, one.Title})
	assert.True(t, one.UpdatedAt.After(one.CreatedAt))
}

// Promise 13: of the conversations that people began, those that rest longest are forgotten.
func TestSentConversationsAreBounded(t *testing.T) {
	clock := newHandClock()
	d, _ := start(t, Options{Clock: clock}, record(t, "c", opened, said, `{"type":"run.pause","offset":3,"status":"paused","at":"2026-01-05T09:00:10Z"}`))
	begin := func() (*conversation, *refusal) {
		b, no := d.begin("", "a", user("", "hi"))
		return b.conversation, no
	}
	for range maxSent {
		_, no := begin()
		require.Nil(t, no)
	}
	first, second := d.sent[0], d.sent[1]
	_, no := begin()
	require.NotNil(t, no)
	assert.Equal(t, http.StatusTooManyRequests, no.status, "all of them run")
	require.Nil(t, second.cancel())
	clock.move(time.Second)
	require.Nil(t, first.cancel())
	third, no := begin()
	require.Nil(t, no)
	assert.Nil(t, d.find(second.id, ""), "the one that rests longer")
	_, changed := second.follow(0)
	assert.Nil(t, changed, "its streams end")
	assert.Same(t, first, d.find(first.id, ""))
	assert.Same(t, third, d.find(third.id, ""))
	assert.Len(t, d.sent, maxSent)
	assert.Len(t, d.byID, maxSent+1)
}

// Promises 4 and 10: a run goes on without its reader, and others attach to it.
func TestAReaderLeaves(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock}, builtIn(t, "chat"))
	ctx, leave := context.WithCancel(t.Context())
	s, err := client.Execute(ctx, "", "companion", user("", "hi"))
	require.NoError(t, err)
	first := read(t, s, 2)
	id := first[0].ConversationID
	leave()
	require.NoError(t, s.Close())
	c := d.byID[id]
	clock.move(3 * time.Second)
	played(t, c, 10)
	assert.Equal(t, wire.Running, standing(t, client, id))

	var attached []upstream.Stream
	for after := range 3 {
		s, err := client.Stream(t.Context(), "", id, int64(after))
		require.NoError(t, err)
		defer s.Close()
		attached = append(attached, s)
	}
	clock.move(time.Minute)
	var all []*wire.Frame
	for after, s := range attached {
		frames := read(t, s, 0)
		if after == 0 {
			all = frames
			sound(t, all)
			assert.Equal(t, first, all[:2])
		}
		assert.Equal(t, all[after:], frames)
	}
	assert.Len(t, all, len(c.tape.frames))
}

// Promise 8: Close ends everything, whatever is under way.
func TestCloseDuringEverything(t *testing.T) {
	d, err := New(Options{Speed: 50, Rest: time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, d.Start("127.0.0.1:0"))
	client, err := platform.New(platform.Options{BaseURL: d.URL()})
	require.NoError(t, err)
	defer client.Close()
	var busy sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for i := range 12 {
		busy.Go(func() {
			id, agent := "", []string{"companion", "concierge", "release-bot", "travel-desk"}[i%4]
			for ctx.Err() == nil {
				s, err := client.Execute(ctx, "", agent, user(id, "hi"))
				switch i % 3 {
				case 0:
					id = ""
				case 1:
					client.Cancel(ctx, "", "demo-fanout")
				case 2:
					client.Post(ctx, "", []byte(`{"plan_id":"plus"}`), "billing", "subscribe")
				}
				if err != nil {
					id = ""
					continue
				}
				for {
					item, err := s.Next(ctx)
					if err != nil {
						break
					}
					if item.Frame.ConversationID != "" {
						id = item.Frame.ConversationID
					}
				}
				s.Close()
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	begin := time.Now()
	require.NoError(t, d.Close())
	assert.Less(t, time.Since(begin), 3*time.Second)
	stop()
	busy.Wait()

	_, no := d.begin("", "companion", user("", "hi"))
	assert.Equal(t, closing, no)
	for _, c := range d.sent {
		_, no = c.say("hi", nil, nil)
		assert.NotNil(t, no)
		_, no = c.answer(nil, nil)
		assert.Equal(t, closing, no)
		_, no = c.retry(nil)
		assert.Equal(t, closing, no)
		assert.Equal(t, closing, c.cancel())
	}
	offsets := fmt.Sprint(len(d.sent[0].frames))
	time.Sleep(20 * time.Millisecond)
	assert.Equal(t, offsets, fmt.Sprint(len(d.sent[0].frames)))
}
