package conversation

import (
	"context"
	"encoding/json"

	"inlaygraph/coded"
	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Conversation is one conversation at one moment: everything read from it belongs to the same snapshot.
type Conversation struct {
	id    string
	snap  *projection.Snapshot
	log   *logReader
	plans *plans
	feeds map[string]*feed.Feed // those followed when the view was handed out, by pin
}

// ID is the conversation's id.
func (c *Conversation) ID() string { return c.id }

// Chat is the transcript's state.
func (c *Conversation) Chat() *ChatSnapshot { return &ChatSnapshot{c.snap, c} }

// Run is the run projection.
func (c *Conversation) Run() *projection.RunSnapshot { return c.snap.Run() }

// Timeline is every row of every depth, in order.
func (c *Conversation) Timeline() []projection.Row { return c.snap.Timeline() }

// RowsAt is the rows of one path; with subtree also those below it.
func (c *Conversation) RowsAt(path []string, subtree *bool) []projection.Row {
	return c.snap.RowsAt(path, subtree != nil && *subtree)
}

// ToolCall joins a call, its result and its delivery.
func (c *Conversation) ToolCall(toolCallID string) *projection.ToolCallPair {
	return c.snap.ToolCall(toolCallID)
}

// OutputsNamed is the production history of one output, oldest first.
func (c *Conversation) OutputsNamed(name string) []*projection.OutputRow {
	return c.snap.OutputsNamed(name)
}

// AssistantsInActivation is the assistant rows of one visit of one node.
func (c *Conversation) AssistantsInActivation(path []string, activation string) []*projection.AssistantRow {
	return c.snap.AssistantsInActivation(path, activation)
}

// Snapshot is the projection that the conversation reads from.
func (c *Conversation) Snapshot() *projection.Snapshot { return c.snap }

// ChatSnapshot is the reducer's published state (docs/fold.md).
type ChatSnapshot struct {
	*projection.Snapshot
	of *Conversation
}

// RowPage is a stretch of the durable log, read without touching the shared window.
type RowPage struct {
	Rows       []projection.Row
	HasEarlier bool
}

// RowPage reads the log with who's own token: rows below beforeSeq or above afterSeq, at most limit of them (nil:
// 200), ascending. Errors are coded.
func (c *Conversation) RowPage(ctx context.Context, who *session.Session, beforeSeq, afterSeq *int64, limit *int) (*RowPage, error) {
	if err := checkSession(who); err != nil {
		return nil, err
	}
	q := upstream.RowsQuery{Limit: 200}
	if beforeSeq != nil {
		q.BeforeSeq = *beforeSeq
	}
	if afterSeq != nil {
		q.AfterSeq, q.FromStart = *afterSeq, *afterSeq == 0
	}
	if limit != nil {
		q.Limit = *limit
	}
	return c.log.page(ctx, who.Token(), q)
}

// Backlinks are the rows of tables that link to one row, as upstream's JSON, asked with who's own token. Errors are
// coded.
func (c *Conversation) Backlinks(ctx context.Context, who *session.Session, table, rowID string) (json.RawMessage, error) {
	if err := checkSession(who); err != nil {
		return nil, err
	}
	if c.log == nil || c.log.history == nil {
		return nil, coded.New(coded.UpstreamUnavailable, "backlinks can't be read: there is no upstream that has them")
	}
	links, err := c.log.history.Backlinks(ctx, who.Token(), c.id, table, rowID)
	return links, upstream.Coded(err)
}

// logReader reads what upstream keeps of one conversation for whoever asks.
type logReader struct {
	source  upstream.Source
	history upstream.History
	id      string
}

func (l *logReader) page(ctx context.Context, token string, q upstream.RowsQuery) (*RowPage, error) {
	if l == nil || l.source == nil {
		return nil, coded.New(coded.UpstreamUnavailable, "the log can't be read: there is no upstream")
	}
	page, _, err := l.source.Rows(ctx, token, l.id, q)
	if err != nil {
		return nil, upstream.Coded(err)
	}
	s := projection.New(l.id)
	s.Apply(&wire.Page{Rows: page.Rows, HasEarlier: page.HasEarlier})
	return &RowPage{Rows: s.Snapshot().Timeline(), HasEarlier: page.HasEarlier}, nil
}
