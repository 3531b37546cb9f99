package transport

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// allow asks Options.Operation whether another operation may be looked at.
func (h *Handler) allow(ctx context.Context) error {
	if h.opts.Operation == nil {
		return nil
	}
	return h.opts.Operation(ctx)
}

// allow asks Options.Mutation whether a mutation that is good in itself may be executed.
func (e *engine) allow(ctx context.Context, op *operation) error {
	if op.kind != ast.Mutation || e.opts.Mutation == nil {
		return nil
	}
	return e.opts.Mutation(ctx, rootFields(op.opCtx.Operation.SelectionSet))
}

// rootFields are the names of the fields that a selection at the root asks for, one for each response name.
func rootFields(set ast.SelectionSet) (names []string) {
	seen := map[string]bool{}
	var visit func(ast.SelectionSet)
	visit = func(set ast.SelectionSet) {
		for _, sel := range set {
			switch sel := sel.(type) {
			case *ast.Field:
				if !seen[sel.Alias] {
					seen[sel.Alias] = true
					names = append(names, sel.Name)
				}
			case *ast.InlineFragment:
				visit(sel.SelectionSet)
			case *ast.FragmentSpread:
				visit(sel.Definition.SelectionSet)
			}
		}
	}
	visit(set)
	return names
}

// sayWhen puts into an answer after how many seconds the client may come again, where err knows that.
func sayWhen(header http.Header, err error) {
	type timed interface {
		error
		RetryAfter() time.Duration
	}
	if e, ok := errors.AsType[timed](err); ok {
		header.Set("Retry-After", strconv.Itoa(int(max(math.Ceil(e.RetryAfter().Seconds()), 1))))
	}
}
