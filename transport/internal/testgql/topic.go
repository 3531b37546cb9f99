package testgql

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"inlaygraph/coded"
	"inlaygraph/projection"
)

// Topic is a text that grows word by word, in a test's hands. It is followed as a whole by `topic`, and word by word by
// `news`.
type Topic struct {
	// Reads counts how often it was read for a subscription, and Open how many read it now, a group being one.
	Reads, Open atomic.Int64
	// Reading, when set, is called before each read.
	Reading func()

	mu        sync.Mutex
	words     []string
	known     int // the first of words that is still known one by one
	followers map[*Follower]struct{}
	err       error
	over      bool
}

// Topic returns the topic of name.
func (r *Root) Topic(name string) *Topic {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.topics == nil {
		r.topics = map[string]*Topic{}
	}
	if r.topics[name] == nil {
		r.topics[name] = &Topic{followers: map[*Follower]struct{}{}}
	}
	return r.topics[name]
}

// Say adds words.
func (t *Topic) Say(words ...string) { t.change(func() { t.words = append(t.words, words...) }) }

// Replace says something else instead.
func (t *Topic) Replace(words ...string) {
	t.change(func() { t.words, t.known = append(t.words[:0:0], words...), 0 })
}

// Forget keeps the text, but not how it came about.
func (t *Topic) Forget() { t.change(func() { t.known = len(t.words) }) }

// End ends the topic for whoever follows it: with err, unless it is nil.
func (t *Topic) End(err error) { t.change(func() { t.over, t.err = true, err }) }

// Text is what was said.
func (t *Topic) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.words, "")
}

func (t *Topic) change(how func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	how()
	for f := range t.followers {
		f.moved = true
		f.wake()
	}
}

// Follow follows the topic, for a group, or else for the one subscription whose resolver calls it.
func (t *Topic) Follow() *Follower {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &Follower{topic: t, signal: make(chan struct{}, 1), moved: true}
	f.wake()
	t.followers[f] = struct{}{}
	t.Open.Add(1)
	return f
}

// Follower follows a topic. It is a transport.Follower.
type Follower struct {
	topic  *Topic
	signal chan struct{}
	moved  bool // guarded by topic.mu

	mu    sync.Mutex
	read  func(since string) string
	end   func(error)
	ended bool
}

type followerKey struct{}

func (f *Follower) wake() {
	select {
	case f.signal <- struct{}{}:
	default:
	}
}

// Context puts f where the resolver finds it.
func (f *Follower) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, followerKey{}, f)
}

// Await waits until something was said since Take.
func (f *Follower) Await(ctx context.Context) error {
	for {
		f.topic.mu.Lock()
		moved, over, err := f.moved, f.topic.over, f.topic.err
		f.topic.mu.Unlock()
		switch {
		case over:
			f.mu.Lock()
			defer f.mu.Unlock()
			f.ended = true
			f.end(err)
			return coded.New(coded.NotFound, "over")
		case moved:
			return nil
		}
		select {
		case <-f.signal:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Take takes what was said.
func (f *Follower) Take() { f.set(false) }

// Touch is as if something was said.
func (f *Follower) Touch() {
	f.set(true)
	f.wake()
}

func (f *Follower) set(moved bool) {
	f.topic.mu.Lock()
	defer f.topic.mu.Unlock()
	f.moved = moved
}

// Moved tells whether something was said since Take.
func (f *Follower) Moved() bool {
	f.topic.mu.Lock()
	defer f.topic.mu.Unlock()
	return f.moved
}

// Read reads the topic.
func (f *Follower) Read(since string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read == nil || f.ended {
		return ""
	}
	return f.read(since)
}

// Close stops following.
func (f *Follower) Close() {
	f.topic.mu.Lock()
	defer f.topic.mu.Unlock()
	delete(f.topic.followers, f)
	f.topic.Open.Add(-1)
}

// count counts a read.
func (t *Topic) count() {
	if t.Reading != nil {
		t.Reading()
	}
	t.Reads.Add(1)
}

// since is the news after a cursor, which is how many words were said before.
func (t *Topic) since(cursor string) *News {
	t.count()
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := strconv.Atoi(cursor)
	news := &News{Cursor: strconv.Itoa(len(t.words))}
	if news.Reset = err != nil || n < t.known || n > len(t.words); news.Reset {
		n = 0
	}
	news.Words = append([]string{}, t.words[n:]...)
	return news
}

// follow streams what read finds for a subscription of its own, or lets the group that ctx has read it.
func follow[T any](r *Root, ctx context.Context, name string, read func(since string) (T, string)) (<-chan T, error) {
	if r.Begun != nil {
		r.Begun(ctx)
	}
	if err := r.Errors[name]; err != nil {
		return nil, err
	}
	if f, ok := ctx.Value(followerKey{}).(*Follower); ok {
		out := make(chan T, 1)
		f.read = func(since string) string {
			value, cursor := read(since)
			out <- value
			return cursor
		}
		f.end = func(err error) {
			coded.EndWith(ctx, err)
			close(out)
		}
		return out, nil
	}
	f := r.Topic(name).Follow()
	f.end = func(err error) { coded.EndWith(ctx, err) }
	return stream(r, ctx, func(send func(T) bool) {
		defer f.Close()
		for cursor, first := "", true; f.Await(ctx) == nil; first = false {
			f.Take()
			value, next := read(cursor)
			if first || next == "" || next != cursor {
				if !send(value) {
					return
				}
			}
			cursor = next
		}
	}), nil
}

func (s subscription) Topic(ctx context.Context, name string, tag *string, value *projection.Value) (<-chan string, error) {
	prefix := ""
	if tag != nil {
		prefix += *tag + ": "
	}
	if value != nil {
		prefix += string(value.AppendJSON(nil)) + ": "
	}
	topic := s.Root.Topic(name)
	return follow(s.Root, ctx, name, func(string) (string, string) {
		topic.count()
		return prefix + topic.Text(), ""
	})
}

func (s subscription) News(ctx context.Context, name string, after, _ *string) (<-chan *News, error) {
	topic := s.Root.Topic(name)
	begin := ""
	if after != nil && ctx.Value(followerKey{}) == nil {
		begin = *after
	}
	return follow(s.Root, ctx, name, func(since string) (*News, string) {
		if begin != "" {
			since, begin = begin, ""
		}
		news := topic.since(since)
		return news, news.Cursor
	})
}
