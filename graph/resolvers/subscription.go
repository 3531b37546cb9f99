package resolvers

import (
	"context"

	"inlaygraph/conversation"
	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
)

type subscription struct{ *Root }

// Chat follows the parts of the chat that the document selects.
func (s subscription) Chat(ctx context.Context, id string, minIntervalMs *int) (<-chan *conversation.ChatSnapshot, error) {
	if _, err := s.admit(ctx, nil); err != nil {
		return nil, err
	}
	parts, pins, err := chatReads(ctx)
	if err != nil {
		return nil, err
	}
	return follow(ctx, s.Root, id, minIntervalMs, parts, (*conversation.Conversation).Chat, pins...)
}

// Feed follows the feed of a pin.
func (s subscription) Feed(ctx context.Context, id string, pin *feed.Pin, minIntervalMs *int) (<-chan *feed.Feed, error) {
	return follow(ctx, s.Root, id, minIntervalMs, nil, func(c *conversation.Conversation) *feed.Feed {
		return c.Chat().Feed(pin)
	}, pin)
}

// Transcript follows the top-level user and assistant rows.
func (s subscription) Transcript(ctx context.Context, id string, minIntervalMs *int) (<-chan []projection.Row, error) {
	return follow(ctx, s.Root, id, minIntervalMs, slice(projection.SliceTranscript), func(c *conversation.Conversation) []projection.Row {
		return c.Snapshot().Transcript()
	})
}

// Timeline follows every row.
func (s subscription) Timeline(ctx context.Context, id string, minIntervalMs *int) (<-chan []projection.Row, error) {
	return follow(ctx, s.Root, id, minIntervalMs, slice(projection.SliceTimeline), (*conversation.Conversation).Timeline)
}

// RowsAt follows the rows of one path.
func (s subscription) RowsAt(
	ctx context.Context, id string, path []string, subtree *bool, minIntervalMs *int,
) (<-chan []projection.Row, error) {
	at := projection.RowSlice{Path: path, Subtree: or(subtree, false)}
	return follow(ctx, s.Root, id, minIntervalMs, []projection.Slice{at.Slice()}, func(c *conversation.Conversation) []projection.Row {
		return c.RowsAt(path, subtree)
	})
}

// RowChanges follows the timeline, or with a path the rows of it, by operations.
func (s subscription) RowChanges(
	ctx context.Context, id string, path []string, subtree *bool, after *string, minIntervalMs *int,
) (<-chan *conversation.RowChanges, error) {
	every, err := s.admit(ctx, minIntervalMs)
	if err != nil {
		return nil, err
	}
	rows := projection.RowSlice{All: true}
	if path != nil {
		rows = projection.RowSlice{Path: path, Subtree: or(subtree, false)}
	}
	if f := followerIn(ctx); f != nil {
		return shareChanges(ctx, f, every, rows), nil
	}
	viewer, err := s.Hub.Open(ctx, session.From(ctx), id)
	if err != nil {
		return nil, err
	}
	same := func(c *conversation.RowChanges) *conversation.RowChanges { return c }
	return stream(ctx, viewer.Changes(rows, or(after, ""), every), same), nil
}

// Run follows the run projection.
func (s subscription) Run(ctx context.Context, id string) (<-chan *projection.RunSnapshot, error) {
	return follow(ctx, s.Root, id, nil, slice(projection.SliceRun), (*conversation.Conversation).Run)
}

// Node follows one node: its run, and the rows at its path and below.
func (s subscription) Node(
	ctx context.Context, id string, path []string, pin *feed.Pin, minIntervalMs *int,
) (<-chan *projection.NodeView, error) {
	view := viewOf(path, projection.SliceNode, projection.SliceSubtree)
	return follow(ctx, s.Root, id, minIntervalMs, view, func(c *conversation.Conversation) *projection.NodeView {
		return c.Node(path, pin)
	})
}

// Subagent follows one subgraph: its run, the runs below it, and its own outputs.
func (s subscription) Subagent(
	ctx context.Context, id string, path []string, pin *feed.Pin, minIntervalMs *int,
) (<-chan projection.SubagentView, error) {
	view := viewOf(path, projection.SliceNode, projection.SliceBelow, projection.SliceOutputsOf)
	return follow(ctx, s.Root, id, minIntervalMs, view, func(c *conversation.Conversation) projection.SubagentView {
		return c.Subagent(path, pin)
	})
}

// ToolCall follows one call, its result and its delivery.
func (s subscription) ToolCall(ctx context.Context, id, toolCallID string) (<-chan *projection.ToolCallPair, error) {
	return follow(ctx, s.Root, id, nil, named(projection.SliceToolCall, toolCallID), func(c *conversation.Conversation) *projection.ToolCallPair {
		return c.ToolCall(toolCallID)
	})
}

// PendingTools follows the calls that wait on the client.
func (s subscription) PendingTools(ctx context.Context, id string) (<-chan []*projection.PendingToolCall, error) {
	return follow(ctx, s.Root, id, nil, slice(projection.SlicePendingTools), func(c *conversation.Conversation) []*projection.PendingToolCall {
		return c.Snapshot().PendingTools()
	})
}

// Binding follows one output's latest value: the conversation's own, or with a path a subagent's.
func (s subscription) Binding(
	ctx context.Context, id, name string, path []string, minIntervalMs *int,
) (<-chan *projection.Binding, error) {
	value := []projection.Slice{{Kind: projection.SliceBinding, Path: projection.PathKey(path), Name: name}}
	return follow(ctx, s.Root, id, minIntervalMs, value, func(c *conversation.Conversation) *projection.Binding {
		return c.Snapshot().Binding(path, name)
	})
}

// Table follows one table.
func (s subscription) Table(ctx context.Context, id, name string, minIntervalMs *int) (<-chan *projection.Table, error) {
	return follow(ctx, s.Root, id, minIntervalMs, named(projection.SliceTable, name), func(c *conversation.Conversation) *projection.Table {
		return c.Snapshot().Table(name)
	})
}
