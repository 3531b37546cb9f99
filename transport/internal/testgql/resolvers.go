package testgql

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"inlaygraph/coded"
	"inlaygraph/projection"
)

// Root resolves the schema. Its fields are for one test.
type Root struct {
	// Errors are what `fail` returns, by name.
	Errors map[string]error
	// Running counts the subscriptions and blocked fields that have started and not ended.
	Running atomic.Int64

	// Begun, when set, is told the context of every subscription to a topic.
	Begun func(ctx context.Context)

	bumps  atomic.Int32
	mu     sync.Mutex
	feeds  map[string]*Feed
	topics map[string]*Topic
}

// Feed is a subscription's stream in a test's hands: it is made by the first use of its name.
type Feed struct {
	Messages chan string   // unbuffered: a send returns when the subscription has taken it
	Ended    chan struct{} // closed when a subscriber's context has ended
	once     sync.Once
	mu       sync.Mutex
	err      error
}

// End closes the feed, with err as the subscription's last word when it is not nil.
func (f *Feed) End(err error) {
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	close(f.Messages)
}

// Feed returns the feed of name.
func (r *Root) Feed(name string) *Feed {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.feeds == nil {
		r.feeds = map[string]*Feed{}
	}
	if r.feeds[name] == nil {
		r.feeds[name] = &Feed{Messages: make(chan string), Ended: make(chan struct{})}
	}
	return r.feeds[name]
}

// Config is what NewExecutableSchema takes.
func (r *Root) Config() Config { return Config{Resolvers: r} }

// Query, Mutation and Subscription make r a ResolverRoot.
func (r *Root) Query() QueryResolver               { return query{r} }
func (r *Root) Mutation() MutationResolver         { return mutation{r} }
func (r *Root) Subscription() SubscriptionResolver { return subscription{r} }

type (
	query        struct{ *Root }
	mutation     struct{ *Root }
	subscription struct{ *Root }
)

func (query) Hello(context.Context) (string, error) { return "world", nil }

func (query) Echo(_ context.Context, text *string, n *int32, id *string, flag *bool, ratio *float64, mood *Mood, input *EchoInput) (string, error) {
	var parts []string
	add := func(name string, set bool, value func() any) {
		if set {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value()))
		}
	}
	add("text", text != nil, func() any { return *text })
	add("n", n != nil, func() any { return *n })
	add("id", id != nil, func() any { return *id })
	add("flag", flag != nil, func() any { return *flag })
	add("ratio", ratio != nil, func() any { return *ratio })
	add("mood", mood != nil, func() any { return *mood })
	add("input", input != nil, func() any { return input.Text + "/" + strings.Join(input.Tags, ",") })
	return strings.Join(parts, " "), nil
}

func (query) Custom(_ context.Context, a *projection.Value, list []*projection.Value, safe *int64, input *CustomInput) (string, error) {
	var parts []string
	value := func(v projection.Value) { parts = append(parts, string(v.AppendJSON(nil))) }
	if a != nil {
		value(*a)
	}
	for _, item := range list {
		value(*item)
	}
	if safe != nil {
		parts = append(parts, strconv.FormatInt(*safe, 10))
	}
	if input != nil {
		value(input.Any)
	}
	return strings.Join(parts, " "), nil
}

func (q query) Fail(_ context.Context, name string) (*string, error) { return nil, q.Errors[name] }

func (query) Bytes(_ context.Context, count int32) (string, error) {
	return strings.Repeat("x", int(count)), nil
}

func (q query) Block(ctx context.Context) (*string, error) {
	q.Running.Add(1)
	defer q.Running.Add(-1)
	<-ctx.Done()
	return nil, ctx.Err()
}

func (query) Panics(context.Context) (*string, error) { panic("the resolver's secret") }

func (query) Me(context.Context) (*User, error) {
	me := &User{ID: "u1", Name: "Ada"}
	me.Friends = []*User{{ID: "u2", Name: "Bob"}}
	me.Pet = Dog{Name: "Rex", Barks: true, Owner: me}
	return me, nil
}

func (query) InvalidText(context.Context) (string, error) { return "a\xffb", nil }

func (m mutation) Bump(context.Context) (int32, error) { return m.bumps.Add(1), nil }

// stream runs produce in a goroutine of its own and closes the channel after it.
func stream[T any](r *Root, ctx context.Context, produce func(send func(T) bool)) <-chan T {
	out := make(chan T)
	r.Running.Add(1)
	go func() {
		defer r.Running.Add(-1)
		defer close(out)
		produce(func(value T) bool {
			select {
			case out <- value:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return out
}

func (s subscription) Count(ctx context.Context, to int32) (<-chan int32, error) {
	return stream(s.Root, ctx, func(send func(int32) bool) {
		for n := int32(1); n <= to && send(n); n++ {
		}
	}), nil
}

func (s subscription) Feed(ctx context.Context, name string) (<-chan string, error) {
	feed := s.Root.Feed(name)
	return stream(s.Root, ctx, func(send func(string) bool) {
		for {
			select {
			case text, ok := <-feed.Messages:
				if !ok {
					feed.mu.Lock()
					defer feed.mu.Unlock()
					coded.EndWith(ctx, feed.err)
					return
				}
				if !send(text) {
					feed.once.Do(func() { close(feed.Ended) })
					return
				}
			case <-ctx.Done():
				feed.once.Do(func() { close(feed.Ended) })
				return
			}
		}
	}), nil
}

func (s subscription) Changes(ctx context.Context, name string) (<-chan string, error) {
	return s.Feed(ctx, name)
}

func (s subscription) Flood(ctx context.Context, bytes int32) (<-chan string, error) {
	return stream(s.Root, ctx, func(send func(string) bool) {
		for n := 0; send(fmt.Sprintf("%0*d", bytes, n)); n++ {
		}
	}), nil
}

func (s subscription) Failing(context.Context) (<-chan *string, error) {
	return nil, s.Errors["failing"]
}
