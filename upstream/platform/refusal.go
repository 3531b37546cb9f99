package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
)

// refuse reads the meaning of a status that is no success (docs/wire.md, "Statuses").
func refuse(k exchange.Call, status int, body []byte, mask func(string) string) (upstream.Kind, error) {
	return kindOf(k.Op, status), reason(body, mask)
}

// following are the reads of a conversation, which no caller spells: a refusal of what is asked is no caller's fault.
var following = map[string]bool{"head": true, "rows": true, opStream: true}

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
	case status == http.StatusPaymentRequired:
		return upstream.Unpaid
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity:
		if following[op] {
			return upstream.Unavailable
		}
		return upstream.Refused
	}
	return upstream.Unavailable
}

// reason is upstream's own code for a refusal, for logs, if it is one word of a machine's. What it says beside that stays
// where it is: it may quote what a user wrote, or what a tool answered.
func reason(body []byte, mask func(string) string) error {
	var answer struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || !codeWord.MatchString(mask(answer.Error.Code)) {
		return errors.New("no code given")
	}
	return fmt.Errorf("code %q", answer.Error.Code)
}

var codeWord = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
