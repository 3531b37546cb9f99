package graph_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/projection"
	"inlaygraph/session"
)

// group is a subscription that several share, as the transport runs it: under a context in which nobody is.
type group struct {
	*resolvers.Follower
	next   func() *graphql.Response
	ending *coded.Ending
}

// seat asks for a place among those who share.
func (s *server) seat(who *session.Session, arguments map[string]any) (*resolvers.Seat, error) {
	s.Helper()
	return (&resolvers.Root{Hub: s.hub}).Share(session.With(s.Context(), who), "", arguments)
}

// share runs a subscription of the conversation c1 for several.
func (s *server) share(text string) *group {
	s.Helper()
	seat, err := s.seat(s.who, map[string]any{"conversationId": "c1"})
	require.NoError(s, err)
	require.NotNil(s, seat)
	f := seat.Follow()
	exec := executor.New(graph.New(&resolvers.Root{Hub: s.hub}))
	ctx, ending := coded.WithEnding(graphql.StartOperationTrace(context.Background()))
	op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: text})
	require.Empty(s, errs)
	next, ctx := exec.DispatchOperation(f.Context(ctx), op)
	s.Cleanup(func() {
		f.Close()
		seat.Leave()
	})
	return &group{f, func() *graphql.Response { return next(ctx) }, ending}
}

// message is the next one, of what changed since a cursor.
func (g *group) message(t *testing.T, since string) (text, cursor string) {
	t.Helper()
	require.NoError(t, g.Await(t.Context()))
	g.Take()
	return g.read(t, since)
}

func (g *group) read(t *testing.T, since string) (text, cursor string) {
	t.Helper()
	cursor = g.Read(since)
	response := g.next()
	require.NotNil(t, response)
	require.Empty(t, response.Errors)
	return string(response.Data), cursor
}

// What is shared is, message by message, what a subscription of one's own gives.
func TestSharedMessages(t *testing.T) {
	for _, story := range stories {
		for _, base := range story.operations(t, "follow_*") {
			operation, err := os.ReadFile(base + ".graphql")
			require.NoError(t, err)
			t.Run(base, func(t *testing.T) {
				s, live := story.serve(t)
				g := s.share(string(operation))
				text, cursor := g.message(t, "")
				lines := []string{text}
				for _, in := range story.inputs(t) {
					moved := apply(t, live, in)
					require.Equal(t, moved, g.Moved())
					if moved {
						text, cursor = g.message(t, cursor)
						lines = append(lines, text)
					}
				}
				golden(t, base+".ndjson", strings.Join(lines, "\n")+"\n")
				again, _ := g.read(t, "")
				if cursor == "" {
					assert.Equal(t, text, again, "who joins reads the same")
				} else {
					assert.Contains(t, again, "RowsReset", "who joins begins with everything")
				}
			})
		}
	}
}

// Promise 5 of the resolvers: each is admitted with its own session before it shares anything; who may not is refused like
// a subscription's own, and what the resolver refuses is left to it.
func TestSharedSeats(t *testing.T) {
	s, _ := serveLive(t)
	at := map[string]any{"conversationId": "c1"}
	with := func(name string, value any) map[string]any {
		return map[string]any{"conversationId": "c1", name: value}
	}
	first, err := s.seat(ann, at)
	require.NoError(t, err)
	second, err := s.seat(session.New("bob", ann.Tenant, "token-of-bob", time.Time{}), with("minIntervalMs", int64(60_000)))
	require.NoError(t, err)
	assert.Equal(t, first.Key, second.Key)
	other, err := s.seat(session.New("ann", "umbrella", "token", time.Time{}), at)
	require.NoError(t, err)
	assert.NotEqual(t, first.Key, other.Key)
	for _, seat := range []*resolvers.Seat{first, second, other} {
		seat.Leave()
	}
	for name, arguments := range map[string]map[string]any{
		"an interval out of bounds": with("minIntervalMs", int64(60_001)),
		"an interval that is none":  with("minIntervalMs", "soon"),
		"a pin out of bounds":       with("pin", map[string]any{"agentId": "a", "agentVersion": int64(1) << 40}),
		"no conversation":           {"conversationId": []any{}},
	} {
		seat, err := s.seat(ann, arguments)
		assert.NoError(t, err, name)
		assert.Nil(t, seat, name)
	}
	seat, err := s.seat(nil, at)
	assert.NoError(t, err)
	assert.Nil(t, seat)
	_, err = s.seat(ann, map[string]any{"conversationId": "nowhere"})
	assert.Equal(t, coded.NotFound, coded.CodeOf(err))
}

// What is shared ends like a subscription of one's own, after what was pending.
func TestSharedEnd(t *testing.T) {
	hub := conversation.NewHub(conversation.Options{})
	live := conversation.NewLive("c1")
	hub.Adopt(live)
	s := &server{TB: t, hub: hub, who: ann}
	g := s.share(`subscription { pendingTools(conversationId: "c1") { toolCallId } }`)
	text, _ := g.message(t, "")
	assert.Equal(t, `{"pendingTools":[]}`, text)
	hub.Close()
	require.Error(t, g.Await(t.Context()))
	assert.Empty(t, g.Read(""), "nothing is read any more")
	assert.Nil(t, g.next())
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(g.ending.Err()))
}

// A refusal of the resolver is the whole answer, and there is nothing to follow.
func TestSharedRefusal(t *testing.T) {
	s, live := serveLive(t)
	apply(t, live, projection.Latch{Kind: projection.LatchRetry, On: true})
	g := s.share(`subscription { timeline(conversationId: "c1", minIntervalMs: 60001) { id } }`)
	g.Take()
	g.Touch()
	assert.False(t, g.Moved())
	assert.Empty(t, g.Read(""))
	response := g.next()
	require.Len(t, response.Errors, 1)
	assert.Contains(t, response.Errors[0].Message, "minIntervalMs takes 0 to 60000")
}
