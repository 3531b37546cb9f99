package scalars

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/wire"
)

// closedSet is one enum as the test reads it: every number that its Go type can hold.
type closedSet struct {
	written   func(n uint8) string // the name, "" for none
	unmarshal func(any) (uint8, error)
	wire      func(n uint8) string // the wire's word, where the wire has the set; "" for none
}

func setOf[E ~uint8](marshal func(E) graphql.Marshaler, unmarshal func(any) (E, error), word func(E) string) closedSet {
	return closedSet{
		written: func(n uint8) string {
			m := marshal(E(n))
			if m == graphql.Null {
				return ""
			}
			var b strings.Builder
			m.MarshalGQL(&b)
			return strings.Trim(b.String(), `"`)
		},
		unmarshal: func(v any) (uint8, error) {
			e, err := unmarshal(v)
			return uint8(e), err
		},
		wire: func(n uint8) string {
			if word == nil {
				return ""
			}
			return word(E(n))
		},
	}
}

// nullableSetOf turns an enum that has a context into the shape of the others.
func nullableSetOf[E ~uint8](
	marshal func(E) graphql.ContextMarshaler, unmarshal func(context.Context, any) (E, error), word func(E) string,
) closedSet {
	return setOf(
		func(e E) graphql.Marshaler {
			var b strings.Builder
			if marshal(e).MarshalGQLContext(context.Background(), &b) != nil {
				return graphql.Null
			}
			return quoted(b.String())
		},
		func(v any) (E, error) { return unmarshal(context.Background(), v) },
		word,
	)
}

// Promises 4 and 5.
func TestEnumsAreTheSchemas(t *testing.T) {
	sets := map[string]closedSet{
		"BindingStatus":      setOf(MarshalBindingStatus, UnmarshalBindingStatus, wire.BindingStatus.String),
		"ArtifactFormat":     nullableSetOf(MarshalArtifactFormat, UnmarshalArtifactFormat, wire.ArtifactFormat.String),
		"PublicErrorKind":    setOf(MarshalPublicErrorKind, UnmarshalPublicErrorKind, wire.ErrorKind.String),
		"ChatStatus":         setOf(MarshalChatStatus, UnmarshalChatStatus, nil),
		"ToolCallStatus":     setOf(MarshalToolCallStatus, UnmarshalToolCallStatus, nil),
		"RunStatus":          setOf(MarshalRunStatus, UnmarshalRunStatus, nil),
		"ConversationStatus": nullableSetOf(MarshalConversationStatus, UnmarshalConversationStatus, wire.Status.String),
		"NodeRunStatus": nullableSetOf(MarshalNodeRunStatus, UnmarshalNodeRunStatus, func(s wire.Status) string {
			if s == wire.Paused || s == wire.AwaitingClientTool {
				return "" // a node never is
			}
			return s.String()
		}),
		"RowTextField":   setOf(MarshalRowTextField, UnmarshalRowTextField, nil),
		"RepeatMode":     setOf(MarshalRepeatMode, UnmarshalRepeatMode, nil),
		"BranchStatus":   setOf(MarshalBranchStatus, UnmarshalBranchStatus, nil),
		"FeedMode":       setOf(MarshalFeedMode, UnmarshalFeedMode, nil),
		"NodeViewStatus": setOf(MarshalNodeViewStatus, UnmarshalNodeViewStatus, nil),
		"BranchFlag":     setOf(MarshalBranchFlag, UnmarshalBranchFlag, nil),
	}
	text, err := os.ReadFile("../schema.graphqls")
	require.NoError(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: string(text)})
	require.NoError(t, err)
	for _, def := range schema.Types {
		if def.Kind != ast.Enum || strings.HasPrefix(def.Name, "__") {
			continue
		}
		set, ok := sets[def.Name]
		if !assert.True(t, ok, "%s is not in this test", def.Name) {
			continue
		}
		delete(sets, def.Name)
		t.Run(def.Name, func(t *testing.T) {
			var want, got []string
			for _, value := range def.EnumValues {
				want = append(want, value.Name)
			}
			for n := range 256 {
				name := set.written(uint8(n))
				if word := set.wire(uint8(n)); word != "" {
					assert.Equal(t, strings.ToUpper(word), name, "the wire's word and the schema's name differ in case only")
				}
				if name == "" {
					continue
				}
				got = append(got, name)
				back, err := set.unmarshal(name)
				assert.NoError(t, err)
				assert.EqualValues(t, n, back)
			}
			slices.Sort(want)
			slices.Sort(got)
			assert.Equal(t, want, got)
			for _, wrong := range []any{"", "OTHER", strings.ToLower(want[0]), nil, 1, true} {
				_, err := set.unmarshal(wrong)
				assert.EqualError(t, err, def.Name+" takes one of its names", "%v", wrong)
			}
		})
	}
	assert.Empty(t, sets, "not in the schema")
}
