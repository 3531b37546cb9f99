package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"inlaygraph/tests/bench/load"
	"inlaygraph/tests/bench/story"
)

// answer: a long answer into a conversation of 200 rows, followed by its changes.
func answer(b *bench) error {
	lines := [][]string{{"way", "messages", "bytes in all", "of it the first list", "most over the least a message needs"}}
	every, err := b.tell(story.Changes(0), 0)
	if err != nil {
		return err
	}
	slow, err := b.tell(story.Changes(100), 20*time.Millisecond)
	if err != nil {
		return err
	}
	whole, err := b.tell(story.Everything.Query(), 0)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		*told
	}{{"rowChanges, token by token", every}, {"rowChanges, 50 tokens a second, minIntervalMs 100", slow}, {"timeline, token by token", whole}} {
		over := ""
		if way.most > 0 {
			over = fmt.Sprintf("%.3f×", way.most)
		}
		lines = append(lines, []string{way.name, fmt.Sprint(way.messages), fmt.Sprint(way.bytes + way.first), fmt.Sprint(way.first), over})
	}
	b.table(lines...)
	fmt.Fprintf(b.out, "A message:\n\n```json\n%s\n```\n\n", slow.latest)
	work := fmt.Sprintf("%d tokens into 200 rows by rowChanges", b.tokens)
	worst := max(every.most, slow.most)
	b.judge(work+", bytes a message", "at most 1.05× envelope and text", worst <= 1.05, "at most %.3f×; %.2f MB, as lists %.0f MB", worst,
		float64(every.bytes)/1e6, float64(whole.bytes)/1e6)
	const goal, tokens = 250_000, 4000
	all := slow.bytes*tokens/b.tokens + slow.first
	b.judge(work+" at 50 a second, coalesced over 100 ms", "at most 250 KB in all for 4,000", all <= goal,
		"%.0f KB in %d messages, and %.0f KB for the first list", float64(slow.bytes)/1e3, slow.messages, float64(slow.first)/1e3)
	return nil
}

// told is what a viewer got of an answer.
type told struct {
	messages, bytes int
	first           int     // bytes of the list as it stood
	most            float64 // the most that a message is longer than it must be; 0 for lists

	reader story.Reader
	text   string // the answer as the latest message has it
	latest []byte // that message
}

// tell has the real server tell the answer to one viewer, a token every so often, or each once the one before has arrived.
func (b *bench) tell(query string, every time.Duration) (*told, error) {
	s := story.Chat(200, 200*410)
	server, err := b.start(ours, stage{story: s})
	if err != nil {
		return nil, err
	}
	defer server.close()
	messages := make(chan []byte, 16)
	failed := make(chan error, 1)
	crowd, err := load.Connect(load.Options{
		Addr: server.addr, Viewers: 1, Subscribe: func(int) []byte { return story.Subscribe(query, s.ID) },
		Whole:  func(int, int) bool { return true },
		On:     func(m load.Message) error { messages <- m.Text; return nil },
		Failed: func(_ int, err error) { failed <- err },
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		go func() { // whoever is about to hand on a message
			for range messages {
			}
		}()
		crowd.Close()
		close(messages)
	}()
	text := s.At(0)[len(s.Rows)].Content
	t := &told{}
	take := t.change
	if strings.Contains(query, "timeline") {
		take = func(m []byte) error { return t.list(m, text) }
	}
	// read takes messages until the text has arrived, or until is over.
	read := func(until <-chan time.Time) error {
		late := time.After(patience)
		for until != nil || t.text != text {
			select {
			case m := <-messages:
				if err := take(m); err != nil {
					return err
				}
			case err := <-failed:
				return server.blame(err)
			case <-until:
				return nil
			case <-late:
				return errors.New("the text did not arrive")
			}
		}
		return nil
	}
	if err := read(nil); err != nil {
		return nil, err
	}
	next := time.Now()
	for k := range b.tokens {
		word := story.Word(k)
		text += word
		if err := server.says(word); err != nil {
			return nil, err
		}
		var until <-chan time.Time
		if every > 0 {
			next = next.Add(every)
			until = time.After(time.Until(next))
		}
		if err := read(until); err != nil {
			return nil, err
		}
	}
	return t, read(nil)
}

// change takes a message of rowChanges.
func (t *told) change(m []byte) error {
	ops, err := t.reader.Apply(m)
	if err != nil {
		return err
	}
	t.text = t.reader.Text()
	least, appends := story.Least(m, ops)
	if !appends {
		if t.messages > 0 {
			return fmt.Errorf("not an append: %.300s", m)
		}
		t.first += len(m)
		return nil
	}
	t.latest = m
	t.messages++
	t.bytes += len(m)
	t.most = max(t.most, float64(len(m))/float64(least))
	return nil
}

// list takes a message that ends with the answer, text once the newest.
func (t *told) list(m []byte, text string) error {
	if bytes.HasSuffix(m, []byte(story.Quoted(text)+`"}]}}}`)) {
		t.text = text
	}
	if t.first == 0 || t.messages == 0 && t.text == "" {
		t.first += len(m)
		return nil
	}
	t.messages++
	t.bytes += len(m)
	return nil
}
