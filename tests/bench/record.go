package main

import (
	"bytes"
	"fmt"

	"inlaygraph/tests/bench/load"
	"inlaygraph/tests/bench/story"
)

// recordFrom returns the payloads that a server sends to one viewer, that of tick 0 first.
func recordFrom(s *server, a audience, ticks int) (payloads [][]byte, err error) {
	arrived := make(chan int, ticks+1)
	failed := make(chan error, 1)
	crowd, err := load.Connect(load.Options{
		Addr: s.addr, Viewers: 1, Subscribe: a.subscribe,
		Whole: func(int, int) bool { return true },
		On: func(m load.Message) error {
			_, tick, ok := story.TickOf(m.Tail)
			if !ok {
				return nil
			}
			text, start := bytes.CutPrefix(m.Text, []byte(`{"id":"1","type":"next","payload":`))
			text, end := bytes.CutSuffix(text, []byte("}"))
			if !start || !end || tick != len(payloads) {
				return fmt.Errorf("tick %d after %d: %.200s", tick, len(payloads)-1, m.Text)
			}
			payloads = append(payloads, text)
			arrived <- tick
			return nil
		},
		Failed: func(_ int, err error) { failed <- err },
	})
	if err != nil {
		return nil, err
	}
	defer crowd.Close()
	for k := 0; ; k++ {
		select {
		case <-arrived:
		case err := <-failed:
			return nil, err
		}
		if k == ticks {
			break
		}
		if err := s.tick(k + 1); err != nil {
			return nil, err
		}
	}
	crowd.Close()
	return payloads, nil
}
