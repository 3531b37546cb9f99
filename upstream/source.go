package upstream

import (
	"context"

	"inlaygraph/wire"
)

// Source is where conversations are read from (docs/wire.md, "Endpoints"). Its methods are safe for
// concurrent use. The auth of each is an opaque token, or "" when none is to be sent.
type Source interface {
	// Head reads the conversation's identity and standing.
	Head(ctx context.Context, auth, id string) (*wire.Head, error)

	// Rows reads a stretch of the durable log, ascending by seq. Rows that did not decode are left out of
	// the page and told beside it.
	Rows(ctx context.Context, auth, id string, q RowsQuery) (*wire.Page, []*wire.Rejection, error)

	// Stream attaches to the run in flight, from the first frame whose offset is greater than after; 0 asks
	// for everything upstream still has. Without a run in flight the error is [Idle]; where upstream cannot
	// reattach it is [CannotReattach]. The stream lives at most as long as ctx.
	Stream(ctx context.Context, auth, id string, after int64) (Stream, error)
}

// RowsQuery chooses a stretch of the log. The zero query asks for the tail window of upstream's own size.
type RowsQuery struct {
	BeforeSeq int64 // only rows with a smaller seq; 0: no bound
	AfterSeq  int64 // only rows with a greater seq; 0: no bound, unless FromStart
	FromStart bool  // the first rows of the log, instead of its tail
	Limit     int   // at most so many rows; 0: upstream's default
}

// Stream is one attachment to live frames. It is not safe for concurrent use, except that Close may be
// called from anywhere, more than once.
type Stream interface {
	// Next waits for the next frame or rejection. It answers io.EOF when upstream ended the stream, ctx's
	// error when ctx was done first (the stream is then over), else an [*Error]. After an error it answers
	// the same error again.
	Next(ctx context.Context) (Item, error)

	// Close ends the attachment. The run goes on.
	Close() error
}

// Item is one thing a stream delivered: a frame or, in its place, the rejection of one.
type Item struct {
	Frame     *wire.Frame     // nil when the frame was not taken
	Rejection *wire.Rejection // why it was not taken
	Offset    int64           // the offset used up, by either; 0 when the wire did not say
}
