package upstream

import (
	"context"
	"errors"

	"inlaygraph/coded"
)

// Coded gives an error of upstream the code and the message that clients read (docs/service.md, "Errors"); the
// error itself stays its cause, for the log. A deadline that passed reads as no answer from upstream. Anything else,
// such as nil, an error that has a code, or context.Canceled (nobody is there to be told), passes as it is.
func Coded(err error) error {
	_, known := errors.AsType[*coded.Error](err)
	_, ours := errors.AsType[*Error](err)
	switch {
	case known, !ours && !errors.Is(err, context.DeadlineExceeded):
		return err
	case Hidden(err):
		return coded.Wrap(coded.NotFound, "no such conversation", err)
	case errors.Is(err, Unauthenticated):
		return coded.Wrap(coded.Unauthenticated, "upstream does not accept the session", err)
	case errors.Is(err, RateLimited):
		return coded.Wrap(coded.RateLimited, "upstream asks for fewer requests", err)
	case errors.Is(err, Conflict):
		return coded.Wrap(coded.Conflict, "upstream does not allow it as things stand", err)
	case errors.Is(err, Unpaid):
		return coded.Wrap(coded.Conflict, "upstream asks for payment first", err)
	case errors.Is(err, Refused):
		return coded.Wrap(coded.BadUserInput, "upstream does not take the request", err)
	}
	return coded.Wrap(coded.UpstreamUnavailable, "upstream does not answer", err)
}
