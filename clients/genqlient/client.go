package example

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/Khan/genqlient/graphql"
	"github.com/google/uuid"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Client speaks to one server.
type Client struct {
	url    string
	tokens *Tokens
	http   graphql.Client
}

// New returns a client of the server whose /graphql the URL is.
func New(url string, fetchToken func(context.Context) (string, error)) *Client {
	tokens := &Tokens{Fetch: fetchToken}
	return &Client{url, tokens, graphql.NewClient(url, &http.Client{Transport: tokens})}
}

// Timeline reads the rows of a conversation.
func (c *Client) Timeline(ctx context.Context, id string) ([]Row, error) {
	data, err := Timeline(ctx, c.http, id)
	if err != nil {
		return nil, err
	}
	return data.Conversation.Timeline, nil
}

// Send says something to an agent in a new conversation, and returns the id of that.
func (c *Client) Send(ctx context.Context, agentID, content string) (string, error) {
	request := uuid.NewString()
	data, err := Send(ctx, c.http, SendInput{AgentId: agentID, Content: content, ClientRequestId: &request})
	if err != nil {
		return "", err
	}
	return data.Send.Conversation.Id, nil
}

// Answer delivers the result of a tool.
func (c *Client) Answer(ctx context.Context, conversationID, toolCallID string, output any) error {
	text, err := json.Marshal(output)
	if err != nil {
		return err
	}
	_, err = SubmitToolResult(ctx, c.http, ToolResultInput{ConversationId: conversationID, ToolCallId: toolCallID, Output: text})
	return err
}

// #region chat

// WatchChat shows a chat as it stands and at each change, until the context ends.
func (c *Client) WatchChat(ctx context.Context, id string, show func(ChatChatChatSnapshot)) error {
	subscribe := func(ws graphql.WebSocketClient) (chan ChatWsResponse, string, error) { return Chat(ctx, ws, id) }
	return watch(ctx, c, subscribe, func(message ChatWsResponse) error {
		if len(message.Errors) > 0 {
			return message.Errors
		}
		show(message.Data.Chat)
		return nil
	})
}

// #endregion

// WatchFeed shows a feed as it stands and at each change, until the context ends.
func (c *Client) WatchFeed(ctx context.Context, id string, pin AgentPin, show func(FeedFeed)) error {
	subscribe := func(ws graphql.WebSocketClient) (chan FeedWsResponse, string, error) { return Feed(ctx, ws, id, &pin) }
	return watch(ctx, c, subscribe, func(message FeedWsResponse) error {
		if len(message.Errors) > 0 {
			return message.Errors
		}
		show(message.Data.Feed)
		return nil
	})
}

// #region follow

// FollowRows shows the rows of a conversation at each change, until the context ends. It goes on after the last message
// that was applied, whatever became of the connection.
func (c *Client) FollowRows(ctx context.Context, id string, show func([]Row)) error {
	for {
		var rows []Row
		var after *string
		subscribe := func(ws graphql.WebSocketClient) (chan ChangesWsResponse, string, error) {
			return Changes(ctx, ws, id, nil, after)
		}
		err := watch(ctx, c, subscribe, func(message ChangesWsResponse) (err error) {
			if len(message.Errors) > 0 {
				return message.Errors
			}
			changes := message.Data.RowChanges
			if rows, err = Apply(rows, changes.Ops); err == nil {
				after = &changes.Cursor
				show(rows)
			}
			return err
		})
		if !errors.Is(err, ErrUnfit) {
			return err
		} // what is here is not what the server takes it for: begin with a reset
	}
}

// #endregion

// Code is the code of what the server refused (docs/service.md, "Errors"); "" when it refused nothing.
func Code(err error) string {
	var refused gqlerror.List
	if answer := (*graphql.HTTPError)(nil); errors.As(err, &answer) {
		refused = answer.Response.Errors
	}
	if errors.As(err, &refused); len(refused) == 0 {
		return ""
	}
	code, _ := refused[0].Extensions["code"].(string)
	return code
}
