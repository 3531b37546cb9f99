package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

const acceptSSE = "text/event-stream"

// events is an open stream, read event by event.
type events struct {
	t      *testing.T
	resp   *http.Response
	reader *bufio.Reader
	cancel context.CancelFunc
}

func (s *server) stream(t *testing.T, query string, headers ...string) *events {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	body, err := json.Marshal(map[string]string{"query": query})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(ctx, "POST", s.url, strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", acceptSSE)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { cancel(); resp.Body.Close() })
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	require.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"))
	e := &events{t, resp, bufio.NewReader(resp.Body), cancel}
	require.Equal(t, ":", e.next(), "the stream opens before there is a result")
	return e
}

// next is the next event or comment without the empty line after it, "" at a clean end.
func (e *events) next() string {
	e.t.Helper()
	var lines []string
	for {
		line, err := e.reader.ReadString('\n')
		if err == io.EOF && line == "" {
			return strings.Join(lines, "\n")
		}
		require.NoError(e.t, err)
		if line == "\n" {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}

func (e *events) expect(texts ...string) {
	e.t.Helper()
	for _, want := range texts {
		require.Equal(e.t, want, e.next())
	}
}

const (
	completeEvent = "event: complete\ndata:"
	endOfStream   = ""
)

func nextEvent(payload string) string { return "event: next\ndata: " + payload }

func TestStream(t *testing.T) {
	s := start(t, Options{})
	s.root.Errors = map[string]error{"failing": coded.New(coded.NotFound, "no such conversation")}
	cases := map[string]struct {
		query string
		want  []string
	}{
		"subscription": {"subscription{count(to:2)}", []string{nextEvent(`{"data":{"count":1}}`), nextEvent(`{"data":{"count":2}}`)}},
		"query":        {"{hello}", []string{nextEvent(`{"data":{"hello":"world"}}`)}},
		"mutation":     {"mutation{bump}", []string{nextEvent(`{"data":{"bump":1}}`)}},
		"validation":   {"{nothing}", []string{nextEvent(`{"errors":[{"message":"Cannot query field \"nothing\" on type \"Query\".","locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`)}},
		"too complex":  {"{" + numbered(31, "a#:hello ") + "}", []string{nextEvent(`{"errors":[{"message":"the field \"hello\" has more than 30 aliases","locations":[{"line":1,"column":292}],"extensions":{"code":"BAD_USER_INPUT"}}]}`)}},
		"resolver":     {"subscription{failing}", []string{nextEvent(`{"errors":[{"message":"no such conversation","path":["failing"],"locations":[{"line":1,"column":14}],"extensions":{"code":"NOT_FOUND"}}]}`)}},
		"a line":       {`{echo(text:"a\nb\r")}`, []string{nextEvent(`{"data":{"echo":"text=a\nb\r"}}`)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := s.stream(t, tc.query)
			e.expect(tc.want...)
			e.expect(completeEvent, endOfStream)
		})
	}
	get := s.do(t, "GET", "/?query="+url.QueryEscape("subscription{count(to:1)}"), "", "Accept", acceptSSE)
	assert.Equal(t, ":\n\nevent: next\ndata: {\"data\":{\"count\":1}}\n\nevent: complete\ndata:\n\n", get.body)
	assert.Equal(t, 400, s.do(t, "POST", "/", "{", "Content-Type", "application/json", "Accept", acceptSSE).status)
	both := s.post(t, "subscription{count(to:1)}", "Accept", "application/json, text/event-stream")
	assert.Contains(t, both.body, "event: next")
	assert.Equal(t, `{"data":{"hello":"world"}}`, s.post(t, "{hello}", "Accept", "application/json, text/event-stream").body)
}

// Keep-alive comments fill the silence; a repeated value is not sent; an error ends the stream in a next.
func TestStreamKeepAlive(t *testing.T) {
	s := start(t, Options{KeepAliveInterval: 20 * time.Millisecond})
	e := s.stream(t, `subscription{feed(name:"a")}`)
	e.expect(":", ":")
	go func() {
		for _, text := range []string{"x", "x", "y"} {
			s.root.Feed("a").Messages <- text
		}
		s.root.Feed("a").End(coded.New(coded.NotFound, "gone"))
	}()
	var got []string
	for len(got) == 0 || got[len(got)-1] != completeEvent {
		if text := e.next(); text != ":" {
			got = append(got, text)
		}
	}
	assert.Equal(t, []string{nextEvent(`{"data":{"feed":"x"}}`), nextEvent(`{"data":{"feed":"y"}}`),
		nextEvent(`{"errors":[{"message":"gone","path":["feed"],"extensions":{"code":"NOT_FOUND"}}]}`), completeEvent}, got)
}

// Promise 12: the client's leaving cancels its operation.
func TestStreamClientLeaves(t *testing.T) {
	s := start(t, Options{})
	e := s.stream(t, `subscription{feed(name:"a")}`)
	s.running(t, 1)
	assert.Equal(t, 1, s.Connections())
	e.cancel()
	s.running(t, 0)
	eventually(t, "the stream is gone", func() bool { return s.Connections() == 0 })
}

// A drain ends a stream without complete, so that its client comes back; new ones are refused.
func TestStreamDrain(t *testing.T) {
	s := start(t, Options{})
	e := s.stream(t, `subscription{feed(name:"a")}`)
	s.running(t, 1)
	require.NoError(t, s.Shutdown(t.Context()))
	e.expect(endOfStream)
	refused := s.post(t, "subscription{count(to:1)}", "Accept", acceptSSE)
	assert.Equal(t, 503, refused.status)
	assert.Equal(t, "5", refused.header.Get("Retry-After"))
}

// Expiry says UNAUTHENTICATED in a next, then complete.
func TestStreamExpiry(t *testing.T) {
	s := start(t, Options{Init: func(ctx context.Context, _ *http.Request, _ json.RawMessage) (context.Context, time.Time, error) {
		return ctx, time.Now().Add(300 * time.Millisecond), nil
	}})
	e := s.stream(t, `subscription{feed(name:"a")}`)
	e.expect(nextEvent(`{"errors":[{"message":"the session has expired","extensions":{"code":"UNAUTHENTICATED"}}]}`), completeEvent, endOfStream)
	s.running(t, 0)
}

// Promises 7 and 13 for streams: a reader that stalls is dropped within the write deadline, or the session's grace.
func TestStreamStalledReader(t *testing.T) {
	grace := func(ctx context.Context, _ *http.Request, _ json.RawMessage) (context.Context, time.Time, error) {
		return ctx, time.Now().Add(3 * time.Second), nil // time enough to fill what the system holds
	}
	for name, opts := range map[string]Options{
		"write deadline": {WriteTimeout: 400 * time.Millisecond},
		"expiry":         {WriteTimeout: time.Minute, ExpiryGrace: 200 * time.Millisecond, Init: grace},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, opts)
			conn := s.dialSlow(t)
			body := `{"query":"subscription{flood(bytes:50000)}"}`
			_, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: 44\r\n\r\n" + body))
			require.NoError(t, err)
			begin := time.Now()
			s.running(t, 1)
			s.running(t, 0)
			assert.Less(t, time.Since(begin), patience)
			assert.GreaterOrEqual(t, time.Since(begin), 200*time.Millisecond)
			eventually(t, "the stream is gone", func() bool { return s.Connections() == 0 })
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
			_, err = io.Copy(io.Discard, conn)
			assert.ErrorContains(t, err, "reset", "what was on its way is dropped")
		})
	}
}
