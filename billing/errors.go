package billing

import (
	"errors"
	"fmt"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

// The messages that only billing has; the others are upstream.Coded's.
const (
	sayNoBilling  = "this upstream has no billing"
	sayNotFound   = "upstream has no billing for this session"
	sayNoPlan     = "no such plan"
	sayUnreadable = "upstream's answer about billing makes no sense"
	sayUnsafePage = "upstream gave no checkout page that is safe to open"
)

func errNoBilling() error { return coded.New(coded.UpstreamUnavailable, sayNoBilling) }

// present gives upstream's failure the code that clients know. 403, 404 and 410 read the same (docs/service.md, "Who may
// see what"), in the words of what was asked for, unless nobody has billing there (docs/langgraph.md).
func present(err error, hidden string) error {
	if e, ok := errors.AsType[*upstream.Error](err); ok && errors.Is(e.Detail, upstream.ErrNone) {
		hidden = sayNoBilling
	}
	if upstream.Hidden(err) {
		return coded.Wrap(coded.NotFound, hidden, err)
	}
	return upstream.Coded(err)
}

// placed says which answer the fault of one is in, for the log.
func placed(object string, wrong error) error { return fmt.Errorf("billing %s: %w", object, wrong) }
