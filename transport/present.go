package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

const internalMessage = "internal error"

// panicError is a recovered panic that is already in the log.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// presenter turns errors into what clients read (promise 2).
type presenter struct{ log *slog.Logger }

// present is the executor's error presenter: coded errors keep code and message, arguments that cannot be coerced are
// BAD_USER_INPUT, and the rest is INTERNAL.
func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	out := &gqlerror.Error{}
	located, isLocated := errors.AsType[*gqlerror.Error](err)
	if isLocated {
		out.Path, out.Locations = located.Path, located.Locations
	} else {
		out.Path = graphql.GetPath(ctx)
	}
	if fc := graphql.GetFieldContext(ctx); out.Locations == nil && fc != nil && fc.Field.Field != nil {
		out.Locations = at(fc.Field.Position).Locations
	}
	if e, ok := errors.AsType[*coded.Error](err); ok && e.Code != coded.Internal {
		if e.Code == coded.UpstreamUnavailable && e.Unwrap() != nil {
			p.log.WarnContext(ctx, "upstream unavailable", append([]any{"path", out.Path.String(), "error", err}, details(err)...)...)
		}
		return withCode(out, e.Code, e.Message)
	}
	if isLocated && isArgumentError(ctx, located) {
		return withCode(out, coded.BadUserInput, shorten(located.Message))
	}
	_, isPanic := errors.AsType[*panicError](err)
	gone := ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
	if !isPanic && !gone {
		p.log.ErrorContext(ctx, "resolver failed", "path", out.Path.String(), "error", err)
	}
	return withCode(out, coded.Internal, internalMessage)
}

// details are what an error in err's chain tells the log alone, which the text of err does not have.
func details(err error) []any {
	type detailed interface {
		error
		slog.LogValuer
	}
	if e, ok := errors.AsType[detailed](err); ok {
		return []any{"detail", e.LogValue()}
	}
	return nil
}

// recover is the executor's panic handler: the stack is logged here, while it still exists.
func (p presenter) recover(ctx context.Context, value any) error {
	p.log.ErrorContext(ctx, "panic in a resolver", "path", graphql.GetPath(ctx).String(), "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
	return &panicError{value}
}

// refusal presents an error of a request rather than of a field: only coded errors show their message.
func (p presenter) refusal(ctx context.Context, err error) *gqlerror.Error {
	if e, ok := errors.AsType[*coded.Error](err); ok && e.Code != coded.Internal {
		return withCode(&gqlerror.Error{}, e.Code, e.Message)
	}
	if _, isPanic := errors.AsType[*panicError](err); !isPanic {
		p.log.ErrorContext(ctx, "request failed", "error", err)
	}
	return withCode(&gqlerror.Error{}, coded.Internal, internalMessage)
}

// isArgumentError tells a value that could not be coerced to its argument's type from an error of the resolver:
// generated code reports the former under the field's path extended by the argument's name, before the field has args.
func isArgumentError(ctx context.Context, err *gqlerror.Error) bool {
	fc := graphql.GetFieldContext(ctx)
	if fc == nil || fc.Args != nil || fc.Field.Field == nil || len(fc.Field.Arguments) == 0 {
		return false
	}
	path := fc.Path()
	if len(err.Path) <= len(path) {
		return false
	}
	name, ok := err.Path[len(path)].(ast.PathName)
	return ok && fc.Field.Arguments.ForName(string(name)) != nil
}

func withCode(err *gqlerror.Error, code coded.Code, message string) *gqlerror.Error {
	err.Message = message
	err.Extensions = map[string]any{"code": string(code)}
	return err
}

func codeOf(err *gqlerror.Error) coded.Code {
	code, _ := err.Extensions["code"].(string)
	return coded.Code(code)
}

func errorList(code coded.Code, format string, args ...any) gqlerror.List {
	return gqlerror.List{withCode(&gqlerror.Error{}, code, fmt.Sprintf(format, args...))}
}
