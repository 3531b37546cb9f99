package example

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
)

// #region watch

// watch subscribes by a connection of its own, and by another one when that breaks: until the context ends, the server
// completes the subscription, or take returns an error.
func watch[Message any](
	ctx context.Context, c *Client, subscribe func(graphql.WebSocketClient) (chan Message, string, error), take func(Message) error,
) error {
	for retries := 0; ; retries++ {
		heard, err := once(ctx, c, subscribe, take)
		if err == nil || ctx.Err() != nil || !broke(err) {
			return err
		}
		if websocket.IsCloseError(err, 4403) {
			c.tokens.Forget()
		}
		if heard {
			retries = 0
		}
		pause := min(10*time.Second, 100*time.Millisecond<<min(retries, 10))
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func once[Message any](
	ctx context.Context, c *Client, subscribe func(graphql.WebSocketClient) (chan Message, string, error), take func(Message) error,
) (heard bool, err error) {
	token, err := c.tokens.Get(ctx)
	if err != nil {
		return false, err
	}
	var socket dialer
	url := "ws" + strings.TrimPrefix(c.url, "http")
	client := graphql.NewClientUsingWebSocket(url, &socket, graphql.WithConnectionParams(map[string]any{"Authorization": "Bearer " + token}))
	broken, err := client.Start(ctx)
	if err != nil {
		return false, err
	}
	messages, _, err := subscribe(client)
	defer func() { // genqlient's own Close panics after the server completed; its reader ends with the socket
		socket.Close()
		for going := true; going; {
			select {
			case _, going = <-broken:
				going = false
			case _, more := <-messages:
				if !more {
					messages = nil
				}
			}
		}
	}()
	if err != nil {
		return false, err
	}
	for {
		select {
		case message, more := <-messages:
			if !more {
				return heard, nil
			}
			heard = true
			if err := take(message); err != nil {
				return heard, err
			}
		case err := <-broken:
			broken = ended(err)
			return heard, err
		case <-ctx.Done():
			return heard, ctx.Err()
		}
	}
}

// #endregion

// ended is a channel that has the reader's end in it already.
func ended(err error) chan error {
	c := make(chan error, 1)
	c <- err
	return c
}

// broke tells a connection that is worth opening again from everything else (docs/service.md, "WebSocket").
func broke(err error) bool {
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		return slices.Contains([]int{1006, 1012, 1013, 4403}, closed.Code)
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, websocket.ErrBadHandshake)
}

// dialer is gorilla's, as genqlient wants one. It keeps the connection, to close it.
type dialer struct{ *websocket.Conn }

func (d *dialer) DialContext(ctx context.Context, url string, header http.Header) (graphql.WSConn, error) {
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, url, header)
	d.Conn = conn
	return conn, err
}
