package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf16"

	"inlaygraph/tests/bench/story"
)

// queued is how many messages wait for one viewer.
const queued = 256

// conversation is the root of all resolvers: rows whose last one grows.
type conversation struct {
	mu      sync.Mutex
	tick    int
	rows    []Row
	lists   map[chan []Row]struct{}
	changes map[chan *RowChanges]struct{}
}

// tell takes a line of the feed.
func (c *conversation) tell(line []byte) error {
	var m struct {
		Rows   []story.Row
		Append string
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Rows != nil {
		c.rows = make([]Row, 0, len(m.Rows))
		for i := range m.Rows {
			c.rows = append(c.rows, rowOf(&m.Rows[i]))
		}
		return nil
	}
	last := len(c.rows) - 1
	old, ok := c.rows[last].(*AssistantRow)
	if !ok {
		return fmt.Errorf("the last row is a %T", c.rows[last])
	}
	grown := *old
	grown.Content += m.Append
	c.rows = append(c.rows[:last:last], &grown)
	c.tick++
	for list := range c.lists {
		list <- c.rows
	}
	if len(c.changes) > 0 {
		offset := len(utf16.Encode([]rune(old.Content)))
		appended := c.change(&RowTextAppended{Index: last, Field: RowTextFieldContent, Offset: offset, Text: m.Append})
		for changes := range c.changes {
			changes <- appended
		}
	}
	return nil
}

func (c *conversation) change(op RowOp) *RowChanges {
	return &RowChanges{Cursor: strconv.Itoa(c.tick), Ops: []RowOp{op}}
}

// rowOf is the row that the generated code takes.
func rowOf(r *story.Row) Row {
	switch r.Typename {
	case "UserRow":
		return &UserRow{Type: r.Type, ID: &r.ID, Seq: r.Seq, At: r.At, Content: r.Content}
	case "ToolCallRow":
		return &ToolCallRow{
			Type: r.Type, ID: &r.ID, Seq: r.Seq, NodeID: r.NodeID, Path: r.Path, Activation: r.Activation, At: r.At,
			ToolCallID: r.ToolCallID, ToolName: r.ToolName, Input: r.Input,
		}
	case "ToolResultRow":
		return &ToolResultRow{
			Type: r.Type, ID: &r.ID, Seq: r.Seq, NodeID: r.NodeID, Path: r.Path, Activation: r.Activation, At: r.At,
			ToolCallID: r.ToolCallID, Output: r.Output,
		}
	}
	return &AssistantRow{
		Type: r.Type, ID: &r.ID, Seq: r.Seq, NodeID: r.NodeID, Path: r.Path, Activation: r.Activation, At: r.At,
		Content: r.Content, Complete: r.Complete,
	}
}

// Query resolves the fields of Query.
func (c *conversation) Query() QueryResolver { return query{c} }

// Subscription resolves the fields of Subscription.
func (c *conversation) Subscription() SubscriptionResolver { return subscription{c} }

type query struct{ *conversation }

// Rows are the rows as they stand.
func (q query) Rows(context.Context) ([]Row, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.rows, nil
}

type subscription struct{ *conversation }

// Timeline follows the rows.
func (s subscription) Timeline(ctx context.Context, _ string, _ *int) (<-chan []Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return follow(ctx, s.conversation, &s.lists, s.rows), nil
}

// RowChanges follows the rows by operations.
func (s subscription) RowChanges(ctx context.Context, _ string, _ *int) (<-chan *RowChanges, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return follow(ctx, s.conversation, &s.changes, s.change(&RowsReset{Rows: s.rows})), nil
}

// follow adds a channel to those that are told, with a first value in it, until ctx ends. The lock is held.
func follow[T any](ctx context.Context, c *conversation, told *map[chan T]struct{}, first T) <-chan T {
	out := make(chan T, queued)
	out <- first
	if *told == nil {
		*told = map[chan T]struct{}{}
	}
	(*told)[out] = struct{}{}
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(*told, out)
		close(out)
	})
	return out
}
