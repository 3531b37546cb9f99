package transport

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Seat is a subscriber's place among those who share one execution, as Options.Share gives it.
type Seat struct {
	// Key names what the subscriber was let in to, and for whom: it is compared with ==, together with the operation and
	// its variables. It must tell apart whatever may be shown to one and not to another: the tenant, and the thing itself.
	Key any
	// Follow begins to follow it for all who share. It is called for one of them.
	Follow func() Follower
	// Leave gives the place back. It is called once, when the subscriber has left; the last one's after the Follower was closed.
	Leave func()
}

// Follower gives a shared execution its values. Its methods are called by one goroutine at a time, but that Await may be
// waiting while others than Take are called.
type Follower interface {
	// Context returns ctx with whatever the subscription's resolver needs to answer with the follower's values: one for each
	// Read, on a channel that has room for it.
	Context(ctx context.Context) context.Context
	// Await returns once the value may be another than at the last Take, and may be sent. An error says that there will be no
	// more: by then the resolver's channel is closed, and what it ends with is said.
	Await(ctx context.Context) error
	// Take says that what moved until now is about to be read.
	Take()
	// Moved tells whether the value may be another than at the last Take.
	Moved() bool
	// Touch has Await return as if the value had moved.
	Touch()
	// Read puts the value as it stands on the channel. For one of ChangeFields it is what changed since a position, "" being
	// none, and Read returns the position after that.
	Read(since string) (position string)
	// Close ends it. It is called once.
	Close()
}

// positionArgument is the argument of a field of changes that says where to go on from.
const positionArgument = "after"

// seat asks Options.Share for a place. Without one, and without an error, the operation goes alone.
func (e *engine) seat(ctx context.Context, op *operation) (seat *Seat, err error) {
	if op.kind != ast.Subscription || e.opts.Share == nil {
		return nil, nil
	}
	broken := rescued(func() {
		seat, err = e.opts.Share(graphql.WithOperationContext(ctx, op.opCtx), op.field, op.arguments())
	})
	if broken != nil {
		return nil, broken
	}
	return seat, err
}

// arguments are those of a subscription's root field.
func (op *operation) arguments() map[string]any { return op.root.ArgumentMap(op.opCtx.Variables) }

// isChanges tells whether the messages of a subscription are changes.
func (e *engine) isChanges(op *operation) bool { return slices.Contains(e.opts.ChangeFields, op.field) }

// refusedSeat is the result of a subscription that Options.Share refused: the one of a resolver that did.
func (e *engine) refusedSeat(ctx context.Context, op *operation, err error) *answer {
	located := &gqlerror.Error{Err: err, Message: err.Error(), Path: ast.Path{ast.PathName(op.alias)}, Locations: at(op.root.Position).Locations}
	presented := e.present.present(ctx, located)
	return &answer{encodeErrors(gqlerror.List{presented}), codeOf(presented)}
}
