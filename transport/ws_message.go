package transport

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// message is what a client sends on a WebSocket (graphql-transport-ws).
type message struct {
	kind    string // connection_init, ping, pong, subscribe or complete
	id      string
	payload json.RawMessage // of connection_init, ping and pong: an object, or nil
	request *request        // of subscribe
}

// parseMessage reads one message. Its error is the text of a close with 4400, so it quotes nothing of the message.
func parseMessage(raw []byte, maxID int) (*message, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("message is not UTF-8")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, errors.New("message is not a JSON object")
	}
	m := &message{}
	if !isPlainString(members["type"]) || !decode(members["type"], &m.kind) {
		return nil, errors.New("message has no type")
	}
	switch m.kind {
	case "connection_init", "ping", "pong":
		if !isObject(members["payload"]) {
			return nil, errors.New(m.kind + " message has a payload that is not an object")
		}
		if !isAbsent(members["payload"]) {
			m.payload = members["payload"]
		}
		return m, nil
	case "subscribe", "complete":
		if !isPlainString(members["id"]) || !decode(members["id"], &m.id) || m.id == "" {
			return nil, errors.New(m.kind + " message has no id")
		}
		if len(m.id) > maxID {
			return nil, errors.New(m.kind + " message has an id that is too long")
		}
	default:
		return nil, errors.New("message has an unknown type")
	}
	if m.kind == "complete" {
		return m, nil
	}
	req, err := parseRequest(members["payload"])
	if err != nil {
		return nil, errors.New("subscribe message: " + err.Message)
	}
	m.request = req
	return m, nil
}

func isPlainString(raw json.RawMessage) bool { return !isAbsent(raw) && isString(raw) }
