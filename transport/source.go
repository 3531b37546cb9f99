package transport

import (
	"bytes"
	"context"
	"io"
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// source is where the encoded results of one operation come from. Whoever delivers them knows no more about the
// operation, so that several deliveries may have one execution behind them.
type source interface {
	// Next waits for the next result. last says that no other will follow; the end may also be reported on its own, by
	// io.EOF. The payload is shared: it is never changed, by anyone, after it was returned. Any other error is that of
	// the context.
	Next(ctx context.Context) (payload []byte, last bool, err error)
}

// operation is a request that passed every stage and may be executed.
type operation struct {
	opCtx *graphql.OperationContext
	doc   *document
	kind  ast.Operation
	root  *ast.Field // of a subscription
	field string     // its name
	alias string     // and its response name
}

// engine validates and executes operations for all three ways in.
type engine struct {
	opts    *Options
	exec    *executor.Executor
	docs    *documents
	present presenter
	groups  groups
	stats   *stats
}

func newEngine(schema graphql.ExecutableSchema, opts *Options) *engine {
	e := &engine{opts: opts, exec: executor.New(schema), docs: newDocuments(schema.Schema(), opts), present: presenter{opts.Logger}, stats: newStats(schema.Schema())}
	e.exec.SetErrorPresenter(e.present.present)
	e.exec.SetRecoverFunc(e.present.recover)
	e.exec.SetQueryCache(loadedDocument{})
	for _, extension := range opts.Extensions {
		e.exec.Use(extension)
	}
	return e
}

// loadedDocument hands the executor the document that was validated here, so that it neither parses nor validates.
type loadedDocument struct{}

type documentKey struct{}

func (loadedDocument) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*document)
	if !ok {
		return nil, false
	}
	return doc.query, true
}

func (loadedDocument) Add(context.Context, string, *ast.QueryDocument) {}

// prepare takes a request through the stages before execution.
func (e *engine) prepare(ctx context.Context, req *request) (op *operation, refused *refusal) {
	defer func() {
		if value := recover(); value != nil {
			refused = refuse(stageCoercion, e.present.refusal(ctx, e.present.recover(ctx, value)))
		}
	}()
	if req.beyond != nil {
		return nil, refuse(stageInput, withCode(&gqlerror.Error{}, req.beyond.Code, req.beyond.Message))
	}
	doc, refused := e.docs.load(req.query)
	if refused != nil {
		return nil, refused
	}
	def := doc.query.Operations.ForName(req.operationName)
	if def == nil {
		message := "the document has no operation of the name that operationName gives"
		if req.operationName == "" {
			message = "the document has several operations: operationName must name one"
		}
		return nil, refuse(stageCoercion, errorList(coded.BadUserInput, "%s", message)...)
	}
	variables, err := coercion{e.docs.schema, e.opts.Scalars}.checkVariables(def, req.variables, doc.numbers)
	if err != nil {
		return nil, refuse(stageCoercion, err)
	}
	ctx = context.WithValue(graphql.StartOperationTrace(ctx), documentKey{}, doc)
	now := graphql.Now()
	opCtx, errs := e.exec.CreateOperationContext(ctx, &graphql.RawParams{
		Query:         req.query,
		OperationName: req.operationName,
		Variables:     variables,
		Extensions:    req.extensions,
		ReadTime:      graphql.TraceTiming{Start: now, End: now},
	})
	if len(errs) > 0 {
		return nil, refuse(stageCoercion, e.coercionErrors(ctx, def, errs)...)
	}
	maps.Copy(opCtx.Variables, doc.numbers)
	opCtx.DisableIntrospection = e.opts.DisableIntrospection
	op = &operation{opCtx: opCtx, doc: doc, kind: def.Operation}
	if op.kind == ast.Subscription {
		op.root = subscriptionField(def.SelectionSet)
		op.field, op.alias = op.root.Name, op.root.Alias
	}
	return op, nil
}

// coercionErrors presents what the executor refused after the document was loaded: variables, or an extension's word.
func (e *engine) coercionErrors(ctx context.Context, def *ast.OperationDefinition, errs gqlerror.List) gqlerror.List {
	out := make(gqlerror.List, 0, len(errs))
	for _, err := range errs {
		if len(err.Path) > 1 && err.Path[0] == ast.PathName("variable") {
			located := &gqlerror.Error{}
			if name, ok := err.Path[1].(ast.PathName); ok {
				if v := def.VariableDefinitions.ForName(string(name)); v != nil {
					located = at(v.Position)
				}
			}
			out = append(out, withCode(located, coded.BadUserInput, `variable "$`+err.Path[1:].String()+`": `+err.Message))
			continue
		}
		out = append(out, e.present.refusal(ctx, err))
	}
	return out
}

// open starts an operation whose results are delivered one after another. This is the one place that decides whether a
// delivery has an execution of its own, which is the source returned, or shares one: then it is a member, whose messages
// wait in box. It returns once the operation has begun.
func (e *engine) open(ctx context.Context, op *operation, box *outbox, of *wsOperation) (source, *member) {
	seat, err := e.seat(ctx, op)
	switch {
	case err != nil:
		return e.refusedSeat(ctx, op, err), nil
	case seat != nil:
		if m, ok := e.join(seat, op, box, of); ok {
			return nil, m
		}
		seat.Leave()
	}
	return e.execute(ctx, op), nil
}

// execute starts an operation. Its resolvers run under ctx, which must outlive the source.
func (e *engine) execute(ctx context.Context, op *operation) *execution {
	s := &execution{engine: e, op: op}
	if op.kind == ast.Subscription {
		ctx, s.ending = coded.WithEnding(ctx)
	}
	defer func() {
		if value := recover(); value != nil {
			s.next = func(context.Context) *graphql.Response { return e.panicked(ctx, value) }
		}
	}()
	s.next, s.ctx = e.exec.DispatchOperation(ctx, op.opCtx)
	return s
}

func (e *engine) panicked(ctx context.Context, value any) *graphql.Response {
	return &graphql.Response{Errors: gqlerror.List{e.present.refusal(ctx, e.present.recover(ctx, value))}}
}

// execution is the source of an operation that runs for one delivery alone.
type execution struct {
	*engine
	op     *operation
	next   graphql.ResponseHandler
	ctx    context.Context // as the executor left it
	ending *coded.Ending
	failed coded.Code // of a result without data, whose operation was not executed
	code   coded.Code // of the latest result's first error, "" without one
	long   bool       // that is one in place of a result that was too long
	done   bool
}

// Next runs the operation's next step under the context that it was started with, which is the one that cancels it; ctx
// is looked at only for the reason of an end.
func (s *execution) Next(ctx context.Context) (payload []byte, last bool, err error) {
	if s.done {
		return nil, true, io.EOF
	}
	resp := s.step(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, true, ctx.Err()
	case resp == nil && s.ending != nil && s.ending.Err() != nil:
		final := s.present.refusal(ctx, s.ending.Err())
		final.Path = ast.Path{ast.PathName(s.op.alias)}
		resp = &graphql.Response{Errors: gqlerror.List{final}}
	case resp == nil:
		return nil, true, io.EOF
	}
	s.code = ""
	if len(resp.Errors) > 0 {
		s.code = codeOf(resp.Errors[0])
	}
	payload, s.long, err = encodeResponse(resp, s.opts.MaxResponseBytes)
	switch {
	case s.long:
		s.code = coded.PayloadTooLarge
	case err != nil:
		refused := s.present.refusal(ctx, err)
		payload, s.code = encodeErrors(gqlerror.List{refused}), codeOf(refused)
	}
	if resp.Data == nil && len(resp.Errors) > 0 {
		s.failed = codeOf(resp.Errors[0])
	}
	// A response without data is the failure to start; one that is too large ends a subscription, because nobody could
	// tell it from a value that is missing.
	s.done = s.op.kind != ast.Subscription || resp.Data == nil || s.long
	return payload, s.done, nil
}

func (s *execution) step(ctx context.Context) (resp *graphql.Response) {
	defer func() {
		if value := recover(); value != nil {
			resp = s.panicked(ctx, value)
		}
	}()
	run := s.ctx
	if run == nil {
		run = ctx
	}
	return s.next(run)
}

// repeats drops a message that equals the one before it (promise 10).
type repeats struct {
	keep bool
	last []byte
}

func (e *engine) repeatsOf(op *operation) *repeats {
	return &repeats{keep: op.kind != ast.Subscription || e.isChanges(op)}
}

func (r *repeats) drop(payload []byte) bool {
	if r.keep {
		return false
	}
	if r.last != nil && bytes.Equal(r.last, payload) {
		return true
	}
	r.last = payload
	return false
}
