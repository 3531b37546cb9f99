package encoded

import (
	"context"
	"sync"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/projection"
)

// Schema returns a schema whose generated code is answered by this package; without it, all goes the plain way. What is
// written of rows is kept in cache, which schemas may share. Field middleware is asked about the lists, and not about the
// fields in them.
func Schema(schema graphql.ExecutableSchema, cache *Cache) graphql.ExecutableSchema {
	s := &encoding{ExecutableSchema: schema, cache: cache, satisfies: map[string][]string{}}
	for name, def := range schema.Schema().Types {
		if def.Kind == ast.Object {
			s.satisfies[name] = []string{name}
			for _, abstract := range schema.Schema().Implements[name] {
				s.satisfies[name] = append(s.satisfies[name], abstract.Name)
			}
		}
	}
	return s
}

// encoding is a schema with a cache.
type encoding struct {
	graphql.ExecutableSchema
	cache *Cache
	// satisfies are the type conditions that hold for each concrete type.
	satisfies map[string][]string
}

// Exec hands generated code the operation's selections, compiled as they are met.
func (s *encoding) Exec(ctx context.Context) graphql.ResponseHandler {
	op := &operation{schema: s, context: graphql.GetOperationContext(ctx)}
	next := s.ExecutableSchema.Exec(context.WithValue(ctx, operationKey{}, op))
	return func(ctx context.Context) *graphql.Response {
		return next(context.WithValue(ctx, operationKey{}, op))
	}
}

// operation is one operation, for as long as it runs.
type operation struct {
	schema  *encoding
	context *graphql.OperationContext

	mu    sync.Mutex
	rows  map[selection]*rows
	nodes map[selection]*nodes
}

type operationKey struct{}

// operationOf is nil where the schema is the plain one.
func operationOf(ctx context.Context) *operation {
	op, _ := ctx.Value(operationKey{}).(*operation)
	return op
}

// selection identifies a selection set within its operation: the executor collects each once, and keeps it.
type selection struct {
	first *ast.Selection
	len   int
}

func selectionOf(sel ast.SelectionSet) selection {
	return selection{unsafe.SliceData(sel), len(sel)}
}

// Rows answers for `[Row!]!`: nil for the plain way.
func Rows(ctx context.Context, sel ast.SelectionSet, list []projection.Row) graphql.Marshaler {
	return marshalRows(ctx, sel, list)
}

// AssistantRows answers for `[AssistantRow!]!`: nil for the plain way.
func AssistantRows(ctx context.Context, sel ast.SelectionSet, list []*projection.AssistantRow) graphql.Marshaler {
	return marshalRows(ctx, sel, list)
}

// OutputRows answers for `[OutputRow!]!`: nil for the plain way.
func OutputRows(ctx context.Context, sel ast.SelectionSet, list []*projection.OutputRow) graphql.Marshaler {
	return marshalRows(ctx, sel, list)
}

// marshalRows writes a list of rows.
func marshalRows[R projection.Row](ctx context.Context, sel ast.SelectionSet, list []R) graphql.Marshaler {
	op := operationOf(ctx)
	if op == nil {
		return nil
	}
	r := op.rowsOf(sel)
	return op.answer(func(b []byte) []byte { return appendRows(r, b, list) }, r)
}

// NodeViews answers for `[NodeView!]!`: nil for the plain way.
func NodeViews(ctx context.Context, sel ast.SelectionSet, list []*projection.NodeView) graphql.Marshaler {
	op := operationOf(ctx)
	if op == nil {
		return nil
	}
	n := op.nodesOf(sel)
	return op.answer(func(b []byte) []byte { return appendObjects(b, list, n.views) }, n.rows...)
}

// answer writes a list, with rows of these, for generated code; nil is the plain way.
func (op *operation) answer(write func(b []byte) []byte, of ...*rows) graphql.Marshaler {
	list := newList(write)
	if list == nil {
		op.schema.cache.plain.Add(1)
		return nil
	}
	op.schema.cache.lists.Add(1)
	for _, r := range of {
		r.asked()
	}
	return list
}

// rowsOf is what writes the rows of a selection.
func (op *operation) rowsOf(sel ast.SelectionSet) *rows {
	op.mu.Lock()
	defer op.mu.Unlock()
	r := op.rows[selectionOf(sel)]
	if r == nil {
		r = &rows{op: op, sel: sel}
		if op.rows == nil {
			op.rows = map[selection]*rows{}
		}
		op.rows[selectionOf(sel)] = r
	}
	return r
}

// nodes writes the views of nodes.
type nodes struct {
	views *object[*projection.NodeView]
	rows  []*rows // in them
}

// nodesOf is what writes the views of a selection.
func (op *operation) nodesOf(sel ast.SelectionSet) *nodes {
	op.mu.Lock()
	n := op.nodes[selectionOf(sel)]
	op.mu.Unlock()
	if n != nil {
		return n
	}
	c := &compiler{op: op}
	n = &nodes{views: compile(c, &nodeView, sel)}
	n.rows = c.rows
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.nodes == nil {
		op.nodes = map[selection]*nodes{}
	}
	op.nodes[selectionOf(sel)] = n
	return n
}
