package example

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heard is what a subscription showed so far.
type heard[T any] struct {
	mu  sync.Mutex
	all []T
	err error
}

// listen follows until the test ends.
func listen[T any](t *testing.T, follow func(context.Context, func(T)) error) *heard[T] {
	t.Helper()
	h := &heard[T]{}
	ctx, stop := context.WithCancel(context.Background())
	var going sync.WaitGroup
	going.Go(func() {
		err := follow(ctx, func(value T) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.all = append(h.all, value)
		})
		h.mu.Lock()
		defer h.mu.Unlock()
		if ctx.Err() == nil {
			h.err = err
		}
	})
	t.Cleanup(func() {
		stop()
		going.Wait()
	})
	return h
}

func (h *heard[T]) so() ([]T, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all), h.err
}

// latest is the latest value, the zero one while there is none.
func (h *heard[T]) latest(c require.TestingT) (last T) {
	all, err := h.so()
	require.NoError(c, err)
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	return last
}

func eventually(t *testing.T, check func(*assert.CollectT)) {
	t.Helper()
	require.EventuallyWithT(t, check, patience, look)
}

func letters(rows []Row) (n int) {
	for _, row := range rows {
		if said, ok := row.(interface{ GetContent() string }); ok {
			n += len(said.GetContent())
		}
	}
	return n
}

// same waits until the rows are those that a query reads.
func same(t *testing.T, rows *heard[[]Row], c *Client, id string) {
	t.Helper()
	eventually(t, func(ct *assert.CollectT) {
		want, err := c.Timeline(t.Context(), id)
		require.NoError(ct, err)
		require.NotEmpty(ct, want)
		require.Equal(ct, jsonOf(ct, want), jsonOf(ct, rows.latest(ct)))
	})
}

func jsonOf(t require.TestingT, rows []Row) string {
	text, err := json.Marshal(rows)
	require.NoError(t, err)
	return string(text)
}

func chatOf(t *testing.T, c *Client, id string) *heard[ChatChatChatSnapshot] {
	return listen(t, func(ctx context.Context, show func(ChatChatChatSnapshot)) error { return c.WatchChat(ctx, id, show) })
}

func feedOf(t *testing.T, c *Client, id, agent string, version int) *heard[FeedFeed] {
	pin := AgentPin{AgentId: agent, AgentVersion: &version}
	return listen(t, func(ctx context.Context, show func(FeedFeed)) error { return c.WatchFeed(ctx, id, pin, show) })
}

func rowsOf(t *testing.T, c *Client, id string) *heard[[]Row] {
	return listen(t, func(ctx context.Context, show func([]Row)) error { return c.FollowRows(ctx, id, show) })
}

func paused(t *testing.T, chat *heard[ChatChatChatSnapshot]) {
	t.Helper()
	eventually(t, func(ct *assert.CollectT) { require.Equal(ct, ChatStatusPaused, chat.latest(ct).Status) })
}

// Promise 1: a message begins a run, and three subscriptions follow it to its end.
func TestRun(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t, "--demo-speed", "4")
	c := New(graphqlAt(server), anonymous)
	id, err := c.Send(t.Context(), "travel-desk", "a trip to Lisbon")
	require.NoError(t, err)
	chat, feed, rows := chatOf(t, c, id), feedOf(t, c, id, "travel-desk", 3), rowsOf(t, c, id)
	paused(t, chat)
	assert.True(t, chat.latest(t).Capabilities.CanSend)
	same(t, rows, c, id)
	shown, _ := rows.so()
	assert.Greater(t, len(shown), 10, "the text grew")
	eventually(t, func(ct *assert.CollectT) {
		feed := feed.latest(ct)
		require.Equal(ct, FeedModeComposed, feed.Mode)
		card := slices.IndexFunc(feed.Entries, func(e FeedFeedEntriesFeedEntry) bool { _, ok := e.Row.(*FeedRowFanOutRow); return ok })
		require.GreaterOrEqual(ct, card, 0)
		key := feed.Entries[card].Key
		require.Equal(ct, key, feed.Entries[card].Row.(*FeedRowFanOutRow).Key)
		require.True(ct, slices.ContainsFunc(feed.Entries, func(e FeedFeedEntriesFeedEntry) bool { return e.Parent != nil && *e.Parent == key }))
	})
}

// Promise 1: a tool is answered, and the run goes on; another answer is refused.
func TestTools(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t, "--demo-speed", "4")
	c := New(graphqlAt(server), anonymous)
	id, err := c.Send(t.Context(), "concierge", "approval, please")
	require.NoError(t, err)
	chat := chatOf(t, c, id)
	answers := map[string]string{}
	eventually(t, func(ct *assert.CollectT) {
		for _, call := range chat.latest(ct).PendingTools {
			if answers[call.ToolCallId] != "" {
				continue
			}
			answer := map[string]any{"approved": true, "nth": len(answers)}
			require.NoError(ct, c.Answer(t.Context(), id, call.ToolCallId, answer))
			text, err := json.Marshal(answer)
			require.NoError(ct, err)
			answers[call.ToolCallId] = string(text)
		}
		require.GreaterOrEqual(ct, len(answers), 2)
	})
	paused(t, chat)
	rows, err := c.Timeline(t.Context(), id)
	require.NoError(t, err)
	for call, answer := range answers {
		at := slices.IndexFunc(rows, func(row Row) bool { r, ok := row.(*RowToolResultRow); return ok && r.ToolCallId == call })
		require.GreaterOrEqual(t, at, 0)
		assert.JSONEq(t, answer, rows[at].(*RowToolResultRow).Output)
		assert.Equal(t, "CONFLICT", Code(c.Answer(t.Context(), id, call, false)))
	}
}

// Promises 2 and 4: connections that are cut in mid-stream lose nothing, and nothing is sent anew.
func TestCut(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t, "--demo-speed", "4")
	const reset, ack = `"RowsReset"`, `"connection_ack"`
	p := startProxy(t, server, reset, ack)
	c := New(graphqlAt(p.address), anonymous)
	id, err := c.Send(t.Context(), "travel-desk", "a trip to Lisbon")
	require.NoError(t, err)
	rows := rowsOf(t, c, id)
	for cut := 1; cut <= 3; cut++ {
		had := letters(rows.latest(t))
		eventually(t, func(ct *assert.CollectT) { require.Greater(ct, letters(rows.latest(ct)), had) })
		require.Equal(t, 1, p.cut())
		eventually(t, func(ct *assert.CollectT) { require.Equal(ct, cut+1, p.count(ack)) })
	}
	paused(t, chatOf(t, c, id))
	same(t, rows, c, id)
	assert.Equal(t, 1, p.count(reset), "only the first connection began with a reset")
}

// Promise 2: a server that was stopped and started again is followed on.
func TestRestart(t *testing.T) {
	t.Parallel()
	server, stop := startServer(t, "--demo-speed", "4")
	p := startProxy(t, server)
	c := New(graphqlAt(p.address), anonymous)
	rows := rowsOf(t, c, "demo-chat")
	eventually(t, func(ct *assert.CollectT) { require.Positive(ct, letters(rows.latest(ct))) })
	stop()
	before, _ := rows.so()
	server, _ = startServer(t, "--demo-speed", "4")
	p.target.Store(server)
	eventually(t, func(ct *assert.CollectT) {
		now, err := rows.so()
		require.NoError(ct, err)
		require.Greater(ct, len(now), len(before)+10, "it streams again")
	})
	same(t, rows, c, "demo-chat")
}

// Promise 3: a token that expires is fetched anew, and nothing is lost.
func TestTokens(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t, "--demo-speed", "2", "--jwt-leeway-seconds", "0", "--jwt-secret", secret)
	const reset, ack = `"RowsReset"`, `"connection_ack"`
	p := startProxy(t, server, reset, ack)
	var fetched atomic.Int32
	c := New(graphqlAt(p.address), func(context.Context) (string, error) {
		fetched.Add(1)
		return token("ann", 3*time.Second, secret), nil
	})
	id, err := c.Send(t.Context(), "travel-desk", "a trip to Lisbon")
	require.NoError(t, err)
	rows, chat := rowsOf(t, c, id), chatOf(t, c, id)
	paused(t, chat)
	same(t, rows, New(graphqlAt(server), func(context.Context) (string, error) { return token("ann", time.Minute, secret), nil }), id)
	assert.GreaterOrEqual(t, p.count(ack), 3, "a connection was closed and came back")
	assert.GreaterOrEqual(t, fetched.Load(), int32(2))
	assert.Equal(t, 1, p.count(reset))
}

// Promise 3: a token that a request is refused with is fetched anew, once.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t, "--demo-speed", "4", "--jwt-leeway-seconds", "0", "--jwt-secret", secret)
	fetched := 0
	late := New(graphqlAt(server), func(context.Context) (string, error) {
		fetched++
		return token("ann", time.Duration(2*fetched-3)*time.Minute, secret), nil
	})
	_, err := late.Timeline(t.Context(), "demo-chat")
	require.NoError(t, err)
	assert.Equal(t, 2, fetched)
	refused := 0
	stranger := New(graphqlAt(server), func(context.Context) (string, error) {
		refused++
		return token("eve", time.Minute, "another secret of many bytes, not known"), nil
	})
	_, err = stranger.Timeline(t.Context(), "demo-chat")
	assert.Equal(t, "UNAUTHENTICATED", Code(err), err)
	assert.Equal(t, 2, refused)
}

// Promise 3: a login that fails ends what needs it.
func TestFailedLogin(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t)
	failure := errors.New("no login")
	c := New(graphqlAt(server), func(context.Context) (string, error) { return "", failure })
	_, err := c.Timeline(t.Context(), "demo-chat")
	assert.ErrorIs(t, err, failure)
	assert.ErrorIs(t, c.WatchChat(t.Context(), "demo-chat", func(ChatChatChatSnapshot) {}), failure)
}

// Promise 2: what is refused ends a subscription, with its code.
func TestCodes(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t)
	c := New(graphqlAt(server), anonymous)
	_, err := c.Timeline(t.Context(), "nowhere")
	assert.Equal(t, "NOT_FOUND", Code(err), err)
	version := 3
	for name, err := range map[string]error{
		"chat": c.WatchChat(t.Context(), "nowhere", func(ChatChatChatSnapshot) {}),
		"feed": c.WatchFeed(t.Context(), "nowhere", AgentPin{AgentId: "travel-desk", AgentVersion: &version}, func(FeedFeed) {}),
		"rows": c.FollowRows(t.Context(), "nowhere", func([]Row) {}),
	} {
		assert.Equal(t, "NOT_FOUND", Code(err), "%s: %v", name, err)
	}
}

// Rows without ids stay apart.
func TestWithoutIDs(t *testing.T) {
	t.Parallel()
	server, _ := startServer(t, "--upstream", olderPlatform(t), "--insecure")
	c := New(graphqlAt(server), anonymous)
	rows := rowsOf(t, c, "old")
	same(t, rows, c, "old")
	var said []string
	for _, row := range rows.latest(t) {
		assert.Nil(t, row.GetId())
		said = append(said, row.(interface{ GetContent() string }).GetContent())
	}
	assert.Equal(t, []string{"Count to two.", "One.", "Two."}, said)
}
