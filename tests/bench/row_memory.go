package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"inlaygraph/tests/bench/probe"
	"inlaygraph/tests/bench/story"
)

// idle: what a subscription costs that waits.
func idle(b *bench) error {
	const goal = 16 << 10
	s := story.Chat(50, snapshotBytes)
	type way struct {
		name string
		audience
	}
	lines := [][]string{{"document", "subscriptions", "RSS each", "of it live objects", "heap in use", "stacks", "RSS before and after, MB"}}
	var tops []string
	for _, w := range []way{
		{"timeline", audience{story: s, document: func(int) story.Document { return story.Everything }}},
		{"rowChanges", audience{story: s}},
	} {
		for _, n := range b.idle {
			w.viewers = n
			before, after, top, err := b.wait(w.audience)
			if err != nil {
				return err
			}
			each := func(from, to int64) string { return kilobytes((to - from) / int64(n)) }
			lines = append(lines, []string{
				w.name, fmt.Sprint(n), each(before.RSS, after.RSS) + " KB", each(before.Heap, after.Heap), each(before.HeapInuse, after.HeapInuse),
				each(before.Stacks, after.Stacks), megabytes(before.RSS) + ", " + megabytes(after.RSS),
			})
			rss := (after.RSS - before.RSS) / int64(n)
			if !b.judge(fmt.Sprintf("%d idle subscriptions to %s, the server's RSS after GC", n, w.name), "at most 16 KB each", rss <= goal,
				"%s KB each (live objects %s, stacks %s)", kilobytes(rss), each(before.Heap, after.Heap), each(before.Stacks, after.Stacks)) {
				tops = append(tops, fmt.Sprintf("%d subscriptions to %s: what lives is from\n\n```\n%s```\n\n", n, w.name, top))
			}
		}
	}
	b.table(lines...)
	if len(tops) > 0 && b.name != smoke {
		fmt.Fprint(b.out, tops[len(tops)-1])
	}
	return nil
}

// wait has an audience wait, and returns what the real server holds before and after, and where that comes from.
func (b *bench) wait(a audience) (before, after probe.Memory, top string, err error) {
	server, err := b.start(ours, stage{story: a.story})
	if err != nil {
		return before, after, "", err
	}
	defer server.close()
	first := a // brings the conversation and the code into memory
	first.viewers = 1
	warm, err := gather(server, first, 0, true)
	if err != nil {
		return before, after, "", err
	}
	warm.load.Close()
	time.Sleep(b.pause)
	if before, err = server.probe.Memory(); err != nil {
		return before, after, "", err
	}
	crowd, err := gather(server, a, 0, true)
	if err != nil {
		return before, after, "", err
	}
	defer crowd.load.Close()
	time.Sleep(b.pause)
	if after, err = server.probe.Memory(); err != nil {
		return before, after, "", err
	}
	profile, err := server.probe.Heap()
	if err == nil {
		top, err = b.pprof(profile, "-sample_index=inuse_space")
	}
	return before, after, top, errors.Join(err, crowd.disperse(0))
}

// memory: what a large conversation takes that nobody follows.
func memory(b *bench) error {
	const each = 200
	small, large := story.Long(10, each), story.Long(b.rows, each)
	small.ID, large.ID = "small", "large"
	var held [2]int64
	for i, s := range []*story.Story{small, large} {
		server, err := b.start(ours, stage{story: s, flags: []string{"--window-rows", fmt.Sprint(b.rows)}})
		if err != nil {
			return err
		}
		err = query(server.addr, s)
		if err == nil {
			time.Sleep(settle)
			m, probed := server.probe.Memory()
			held[i], err = m.Heap, probed
		}
		server.close()
		if err != nil {
			return err
		}
	}
	text := int64(b.rows * each)
	own, goal := held[1]-held[0], 3*text+500*int64(b.rows)
	b.table(
		[]string{"rows", "text", "HeapAlloc", "of it the conversation", "a row beyond its text"},
		[]string{fmt.Sprint(b.rows), megabytes(text), megabytes(held[1]), megabytes(own), fmt.Sprintf("%d B", (own-text)/int64(b.rows))},
	)
	b.judge(fmt.Sprintf("conversation of %d rows, %s MB of text, HeapAlloc after GC", b.rows, megabytes(text)),
		fmt.Sprintf("3× its text + 500 B a row: at most %s MB", megabytes(goal)), own <= goal,
		"%s MB: its text and %d B a row", megabytes(own), (own-text)/int64(b.rows))
	return nil
}

// query asks for the ids of all rows once, so that the conversation is loaded, and checks how many there are.
func query(addr string, s *story.Story) error {
	body := story.Subscribe("query Watch($id: ID!) { conversation(id: $id) { timeline { id } } }", s.ID)
	res, err := http.Post("http://"+addr+"/graphql", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Data struct {
			Conversation struct{ Timeline []struct{ ID string } }
		}
		Errors json.RawMessage
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if got := len(answer.Data.Conversation.Timeline); got != len(s.Rows) {
		return fmt.Errorf("%d rows instead of %d: %s", got, len(s.Rows), answer.Errors)
	}
	http.DefaultClient.CloseIdleConnections()
	return nil
}

func kilobytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1024) }

func megabytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
