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

// What a null argument means that has a default.
const (
	defaultList    = 20
	defaultEarlier = 200
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
	return pinFrom(field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["pin"])
}

// pinFrom makes a pin of an argument's value, nil of null.
func pinFrom(argument any) (*feed.Pin, error) {
	value, ok := argument.(map[string]any)
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
	case limit != nil:
		return checkLimit(*limit)
	}
	return nil
}

// checkLimit checks how much of something is asked for at once.
func checkLimit(limit int) error {
	if limit < 1 || limit > maxPage {
		return coded.Newf(coded.BadUserInput, "limit takes 1 to %d, not %d", maxPage, limit)
	}
	return nil
}

// checkList checks the arguments of conversations.
func checkList(limit, offset int, agentID *string) error {
	if offset < 0 {
		return coded.Newf(coded.BadUserInput, "offset takes a number of conversations, from 0, not %d", offset)
	}
	return first(checkLimit(limit), checkGiven("agentId", agentID))
}

// checkNamed refuses an empty name where there must be one.
func checkNamed(argument, name string) error {
	if name == "" {
		return coded.Newf(coded.BadUserInput, "%s is empty", argument)
	}
	return nil
}

// checkGiven refuses an empty name where null would say that there is none.
func checkGiven(argument string, name *string) error {
	if name != nil && *name == "" {
		return coded.Newf(coded.BadUserInput, "%s is empty: leave it out when there is none", argument)
	}
	return nil
}

// first is the first of errs that is one.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// or reads an argument; null is otherwise.
func or[T any](argument *T, otherwise T) T {
	if argument == nil {
		return otherwise
	}
	return *argument
}
