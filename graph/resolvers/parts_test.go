package resolvers

import (
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/graph/generated"
	"inlaygraph/projection"
)

// probe answers chat with an empty stream and keeps the slices that it would have followed.
type probe struct {
	*Root
	slices []projection.Slice
}

func (p *probe) Subscription() generated.SubscriptionResolver {
	return probing{subscription{p.Root}, p}
}

type probing struct {
	subscription
	probe *probe
}

func (p probing) Chat(ctx context.Context, _ string, _ *int) (<-chan *conversation.ChatSnapshot, error) {
	p.probe.slices = chatSlices(ctx)
	none := make(chan *conversation.ChatSnapshot)
	close(none)
	return none, nil
}

func partsOf(t *testing.T, document string, variables map[string]any) []projection.SliceKind {
	t.Helper()
	p := &probe{}
	exec := executor.New(generated.NewExecutableSchema(generated.Config{Resolvers: p}))
	ctx := graphql.StartOperationTrace(t.Context())
	op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: document, Variables: variables})
	require.Empty(t, errs)
	next, ctx := exec.DispatchOperation(ctx, op)
	require.Nil(t, next(ctx))
	kinds := []projection.SliceKind{}
	for _, s := range p.slices {
		assert.Equal(t, projection.Slice{Kind: s.Kind}, s)
		kinds = append(kinds, s.Kind)
	}
	return kinds
}

// Promise 2: every field of ChatSnapshot is classified, and reads one slice of its own.
func TestEveryChatFieldIsClassified(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	seen := map[projection.SliceKind]string{}
	count := 0
	for _, field := range schema.Types["ChatSnapshot"].Fields {
		count++
		kind := chatParts[field.Name]
		assert.NotZero(t, kind, "%s is not classified", field.Name)
		assert.Empty(t, seen[kind], "%s reads a slice of another field", field.Name)
		seen[kind] = field.Name
		selection := field.Name
		if len(schema.Types[field.Type.Name()].Fields) > 0 {
			selection += " { __typename }"
		}
		assert.Equal(t, []projection.SliceKind{kind}, partsOf(t, `subscription { chat(conversationId: "c") { `+selection+` } }`, nil))
	}
	assert.Len(t, chatParts, count)
}

// Promise 2: the selection counts, however it is written.
func TestChatFollowsItsSelection(t *testing.T) {
	const (
		status     = projection.SliceStatus
		transcript = projection.SliceTranscript
		tables     = projection.SliceTables
	)
	cases := []struct {
		name, document string
		variables      map[string]any
		want           []projection.SliceKind
	}{
		{"typename alone", `{ __typename }`, nil, []projection.SliceKind{status}},
		{"in order, each once", `{ tables { name } status again: tables { rows { rowId } } }`, nil, []projection.SliceKind{tables, status}},
		{"inline fragments", `{ ... { status } ... on ChatSnapshot { ... { transcript { id } } } }`, nil, []projection.SliceKind{status, transcript}},
		{"named fragments", `{ ...A status } fragment A on ChatSnapshot { ...B } fragment B on ChatSnapshot { tables { name } }`, nil, []projection.SliceKind{tables, status}},
		{"included", `{ status tables @include(if: $on) { name } ...A @skip(if: $on) } fragment A on ChatSnapshot { transcript { id } }`, map[string]any{"on": true}, []projection.SliceKind{status, tables}},
		{"skipped", `{ tables @include(if: $on) { name } ...A @skip(if: $on) } fragment A on ChatSnapshot { transcript { id } }`, map[string]any{"on": false}, []projection.SliceKind{transcript}},
		{"all skipped", `{ tables @include(if: $on) { name } }`, map[string]any{"on": false}, []projection.SliceKind{status}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			head := `subscription `
			if strings.Contains(tc.document, "$on") {
				head = `subscription ($on: Boolean!) `
			}
			selection, fragments, _ := strings.Cut(tc.document, " fragment ")
			if fragments != "" {
				fragments = " fragment " + fragments
			}
			document := head + `{ chat(conversationId: "c") ` + selection + ` }` + fragments
			assert.Equal(t, tc.want, partsOf(t, document, tc.variables))
		})
	}
}
