package langgraph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/wire"
)

// The list: the caller's threads, those that ran, newest first, as they stand.
func TestList(t *testing.T) {
	s := newGraphServer(t)
	c := s.client(t, langgraph.Options{Identify: owned("acme", "ann")})
	var ids []string
	for range 5 {
		stream, err := c.Execute(t.Context(), "", graphName, say("", "hi"))
		require.NoError(t, err)
		item, err := stream.Next(t.Context())
		require.NoError(t, err)
		ids = append(ids, item.Frame.ConversationID)
		stream.Close()
	}
	owner := s.threads[ids[0]].Metadata
	s.thread(map[string]any{"inlay_owner": owner["inlay_owner"]})         // nothing was run there
	s.thread(nil)                                                         // without metadata, which filters let through
	nobodys := s.thread(map[string]any{"inlay_owner": ""}, "a").ID        // of nobody
	s.thread(map[string]any{"inlay_owner": strings.Repeat("0", 64)}, "a") // of another
	s.threads[ids[0]].Status = "busy"
	s.threads[ids[1]].Status = "error"
	s.threads[ids[2]].Status = "interrupted"
	s.threads[ids[3]].Status = "interrupted"
	list := func(c *langgraph.Client, q upstream.ListQuery) (all []string, more bool) {
		page, err := c.List(t.Context(), "", q)
		require.NoError(t, err)
		for _, item := range page.Items {
			assert.Equal(t, assistantID, item.AgentID)
			assert.Equal(t, 3, *item.AgentVersion)
			assert.Equal(t, "say something", item.Title)
			assert.False(t, item.CreatedAt.IsZero() || item.UpdatedAt.IsZero())
			all = append(all, item.ConversationID)
		}
		return all, page.HasMore
	}
	all, more := list(c, upstream.ListQuery{})
	assert.Equal(t, []string{ids[4], ids[3], ids[2], ids[1], ids[0]}, all)
	assert.False(t, more)
	for offset := range 6 {
		all, more = list(c, upstream.ListQuery{Limit: 2, Offset: offset})
		assert.Len(t, all, min(2, 5-offset))
		assert.Equal(t, offset < 3, more)
	}
	for status, want := range map[wire.Status][]string{
		wire.Running: {ids[0]}, wire.Failed: {ids[1]}, wire.Cancelled: nil, wire.Completed: nil, wire.AwaitingClientTool: nil,
		wire.Paused: {ids[4], ids[3], ids[2]}, // those wait at a breakpoint: nothing is asked
	} {
		all, _ = list(c, upstream.ListQuery{Status: status})
		assert.Equal(t, want, all, status)
	}
	all, _ = list(c, upstream.ListQuery{AgentID: graphName})
	assert.Len(t, all, 5)
	all, _ = list(c, upstream.ListQuery{AgentID: "no-such"})
	assert.Empty(t, all)
	all, _ = list(s.client(t, langgraph.Options{Identify: owned("acme", "ann"), OpenThreads: true}), upstream.ListQuery{})
	assert.Len(t, all, 6)
	assert.Contains(t, all, nobodys)
}
