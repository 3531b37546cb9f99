package feed_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// The queries of docs/feed.md are ones that the server takes.
func TestThePageQueriesAreValid(t *testing.T) {
	text, err := os.ReadFile("../graph/schema.graphqls")
	require.NoError(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	require.NoError(t, err)
	page, err := os.ReadFile("../docs/feed.md")
	require.NoError(t, err)
	queries := regexp.MustCompile("(?s)```graphql\n(.*?)```").FindAllSubmatch(page, -1)
	require.Len(t, queries, 2, "one that nests, one with entries")
	for _, q := range queries {
		_, errs := gqlparser.LoadQueryWithRules(schema, string(q[1]), nil)
		require.Empty(t, errs)
	}
}
