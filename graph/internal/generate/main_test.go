package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generated is what the code of gqlgen looks like where it is changed.
func generated() string {
	var b strings.Builder
	b.WriteString("package generated\n\nimport (\n\t\"context\"\n\t\"inlaygraph/feed\"\n\t\"inlaygraph/graph/scalars\"\n)\n")
	for _, l := range lists {
		b.WriteString("\nfunc (ec *executionContext) " + l.marshal + "(ctx context.Context, sel ast.SelectionSet, v []T) graphql.Marshaler {\n\treturn nil\n}\n")
	}
	return b.String()
}

func TestAsk(t *testing.T) {
	text, err := ask([]byte(generated()))
	require.NoError(t, err)
	assert.Contains(t, string(text), "\t\"inlaygraph/feed\"\n\t\"inlaygraph/graph/encoded\"\n\t\"inlaygraph/graph/scalars\"\n")
	for _, l := range lists {
		assert.Contains(t, string(text), l.marshal+"(ctx context.Context, sel ast.SelectionSet, v []T) graphql.Marshaler {\n"+
			"\tif m := encoded."+l.answer+"(ctx, sel, v); m != nil {\n\t\treturn m\n\t}\n\treturn nil\n}\n")
	}
	again, err := ask([]byte(generated()))
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
}

// What gqlgen writes may change with its version or with the schema: that is seen here, and not as a slow server.
func TestAskFails(t *testing.T) {
	for _, l := range lists {
		_, err := ask([]byte(strings.Replace(generated(), l.marshal+"(", "marshalOther(", 1)))
		assert.ErrorContains(t, err, `0 lines begin with "func (ec *executionContext) `+l.marshal)
	}
	_, err := ask([]byte(generated() + "func (ec *executionContext) " + lists[0].marshal + "(ctx context.Context, sel ast.SelectionSet, v []T)\n"))
	assert.ErrorContains(t, err, "2 lines begin with")
	_, err = ask([]byte(strings.Replace(generated(), `"inlaygraph/graph/scalars"`, `"scalars"`, 1)))
	assert.ErrorContains(t, err, "0 lines begin with")
	_, err = ask([]byte(generated() + "func {"))
	assert.Error(t, err)
}

// What is checked in was changed too.
func TestGeneratedCodeAsks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "generated", "schema.generated.go"))
	require.NoError(t, err)
	assert.Equal(t, len(lists), strings.Count(string(text), "if m := encoded."))
}
