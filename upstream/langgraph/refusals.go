package langgraph

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
)

// refuse reads the meaning of a status that is no success. A LangGraph server knows none of our callers: what it does
// not let us do is our own configuration's fault, not theirs.
func refuse(_ exchange.Call, status int, body []byte, _ func(string) string) (upstream.Kind, error) {
	said := sayings(body)
	kind := upstream.Unavailable
	switch status {
	case http.StatusNotFound:
		kind = upstream.NotFound
	case http.StatusGone:
		kind = upstream.Gone
	case http.StatusConflict:
		kind = upstream.Conflict
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		kind = upstream.Refused
		if isBusy(said) {
			kind = upstream.Conflict
		}
	case http.StatusRequestEntityTooLarge:
		kind = upstream.Refused
	case http.StatusTooManyRequests:
		kind = upstream.RateLimited
	case http.StatusUnauthorized, http.StatusForbidden:
		return kind, errors.New("the server does not let us in: is there an API key among the configured headers?")
	}
	return kind, errors.New("a refusal") // what it says may quote what a user wrote
}

// sayings is the text of a refusal: one of two spellings of JSON, or plain.
func sayings(body []byte) string {
	var answer struct {
		Detail  json.RawMessage `json:"detail"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return string(bytes.TrimSpace(body))
	}
	if answer.Message != "" {
		return answer.Message
	}
	var detail string
	if json.Unmarshal(answer.Detail, &detail) != nil {
		return string(answer.Detail)
	}
	return detail
}

// isBusy tells the refusal of a run on a thread that has one in flight.
func isBusy(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "already running") || strings.Contains(said, "multitask") || strings.Contains(said, "busy")
}

// failure of our own making: an error of an operation in a kind's words.
func refusal(op string, kind upstream.Kind, why string) error {
	return &upstream.Error{Op: op, Kind: kind, Detail: errors.New(why)}
}

// errUnlike is an answer that does not say what it should.
func errUnlike(op string, why error) error { return exchange.Nonsense(op, http.StatusOK, why) }
