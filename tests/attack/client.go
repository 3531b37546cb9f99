package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// secret is what tokens are signed with.
const secret = "a secret of thirty-two bytes or so"

// client asks the server as one user.
type client struct {
	http  http.Client
	url   string
	token string // "": nobody is asked for one
}

func newClient(s *server, user string) (*client, error) {
	c := &client{url: s.url, http: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	if user == "" {
		return c, nil
	}
	var err error
	claims := jwt.MapClaims{"sub": user, "tenant": "acme", "exp": time.Now().Add(time.Hour).Unix()}
	c.token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
	return c, err
}

func (c *client) close() { c.http.CloseIdleConnections() }

func (c *client) post(ctx context.Context, accept, query, id string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": map[string]any{"id": id}})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(req)
}

// answer is what a query is answered.
type answer struct {
	Data struct {
		Conversation *struct {
			Chat     struct{ Status string }
			Timeline []struct{ ID string }
			Run      struct{ Nodes []struct{ VisitCount int } }
		}
	}
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
}

// code is the first error's, "" for none.
func (a *answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].Extensions.Code
}

func (c *client) query(ctx context.Context, query, id string) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	res, err := c.post(ctx, "application/json", query, id)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var a answer
	return &a, json.NewDecoder(res.Body).Decode(&a)
}

// stream is a subscription by server-sent events, of which the messages are counted and the last part is kept.
type stream struct {
	cancel   context.CancelFunc
	done     chan struct{}
	messages atomic.Int64
	bytes    atomic.Int64
	last     atomic.Pointer[string]
}

func (c *client) subscribe(ctx context.Context, query, id string) (*stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	res, err := c.post(ctx, "text/event-stream", query, id)
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer cancel()
		defer res.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return nil, fmt.Errorf("subscribing: %s: %s", res.Status, text)
	}
	s := &stream{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer res.Body.Close()
		for in := bufio.NewReaderSize(res.Body, 64<<10); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			s.bytes.Add(int64(len(line)))
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				s.messages.Add(1)
				text := data[max(0, len(data)-1000):]
				s.last.Store(&text)
			}
		}
	}()
	return s, nil
}

func (s *stream) close() {
	s.cancel()
	<-s.done
}

// ended tells whether the server ended the stream.
func (s *stream) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// says tells whether the last message has a text in it.
func (s *stream) says(text string) bool {
	last := s.last.Load()
	return last != nil && strings.Contains(*last, text)
}
