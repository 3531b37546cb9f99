package upstream

import (
	"context"

	"inlaygraph/wire"
)

// PlanSource is where plans are read from (docs/wire.md, "Plans"). Plan is safe for concurrent use.
type PlanSource interface {
	// Plan reads the plan of one version of an agent; version 0 is the draft. The plan is valid and is that
	// agent's and version's; an answer that is not is [Unavailable], the reason in Detail. An unknown agent or
	// version is [NotFound].
	Plan(ctx context.Context, auth, agentID string, version int) (*wire.Plan, error)
}
