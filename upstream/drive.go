package upstream

import (
	"context"

	"inlaygraph/wire"
)

// Driver starts and ends runs (docs/wire.md, "Endpoints"). Its methods are safe for concurrent use. Each asks
// upstream once: what may have begun there is never asked for a second time by itself.
type Driver interface {
	// Execute gives an agent messages, and answers the live frames of the run that this starts or resumes. An
	// agent or a conversation that the caller may not see is one of the kinds of Hidden; what the state of the
	// conversation does not allow is [Conflict]; an input that upstream does not take is [Refused]. The stream
	// lives at most as long as ctx; when it ends, the run goes on.
	Execute(ctx context.Context, auth, agentID string, in *wire.ExecutionInput) (Stream, error)

	// Retry runs a failed conversation again from where it failed, and answers as Execute does.
	Retry(ctx context.Context, auth, id string) (Stream, error)

	// Cancel asks upstream to end the run. That it was taken says nothing of when the run ends: the stream and
	// the head do.
	Cancel(ctx context.Context, auth, id string) error
}
