package conversation

import (
	"context"
	"errors"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

// notFound is the one answer for every reason for which a conversation may not be seen.
func notFound(cause error) error {
	return coded.Wrap(coded.NotFound, "no such conversation", cause)
}

// present gives upstream's failure the code that clients know (docs/service.md, "Errors").
func present(err error) error {
	var known *coded.Error
	switch {
	case err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled):
		return err
	case upstream.Hidden(err):
		return notFound(err)
	case errors.Is(err, upstream.Unauthenticated):
		return coded.Wrap(coded.Unauthenticated, "upstream does not accept the session", err)
	case errors.Is(err, upstream.RateLimited):
		return coded.Wrap(coded.RateLimited, "upstream asks for fewer requests", err)
	}
	return coded.Wrap(coded.UpstreamUnavailable, "upstream does not answer", err)
}
