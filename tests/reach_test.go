package tests

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	gql "github.com/vektah/gqlparser/v2/ast"
)

// withinThemselves are fields whose type is one that they stand in: an operation ends at them.
var withinThemselves = map[string]bool{"FanOutRow.tracks": true, "RepeatRow.tracks": true, "SubagentRow.rows": true}

// reachesEverything checks that the operation of a root field asks for all there is below it: every field of every object
// type that can be reached, arguments and all, so that a field's own way to what is foreign would show.
func (m *matrix) reachesEverything(t *testing.T, root *gql.Definition, field *gql.FieldDefinition, how rooted) {
	t.Helper()
	given := map[string]string{}
	if how.names != "" {
		given[how.names] = `"talk"`
	}
	doc, err := gqlparser.LoadQueryWithRules(m.schema, m.operation(t, root, field, given), nil)
	require.Nil(t, err)
	asked := map[string]bool{}
	var visit func(gql.SelectionSet)
	visit = func(set gql.SelectionSet) {
		for _, sel := range set {
			switch sel := sel.(type) {
			case *gql.Field:
				asked[sel.ObjectDefinition.Name+"."+sel.Name] = true
				visit(sel.SelectionSet)
			case *gql.InlineFragment:
				visit(sel.SelectionSet)
			}
		}
	}
	visit(doc.Operations[0].SelectionSet)
	seen := map[string]bool{}
	var reach func(typ *gql.Definition)
	reach = func(typ *gql.Definition) {
		if seen[typ.Name] || typ.Kind == gql.Scalar || typ.Kind == gql.Enum {
			return
		}
		seen[typ.Name] = true
		if typ.Kind == gql.Interface || typ.Kind == gql.Union {
			for _, possible := range m.schema.GetPossibleTypes(typ) {
				reach(possible)
			}
		}
		for _, f := range typ.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if typ.Kind == gql.Object && !withinThemselves[typ.Name+"."+f.Name] {
				inherited := slices.ContainsFunc(typ.Interfaces, func(name string) bool { return asked[name+"."+f.Name] })
				assert.True(t, asked[typ.Name+"."+f.Name] || inherited, "%s.%s is not asked for", typ.Name, f.Name)
			}
			reach(m.schema.Types[f.Type.Name()])
		}
	}
	reach(m.schema.Types[field.Type.Name()])
}
