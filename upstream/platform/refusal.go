package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
)

// refuse reads the meaning of a status that is no success (docs/wire.md, "Statuses").
func refuse(k exchange.Call, status int, body []byte, mask func(string) string) (upstream.Kind, error) {
	return kindOf(k.Op, status), reason(k, body, mask)
}

func kindOf(op string, status int) upstream.Kind {
	switch {
	case status == http.StatusNoContent && op == opStream:
		return upstream.Idle
	case status == http.StatusNotFound && op == opStream:
		return upstream.CannotReattach
	case status == http.StatusNotFound:
		return upstream.NotFound
	case status == http.StatusForbidden:
		return upstream.Forbidden
	case status == http.StatusGone:
		return upstream.Gone
	case status == http.StatusUnauthorized:
		return upstream.Unauthenticated
	case status == http.StatusTooManyRequests:
		return upstream.RateLimited
	case status == http.StatusConflict:
		return upstream.Conflict
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity:
		return upstream.Refused
	}
	return upstream.Unavailable
}

// reason is upstream's own code and message for a refusal, for logs. The message of a refused body stays where it
// is: it may quote what a user wrote, or what a tool answered.
func reason(k exchange.Call, body []byte, mask func(string) string) error {
	var answer struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Code == "" {
		return errors.New("no code given")
	}
	code, message := mask(answer.Error.Code), mask(answer.Error.Message)
	if k.Body != nil || message == "" {
		return fmt.Errorf("code %.64q", code)
	}
	return fmt.Errorf("code %.64q: %.256q", code, message)
}
