package resolvers

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"inlaygraph/coded"
	"inlaygraph/conversation"
	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
)

// follow opens a conversation and streams what read finds in it: as it stands, then whenever one of the slices, or the feed
// of one of the pins, moved.
func follow[T any](
	ctx context.Context, r *Root, id string, minIntervalMs *int,
	slices []projection.Slice, read func(*conversation.Conversation) T, pins ...*feed.Pin,
) (<-chan T, error) {
	every, err := r.admit(ctx, minIntervalMs)
	if err != nil {
		return nil, err
	}
	if f := followerIn(ctx); f != nil {
		return share(ctx, f, every, slices, read, pins), nil
	}
	viewer, err := r.Hub.Open(ctx, session.From(ctx), id)
	if err != nil {
		return nil, err
	}
	return stream(ctx, viewer.Subscribe(slices, every, pins...), read), nil
}

// admit refuses a subscription of nobody's, and one whose interval is out of bounds. One that is shared is nobody's, and
// each of its subscribers was admitted before (promise 5).
func (r *Root) admit(ctx context.Context, minIntervalMs *int) (every time.Duration, err error) {
	if followerIn(ctx) == nil {
		if _, err := caller(ctx); err != nil {
			return 0, err
		}
	}
	return r.interval(minIntervalMs)
}

// follower is a *conversation.Subscription or a *conversation.Changes.
type follower[S any] interface {
	Next(ctx context.Context) (S, error)
	Close()
}

// stream sends what read makes of each value that f gives, one message for each, until ctx ends or f fails; f's error
// is what the subscription ends with. It closes f and the channel.
func stream[S, T any](ctx context.Context, f follower[S], read func(S) T) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		defer f.Close()
		// A panic here would end the process, not the subscription: there is no caller to recover it.
		defer func() {
			if v := recover(); v != nil {
				coded.EndWith(ctx, fmt.Errorf("panic in a subscription: %v\n%s", v, debug.Stack()))
			}
		}()
		for {
			value, err := f.Next(ctx)
			if err != nil {
				if ctx.Err() == nil {
					coded.EndWith(ctx, err)
				}
				return
			}
			select {
			case out <- read(value):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// slice is the slice of a kind that has no path and no name.
func slice(kind projection.SliceKind) []projection.Slice { return []projection.Slice{{Kind: kind}} }

// viewOf are the slices that the view of a path reads: those of kinds at the path, and what every view reads.
func viewOf(path []string, kinds ...projection.SliceKind) []projection.Slice {
	slices := []projection.Slice{
		{Kind: projection.SlicePlan}, {Kind: projection.SliceConversation}, {Kind: projection.SliceHasEarlier},
	}
	for _, kind := range kinds {
		slices = append(slices, projection.Slice{Kind: kind, Path: projection.PathKey(path)})
	}
	return slices
}

// named is the slice of a kind that has a name.
func named(kind projection.SliceKind, name string) []projection.Slice {
	return []projection.Slice{{Kind: kind, Name: name}}
}
