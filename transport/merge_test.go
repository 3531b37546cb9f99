package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"pgregory.net/rapid"

	"inlaygraph/transport/internal/testgql"
)

func validateWith(t rapid.TB, rule validator.Rule, text string) gqlerror.List {
	query, err := parser.ParseQuery(&ast.Source{Input: text})
	require.NoError(t, err, text)
	return validator.ValidateWithRules(testgql.NewExecutableSchema(testgql.Config{}).Schema(), query, rules.NewRules(rule))
}

func TestMergeRule(t *testing.T) {
	cases := []struct{ text, want string }{
		{"{hello hello}", ""},
		{"{a:hello a:__typename}", `Fields "a" conflict because "hello" and "__typename" are different fields.`},
		{"{echo(n:1)echo(n:2)}", `Fields "echo" conflict because they have differing arguments.`},
		{"{echo(n:1,text:\"\")echo(text:\"\",n:1)}", ""},
		{"{echo(input:{text:\"a\",tags:[]})echo(input:{tags:[],text:\"a\"})}", ""},
		{"{echo(input:{text:\"a\"})echo(input:{text:\"b\"})}", `Fields "echo" conflict because they have differing arguments.`},
		{"{me{pet{...on Dog{x:barks}...on Cat{x:purrs}}}}", ""},
		{"{me{pet{...on Dog{x:barks}...on Cat{x:name}}}}", `Fields "x" conflict because they return conflicting types "Boolean!" and "String!".`},
		{"{me{pet{...on Dog{owner{x:id}}...on Cat{owner{x:name}}}}}", `Fields "x" conflict because they return conflicting types "ID!" and "String!".`},
		{"{me{friend{x:id}friend{...F}}}fragment F on User{x:name}", `Fields "x" conflict because "id" and "name" are different fields.`},
		{"{hello}fragment F on User{x:id x:name}", `Fields "x" conflict because "id" and "name" are different fields.`},
	}
	for _, tc := range cases {
		t.Run(tc.text, func(t *testing.T) {
			errs := validateWith(t, mergeRule, tc.text)
			if tc.want == "" {
				assert.Empty(t, errs)
				return
			}
			require.Len(t, errs, 1)
			assert.Equal(t, tc.want+" Use different aliases on the fields to fetch both if this was intentional.", errs[0].Message)
			assert.NotEmpty(t, errs[0].Locations)
		})
	}
	many := validateWith(t, mergeRule, "{"+numbered(100, "x#:hello x#:__typename ")+"}")
	assert.Len(t, many, maxConflicts)
}

// selections draws a selection set of typ, spreading the fragments from first on, which are named by type and number.
func selections(t *rapid.T, typ string, depth, first int) string {
	var b strings.Builder
	b.WriteString("{")
	leaf := map[string][]string{
		"Query": {"hello", "echo(n:1)", "echo(n:1)", "echo(n:1)", "echo(n:2)", "bytes(count:1)"},
		"User":  {"id", "name", "__typename"},
		"Dog":   {"name", "barks"},
		"Cat":   {"name", "purrs"},
		"Pet":   {"__typename"},
	}[typ]
	inner := map[string][]string{
		"Query": {"me User"},
		"User":  {"friend User", "friends User", "pet Pet"},
		"Dog":   {"owner User"},
		"Cat":   {"owner User"},
		"Pet":   {"...on Dog", "...on Cat"},
	}[typ]
	alias := rapid.SampledFrom([]string{"", "", "", "", "", "", "", "a:", "b:"})
	for range rapid.IntRange(1, 3).Draw(t, "selections") {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind <= 2 && depth > 0:
			pick := strings.Split(rapid.SampledFrom(inner).Draw(t, "field"), " ")
			if pick[0] == "...on" {
				b.WriteString("...on " + pick[1] + selections(t, pick[1], depth-1, first))
			} else {
				b.WriteString(alias.Draw(t, "alias") + pick[0] + selections(t, pick[1], depth-1, first))
			}
		case kind == 3 && first < fragmentsPerType:
			n := rapid.IntRange(first, fragmentsPerType-1).Draw(t, "fragment")
			b.WriteString("..." + typ + string(rune('0'+n)) + " ")
		default:
			b.WriteString(alias.Draw(t, "alias") + rapid.SampledFrom(leaf).Draw(t, "leaf") + " ")
		}
	}
	b.WriteString("}")
	return b.String()
}

const fragmentsPerType = 2

// The rule accepts and refuses exactly what gqlparser's pairwise one does, on generated documents with aliases,
// arguments, unions and fragments.
func TestMergeRuleIsTheSpecifications(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := selections(t, "Query", 4, 0)
		// Only fragments that are spread: gqlparser looks into others no deeper than their first level, and another rule
		// refuses them. Fragments are spread in ascending order, so one pass meets all.
		for n := range fragmentsPerType {
			for _, typ := range []string{"Query", "User", "Dog", "Cat", "Pet"} {
				name := typ + string(rune('0'+n))
				if definition := selections(t, typ, 1, n+1); strings.Contains(text, "..."+name+" ") {
					text += "fragment " + name + " on " + typ + definition
				}
			}
		}
		want := validateWith(t, rules.OverlappingFieldsCanBeMergedRule, text)
		got := validateWith(t, mergeRule, text)
		if (len(want) == 0) != (len(got) == 0) {
			t.Fatalf("%s\ngqlparser: %v\nhere: %v", text, want, got)
		}
		if len(want) == 0 {
			accepted++
		} else {
			refused++
		}
	})
	assert.Positive(t, accepted)
	assert.Positive(t, refused)
}
