//go:build langgraph

package langgraph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// user is somebody who uses our server.
type user struct {
	*server
	token string // "": none
}

type graphQLError struct {
	Message    string `json:"message"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

type response struct {
	Data   json.RawMessage `json:"data"`
	Errors []graphQLError  `json:"errors"`
}

func (u user) request(ctx context.Context, t *testing.T, accept, text string) *http.Response {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": text})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	if u.token != "" {
		req.Header.Set("Authorization", "Bearer "+u.token)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	res, err := (&http.Client{Transport: transport}).Do(req)
	require.NoError(t, err)
	return res
}

func (u user) ask(t *testing.T, text string) response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res := u.request(ctx, t, "application/json", text)
	defer res.Body.Close()
	var r response
	require.NoError(t, json.NewDecoder(res.Body).Decode(&r), text)
	return r
}

// do runs an operation that must succeed, and reads its data.
func (u user) do(t *testing.T, into any, text string) {
	t.Helper()
	r := u.ask(t, text)
	require.Empty(t, r.Errors, "%s\n%s", text, u.stderr.String())
	require.NoError(t, json.Unmarshal(r.Data, into), "%s", r.Data)
}

// refused runs an operation that must be refused, and answers the code.
func (u user) refused(t *testing.T, text string) string {
	t.Helper()
	r := u.ask(t, text)
	require.Len(t, r.Errors, 1, "%s\n%s", text, r.Data)
	return r.Errors[0].Extensions.Code
}

func sending(agent, content, id string) string {
	input := fmt.Sprintf("agentId: %q, content: %q", agent, content)
	if id != "" {
		input += fmt.Sprintf(", conversationId: %q", id)
	}
	return "mutation { send(input: {" + input + "}) { fresh conversation { id } } }"
}

// send says something to an agent, and answers the conversation that took it.
func (u user) send(t *testing.T, agent, content, id string) string {
	t.Helper()
	var data struct {
		Send struct{ Conversation struct{ ID string } }
	}
	u.do(t, &data, sending(agent, content, id))
	return data.Send.Conversation.ID
}

func answering(id, call, output string) string {
	text, _ := json.Marshal(output) // GraphQL spells a string as JSON does
	return fmt.Sprintf("mutation { submitToolResult(input: {conversationId: %q, toolCallId: %q, output: %s}) { conversation { id } } }", id, call, text)
}

func (u user) answer(t *testing.T, id, call, output string) {
	t.Helper()
	u.do(t, &struct{}{}, answering(id, call, output))
}

const rowFields = `__typename id path activation iteration
	... on UserRow { content } ... on AssistantRow { content reasoning complete }
	... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output }`

// row is a row as clients see it.
type row struct {
	Typename               string `json:"__typename"`
	ID, Activation         *string
	Path                   []string
	Iteration              *int
	Content                string
	Reasoning              *string
	Complete               bool
	ToolCallID             string
	ToolName               string
	Input, Output          string
	RequiresClientResponse bool
}

func (r row) String() string {
	text := ""
	switch r.Typename {
	case "UserRow":
		text = "user: " + r.Content
	case "AssistantRow":
		text = r.Content
		if r.Reasoning != nil && *r.Reasoning != "" {
			text = "(" + *r.Reasoning + ")" + text
		}
		if !r.Complete {
			text += " …"
		}
	case "ToolCallRow":
		text = r.ToolName + " " + r.Input
		if r.RequiresClientResponse {
			text += " ?"
		}
	case "ToolResultRow":
		text = "-> " + r.Output
	}
	if r.Iteration != nil {
		text = fmt.Sprintf("%d: %s", *r.Iteration, text)
	}
	return text
}

// conversation is all that the tests look at.
type conversation struct {
	ID   string
	Chat struct {
		Status       string
		CanRetry     bool
		Error        *struct{ Kind, Message string }
		Conversation struct {
			AgentID      string
			AgentVersion int
		}
		PendingTools []struct{ ToolCallID string }
	}
	Timeline []row
	Run      struct {
		Status string
		Nodes  []struct {
			Path       []string
			Kind       *string
			Status     string
			VisitCount int
			Usage      *struct{ PromptTokens, CompletionTokens, ReasoningTokens int }
			Error      *struct{ Kind, Message string }
		}
		Edges []struct {
			SubgraphPath []string
			From, To     string
			Count        int
		}
	}
}

func reading(id string) string {
	return fmt.Sprintf(`{ conversation(id: %q) { id
		chat { status canRetry error { kind message } conversation { agentId agentVersion } pendingTools { toolCallId } }
		timeline { %s }
		run { status nodes { path kind status visitCount usage { promptTokens completionTokens reasoningTokens } error { kind message } }
			edges { subgraphPath from to count } } } }`, id, rowFields)
}

func (u user) read(t *testing.T, id string) *conversation {
	t.Helper()
	var data struct{ Conversation *conversation }
	u.do(t, &data, reading(id))
	require.NotNil(t, data.Conversation)
	return data.Conversation
}

// settle waits until no run is in flight, and reads the conversation.
func (u user) settle(t *testing.T, id string) *conversation {
	t.Helper()
	var c *conversation
	eventually(t, func() string {
		if c = u.read(t, id); c.Chat.Status == "STREAMING" {
			return fmt.Sprint(c.Timeline, u.stderr.String())
		}
		return ""
	})
	return c
}

// rows are the rows of each path, in order, as short texts.
func (c *conversation) rows() map[string][]string {
	all := map[string][]string{}
	for _, r := range c.Timeline {
		path := strings.Join(r.Path, "/")
		all[path] = append(all[path], r.String())
	}
	for path, rows := range all {
		if strings.HasPrefix(rows[0], "1: ") || strings.HasPrefix(rows[0], "2: ") { // items at the same time
			slices.Sort(rows)
			all[path] = rows
		}
	}
	return all
}

// nodes are the nodes that ran: how they stand, how often they were visited, and their tokens.
func (c *conversation) nodes() map[string]string {
	all := map[string]string{}
	for _, n := range c.Run.Nodes {
		text := n.Status
		if n.VisitCount != 1 {
			text += fmt.Sprintf(" x%d", n.VisitCount)
		}
		if n.Usage != nil {
			text += fmt.Sprintf(" %d+%d", n.Usage.PromptTokens, n.Usage.CompletionTokens)
		}
		if n.Error != nil {
			text += " " + n.Error.Kind
		}
		all[strings.Join(n.Path, "/")] = text
	}
	return all
}

// edges are the edges that fired.
func (c *conversation) edges() []string {
	all := []string{}
	for _, e := range c.Run.Edges {
		text := strings.Join(append(slices.Clone(e.SubgraphPath), e.From), "/") + ">" + e.To
		if e.Count != 1 {
			text += fmt.Sprintf(" x%d", e.Count)
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// subscription collects what a subscription says.
type subscription struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	messages []response
}

// subscribe opens a subscription over server-sent events.
func (u user) subscribe(t *testing.T, text string) *subscription {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &subscription{cancel: cancel, done: make(chan struct{})}
	res := u.request(ctx, t, "text/event-stream", text)
	go func() {
		defer close(s.done)
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var r response
			if !ok || json.Unmarshal([]byte(data), &r) != nil || r.Data == nil && r.Errors == nil {
				continue
			}
			s.mu.Lock()
			s.messages = append(s.messages, r)
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() { s.end() })
	return s
}

// end closes the subscription, and answers all that it said.
func (s *subscription) end() []response {
	s.cancel()
	<-s.done
	return s.said()
}

func (s *subscription) said() []response {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}
