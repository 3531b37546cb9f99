package resolvers

import (
	"context"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/coded"
	"inlaygraph/feed"
	"inlaygraph/graph/scalars"
)

// The bounds of arguments (graph/schema.graphqls names them in the descriptions).
const (
	maxIntervalMs = 60_000
	maxPage       = 1_000
)

// interval reads minIntervalMs; null is 0.
func (r *Root) interval(minIntervalMs *int) (time.Duration, error) {
	if minIntervalMs == nil {
		return 0, nil
	}
	ms := *minIntervalMs
	if ms < 0 || ms > maxIntervalMs {
		return 0, coded.Newf(coded.BadUserInput, "minIntervalMs takes 0 to %d milliseconds, not %d", maxIntervalMs, ms)
	}
	if r.Unpaced {
		return 0, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// checkVersion checks the version of an agent whose plan is asked for.
func checkVersion(agentVersion int) error {
	if agentVersion < 0 {
		return coded.Newf(coded.BadUserInput, "agentVersion takes a version, or 0 for the draft, not %d", agentVersion)
	}
	return nil
}

// pinOf reads the argument pin of a field that is not resolved yet, nil where it has none or null.
func pinOf(ctx context.Context, field *ast.Field) (*feed.Pin, error) {
	value, ok := field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["pin"].(map[string]any)
	if !ok {
		return nil, nil
	}
	agentID, err := graphql.UnmarshalID(value["agentId"])
	if err != nil {
		return nil, coded.New(coded.BadUserInput, err.Error())
	}
	pin := &feed.Pin{AgentID: agentID}
	if value["agentVersion"] != nil {
		version, err := scalars.UnmarshalInt(value["agentVersion"])
		if err != nil {
			return nil, coded.New(coded.BadUserInput, err.Error())
		}
		pin.AgentVersion = &version
	}
	return pin, nil
}

// checkPage checks the arguments of rowPage; null ones are left to their meaning.
func checkPage(beforeSeq, afterSeq *int64, limit *int) error {
	switch {
	case beforeSeq != nil && *beforeSeq < 1:
		return coded.Newf(coded.BadUserInput, "beforeSeq takes a place in the log, from 1, not %d", *beforeSeq)
	case afterSeq != nil && *afterSeq < 0:
		return coded.Newf(coded.BadUserInput, "afterSeq takes a place in the log, or 0 for its start, not %d", *afterSeq)
	case limit != nil && (*limit < 1 || *limit > maxPage):
		return coded.Newf(coded.BadUserInput, "limit takes 1 to %d, not %d", maxPage, *limit)
	}
	return nil
}

// is reads a flag; null is false.
func is(flag *bool) bool { return flag != nil && *flag }
