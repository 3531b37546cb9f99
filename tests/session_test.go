package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sitting is one client of a demo over real sockets: a WebSocket that it follows on, and requests beside it.
type sitting struct {
	*server
	socket *socket
}

func (c *sitting) do(t *testing.T, text string, variables map[string]any) json.RawMessage {
	t.Helper()
	r := parse(t, c.post(t, mediaResponse, request{Query: text, Variables: variables}).body)
	require.Empty(t, r.Errors, text)
	return r.Data
}

// say sends a message, in a new conversation unless one is named, and answers where it went.
func (c *sitting) say(t *testing.T, agentID, conversationID, content string) (id string, fresh bool) {
	t.Helper()
	input := map[string]any{"agentId": agentID, "content": content}
	if conversationID != "" {
		input["conversationId"] = conversationID
	}
	var sent struct {
		Send struct {
			Fresh        bool
			Conversation struct{ ID string }
		}
	}
	data := c.do(t, `mutation ($input: SendInput!) { send(input: $input) { fresh conversation { id } } }`, map[string]any{"input": input})
	require.NoError(t, json.Unmarshal(data, &sent))
	return sent.Send.Conversation.ID, sent.Send.Fresh
}

// follow follows the standing of a conversation; the function waits for it to be one of some.
func (c *sitting) follow(t *testing.T, id string) (until func(statuses ...string) string) {
	t.Helper()
	s := c.socket.subscribe(t, chat(`{ status pendingTools { toolCallId toolName } }`).operation(id))
	seen := 0
	return func(statuses ...string) (value string) {
		t.Helper()
		s.wait(t, id+" is "+strings.Join(statuses, " or "), func(all []json.RawMessage) bool {
			for ; seen < len(all); seen++ {
				value = string(valueOf(t, "chat", all[seen]))
				for _, status := range statuses {
					if strings.Contains(value, `"status":"`+status+`"`) {
						seen++
						return true
					}
				}
			}
			return false
		})
		return value
	}
}

// settled waits until a follower's rows are what a query reads, and holds what it received against the promises.
func (c *sitting) settled(t *testing.T, id string, s *stream, kept string) {
	t.Helper()
	eventually(t, patience, func() string {
		final := timeline("").read(t, c.server, id)
		if last := lastOf(resumed(t, s, kept).Values); !same(last, final) {
			return "the rows are " + last
		}
		return ""
	})
	o := resumed(t, s, kept)
	o.Final = timeline("").read(t, c.server, id)
	assert.NoError(t, Validate(o))
}

// One session of a client, on the demo: it lists, sends, watches the words come, answers tools and sees the run resume,
// cancels, retries, reloads in the middle, pages back, reads its billing and pays at a checkout.
func TestOneSession(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo-speed", "8", "--window-rows", "12", "--evict-after-seconds", "3")
	c := &sitting{s, dial(t, s)}

	var list struct {
		Conversations struct {
			Items []struct{ ConversationID, AgentID, Status string }
		}
	}
	require.NoError(t, json.Unmarshal(c.do(t, `{ conversations(limit: 50) { items { conversationId agentId status } hasMore } }`, nil), &list))
	assert.Len(t, list.Conversations.Items, 7)

	id, fresh := c.say(t, "concierge", "", "Book two seats, please. 🎟")
	assert.False(t, fresh)
	rows := c.socket.subscribe(t, rowChanges().operation(id))
	until := c.follow(t, id)
	c.answerTools(t, id, until)
	c.settled(t, id, rows, "")
	grown := 0
	for _, change := range rows.values(t, "rowChanges") {
		grown += strings.Count(string(change), `"RowTextAppended"`)
	}
	assert.Greater(t, grown, 10, "word by word")
	got := timeline("").read(t, s, id)
	assert.Contains(t, got, "Book two seats, please. 🎟")
	assert.Contains(t, got, `"output":"{\"approved\":true,\"by\":\"me\"}"`)
	assert.Contains(t, string(c.do(t, `{ conversations(agentId: "concierge", status: PAUSED) { items { conversationId } } }`, nil)), id)

	c.cancelAndGoOn(t)
	rested := c.retryWhatFailed(t)
	c.reload(t)
	c.pay(t)
	c.pageBack(t, rested)
	assert.NotContains(t, s.stderr.String(), `"level":"ERROR"`)
}

// answerTools answers every tool that waits, until the run rests.
func (c *sitting) answerTools(t *testing.T, id string, until func(...string) string) {
	t.Helper()
	answered := map[string]bool{}
	for {
		var now struct {
			Status       string
			PendingTools []struct{ ToolCallID, ToolName string }
		}
		require.NoError(t, json.Unmarshal([]byte(until("AWAITING_CLIENT_TOOL", "PAUSED")), &now))
		if now.Status == "PAUSED" {
			break
		}
		for _, call := range now.PendingTools {
			if answered[call.ToolCallID] {
				continue
			}
			answered[call.ToolCallID] = true
			data := c.do(t, `mutation ($input: ToolResultInput!) { submitToolResult(input: $input) { conversation { chat { toolStates { toolCallId status error } } } } }`,
				map[string]any{"input": map[string]any{"conversationId": id, "toolCallId": call.ToolCallID, "output": map[string]any{"approved": true, "by": "me"}}})
			assert.Contains(t, string(data), fmt.Sprintf(`{"toolCallId":%q,"status":"SUBMITTED","error":null}`, call.ToolCallID))
		}
	}
	assert.Len(t, answered, 2)
}

// cancelAndGoOn cancels a run; the next message finds it over, and begins another conversation.
func (c *sitting) cancelAndGoOn(t *testing.T) {
	t.Helper()
	id, _ := c.say(t, "travel-desk", "", "A long weekend")
	until := c.follow(t, id)
	until("STREAMING")
	c.do(t, fmt.Sprintf(`mutation { cancel(conversationId: %q) { conversation { id } } }`, id), nil)
	until("CANCELLED")
	refused := parse(t, c.post(t, mediaResponse, request{Query: fmt.Sprintf(`mutation { cancel(conversationId: %q) { conversation { id } } }`, id)}).body)
	assert.Equal(t, []string{"CONFLICT"}, codes(refused.Errors))
	next, fresh := c.say(t, "travel-desk", id, "A shorter weekend")
	assert.True(t, fresh)
	assert.NotEqual(t, id, next)
	c.do(t, fmt.Sprintf(`mutation { cancel(conversationId: %q) { conversation { id } } }`, next), nil)
}

// retryWhatFailed retries a run that failed, and answers its conversation, which nobody follows any more.
func (c *sitting) retryWhatFailed(t *testing.T) (id string) {
	t.Helper()
	id, _ = c.say(t, "release-bot", "", "Ship it")
	own := &sitting{c.server, dial(t, c.server)}
	defer own.socket.close()
	rows := own.socket.subscribe(t, rowChanges().operation(id))
	until := own.follow(t, id)
	until("FAILED")
	c.do(t, fmt.Sprintf(`mutation { retry(conversationId: %q) { conversation { id } } }`, id), nil)
	until("STREAMING")
	until("PAUSED")
	c.settled(t, id, rows, "")
	return id
}

// reload loses the connection in the middle of a run, twice: once the client kept its rows and goes on behind its cursor,
// once it comes with nothing. Either has in the end exactly what a query reads.
func (c *sitting) reload(t *testing.T) {
	t.Helper()
	id, _ := c.say(t, "companion", "", "Why is the sky blue?")
	first := dial(t, c.server)
	rows := first.subscribe(t, rowChanges().operation(id))
	rows.message(t, 12)
	first.close()
	before := resumed(t, rows, "")
	kept, cursor := lastOf(before.Values), cursorOf(t, lastOf(before.Changes))
	assert.Contains(t, kept, `"complete":false`, "in the middle")

	second := dial(t, c.server)
	goesOn, fromNothing := second.subscribe(t, rowChanges().after(cursor).operation(id)), second.subscribe(t, rowChanges().operation(id))
	c.follow(t, id)("PAUSED")
	c.settled(t, id, goesOn, kept)
	c.settled(t, id, fromNothing, "")
	assert.Greater(t, goesOn.count(), 5)
	assert.True(t, isReset(t, string(fromNothing.values(t, "rowChanges")[0])), "only who has nothing gets everything")
}

// pageBack reads what lies before the window of a conversation that was let go of: once beside the window, then into it,
// for whoever follows too.
func (c *sitting) pageBack(t *testing.T, id string) {
	t.Helper()
	window := func() (hasEarlier bool, seqs []int) {
		var got struct {
			Conversation struct {
				Chat     struct{ HasEarlier bool }
				Timeline []struct{ Seq int }
			}
		}
		require.NoError(t, json.Unmarshal(c.do(t, `query ($id: ID!) { conversation(id: $id) { chat { hasEarlier } timeline { seq } } }`, map[string]any{"id": id}), &got))
		for _, row := range got.Conversation.Timeline {
			seqs = append(seqs, row.Seq)
		}
		return got.Conversation.Chat.HasEarlier, seqs
	}
	if onBus() != nil { // what left memory comes back from the bus, as it was told: with everything that it had
		time.Sleep(8 * time.Second)
		var page struct {
			Conversation struct {
				RowPage struct{ Rows []struct{ Seq int } }
			}
		}
		require.NoError(t, json.Unmarshal(c.do(t, `query ($id: ID!) { conversation(id: $id) { rowPage(limit: 1000) { rows { seq } } } }`, map[string]any{"id": id}), &page))
		var logged []int
		for _, row := range page.Conversation.RowPage.Rows {
			logged = append(logged, row.Seq)
		}
		rows := c.socket.subscribe(t, rowChanges().operation(id))
		rows.message(t, 1)
		loadAll(t, c.server, id)
		earlier, all := window()
		assert.False(t, earlier)
		assert.Len(t, all, len(logged))
		known := 0
		for _, seq := range all {
			if seq != 0 { // of what was told live some are not known
				assert.Contains(t, logged, seq)
				known++
			}
		}
		assert.Positive(t, known)
		c.settled(t, id, rows, "")
		return
	}
	earlier, seqs := false, []int(nil)
	for began := time.Now(); !earlier && time.Since(began) < patience; earlier, seqs = window() {
		time.Sleep(4 * time.Second) // it leaves memory when nobody asks for it
	}
	require.True(t, earlier)
	require.NotEmpty(t, seqs)
	rows := c.socket.subscribe(t, rowChanges().operation(id))
	rows.message(t, 1)
	var page struct {
		Conversation struct {
			RowPage struct{ Rows []struct{ Seq int } }
		}
	}
	require.NoError(t, json.Unmarshal(c.do(t, `query ($id: ID!, $seq: SafeInt) { conversation(id: $id) { rowPage(beforeSeq: $seq, limit: 1000) { rows { seq } } } }`,
		map[string]any{"id": id, "seq": seqs[0]}), &page))
	var paged []int
	for _, row := range page.Conversation.RowPage.Rows {
		paged = append(paged, row.Seq)
	}
	require.NotEmpty(t, paged)
	loadAll(t, c.server, id)
	earlier, all := window()
	assert.False(t, earlier)
	assert.Equal(t, slices.Concat(paged, seqs), all)
	c.settled(t, id, rows, "")
	assert.Greater(t, rows.count(), 1)
}

// pay reads the billing, opens a checkout, and pays there.
func (c *sitting) pay(t *testing.T) {
	t.Helper()
	type billing struct {
		Balance struct{ AvailableMicroUsd int64 }
		Usage   struct {
			UsedMicroUsd int64
			Lines        []struct{ Key string }
		}
		Plans    struct{ Current struct{ ID string } }
		Invoices []struct{ ID string }
		Grants   []struct{ Source string }
	}
	read := func() billing {
		var got struct{ Billing billing }
		require.NoError(t, json.Unmarshal(c.do(t, `{ billing { balance { availableMicroUsd } usage { usedMicroUsd lines { key } } plans { current { id } plans { id } } invoices { id } grants { source } } }`, nil), &got))
		return got.Billing
	}
	before := read()
	assert.NotEmpty(t, before.Usage.Lines)
	assert.NotEmpty(t, before.Invoices)
	assert.Equal(t, "free", before.Plans.Current.ID)
	assert.Contains(t, string(c.do(t, `{ billing { usage { lines { key } } } }`, nil)), "concierge", "what the session ran is in it")

	page := func(mutation, field string) string {
		var url string
		require.NoError(t, json.Unmarshal(at(t, c.do(t, mutation, nil), field, "url"), &url))
		require.True(t, strings.HasPrefix(url, "http://127.0.0.1:"), url)
		return url
	}
	open := func(method, url string) string {
		r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
		require.NoError(t, err)
		got := send(t, r)
		require.Equal(t, http.StatusOK, got.status)
		return got.body
	}
	topup := page(`mutation { topup(amountMicroUsd: 5000000, returnUrl: "https://app.example/back") { url } }`, "topup")
	assert.Contains(t, open(http.MethodGet, topup), "$5.00")
	assert.Equal(t, before.Balance.AvailableMicroUsd, read().Balance.AvailableMicroUsd, "nothing is paid by opening it")
	assert.Contains(t, open(http.MethodPost, topup), "https://app.example/back")
	assert.Equal(t, before.Balance.AvailableMicroUsd+5_000_000, read().Balance.AvailableMicroUsd)

	open(http.MethodPost, page(`mutation { subscribeCheckout(planId: "plus") { url } }`, "subscribeCheckout"))
	assert.Equal(t, "plus", read().Plans.Current.ID)
}
