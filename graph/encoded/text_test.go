package encoded_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/graph"
	"inlaygraph/graph/encoded"
)

// executors is a string as the executor writes it.
func executors(s string) string {
	var b strings.Builder
	graphql.MarshalString(s).MarshalGQL(&b)
	return b.String()
}

// Promise 1: every byte, at every place of the words of eight that are looked at together.
func TestStrings(t *testing.T) {
	for c := range 256 {
		for before := range 18 {
			for after := range 10 {
				s := strings.Repeat("x", before) + string([]byte{byte(c)}) + strings.Repeat("é", after)
				require.Equal(t, executors(s), string(encoded.AppendString(nil, s)))
			}
		}
	}
}

func FuzzStrings(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\t\n\r\x00\x1f \x7f", "a long one, with an end that is not plain\n", "\x80\xff\u2028é😀<&>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		assert.Equal(t, "before"+executors(s), string(encoded.AppendString([]byte("before"), s)))
	})
}

// Every field of the types that are written here has a writer, so that no selection of them is slow.
func TestEveryFieldHasAWriter(t *testing.T) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: graph.SDL})
	require.NoError(t, err)
	fields := encoded.Fields()
	require.Len(t, fields, 9)
	for _, row := range schema.PossibleTypes["Row"] {
		assert.Contains(t, fields, row.Name)
	}
	for name, got := range fields {
		var want []string
		for _, field := range schema.Types[name].Fields {
			want = append(want, field.Name)
			assert.Empty(t, field.Arguments, "%s.%s", name, field.Name)
		}
		slices.Sort(want)
		assert.Equal(t, want, got, name)
	}
}
