package upstream

import (
	"context"
	"encoding/json"

	"inlaygraph/wire"
)

// History answers what is asked for on demand only, beside the conversations that are open (docs/wire.md,
// "Endpoints"). Its methods are safe for concurrent use.
type History interface {
	// List reads a stretch of the caller's conversations, in upstream's order. A conversation without an id is
	// left out; what else is wrong with one is absent from it.
	List(ctx context.Context, auth string, q ListQuery) (*wire.SummaryPage, error)

	// Backlinks reads what links to a row of a table: upstream's array as it stands, without the space between
	// its tokens, numbers as they were spelled.
	Backlinks(ctx context.Context, auth, id, table, rowID string) (json.RawMessage, error)
}

// ListQuery chooses a stretch of the list. The zero query asks for its start, of upstream's own size.
type ListQuery struct {
	Limit   int         // at most so many conversations; 0: upstream's default
	Offset  int         // conversations to pass over
	AgentID string      // only this agent's; "": all
	Status  wire.Status // only those that stand so; zero: all
}
