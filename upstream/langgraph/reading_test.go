package langgraph_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/wire"
)

// How a thread stands, by its newest run and its state.
func TestHeads(t *testing.T) {
	waits := []map[string]any{{"id": strings.Repeat("a", 32), "value": 1}}
	for name, c := range map[string]struct {
		status     string
		interrupts []map[string]any
		want       wire.Status
	}{
		"success": {"success", nil, wire.Paused}, "asks": {"success", waits, wire.AwaitingClientTool},
		"cancelled": {"interrupted", nil, wire.Cancelled}, "error": {"error", nil, wire.Failed}, "timeout": {"timeout", nil, wire.Failed},
		"running": {"running", nil, wire.Running}, "pending": {"pending", nil, wire.Running},
	} {
		s := newGraphServer(t)
		th := s.thread(nil, "one", "two")
		th.Runs[1].Status, th.Interrupts = c.status, c.interrupts
		head, err := s.client(t, langgraph.Options{OpenThreads: true}).Head(t.Context(), "", th.ID)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, head.Status, name)
		assert.Equal(t, c.want == wire.Failed, head.Retryable, name)
		assert.Equal(t, c.want == wire.Failed, head.Error != nil, name)
		assert.Equal(t, "say one", head.Title, name)
		assert.Equal(t, assistantID, head.AgentID)
		assert.Equal(t, 3, head.AgentVersion)
		assert.True(t, head.HasLastOffset)
		assert.False(t, head.CreatedAt.IsZero())
		assert.Equal(t, th.Updated.UTC(), head.UpdatedAt)
	}
}

// A server that can't make up a thread's state may still tell its newest checkpoint. Of a thread of which it tells
// neither nothing is there.
func TestStatesThatCannotBeRead(t *testing.T) {
	for history, want := range map[string]error{
		`[{"checkpoint":{"checkpoint_id":"c1"},"tasks":[{"id":"t","name":"answer","interrupts":[{"id":"x","value":1}]}],"next":["answer"]}]`: nil,
		`[]`: upstream.NotFound, `{}`: upstream.NotFound, `[7]`: upstream.NotFound, `[{"values":{}}]`: upstream.NotFound, `<html>`: upstream.NotFound,
	} {
		for _, state := range []int{500, 400, 404, 200} {
			s := newGraphServer(t)
			th := s.thread(nil, "one")
			s.odd = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case strings.HasSuffix(r.URL.Path, "/state"):
					w.WriteHeader(state)
				case strings.HasSuffix(r.URL.Path, "/history"):
					io.WriteString(w, history)
				default:
					return false
				}
				return true
			}
			head, err := s.client(t, langgraph.Options{OpenThreads: true}).Head(t.Context(), "", th.ID)
			if want != nil {
				assert.ErrorIs(t, err, want, history)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, wire.AwaitingClientTool, head.Status)
		}
	}
}

// The offset of a head moves when something happened that was not told here, and only then.
func TestOffsetsOfHeads(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{OpenThreads: true})
	last := func(id string) int64 {
		head, err := c.Head(t.Context(), "", id)
		require.NoError(t, err)
		return head.LastOffset
	}
	th := s.thread(nil, "one")
	assert.Zero(t, last(th.ID))
	assert.Zero(t, last(th.ID))
	stream, err := c.Execute(t.Context(), "", graphName, say(th.ID, "two"))
	told := int64(len(told(t, stream, err)))
	assert.Equal(t, told, last(th.ID), "what was told whole moves nothing")
	assert.Equal(t, told, last(th.ID))

	s.set(func() { s.newRun(th, map[string]any{}) }) // by others, and over
	assert.Equal(t, told+1, last(th.ID))
	assert.Equal(t, told+1, last(th.ID))
	s.set(func() { th.Point++ }) // a state that was written
	assert.Equal(t, told+2, last(th.ID))

	stream, err = c.Execute(t.Context(), "", graphName, say(th.ID, "three")) // told in part
	require.NoError(t, err)
	for range 3 {
		item, err := stream.Next(t.Context())
		require.NoError(t, err)
		assert.Greater(t, item.Offset, told+2)
	}
	stream.Close()
	require.Eventually(t, func() bool { return last(th.ID) == told+2+3+1 }, time.Second, time.Millisecond)
	stream, err = c.Execute(t.Context(), "", graphName, say(th.ID, "four"))
	require.NoError(t, err)
	item, err := stream.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, told+2+3+2, item.Offset, "and goes on from there")
	stream.Close()
}

// What a thread's numbers were is not known any more: they go on above, so that whoever followed sees a gap.
func TestForgottenNumbers(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{OpenThreads: true, MaxThreads: 1})
	th, other := s.thread(nil, "one"), s.thread(nil, "one")
	stream, err := c.Execute(t.Context(), "", graphName, say(th.ID, "two"))
	before := int64(len(told(t, stream, err)))
	_, err = c.Head(t.Context(), "", other.ID)
	require.NoError(t, err)
	stream, err = c.Execute(t.Context(), "", graphName, say(th.ID, "three"))
	require.NoError(t, err)
	item, err := stream.Next(t.Context())
	require.NoError(t, err)
	assert.Greater(t, item.Offset, before)
	stream.Close()

	// A reader of another process's numbers sees a gap, too.
	running := inFlight(s)
	stream, err = c.Stream(t.Context(), "", running.ID, 5000)
	require.NoError(t, err)
	item, err = stream.Next(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 5002, item.Offset)
	stream.Close()
}

// Rows are paged as docs/wire.md says.
func TestRowsArePaged(t *testing.T) {
	s := newGraphServer(t)
	th := s.thread(nil, "one")
	const steps = 40
	s.odd = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/history") {
			return false
		}
		io.WriteString(w, stretchOfHistory(th.Runs[0].ID, 0, steps))
		return true
	}
	c := s.client(t, langgraph.Options{OpenThreads: true})
	read := func(q upstream.RowsQuery) (seqs []int64, earlier bool) {
		page, rejected, err := c.Rows(t.Context(), "", th.ID, q)
		require.NoError(t, err)
		require.Empty(t, rejected)
		for _, r := range page.Rows {
			seqs = append(seqs, r.Seq)
		}
		return seqs, page.HasEarlier
	}
	all, earlier := read(upstream.RowsQuery{})
	require.Greater(t, len(all), 2*steps)
	assert.False(t, earlier)
	n := int64(len(all))
	assert.EqualValues(t, 1, all[0])
	assert.Equal(t, n, all[n-1])
	for _, c := range []struct {
		q       upstream.RowsQuery
		from    int64
		to      int64
		earlier bool
	}{
		{upstream.RowsQuery{Limit: 5}, n - 4, n, true}, {upstream.RowsQuery{Limit: 5, BeforeSeq: 11}, 6, 10, true},
		{upstream.RowsQuery{Limit: 50, BeforeSeq: 11}, 1, 10, false}, {upstream.RowsQuery{Limit: 5, AfterSeq: 11}, 12, 16, true},
		{upstream.RowsQuery{Limit: 5, FromStart: true}, 1, 5, false}, {upstream.RowsQuery{Limit: 5, AfterSeq: n - 2}, n - 1, n, true},
		{upstream.RowsQuery{AfterSeq: n}, 0, 0, true}, {upstream.RowsQuery{BeforeSeq: 1}, 0, 0, false},
		{upstream.RowsQuery{AfterSeq: 3, BeforeSeq: 6}, 4, 5, true}, {upstream.RowsQuery{AfterSeq: 6, BeforeSeq: 3}, 0, 0, true},
	} {
		seqs, earlier := read(c.q)
		var want []int64
		for seq := c.from; seq <= c.to && seq > 0; seq++ {
			want = append(want, seq)
		}
		assert.Equal(t, want, seqs, "%+v", c.q)
		assert.Equal(t, c.earlier, earlier, "%+v", c.q)
	}
	histories := 0
	for _, asked := range s.asked {
		if strings.Contains(asked, "/history") {
			histories++
		}
	}
	assert.Equal(t, 1, histories, "as long as nothing happens there it is read once")
	s.set(func() { th.Point++ })
	read(upstream.RowsQuery{})
	s.set(func() {
		histories = 0
		for _, asked := range s.asked {
			if strings.Contains(asked, "/history") {
				histories++
			}
		}
	})
	assert.Equal(t, 2, histories)

	short := s.client(t, langgraph.Options{OpenThreads: true, MaxFrame: 8})
	page, rejected, err := short.Rows(t.Context(), "", th.ID, upstream.RowsQuery{})
	require.NoError(t, err)
	assert.NotEmpty(t, rejected)
	assert.Equal(t, wire.ReasonTooLarge, rejected[0].Reason)
	assert.Len(t, page.Rows, int(n)-len(rejected))
}

// A history that is longer than is read is told as far as it was read, with the word that there is more.
func TestLongHistories(t *testing.T) {
	s := newGraphServer(t)
	th := s.thread(nil, "one")
	s.odd = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/history") {
			return false
		}
		bodies := s.bodies["POST "+r.URL.Path]
		before := 60
		if _, after, ok := strings.Cut(bodies[len(bodies)-1], `"before":"c`); ok {
			fmt.Sscanf(after[:3], "%d", &before)
		}
		io.WriteString(w, stretchOfHistory(th.Runs[0].ID, before-25, before))
		return true
	}
	c := s.client(t, langgraph.Options{OpenThreads: true})
	page, _, err := c.Rows(t.Context(), "", th.ID, upstream.RowsQuery{})
	require.NoError(t, err)
	assert.False(t, page.HasEarlier)
	whole := len(page.Rows)
	assert.Len(t, s.bodies["POST /threads/"+th.ID+"/history"], 3)

	c = s.client(t, langgraph.Options{OpenThreads: true, MaxHistory: 5000})
	page, _, err = c.Rows(t.Context(), "", th.ID, upstream.RowsQuery{})
	require.NoError(t, err)
	assert.True(t, page.HasEarlier)
	assert.Less(t, len(page.Rows), whole)
	assert.NotEmpty(t, page.Rows)
}

// stretchOfHistory are the checkpoints of a thread of one node from one up to, but not with, another, newest first.
func stretchOfHistory(run string, from, to int) string {
	var list []string
	for i := to - 1; i >= max(from, 0); i-- {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`{"checkpoint_id":"c%03d"}`, i-1)
		}
		list = append(list, fmt.Sprintf(`{"checkpoint":{"checkpoint_id":"c%03d"},"parent_checkpoint":%s,"created_at":"2026-01-01T00:00:%02dZ","metadata":{"run_id":%q,"source":"loop"},
			"next":["answer"],"tasks":[{"id":"t%d","name":"answer","interrupts":[],"path":["__pregel_pull","answer"],"result":{"messages":[{"type":"ai","content":"message %d","id":"m%d"}]}}],"values":{}}`,
			i, parent, i, run, i, i, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// The plan of the newest version, by either of an assistant's names; others are not there.
func TestPlans(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{})
	for _, name := range []string{graphName, assistantID} {
		plan, err := c.Plan(t.Context(), "", name, 3)
		require.NoError(t, err)
		assert.Equal(t, name, plan.AgentID)
		assert.Equal(t, 3, plan.AgentVersion)
		require.Len(t, plan.Nodes, 1)
		assert.Equal(t, []string{"answer"}, plan.Nodes[0].Path)
	}
	for _, version := range []int{0, 1, 4, -1} {
		_, err := c.Plan(t.Context(), "", graphName, version)
		assert.ErrorIs(t, err, upstream.NotFound)
	}
	for _, id := range []string{"no-such", "", ".", "..", "../threads"} {
		_, err := c.Plan(t.Context(), "", id, 3)
		assert.ErrorIs(t, err, upstream.NotFound, "%q", id)
	}
}

// A plan that is given wins: its kinds are told.
func TestGivenPlans(t *testing.T) {
	s := newGraphServer(t)
	given := &wire.Plan{AgentID: assistantID, AgentVersion: 3, Nodes: []wire.PlanNode{{Path: []string{"answer"}, Kind: "llm"}}}
	c := s.client(t, langgraph.Options{Plans: []*wire.Plan{given}})
	stream, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
	assert.Contains(t, strings.Join(told(t, stream, err), "\n"), `"kind":"llm"`)
	_, err = langgraph.New(langgraph.Options{BaseURL: s.URL, Plans: []*wire.Plan{{Nodes: []wire.PlanNode{{}}}}})
	assert.Error(t, err)
}

func TestNoBillingAndNoTables(t *testing.T) {
	s := newGraphServer(t)
	th := s.thread(nil, "one")
	c := s.client(t, langgraph.Options{OpenThreads: true})
	_, err := c.Get(t.Context(), "", url.Values{}, "billing", "balance")
	assert.ErrorIs(t, err, upstream.NotFound)
	_, err = c.Post(t.Context(), "", nil, "billing", "topup")
	assert.ErrorIs(t, err, upstream.NotFound)
	assert.Equal(t, coded.NotFound, coded.CodeOf(upstream.Coded(err)))
	_, err = c.Backlinks(t.Context(), "", th.ID, "t", "r")
	assert.ErrorIs(t, err, upstream.NotFound)
}

func TestCheck(t *testing.T) {
	for body, want := range map[string]string{
		`{"version":"1.5.1","context":"js"}`: "", `{"version":"1.0.0","langgraph_js_version":"1.0.0"}`: "", `{"version":"0.4.2","langgraph_py_version":"1.0.0"}`: "",
		`{"version":"dev","context":"js"}`: "", `{"version":"2.0.0"}`: "", `{"version":"0.7.71","context":"js"}`: "it takes 1.0 at least",
		`{"version":"0.2.9"}`: "it takes 0.3 at least", `{}`: "tells no version", `[]`: "tells no version", `<html>`: "tells no version", ``: "tells no version",
	} {
		s := newGraphServer(t)
		s.odd = func(w http.ResponseWriter, _ *http.Request) bool { io.WriteString(w, body); return true }
		err := s.client(t, langgraph.Options{}).Check(t.Context())
		if want == "" {
			assert.NoError(t, err, body)
		} else {
			assert.ErrorContains(t, err, want, body)
		}
	}
	for status, want := range map[int]string{401: "API key", 403: "API key", 404: "GET /info is answered with 404", 500: "answered with 500"} {
		s := newGraphServer(t)
		s.odd = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true }
		assert.ErrorContains(t, s.client(t, langgraph.Options{}).Check(t.Context()), want)
	}
	s := newGraphServer(t)
	s.odd = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
	assert.ErrorContains(t, s.client(t, langgraph.Options{}).Check(t.Context()), "does not answer")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, context.Canceled, s.client(t, langgraph.Options{}).Check(gone))
}

func TestOptions(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://127.0.0.1:9": true, "langgraph+https://graphs.example/base": true, "langgraph+http://x": true,
		"": false, "langgraph+": false, "langgraph+ftp://x": false, "langgraph+langgraph+http://x": false, "http://x?q": false,
	} {
		_, err := langgraph.New(langgraph.Options{BaseURL: url})
		assert.Equal(t, ok, err == nil, "%q: %v", url, err)
	}
	base, ok := langgraph.BaseURL("langgraph+http://x")
	assert.True(t, ok)
	assert.Equal(t, "http://x", base)
	_, ok = langgraph.BaseURL("http://x")
	assert.False(t, ok)
}
