package upstream

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Kind is the class of an upstream failure. It is an error itself, so that errors.Is(err, upstream.Gone)
// asks for a class.
type Kind string

// The kinds of failure (docs/wire.md, "Endpoints").
const (
	NotFound        Kind = "not found"        // 404, and an id that can't be one
	Forbidden       Kind = "forbidden"        // 403
	Gone            Kind = "gone"             // 410
	Unauthenticated Kind = "unauthenticated"  // 401: the session is refused, a fresh one may do
	RateLimited     Kind = "rate limited"     // 429, perhaps with RetryAfter
	Conflict        Kind = "conflict"         // 409: the state does not allow it
	Unpaid          Kind = "payment required" // 402: the user's credit or plan does not allow it
	Refused         Kind = "refused"          // 400, 413, 422: upstream does not take the request
	Unavailable     Kind = "unavailable"      // 5xx, a timeout, no connection, an answer that makes no sense
	CannotReattach  Kind = "cannot reattach"  // 404 to a stream: the head says whether it is gone or to be polled
	Idle            Kind = "no run in flight" // 204 to a stream
)

// Error is the kind's own words.
func (k Kind) Error() string { return string(k) }

// Error is what every method of a Source answers when upstream, not the caller, is the reason.
type Error struct {
	Op     string // what was asked: "head", "stream", "execute", …, or a path such as "billing/balance"
	Kind   Kind
	Status int // the HTTP status, where there was one
	// RetryAfter is how long upstream asked to be left alone; meaningful when HasRetryAfter.
	RetryAfter    time.Duration
	HasRetryAfter bool
	// Detail is for logs only: transport errors, upstream's own code, where something did not decode. It holds no text of
	// upstream's beside the code, and is no part of the message.
	Detail error
}

// ErrNone is the Detail of what an upstream does not have at all, for anybody.
var ErrNone = errors.New("this upstream does not have it")

// Error says what failed and how, in our own words only.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("upstream %s: %s (%d)", e.Op, e.Kind, e.Status)
	}
	return fmt.Sprintf("upstream %s: %s", e.Op, e.Kind)
}

// Is makes errors.Is(err, kind) ask for the kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// LogValue is the error with its detail, for slog.
func (e *Error) LogValue() slog.Value {
	if e.Detail == nil {
		return slog.StringValue(e.Error())
	}
	return slog.StringValue(e.Error() + ": " + e.Detail.Error())
}

// Hidden reports whether err means that the caller may not see the conversation, for whichever reason; all
// of them read the same to a client (docs/service.md, "Who may see what").
func Hidden(err error) bool {
	return errors.Is(err, NotFound) || errors.Is(err, Forbidden) || errors.Is(err, Gone)
}
