package graph_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// log is an upstream with one conversation, which is over and has six rows.
type log struct {
	pages []upstream.RowsQuery // the queries that were not the window's
}

func (*log) Head(context.Context, string, string) (*wire.Head, error) {
	return &wire.Head{ConversationID: "c1", AgentID: "writer", Status: wire.Completed}, nil
}

func (l *log) Rows(_ context.Context, _, _ string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	if q.Limit != windowRows {
		l.pages = append(l.pages, q)
	}
	page := &wire.Page{}
	for seq := int64(1); seq <= 6; seq++ {
		if seq > q.AfterSeq && (q.BeforeSeq == 0 || seq < q.BeforeSeq) {
			page.Rows = append(page.Rows, &wire.Row{Type: wire.RowUser, Body: wire.Body{Seq: seq, ID: string(rune('a' + seq - 1))}})
		}
	}
	if n := len(page.Rows) - q.Limit; n > 0 {
		page.Rows, page.HasEarlier = slices.Clone(page.Rows[n:]), true
	}
	return page, nil, nil
}

func (*log) Stream(context.Context, string, string, int64) (upstream.Stream, error) {
	return nil, &upstream.Error{Op: "stream", Kind: upstream.Idle}
}

const windowRows = 3

func TestRowPage(t *testing.T) {
	source := &log{}
	s := serve(t, conversation.Options{Source: source, WindowRows: windowRows})
	cases := []struct {
		arguments string
		asked     upstream.RowsQuery
		page      string
	}{
		{``, upstream.RowsQuery{Limit: 200}, `{"rows":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"},{"id":"e"},{"id":"f"}],"hasEarlier":false}`},
		{`(limit: null)`, upstream.RowsQuery{Limit: 200}, `{"rows":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"},{"id":"e"},{"id":"f"}],"hasEarlier":false}`},
		{`(limit: 2)`, upstream.RowsQuery{Limit: 2}, `{"rows":[{"id":"e"},{"id":"f"}],"hasEarlier":true}`},
		{`(beforeSeq: 5, limit: 2)`, upstream.RowsQuery{BeforeSeq: 5, Limit: 2}, `{"rows":[{"id":"c"},{"id":"d"}],"hasEarlier":true}`},
		{`(afterSeq: 4, limit: 1000)`, upstream.RowsQuery{AfterSeq: 4, Limit: 1000}, `{"rows":[{"id":"e"},{"id":"f"}],"hasEarlier":false}`},
		{`(beforeSeq: 1)`, upstream.RowsQuery{BeforeSeq: 1, Limit: 200}, `{"rows":[],"hasEarlier":false}`},
	}
	for _, tc := range cases {
		t.Run(tc.arguments, func(t *testing.T) {
			source.pages = nil
			answer := s.query(fields(`value: rowPage`+tc.arguments+` { rows { id } hasEarlier }`), nil)
			assert.Equal(t, tc.page, valueIn(t, answer))
			require.Equal(t, []upstream.RowsQuery{tc.asked}, source.pages)
		})
	}
	assert.Equal(t, `[{"id":"d"},{"id":"e"},{"id":"f"}]`, valueIn(t, s.query(fields(`value: timeline { id }`), nil)), "the window is as it was")
}
