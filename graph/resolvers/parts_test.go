package resolvers

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/feed"
	"inlaygraph/graph/generated"
	"inlaygraph/projection"
)

// probe answers chat with an empty stream and keeps what it would have followed.
type probe struct {
	*Root
	slices []projection.Slice
	pins   []*feed.Pin
}

func (p *probe) Subscription() generated.SubscriptionResolver {
	return probing{subscription{p.Root}, p}
}

type probing struct {
	subscription
	probe *probe
}

func (p probing) Chat(ctx context.Context, _ string, _ *int) (<-chan *conversation.ChatSnapshot, error) {
	var err error
	if p.probe.slices, p.probe.pins, err = chatReads(ctx); err != nil {
		return nil, err
	}
	none := make(chan *conversation.ChatSnapshot)
	close(none)
	return none, nil
}

func partsOf(t *testing.T, document string, variables map[string]any) ([]projection.SliceKind, []*feed.Pin) {
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
	return kinds, p.pins
}

// Promise 2: every field of ChatSnapshot is classified, and reads one slice of its own, or the feed of its pin.
func TestEveryChatFieldIsClassified(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	seen := map[projection.SliceKind]string{}
	count := 0
	for _, field := range schema.Types["ChatSnapshot"].Fields {
		selection := field.Name
		if len(schema.Types[field.Type.Name()].Fields) > 0 {
			selection += " { __typename }"
		}
		kinds, pins := partsOf(t, `subscription { chat(conversationId: "c") { `+selection+` } }`, nil)
		if field.Name == chatFeed {
			assert.Empty(t, kinds)
			assert.Equal(t, []*feed.Pin{nil}, pins)
			continue
		}
		count++
		kind := chatParts[field.Name]
		assert.NotZero(t, kind, "%s is not classified", field.Name)
		assert.Empty(t, seen[kind], "%s reads a slice of another field", field.Name)
		seen[kind] = field.Name
		assert.Equal(t, []projection.SliceKind{kind}, kinds)
		assert.Empty(t, pins)
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
			kinds, pins := partsOf(t, document, tc.variables)
			assert.Equal(t, tc.want, kinds)
			assert.Empty(t, pins)
		})
	}
}

// Promise 2: every pin that a feed of the selection has is followed, each once, and so is every other part.
func TestChatFollowsItsFeeds(t *testing.T) {
	pin := func(agentID string, version int) *feed.Pin {
		return &feed.Pin{AgentID: agentID, AgentVersion: &version}
	}
	const status = projection.SliceStatus
	cases := []struct {
		name, document string
		variables      map[string]any
		parts          []projection.SliceKind
		pins           []*feed.Pin
	}{
		{"no pin", `{ feed { mode } }`, nil, nil, []*feed.Pin{nil}},
		{"null", `{ feed(pin: null) { mode } }`, nil, nil, []*feed.Pin{nil}},
		{"a pin", `{ feed(pin: { agentId: "a", agentVersion: 3 }) { mode } status }`, nil, []projection.SliceKind{status}, []*feed.Pin{pin("a", 3)}},
		{"no version", `{ feed(pin: { agentId: "a" }) { mode } }`, nil, nil, []*feed.Pin{{AgentID: "a"}}},
		{"version null", `{ feed(pin: { agentId: "a", agentVersion: null }) { mode } }`, nil, nil, []*feed.Pin{{AgentID: "a"}}},
		{"an id that is a number", `{ feed(pin: { agentId: 7, agentVersion: 0 }) { mode } }`, nil, nil, []*feed.Pin{pin("7", 0)}},
		{
			"aliases", `{ a: feed(pin: { agentId: "a", agentVersion: 3 }) { mode } b: feed(pin: { agentId: "a", agentVersion: 4 }) { mode } c: feed { mode } }`,
			nil, nil, []*feed.Pin{pin("a", 3), pin("a", 4), nil},
		},
		{
			"the same twice", `{ a: feed(pin: { agentId: "a", agentVersion: 3 }) { mode } b: feed(pin: { agentVersion: 3, agentId: "a" }) { reason } }`,
			nil, nil, []*feed.Pin{pin("a", 3)},
		},
		{
			"variable", `{ feed(pin: $pin) { mode } }`,
			map[string]any{"pin": map[string]any{"agentId": "a", "agentVersion": json.Number("3")}}, nil, []*feed.Pin{pin("a", 3)},
		},
		{"variable null", `{ feed(pin: $pin) { mode } }`, map[string]any{"pin": nil}, nil, []*feed.Pin{nil}},
		{"variable left out", `{ feed(pin: $pin) { mode } }`, nil, nil, []*feed.Pin{nil}},
		{
			"variables within", `{ feed(pin: { agentId: $id, agentVersion: $version }) { mode } }`,
			map[string]any{"id": "a", "version": json.Number("3")}, nil, []*feed.Pin{pin("a", 3)},
		},
		{"variable within left out", `{ feed(pin: { agentId: $id, agentVersion: $version }) { mode } }`, map[string]any{"id": "a"}, nil, []*feed.Pin{{AgentID: "a"}}},
		{
			"fragments, skipped and included", `{ ... { a: feed @skip(if: true) { mode } } ...F status @include(if: false) }
			fragment F on ChatSnapshot { b: feed(pin: { agentId: "b", agentVersion: 1 }) @include(if: true) { mode } }`, nil, nil, []*feed.Pin{pin("b", 1)},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			head := ""
			for name, typ := range map[string]string{"$pin": "AgentPin", "$id": "ID!", "$version": "Int"} {
				if strings.Contains(tc.document, name) {
					head += name + ": " + typ + " "
				}
			}
			if head != "" {
				head = "(" + head + ")"
			}
			selection, fragments, _ := strings.Cut(tc.document, "\n")
			parts, pins := partsOf(t, "subscription "+head+` { chat(conversationId: "c") `+selection+" }"+fragments, tc.variables)
			assert.ElementsMatch(t, tc.parts, parts)
			assert.Equal(t, tc.pins, pins)
		})
	}
}
