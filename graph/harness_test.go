package graph_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.uber.org/goleak"

	"inlaygraph/billing"
	"inlaygraph/coded"
	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server executes operations on conversations, without a transport.
type server struct {
	testing.TB
	hub  *conversation.Hub
	exec *executor.Executor
	who  *session.Session // who asks; nil: nobody was identified
}

// ann is who asks, unless a test says otherwise.
var ann = session.New("ann", "acme", "token-of-ann", time.Date(2099, 12, 31, 23, 0, 0, 0, time.UTC))

func serve(t testing.TB, opts conversation.Options) *server { return serveBilled(t, opts, nil) }

func serveBilled(t testing.TB, opts conversation.Options, bills billing.Upstream) *server {
	t.Helper()
	hub := conversation.NewHub(opts)
	t.Cleanup(hub.Close)
	return &server{t, hub, executor.New(graph.New(&resolvers.Root{Hub: hub, Billing: billing.New(bills)})), ann}
}

// servePlatform serves what a platform has.
func servePlatform(t testing.TB, p *platform) *server {
	t.Helper()
	return serveBilled(t, conversation.Options{Source: p, Driver: p, History: p, WindowRows: windowRows}, p)
}

// serveLive serves one conversation, c1, whose inputs the test applies.
func serveLive(t testing.TB) (*server, *conversation.Live) {
	t.Helper()
	s := serve(t, conversation.Options{})
	live := conversation.NewLive("c1")
	s.hub.Adopt(live)
	return s, live
}

// servePlanned serves one conversation, c1, whose inputs the test applies, and knows a plan.
func servePlanned(t testing.TB, plan *wire.Plan) (*server, *conversation.Live) {
	t.Helper()
	plans, err := upstream.NewPlans(nil, []*wire.Plan{plan})
	require.NoError(t, err)
	s := serve(t, conversation.Options{Plans: plans})
	live := conversation.NewLive("c1")
	s.hub.Adopt(live)
	apply(t, live, planned(t, plan))
	return s, live
}

// planned is a plan as a conversation takes it.
func planned(t testing.TB, plan *wire.Plan) projection.Plan {
	t.Helper()
	index, err := wire.NewPlanIndex(plan)
	require.NoError(t, err)
	schemas, faults := projection.NewSchemas(index)
	require.Empty(t, faults)
	return projection.Plan{Index: index, Schemas: schemas}
}

// start validates an operation and starts it under a context that is a subscription's.
func (s *server) start(ctx context.Context, text string, variables map[string]any) (graphql.ResponseHandler, *coded.Ending, error) {
	s.Helper()
	if s.who != nil {
		ctx = session.With(ctx, s.who)
	}
	ctx, ending := coded.WithEnding(graphql.StartOperationTrace(ctx))
	op, errs := s.exec.CreateOperationContext(ctx, &graphql.RawParams{Query: text, Variables: variables})
	if len(errs) > 0 {
		return nil, nil, errs
	}
	next, ctx := s.exec.DispatchOperation(ctx, op)
	return func(context.Context) *graphql.Response { return next(ctx) }, ending, nil
}

// try executes a query and returns its data and its errors.
func (s *server) try(text string, variables map[string]any) (string, gqlerror.List) {
	s.Helper()
	next, _, err := s.start(s.Context(), text, variables)
	if err != nil {
		return "", err.(gqlerror.List)
	}
	response := next(s.Context())
	return string(response.Data), response.Errors
}

// query executes a query that must have no errors.
func (s *server) query(text string, variables map[string]any) string {
	s.Helper()
	data, errs := s.try(text, variables)
	require.Empty(s, errs)
	return data
}

// subscribe starts a subscription that ends with the test. The function returned waits for its next message.
func (s *server) subscribe(text string, variables map[string]any) (next func() string) {
	s.Helper()
	handler, _, err := s.start(s.Context(), text, variables)
	require.NoError(s, err)
	return func() string {
		s.Helper()
		response := handler(s.Context())
		require.NotNil(s, response, "the subscription ended")
		require.Empty(s, response.Errors)
		return string(response.Data)
	}
}

// recorded reads the inputs of a recording.
func recorded(t *testing.T, name string) []projection.Input {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var inputs []projection.Input
	reader := wire.NewReader(bytes.NewReader(text), 0)
	for {
		line, err := reader.Next()
		if err == io.EOF {
			require.NotEmpty(t, inputs)
			return inputs
		}
		require.NoError(t, err)
		require.Nil(t, line.Rejected, "line %d", line.Number)
		inputs = append(inputs, line.Record)
	}
}

// story is a recorded agent and what is asked of it: a folder with agent.ndjson, plan.json where the agent's plan is known,
// and operations/.
type story string

// The stories.
const (
	writer story = "testdata"         // no plan; tools, failures
	trip   story = "testdata/planned" // every kind of card, every view
)

var stories = []story{writer, trip}

// onPlatform has no inputs, but operations on a platform.
const onPlatform story = "testdata/platform"

// serve serves the story's conversation, c1, whose inputs the test applies.
func (s story) serve(t *testing.T) (*server, *conversation.Live) {
	t.Helper()
	if s == writer {
		return serveLive(t)
	}
	return servePlanned(t, s.plan(t))
}

func (s story) plan(t *testing.T) *wire.Plan {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(s), "plan.json"))
	require.NoError(t, err)
	plan, err := wire.DecodePlan(text)
	require.NoError(t, err)
	return plan
}

// inputs are the story's; the writer's end with a delivery that fails.
func (s story) inputs(t *testing.T) []projection.Input {
	t.Helper()
	if s == writer {
		return inputs(t)
	}
	return recorded(t, filepath.Join(string(s), "agent.ndjson"))
}

// operations are the names of the story's operations that match a pattern, without their extension.
func (s story) operations(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(string(s), "operations", pattern+".graphql"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], ".graphql")
	}
	return names
}

// inputs are those of the writer.
func inputs(t *testing.T) []projection.Input {
	reason := "upstream does not answer"
	return append(recorded(t, "testdata/agent.ndjson"),
		projection.Delivery{ToolDelivery: projection.ToolDelivery{ToolCallID: "call2", Status: projection.ToolSubmitting}},
		projection.Delivery{ToolDelivery: projection.ToolDelivery{ToolCallID: "call2", Status: projection.ToolFailed, Error: &reason}},
	)
}

// apply folds an input, which must be taken, and tells whether it woke anybody.
func apply(t testing.TB, live *conversation.Live, in projection.Input) (woke bool) {
	t.Helper()
	change, woken := live.Apply(in)
	require.Equal(t, projection.Applied, change.Outcome, change.Reason)
	return woken > 0
}
