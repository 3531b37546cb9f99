package resolvers

import (
	"context"

	"inlaygraph/conversation"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// fields are those of Conversation whose answers are the caller's own.
type fields struct{}

// RowPage reads a stretch of the log.
func (fields) RowPage(
	ctx context.Context, c *conversation.Conversation, beforeSeq, afterSeq *int64, limit *int,
) (*conversation.RowPage, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkPage(beforeSeq, afterSeq, limit); err != nil {
		return nil, err
	}
	return c.RowPage(ctx, who, beforeSeq, afterSeq, limit)
}

// Backlinks asks what links to a row of a table.
func (fields) Backlinks(ctx context.Context, c *conversation.Conversation, table, rowID string) (*projection.Value, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := first(checkNamed("table", table), checkNamed("rowId", rowID)); err != nil {
		return nil, err
	}
	links, err := c.Backlinks(ctx, who, table, rowID)
	if err != nil {
		return nil, err
	}
	value := projection.JSONValue(wire.JSON(links))
	return &value, nil
}
