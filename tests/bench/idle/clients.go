package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/websocket"
)

const document = `subscription ($id: ID!) { timeline(conversationId: $id) { __typename id path ... on AssistantRow { content complete } } }`

// connect opens n WebSockets, subscribes on each, says so once each has its first message and once each has its second, and
// keeps them until its input ends.
func connect(address string, n int, tokens bool) error {
	var got atomic.Int64
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, HandshakeTimeout: time.Minute, ReadBufferSize: 512, WriteBufferSize: 512}
	for i := range n {
		ws, _, err := dialer.Dial("ws://"+address, nil)
		if err != nil {
			return err
		}
		init := `{"type":"connection_init"}`
		if tokens {
			text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
				"sub": fmt.Sprint("user-", i), "tenant": "acme", "exp": time.Now().Add(time.Hour).Unix(),
			}).SignedString([]byte(secret))
			if err != nil {
				return err
			}
			init = `{"type":"connection_init","payload":{"token":"` + text + `"}}`
		}
		subscribe, err := json.Marshal(map[string]any{"id": fmt.Sprint(i), "type": "subscribe", "payload": map[string]any{
			"query": document, "variables": map[string]any{"id": conversationID}}})
		if err != nil {
			return err
		}
		for _, text := range []string{init, string(subscribe)} {
			if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
				return err
			}
			_, answer, err := ws.ReadMessage()
			if err != nil {
				return err
			}
			var m struct{ Type string }
			if err := json.Unmarshal(answer, &m); err != nil || m.Type != "connection_ack" && m.Type != "next" {
				return fmt.Errorf("%.200s, %w", answer, err)
			}
		}
		go func() {
			if _, _, err := ws.ReadMessage(); err == nil && int(got.Add(1)) == n {
				fmt.Println("got it")
			}
			_, text, err := ws.ReadMessage() // answers pings
			fmt.Fprintf(os.Stderr, "idle: a connection ended: %.200s, %v\n", text, err)
			os.Exit(1)
		}()
	}
	fmt.Println("connected")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
