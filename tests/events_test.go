package tests

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// events opens a GraphQL over SSE stream in the distinct connections mode, which ends with the test. What it receives is
// validated then.
func events(t *testing.T, r *http.Request) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	res, err := client(t).Do(r.WithContext(ctx))
	if err != nil {
		cancel()
	}
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() {
		cancel()
		<-done
		res.Body.Close()
	})
	s := newStream()
	tally.connections.Add(1)
	hold(t, s, "http://"+r.URL.Host+r.URL.Path, r.Header.Get("Authorization"), queryOf(t, r), false)
	go func() {
		defer close(done)
		readEvents(res, s)
	}()
	require.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, mediaEvents, strings.Split(res.Header.Get("Content-Type"), ";")[0])
	return s
}

// queryOf is the document of a request.
func queryOf(t *testing.T, r *http.Request) string {
	t.Helper()
	if r.Method == http.MethodGet {
		return r.URL.Query().Get("query")
	}
	body, err := r.GetBody()
	require.NoError(t, err)
	var asked request
	require.NoError(t, json.NewDecoder(body).Decode(&asked))
	return asked.Query
}

func readEvents(res *http.Response, s *stream) {
	defer s.change(func() { s.ended = true })
	eachEvent(res, func(event, data string) {
		switch event {
		case "next":
			s.add(json.RawMessage(data))
		case "complete":
			s.change(func() { s.complete = true })
		}
	})
}

// eachEvent reads events to the end of their stream. One without data is none.
func eachEvent(res *http.Response, take func(event, data string)) {
	lines := bufio.NewReader(res.Body)
	event, data := "", []string(nil)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "event:"):
			event = strings.TrimPrefix(line[len("event:"):], " ")
		case strings.HasPrefix(line, "data:"):
			data = append(data, strings.TrimPrefix(line[len("data:"):], " "))
		case line == "":
			if data != nil {
				take(event, strings.Join(data, "\n"))
			}
			event, data = "", nil
		}
	}
}

// stream subscribes over server-sent events with a POST.
func (s *server) stream(t *testing.T, text string) *stream {
	t.Helper()
	return events(t, s.newPost(t, mediaEvents, request{Query: text}))
}
