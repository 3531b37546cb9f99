package tests

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stream is one operation as its client sees it, over whatever transport.
type stream struct {
	mu       sync.Mutex
	payloads []json.RawMessage // of the `next` messages
	refused  json.RawMessage   // the payload of `error`
	complete bool              // `complete` came
	ended    bool              // nothing more can come
	news     chan struct{}     // closed, and made anew, when anything above changes
}

func newStream() *stream { return &stream{news: make(chan struct{})} }

func (s *stream) change(edit func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit()
	close(s.news)
	s.news = make(chan struct{})
}

func (s *stream) add(payload json.RawMessage) {
	tally.messages.Add(1)
	s.change(func() { s.payloads = append(s.payloads, payload) })
}

// look answers what came so far.
func (s *stream) look() (payloads []json.RawMessage, ended bool, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.payloads[:len(s.payloads):len(s.payloads)], s.ended, s.news
}

// count is how many messages came so far.
func (s *stream) count() int {
	payloads, _, _ := s.look()
	return len(payloads)
}

// wait waits until enough came, and answers all of it.
func (s *stream) wait(t *testing.T, what string, enough func([]json.RawMessage) bool) []json.RawMessage {
	t.Helper()
	deadline := time.After(patience)
	for {
		payloads, ended, news := s.look()
		if enough(payloads) {
			return payloads
		}
		last := ""
		if len(payloads) > 0 {
			last = string(payloads[len(payloads)-1])
		}
		require.False(t, ended, "%s: ended after %d messages, the last %s", what, len(payloads), short(last))
		select {
		case <-news:
		case <-deadline:
			t.Fatalf("%s: it did not come; %d messages did, the last %s", what, len(payloads), short(last))
		}
	}
}

// message waits for the nth message, from 1.
func (s *stream) message(t *testing.T, n int) json.RawMessage {
	t.Helper()
	return s.wait(t, "a message", func(all []json.RawMessage) bool { return len(all) >= n })[n-1]
}

// until waits until a message's value of a field is as it should be.
func (s *stream) until(t *testing.T, field, what string, good func(value json.RawMessage) bool) {
	t.Helper()
	seen := 0
	s.wait(t, what, func(all []json.RawMessage) bool {
		for ; seen < len(all); seen++ {
			if good(valueOf(t, field, all[seen])) {
				return true
			}
		}
		return false
	})
}

// end waits until nothing more can come, and tells whether the operation was completed.
func (s *stream) end(t *testing.T) (completed bool, refused json.RawMessage) {
	t.Helper()
	deadline := time.After(patience)
	for {
		_, ended, news := s.look()
		if ended {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.complete, s.refused
		}
		select {
		case <-news:
		case <-deadline:
			t.Fatal("the stream did not end")
		}
	}
}

// values are the values of a field in all messages so far. None may have errors.
func (s *stream) values(t *testing.T, field string) []json.RawMessage {
	t.Helper()
	payloads, _, _ := s.look()
	var all []json.RawMessage
	for _, payload := range payloads {
		all = append(all, valueOf(t, field, payload))
	}
	return all
}

func valueOf(t *testing.T, field string, payload json.RawMessage) json.RawMessage {
	t.Helper()
	r := parse(t, string(payload))
	require.Empty(t, r.Errors, "%s", payload)
	return at(t, r.Data, field)
}
