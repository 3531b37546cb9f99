package encoded_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.uber.org/goleak"

	"inlaygraph/conversation"
	"inlaygraph/graph/encoded"
	"inlaygraph/graph/generated"
	"inlaygraph/graph/resolvers"
	"inlaygraph/projection"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// root answers with what a test gives it: any conversation, and timelines of any rows.
type root struct {
	*resolvers.Root
	conversation *conversation.Conversation
	timelines    chan []projection.Row
}

func (r *root) Query() generated.QueryResolver { return query{r.Root.Query(), r} }

func (r *root) Subscription() generated.SubscriptionResolver {
	return subscription{r.Root.Subscription(), r}
}

type query struct {
	generated.QueryResolver
	*root
}

func (q query) Conversation(context.Context, string) (*conversation.Conversation, error) {
	return q.root.conversation, nil
}

type subscription struct {
	generated.SubscriptionResolver
	*root
}

func (s subscription) Timeline(context.Context, string, *int) (<-chan []projection.Row, error) {
	return s.root.timelines, nil
}

// server executes operations on what its root holds.
type server struct {
	*root
	exec *executor.Executor
}

// serve is the plain way when there is no cache.
func serve(cache *encoded.Cache) *server {
	s := &server{root: &root{Root: &resolvers.Root{}, timelines: make(chan []projection.Row, 1)}}
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: s.root})
	if cache != nil {
		schema = encoded.Schema(schema, cache)
	}
	s.exec = executor.New(schema)
	s.exec.SetRecoverFunc(func(_ context.Context, v any) error { return fmt.Errorf("panic: %v", v) })
	return s
}

// start starts an operation; an error is that it is not valid.
func (s *server) start(ctx context.Context, text string, variables map[string]any) (func() *graphql.Response, error) {
	op, errs := s.exec.CreateOperationContext(graphql.StartOperationTrace(ctx), &graphql.RawParams{Query: text, Variables: variables})
	if len(errs) > 0 {
		return nil, errs
	}
	next, ctx := s.exec.DispatchOperation(ctx, op)
	return func() *graphql.Response { return next(ctx) }, nil
}

// ask executes a query.
func (s *server) ask(t testing.TB, text string, variables map[string]any) (string, gqlerror.List) {
	t.Helper()
	next, err := s.start(t.Context(), text, variables)
	require.NoError(t, err)
	r := next()
	return string(r.Data), r.Errors
}
