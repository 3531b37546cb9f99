package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"inlaygraph/upstream"
)

// maxRetryAfter bounds what an upstream may ask for.
const maxRetryAfter = 24 * time.Hour

// failed is a call that got no answer. When the caller gave up, that is the caller's own error.
func failed(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &upstream.Error{Op: op, Kind: upstream.Unavailable, Detail: err}
}

// nonsense is an answer that does not say what it should.
func nonsense(op string, status int, why error) error {
	return &upstream.Error{Op: op, Kind: upstream.Unavailable, Status: status, Detail: why}
}

// refused reads the meaning of a status that is no success (docs/wire.md, "Statuses").
func refused(k call, resp *http.Response) error {
	e := &upstream.Error{Op: k.op, Kind: kindOf(k.op, resp.StatusCode), Status: resp.StatusCode, Detail: reason(k, resp)}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		e.RetryAfter, e.HasRetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	return e
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
func reason(k call, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	if err != nil {
		return fmt.Errorf("the refusal broke off: %w", err)
	}
	var answer struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Code == "" {
		return errors.New("no code given")
	}
	code, message := masked(answer.Error.Code, resp.Request), masked(answer.Error.Message, resp.Request)
	if k.body != nil || message == "" {
		return fmt.Errorf("code %.64q", code)
	}
	return fmt.Errorf("code %.64q: %.256q", code, message)
}

// maskedLength is how much of a token upstream may repeat before it is one that a log must not hold.
const maskedLength = 8

// masked is text without what it repeats of the request's token, whole or in part.
func masked(text string, req *http.Request) string {
	token := req.Header.Get("Authorization")
	if _, after, ok := strings.Cut(token, " "); ok {
		token = after
	}
	window := min(maskedLength, len(token))
	if window == 0 {
		return text
	}
	var clean strings.Builder
	for i, end := 0, 0; i < len(text); i++ {
		if i+window <= len(text) && strings.Contains(token, text[i:i+window]) {
			if end <= i {
				clean.WriteString("[token]")
			}
			end = i + window
		}
		if i >= end {
			clean.WriteByte(text[i])
		}
	}
	return clean.String()
}

// retryAfter reads seconds or an HTTP date; false when there is neither.
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		if n < 0 {
			return 0, false
		}
		return time.Duration(min(n, int64(maxRetryAfter/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}
