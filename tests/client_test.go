package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// request is a GraphQL request as it stands in a body.
type request struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables,omitempty"`
}

// response is a GraphQL response.
type response struct {
	Data   json.RawMessage `json:"data"`
	Errors []responseError `json:"errors"`
}

type responseError struct {
	Message    string `json:"message"`
	Path       []any  `json:"path"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

// codes are the codes of the errors of a response.
func codes(errs []responseError) []string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Extensions.Code)
	}
	return all
}

const (
	mediaResponse = "application/graphql-response+json"
	mediaJSON     = "application/json"
	mediaEvents   = "text/event-stream"
)

// client makes a client whose connections end with the test.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// answer is what came back for one HTTP request.
type answer struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, r *http.Request) answer {
	t.Helper()
	c := client(t)
	c.Timeout = patience
	res, err := c.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(body)}
}

func (s *server) post(t *testing.T, accept string, r request) answer {
	t.Helper()
	return send(t, s.newPost(t, accept, r))
}

func (s *server) newPost(t *testing.T, accept string, r request) *http.Request {
	t.Helper()
	body, err := json.Marshal(r)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", mediaJSON)
	req.Header.Set("Accept", accept)
	return req
}

func (s *server) newGet(t *testing.T, accept string, r request) *http.Request {
	t.Helper()
	values := url.Values{"query": {r.Query}}
	if r.Variables != nil {
		variables, err := json.Marshal(r.Variables)
		require.NoError(t, err)
		values.Set("variables", string(variables))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"?"+values.Encode(), nil)
	require.NoError(t, err)
	req.Header.Set("Accept", accept)
	return req
}

// parse reads a GraphQL response.
func parse(t *testing.T, text string) response {
	t.Helper()
	var r response
	require.NoError(t, json.Unmarshal([]byte(text), &r), "%s", text)
	return r
}

// query runs a query that must succeed and answers its data.
func (s *server) query(t *testing.T, text string) json.RawMessage {
	t.Helper()
	r := parse(t, s.post(t, mediaResponse, request{Query: text}).body)
	require.Empty(t, r.Errors)
	return r.Data
}

// at is the value at a path of member names in a JSON object.
func at(t *testing.T, data json.RawMessage, path ...string) json.RawMessage {
	t.Helper()
	for _, name := range path {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &members), "%s", data)
		require.Contains(t, members, name, "%s", data)
		data = members[name]
	}
	return data
}

// eventually asks again and again until the answer is "", which it must become; the last one is shown if it does not.
func eventually(t *testing.T, within time.Duration, ask func() string) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		wrong := ask()
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s still: %s", within, wrong)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// short cuts a text for a message.
func short(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 300 {
		return text[:300] + "…"
	}
	return text
}
