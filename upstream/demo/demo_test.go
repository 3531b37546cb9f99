package demo

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

func TestContract(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock}, builtIn(t, "chat"))
	c := d.looping[0]
	ctx := t.Context()

	// New returns with a run in flight.
	played(t, c, 2) // the second frame is due at once
	h, err := client.Head(ctx, "", "demo-chat")
	require.NoError(t, err)
	assert.Equal(t, "companion", h.AgentID)
	assert.Equal(t, 1, h.AgentVersion)
	assert.Equal(t, "Why is the sky blue?", h.Title)
	assert.Equal(t, wire.Running, h.Status)
	assert.EqualValues(t, 2, h.LastOffset)
	assert.Equal(t, clock.Now(), h.CreatedAt)

	s, err := client.Stream(ctx, "any", "demo-chat", 1)
	require.NoError(t, err)
	defer s.Close()
	clock.move(2 * time.Second)
	live := read(t, s, 3)
	assert.Equal(t, "user.message node.start message.delta", types(live))
	assert.EqualValues(t, 1, live[0].Seq)
	assert.Equal(t, clock.Now(), live[2].At, "times are the present's")

	clock.move(time.Minute)
	rest := read(t, s, 0)
	last := rest[len(rest)-1]
	assert.Equal(t, "run.pause:paused", types(rest[len(rest)-1:]))
	assert.EqualValues(t, len(c.tape.frames), last.Offset)
	for i, f := range slices.Concat(live, rest) {
		assert.EqualValues(t, i+2, f.Offset)
	}

	_, err = client.Stream(ctx, "", "demo-chat", 0)
	assert.ErrorIs(t, err, upstream.Idle)
	h, err = client.Head(ctx, "", "demo-chat")
	require.NoError(t, err)
	assert.Equal(t, wire.Paused, h.Status)
	assert.Equal(t, last.Offset, h.LastOffset)
	assert.False(t, h.HasEarlier)

	page, rejected, err := client.Rows(ctx, "", "demo-chat", upstream.RowsQuery{})
	require.NoError(t, err)
	assert.Empty(t, rejected)
	assert.False(t, page.HasEarlier)
	require.Len(t, page.Rows, 8)
	assert.Equal(t, wire.RowUser, page.Rows[0].Type)
	page, _, err = client.Rows(ctx, "", "demo-chat", upstream.RowsQuery{BeforeSeq: 4, Limit: 2})
	require.NoError(t, err)
	assert.True(t, page.HasEarlier)
	assert.EqualValues(t, 2, page.Rows[0].Seq)
	page, _, err = client.Rows(ctx, "", "demo-chat", upstream.RowsQuery{AfterSeq: 8})
	require.NoError(t, err)
	assert.Empty(t, page.Rows)

	for _, id := range []string{"nope", "demo-chat/", "demo-chat%2Frows"} {
		_, err = client.Head(ctx, "", id)
		assert.ErrorIs(t, err, upstream.NotFound)
		_, _, err = client.Rows(ctx, "", id, upstream.RowsQuery{})
		assert.ErrorIs(t, err, upstream.NotFound)
		_, err = client.Stream(ctx, "", id, 0)
		assert.ErrorIs(t, err, upstream.CannotReattach)
	}
}

func TestAnswersOverHTTP(t *testing.T) {
	d, _ := start(t, Options{Clock: newHandClock()})
	get := func(path, last string) (int, string) {
		req := httptest.NewRequest(http.MethodGet, path, nil)
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, req)
		return w.Code, w.Body.String()
	}
	for path, want := range map[string]int{
		"/": 404, "/v1/conversations/nope": 404, "/v1/agents/x": 404,
		"/v1/conversations/demo-chat/rows?limit=0": 400, "/v1/conversations/demo-chat/rows?limit=-1": 400,
		"/v1/conversations/demo-chat/rows?before_seq=x":       400,
		"/v1/conversations/demo-chat/rows?after_seq=1.5":      400,
		"/v1/conversations?limit=x":                           400,
		"/v1/conversations?offset=-1":                         400,
		"/v1/conversations/demo-chat/rows?limit=999999999999": 200,
	} {
		code, body := get(path, "")
		assert.Equal(t, want, code, path)
		if want != 200 {
			assert.Regexp(t, `^\{"error":\{"code":"[a-z_]+","message":"[^"]+"\}\}$`, body, path)
		}
	}
	for _, last := range []string{"x", "-1", "1.5"} {
		code, _ := get("/v1/conversations/demo-chat/stream", last)
		assert.Equal(t, 400, code, last)
	}

	list := func(query string) ([]string, bool) {
		code, body := get("/v1/conversations?"+query, "")
		require.Equal(t, 200, code)
		assert.NotContains(t, body, "working_set")
		page, dropped, err := wire.DecodeSummaries([]byte(body))
		require.NoError(t, err)
		assert.Zero(t, dropped)
		var ids []string
		for _, s := range page.Items {
			ids = append(ids, s.ConversationID)
		}
		return ids, page.HasMore
	}
	ids, more := list("")
	assert.Len(t, ids, 7)
	assert.False(t, more)
	ids, more = list("limit=2&offset=1")
	assert.Equal(t, []string{"demo-fanout", "demo-subagents"}, ids)
	assert.True(t, more)
	ids, _ = list("agent_id=studio&status=running")
	assert.Equal(t, []string{"demo-artifacts"}, ids)
	ids, more = list("status=failed&offset=0")
	assert.Empty(t, ids)
	assert.False(t, more)
}

// Promises 1, 2 and 5: loops go on for ever, nothing comes twice, and the log reaches back ten of them.
func TestLoops(t *testing.T) {
	const loops = 12
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, client := start(t, Options{Speed: 1e6, Rest: time.Millisecond, Loops: loops}, builtIn(t, name))
			c := d.looping[0]
			each := int64(len(c.tape.frames))
			played(t, c, loops*each)

			frames := sentFrames(t, c)
			require.Len(t, frames, 10*int(each), "ten loops are kept")
			assert.EqualValues(t, 2*each+1, frames[0].Offset)
			loopOf := func(f *wire.Frame) int64 { return (f.Offset - 1) / each }
			seen := map[string]int64{}
			for i, f := range frames {
				assert.Equal(t, frames[0].Offset+int64(i), f.Offset)
				assert.Equal(t, c.tape.frames[int64(i)%each].Type, f.Type)
				for sort, id := range map[string]string{
					"row": f.ID, "turn": f.MessageID, "visit": f.Activation, "call": f.ToolCallID, "run": f.RunID,
				} {
					if id == "" {
						continue
					}
					first, again := seen[sort+id]
					assert.True(t, !again || first == loopOf(f), "%s %s of loop %d in loop %d", sort, id, first, loopOf(f))
					seen[sort+id] = loopOf(f)
				}
			}

			var rows []*wire.Row
			for before := int64(0); ; before = rows[0].Seq {
				page, rejected, err := client.Rows(t.Context(), "", c.tape.conversationID, upstream.RowsQuery{BeforeSeq: before, Limit: 50})
				require.NoError(t, err)
				require.Empty(t, rejected)
				rows = append(page.Rows, rows...)
				if !page.HasEarlier {
					break
				}
			}
			turns, ids := 0, map[string]bool{}
			for i, r := range rows {
				assert.Equal(t, rows[0].Seq+int64(i), r.Seq)
				if r.Type == wire.RowUser {
					turns++
				}
				if r.ID != "" {
					assert.False(t, ids[r.ID], "row %s is there twice", r.ID)
					ids[r.ID] = true
				}
			}
			assert.Equal(t, 10, turns)
			assert.Greater(t, rows[0].Seq, int64(1))
			assert.Zero(t, len(rows)%10, "every loop leaves the same rows")

			h, err := client.Head(t.Context(), "", c.tape.conversationID)
			require.NoError(t, err)
			assert.Equal(t, loops*each, h.LastOffset)
			assert.Equal(t, wire.Paused, h.Status)
			assert.Equal(t, len(rows) > defaultLimit, h.HasEarlier)
			assert.Equal(t, rows[len(rows)-1].Seq, c.ledger.nextSeq-1)
		})
	}
}

// Promise 3: the log of a turn has what its frames made lasting, and nothing else.
func TestTheLogHasTheFacts(t *testing.T) {
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			d, _ := start(t, Options{Speed: 1e6, Loops: 1}, builtIn(t, name))
			c := d.looping[0]
			played(t, c, int64(len(c.tape.frames)))
			live, logged := map[string]string{}, map[string]string{}
			seqs := map[int64]bool{}
			for _, f := range sentFrames(t, c) {
				fact(live, f.Body, f.Type.String())
				if f.Seq > 0 {
					assert.False(t, seqs[f.Seq], "seq %d is said twice", f.Seq)
					seqs[f.Seq] = true
				}
			}
			page := c.page(0, -1, 1000)
			for _, r := range page.Rows {
				fact(logged, r.Body, map[wire.RowType]string{
					wire.RowUser: "user.message", wire.RowAssistant: "message.end", wire.RowOutput: "output.set",
					wire.RowToolCall: "tool.call", wire.RowToolResult: "tool.result", wire.RowNodeStart: "node.start",
					wire.RowNodeEnd: "node.end", wire.RowEdge: "edge.fired",
				}[r.Type])
			}
			for _, facts := range []map[string]string{live, logged} {
				maps.DeleteFunc(facts, func(_, text string) bool { return text == "" }) // nothing said
			}
			assert.Equal(t, live, logged)
		})
	}
}

// fact notes what a frame or a row says, so that both come to the same when all is said.
func fact(facts map[string]string, b wire.Body, kind string) {
	where := strings.Join(b.SubgraphPath, "/") + "/" + b.NodeID + " " + b.Activation
	switch kind {
	case "user.message", "tool.call", "tool.result":
		facts[kind+" "+b.ID] = b.Content + b.ToolCallID + b.Input + b.Output
	case "message.delta":
		facts["turn "+b.ID] += b.Content
		facts["thought "+b.ID] += b.Reasoning
	case "message.end":
		if b.HasContent {
			facts["turn "+b.ID] = b.Content
		}
		if b.HasReasoning {
			facts["thought "+b.ID] = b.Reasoning
		}
	case "output.delta":
		text, _ := stringOf(wire.JSON(facts["output "+b.ID]))
		facts["output "+b.ID] = string(stringJSON(text + b.Delta))
	case "output.set":
		facts["output "+b.ID] = string(b.Value)
	case "node.start":
		if _, again := facts["start "+where]; !again || b.Kind != "" {
			facts["start "+where] = b.Kind
		}
	case "node.end":
		facts["end "+where] = fmt.Sprint(b.Status, b.Error, b.Usage)
	case "edge.fired":
		facts[fmt.Sprintf("edge %s %s:%s>%s", where, b.From, b.FromPort, b.To)] += "|"
	}
}

// Other people's recordings play, and say what of them does not.
func TestRecordings(t *testing.T) {
	_, err := New(Options{Recordings: []*recording.Recording{}})
	assert.ErrorContains(t, err, "nothing to play")
	_, err = New(Options{Recordings: []*recording.Recording{record(t, "a", opened), record(t, "b", opened)}})
	assert.EqualError(t, err, `demo: a.ndjson and b.ndjson are both of conversation "c"`)

	d, client := start(t, Options{Speed: 1e6, Loops: 2, Rest: time.Millisecond},
		record(t, "no-frames", headC, rowC), record(t, "bare", said, "nonsense", late))
	played(t, d.byID["bare"], 2*4+1)
	assert.Equal(t, []string{
		"bare: bare.ndjson:2: malformed_json", "bare: the recording has no end; the run is paused after its last frame",
	}, d.Notes())
	assert.Equal(t, "bare", d.Playing()[1].ConversationID)

	h, err := client.Head(t.Context(), "", "c")
	require.NoError(t, err)
	assert.Equal(t, wire.Paused, h.Status, "nothing is in flight, whatever the recording says")
	assert.EqualValues(t, 7, h.LastOffset)
	page, _, err := client.Rows(t.Context(), "", "c", upstream.RowsQuery{})
	require.NoError(t, err)
	assert.Equal(t, []string{"1 user  before"}, shown(page.Rows))
}

func TestPlaying(t *testing.T) {
	d, _ := start(t, Options{Clock: newHandClock()})
	all := d.Playing()
	require.Len(t, all, 7)
	assert.Equal(t, "demo-fanout", all[1].ConversationID)
	assert.Contains(t, all[1].Paths, []string{"flights"})
	assert.Contains(t, all[2].Paths, []string{"north", "research", "verify", "judge"})
	assert.Empty(t, d.Notes())
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, p := range all {
		assert.Contains(t, string(readme), fmt.Sprintf("`%s`", p.ConversationID))
		assert.Contains(t, string(readme), fmt.Sprintf("`%s` %d", p.AgentID, p.AgentVersion))
		for _, path := range p.Paths {
			assert.Contains(t, string(readme), strings.Join(path, "/"), p.ConversationID)
		}
	}
}

// Promises 7 and 8.
func TestStartAndClose(t *testing.T) {
	d, err := New(Options{Clock: newHandClock()})
	require.NoError(t, err)
	assert.ErrorContains(t, d.Start("0.0.0.0:0"), "no loopback address")
	assert.Error(t, d.Start("nonsense"))
	require.NoError(t, d.Start("127.0.0.1:0"))
	client, err := platform.New(platform.Options{BaseURL: d.URL()})
	require.NoError(t, err)
	defer client.Close()
	s, err := client.Stream(t.Context(), "", "demo-chat", 0)
	require.NoError(t, err)
	defer s.Close()
	read(t, s, 1)
	begin := time.Now()
	require.NoError(t, d.Close())
	assert.Less(t, time.Since(begin), time.Second)
	read(t, s, 0) // to its end
	_, err = client.Head(t.Context(), "", "demo-chat")
	assert.ErrorIs(t, err, upstream.Unavailable)
}

func TestKeepAlive(t *testing.T) {
	d, err := New(Options{Clock: newHandClock(), KeepAlive: 5 * time.Millisecond})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/conversations/demo-chat/stream", nil).WithContext(ctx))
	assert.Contains(t, w.Body.String(), "\n\n: still here\n\n: still here\n\n")
}
