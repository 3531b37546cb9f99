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
func nonsense(op string, why error) error {
	return &upstream.Error{Op: op, Kind: upstream.Unavailable, Status: http.StatusOK, Detail: why}
}

// refused reads the meaning of a status other than 200 (docs/wire.md, "Endpoints").
func refused(op string, resp *http.Response) error {
	e := &upstream.Error{Op: op, Kind: kindOf(op, resp.StatusCode), Status: resp.StatusCode, Detail: errorCode(resp)}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		e.RetryAfter, e.HasRetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	return e
}

func kindOf(op string, status int) upstream.Kind {
	switch {
	case status == http.StatusNoContent && op == "stream":
		return upstream.Idle
	case status == http.StatusNotFound && op == "stream":
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
	}
	return upstream.Unavailable
}

// errorCode is upstream's own code for a refusal, for logs. Its message stays where it is: it may quote what
// a user wrote.
func errorCode(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	if err != nil {
		return fmt.Errorf("the refusal broke off: %w", err)
	}
	var answer struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Code == "" {
		return errors.New("no code given")
	}
	return fmt.Errorf("code %.64q", answer.Error.Code)
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
