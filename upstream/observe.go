package upstream

import (
	"context"
	"net/http"
)

// Observe is told of every request to upstream before it is made: what is asked ("head", "stream", …, as in Error.Op), and
// the headers, to which it may add its own. answered is called once: with the status when the answer's header is there,
// with 0 when none came.
type Observe func(ctx context.Context, op string, header http.Header) (answered func(status int))
