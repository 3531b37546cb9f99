package transport

import (
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/coded"
)

// Observer is told of operations, so that they can be counted, timed and traced. Its methods are called by many at once and
// must be quick.
type Observer interface {
	// Begin is told that somebody asks for an operation, before it is looked at. The operation runs under the context that it
	// returns, which is derived from ctx.
	Begin(ctx context.Context) (context.Context, Observation)
}

// Observation is one operation as an Observer sees it.
type Observation interface {
	// Accept is told what it is, once it passed everything that comes before execution. It is called at most once.
	Accept(op Accepted)
	// End is told that there is a result, of a subscription the first one: with the code of its first error, "" when it has
	// none, and Left when the client left before. It is called once, also for what was not accepted.
	End(code coded.Code)
}

// Accepted says what is about to be executed.
type Accepted struct {
	Kind  string // query, mutation or subscription
	Name  string // of the operation, as the client gave it; "" for none. At most 256 bytes
	Field string // the first root field, as the schema has it; "" where there is none outside of fragments
	// Arguments are those of that field. They may hold what a user wrote.
	Arguments func() map[string]any
}

// Left is the code with which an operation ends whose client left before there was a result.
const Left coded.Code = "CLIENT_LEFT"

// observation ends once, whatever happens. The zero one observes nothing.
type observation struct {
	Observation
	once sync.Once
}

// observe begins an observation.
func (e *engine) observe(ctx context.Context) (context.Context, *observation) {
	if e.opts.Observer == nil {
		return ctx, &observation{}
	}
	ctx, o := e.opts.Observer.Begin(ctx)
	return ctx, &observation{Observation: o}
}

// accept tells what op is.
func (o *observation) accept(op *operation) {
	if o.Observation == nil {
		return
	}
	accepted := Accepted{Kind: string(op.kind), Name: op.opCtx.Operation.Name, Arguments: func() map[string]any { return nil }}
	root := op.root
	if root == nil {
		for _, selection := range op.opCtx.Operation.SelectionSet {
			if field, ok := selection.(*ast.Field); ok {
				root = field
				break
			}
		}
	}
	if root != nil {
		accepted.Field = root.Name
		accepted.Arguments = func() map[string]any { return root.ArgumentMap(op.opCtx.Variables) }
	}
	o.Accept(accepted)
}

func (o *observation) end(code coded.Code) {
	if o.Observation != nil {
		o.once.Do(func() { o.End(code) })
	}
}

// refused ends the observation of an operation that is not executed.
func (o *observation) refused(r *refusal) {
	code := coded.Internal
	if len(r.errs) > 0 {
		code = codeOf(r.errs[0])
	}
	o.end(code)
}

// begun ends the observation of an operation that shares its execution, which has its first result by now; of any other it
// returns the source, which ends it.
func (o *observation) begun(src source, m *member) source {
	switch {
	case m != nil:
		code := coded.Code("")
		if failed := cmp.Or(m.failed.Load(), m.group.failed.Load()); failed != nil {
			code = *failed
		}
		o.end(code)
		return src
	case o.Observation == nil:
		return src
	}
	return &observedSource{src, o}
}

// observedSource ends an observation with its first result.
type observedSource struct {
	source
	o *observation
}

func (s *observedSource) Next(ctx context.Context) (payload []byte, last bool, err error) {
	payload, last, err = s.source.Next(ctx)
	switch {
	case err != nil && err != io.EOF:
		s.o.end(Left)
	default:
		s.o.end(outcome(s.source))
	}
	return payload, last, err
}

// outcome is the code of the first error of a source's latest result, "" without one.
func outcome(src source) coded.Code {
	switch src := src.(type) {
	case *execution:
		return src.code
	case *answer:
		return src.code
	}
	return ""
}
