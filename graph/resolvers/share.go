package resolvers

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"inlaygraph/coded"
	"inlaygraph/conversation"
	"inlaygraph/feed"
	"inlaygraph/graph/scalars"
	"inlaygraph/projection"
	"inlaygraph/session"
)

// Seat is a subscriber's place among those whose subscription is executed once for all (docs/service.md, "Who may see
// what").
type Seat struct {
	// Key is equal for those who may share: those of one tenant who were let in to the same conversation in memory.
	Key any
	// Follow begins to follow the conversation for all of them.
	Follow func() *Follower
	// Leave gives the place back. The last of all is to leave after the Follower was closed.
	Leave func()
}

// seatKey holds the conversation itself, because one that was lost may be there anew under the same id while those who
// followed the lost one have not heard of it yet.
type seatKey struct {
	tenant, id string
	live       *conversation.Live
}

// Share opens the conversation that a subscription's root field asks for with the caller's own session, which stays
// attached to it for as long as the seat is taken. It answers nil where the resolver itself is to refuse: without a
// session, and for arguments out of bounds.
func (r *Root) Share(ctx context.Context, _ string, arguments map[string]any) (*Seat, error) {
	who := session.From(ctx)
	if who == nil || !r.inBounds(arguments) || !innerPinsInBounds(ctx) {
		return nil, nil
	}
	id, err := graphql.UnmarshalID(arguments["conversationId"])
	if err != nil {
		return nil, nil
	}
	viewer, err := r.Hub.Open(ctx, who, id)
	if err != nil {
		return nil, err
	}
	live := viewer.Live
	return &Seat{
		Key:    seatKey{who.Tenant, id, live},
		Follow: func() *Follower { return &Follower{live: live} },
		Leave:  viewer.Attach(),
	}, nil
}

// inBounds tells whether the arguments of a subscription are.
func (r *Root) inBounds(arguments map[string]any) bool {
	if value := arguments["minIntervalMs"]; value != nil {
		ms, err := scalars.UnmarshalInt(value)
		if err != nil {
			return false
		}
		if _, err := r.interval(&ms); err != nil {
			return false
		}
	}
	_, err := pinFrom(arguments["pin"])
	return err == nil
}

// innerPinsInBounds tells whether the pins are that a subscription to chat selects feeds by.
func innerPinsInBounds(ctx context.Context) bool {
	if !graphql.HasOperationContext(ctx) {
		return true
	}
	op := graphql.GetOperationContext(ctx)
	for _, root := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Subscription"}) {
		if root.ObjectDefinition == nil || root.Definition.Type.Name() != "ChatSnapshot" {
			continue
		}
		for _, field := range graphql.CollectFields(op, root.Selections, []string{"ChatSnapshot"}) {
			if field.Name != chatFeed {
				continue
			}
			if _, err := pinOf(ctx, field.Field); err != nil {
				return false
			}
		}
	}
	return true
}

// Follower follows a conversation for several subscribers. Nobody's session is in it. Its methods are called as those of
// transport.Follower.
type Follower struct {
	live *conversation.Live
	sub  following                 // nil until the resolver has begun, and when it refused
	read func(since string) string // puts a value on the resolver's channel
	end  func(error)               // closes that channel

	mu    sync.Mutex
	ended bool
}

// following is a *conversation.Shared or a *conversation.SharedChanges.
type following interface {
	Await(ctx context.Context) error
	Take()
	Moved() bool
	Touch()
	Close()
}

type followerKey struct{}

// Context returns ctx with the follower in it, for the resolver.
func (f *Follower) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, followerKey{}, f)
}

// followerIn is nil for a subscription of one caller's own.
func followerIn(ctx context.Context) *Follower {
	f, _ := ctx.Value(followerKey{}).(*Follower)
	return f
}

// Await returns once something moved since Take, and the interval since then is over. Its error says that nothing will
// any more, and is what the subscription ends with.
func (f *Follower) Await(ctx context.Context) error {
	err := f.sub.Await(ctx)
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended = true
		f.end(err)
	}
	return err
}

// Take says that what moved until now is about to be read.
func (f *Follower) Take() {
	if f.sub != nil {
		f.sub.Take()
	}
}

// Moved tells whether something moved since Take.
func (f *Follower) Moved() bool { return f.sub != nil && f.sub.Moved() }

// Touch has Await return as if something had moved.
func (f *Follower) Touch() {
	if f.sub != nil {
		f.sub.Touch()
	}
}

// Read puts the value as it stands on the resolver's channel; for row changes, what changed since a cursor. It returns
// the cursor after that.
func (f *Follower) Read(since string) (cursor string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sub == nil || f.ended {
		return ""
	}
	return f.read(since)
}

// Close ends the subscription.
func (f *Follower) Close() {
	if f.sub != nil {
		f.sub.Close()
	}
}

// begin follows sub: read makes of a cursor a message and the cursor after it. The channel has room for one.
func begin[T any](ctx context.Context, f *Follower, sub following, read func(since string) (message T, cursor string)) <-chan T {
	out := make(chan T, 1)
	f.read = func(since string) string {
		message, cursor := read(since)
		select {
		case <-out: // nobody came for it
		default:
		}
		out <- message
		return cursor
	}
	f.end = func(err error) {
		coded.EndWith(ctx, err)
		close(out)
	}
	f.sub = sub
	return out
}

// share is follow for a subscription that is shared.
func share[T any](
	ctx context.Context, f *Follower, every time.Duration, slices []projection.Slice, read func(*conversation.Conversation) T, pins []*feed.Pin,
) <-chan T {
	sub := f.live.Share(slices, every, pins...)
	return begin(ctx, f, sub, func(string) (T, string) { return read(sub.Conversation()), "" })
}

// shareChanges is RowChanges for a subscription that is shared.
func shareChanges(ctx context.Context, f *Follower, every time.Duration, rows projection.RowSlice) <-chan *conversation.RowChanges {
	sub := f.live.ShareChanges(rows, every)
	return begin(ctx, f, sub, func(since string) (*conversation.RowChanges, string) {
		m := sub.Since(since)
		return m, m.Cursor
	})
}
