package encoded_test

import (
	"math"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/conversation"
	"inlaygraph/graph/encoded"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// told is a conversation of these frames.
func told(t testing.TB, frames ...*wire.Frame) *conversation.Live {
	t.Helper()
	live := conversation.NewLive("c1")
	for _, f := range frames {
		c, _ := live.Apply(f)
		require.Equal(t, projection.Applied, c.Outcome, c.Reason)
	}
	return live
}

func frame(type_ wire.FrameType, body wire.Body) *wire.Frame {
	return &wire.Frame{Type: type_, Body: body}
}

// same executes a query on both servers and tells how many lists were written here, and how many went the plain way.
func same(t *testing.T, live *conversation.Live, text string) (lists, plainly uint64, errs string) {
	t.Helper()
	cache := encoded.NewCache(encoded.DefaultBytes)
	plain, fast := serve(nil), serve(cache)
	plain.conversation, fast.conversation = live.Conversation(), live.Conversation()
	want, wantErrors := plain.ask(t, text, nil)
	got, gotErrors := fast.ask(t, text, nil)
	assert.Equal(t, want, got)
	assert.Equal(t, spelled(t, wantErrors), spelled(t, gotErrors))
	return cache.Stats().Lists, cache.Stats().Plain, spelled(t, gotErrors)
}

// Promise 2, of values.
func TestErrorsAreTheExecutors(t *testing.T) {
	start := frame(wire.NodeStart, wire.Body{Spine: wire.Spine{NodeID: "n", Activation: "x"}, Kind: "llm"})
	ended := func(b wire.Body) *wire.Frame {
		b.Spine, b.Status = wire.Spine{NodeID: "n", Activation: "x"}, wire.Failed
		return frame(wire.NodeEnd, b)
	}
	output := func(format wire.ArtifactFormat) *wire.Frame {
		return frame(wire.OutputSet, wire.Body{Spine: wire.Spine{NodeID: "n"}, ID: "o", Name: "out", Value: `1`, Format: format, ValueStatus: wire.Final})
	}
	rows := `{ conversation(id: "c1") { timeline { id ... on OutputRow { format } } } }`
	usage := `{ conversation(id: "c1") { nodes { usage { promptTokens } } } }`
	failure := `{ conversation(id: "c1") { nodes { error { kind } } } }`
	for _, c := range []struct {
		name, text, err string
		frames          []*wire.Frame
	}{
		{"an enum value that has a name", rows, "", []*wire.Frame{output(wire.FormatHTML)}},
		{"an enum value without a name", rows, "ArtifactFormat has no name for 77", []*wire.Frame{output(77)}},
		{"a number in range", usage, "", []*wire.Frame{start, ended(wire.Body{Usage: &wire.Usage{PromptTokens: 1<<53 - 1}})}},
		{"a number out of range", usage, "TokenUsage.promptTokens", []*wire.Frame{start, ended(wire.Body{Usage: &wire.Usage{PromptTokens: 1 << 53}})}},
		{"a required enum value that has a name", failure, "", []*wire.Frame{start, ended(wire.Body{Error: &wire.PublicError{Kind: wire.ErrorTool}})}},
		{"a required enum value without a name", failure, "PublicError.kind", []*wire.Frame{start, ended(wire.Body{Error: &wire.PublicError{Kind: 77}})}},
		{"a null that may be", `{ conversation(id: "c1") { timeline { seq at } } }`, "", []*wire.Frame{output(0)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lists, plainly, errs := same(t, told(t, c.frames...), c.text)
			if c.err == "" {
				assert.Equal(t, "null", errs)
				assert.EqualValues(t, []uint64{1, 0}, []uint64{lists, plainly})
				return
			}
			assert.Contains(t, errs, c.err)
			assert.EqualValues(t, []uint64{0, 1}, []uint64{lists, plainly})
		})
	}
}

// Promise 2, of a number that is null when it is out of range, where null is allowed.
func TestNullOutOfRange(t *testing.T) {
	live := told(t, frame(wire.MessageEnd, wire.Body{ID: "m", Seq: math.MaxInt64, HasContent: true}))
	lists, _, errs := same(t, live, `{ conversation(id: "c1") { timeline { seq } } }`)
	assert.EqualValues(t, 1, lists)
	assert.Equal(t, "null", errs)
}

// Promise 2: rows that are not there.
func TestMissingRows(t *testing.T) {
	there := told(t, frame(wire.UserMessage, wire.Body{ID: "u", Content: "hi", HasContent: true})).Conversation().Timeline()
	for name, rows := range map[string][]projection.Row{
		"nil": {there[0], nil}, "nil user": {(*projection.UserRow)(nil)}, "nil assistant": {there[0], (*projection.AssistantRow)(nil)},
		"nil output": {(*projection.OutputRow)(nil)}, "nil call": {(*projection.ToolCallRow)(nil)}, "nil result": {(*projection.ToolResultRow)(nil)},
		"none": {}, "no list": nil, "one": there,
	} {
		t.Run(name, func(t *testing.T) {
			plain, fast := serve(nil), serve(encoded.NewCache(0))
			message := func(s *server) *graphql.Response {
				next, err := s.start(t.Context(), `subscription { timeline(conversationId: "c1") { id } }`, nil)
				require.NoError(t, err)
				s.timelines <- rows
				return next()
			}
			want, got := message(plain), message(fast)
			assert.Equal(t, string(want.Data), string(got.Data))
			assert.Equal(t, spelled(t, want.Errors), spelled(t, got.Errors))
		})
	}
}

// Promise 2, of selections. Validation lets none of these through today, so that the document is changed behind it.
func TestWhatIsNotKnownGoesThePlainWay(t *testing.T) {
	live := told(t,
		frame(wire.UserMessage, wire.Body{ID: "u", Content: "hi", HasContent: true}),
		frame(wire.MessageEnd, wire.Body{ID: "m", Content: "hello", HasContent: true}),
	)
	field := func(list ast.SelectionSet) *ast.Field { return list[0].(*ast.Field) }
	for _, c := range []struct {
		name   string
		change func(list ast.SelectionSet)
		fast   bool
	}{
		{"nothing", func(ast.SelectionSet) {}, true},
		{"another directive", func(list ast.SelectionSet) {
			field(list).Directives = append(field(list).Directives, &ast.Directive{Name: "upper"})
		}, false},
		{"an argument", func(list ast.SelectionSet) {
			field(list).Arguments = append(field(list).Arguments, &ast.Argument{Name: "first"})
		}, false},
		{"a deferred fragment", func(list ast.SelectionSet) {
			fragment := list[1].(*ast.InlineFragment)
			fragment.Directives = append(fragment.Directives, &ast.Directive{Name: "defer", Arguments: ast.ArgumentList{
				{Name: "if", Value: &ast.Value{Kind: ast.BooleanValue, Raw: "true"}},
			}})
		}, false},
		{"a deferred fragment on a kind that has no row", func(list ast.SelectionSet) {
			fragment := list[2].(*ast.InlineFragment)
			fragment.Directives = append(fragment.Directives, &ast.Directive{Name: "defer"})
		}, true},
		{"a field of another type", func(list ast.SelectionSet) { field(list).Name = "flag" }, false},
		{"one name for two fields", func(list ast.SelectionSet) {
			list[1].(*ast.InlineFragment).SelectionSet[0].(*ast.Field).Alias = "id"
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := encoded.NewCache(encoded.DefaultBytes)
			plain, fast := serve(nil), serve(cache)
			plain.conversation, fast.conversation = live.Conversation(), live.Conversation()
			ask := func(s *server) *graphql.Response {
				const text = `{ conversation(id: "c1") { timeline { id ... on UserRow { content } ... on OutputRow { name } } } }`
				op, errs := s.exec.CreateOperationContext(graphql.StartOperationTrace(t.Context()), &graphql.RawParams{Query: text})
				require.Empty(t, errs)
				c.change(op.Operation.SelectionSet[0].(*ast.Field).SelectionSet[0].(*ast.Field).SelectionSet)
				next, ctx := s.exec.DispatchOperation(t.Context(), op)
				return next(ctx)
			}
			want, got := ask(plain), ask(fast)
			assert.Equal(t, string(want.Data), string(got.Data))
			assert.Equal(t, spelled(t, want.Errors), spelled(t, got.Errors))
			if c.fast {
				assert.EqualValues(t, 1, cache.Stats().Lists)
			} else {
				assert.EqualValues(t, 1, cache.Stats().Plain)
			}
		})
	}
}

// Generated code asks for each of the lists, wherever it stands, and for no other.
func TestGeneratedCodeAsks(t *testing.T) {
	live := told(t,
		frame(wire.NodeStart, wire.Body{Spine: wire.Spine{NodeID: "n", Activation: "x"}, Kind: "llm"}),
		frame(wire.MessageEnd, wire.Body{Spine: wire.Spine{NodeID: "n", Activation: "x"}, ID: "m", Content: "hello", HasContent: true}),
		frame(wire.OutputSet, wire.Body{ID: "o", Name: "out", Value: `1`, ValueStatus: wire.Final, Complete: true}),
	)
	for text, lists := range map[string]uint64{
		`timeline { id }`: 1, `chat { transcript { id } }`: 1, `rowsAt(path: ["n"]) { id }`: 1, `outputsNamed(name: "out") { id }`: 1,
		`assistantsInActivation(path: ["n"], activation: "x") { id }`: 1, `nodes { path rows { id } branches { to } }`: 1,
		`node(path: ["n"]) { path rows { id } branches { to } }`: 1, `run { nodes { path } }`: 0, `chat { feed { rows { __typename } } }`: 0,
	} {
		got, plainly, errs := same(t, live, `{ conversation(id: "c1") { `+text+` } }`)
		assert.Equal(t, "null", errs)
		assert.Equal(t, []uint64{lists, 0}, []uint64{got, plainly}, text)
	}
}
