package graph_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/graph"
)

func load(t *testing.T, name, text string) *ast.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: name, Input: text})
	require.NoError(t, err)
	return schema
}

// ours calls visit with every type that is not GraphQL's own.
func ours(schema *ast.Schema, visit func(*ast.Definition)) {
	for _, def := range schema.Types {
		if !def.BuiltIn && !strings.HasPrefix(def.Name, "__") {
			visit(def)
		}
	}
}

// fieldsOf leaves out the fields that gqlparser adds to Query.
func fieldsOf(def *ast.Definition) []*ast.FieldDefinition {
	return slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") })
}

// signatures spells everything about a schema that clients rely on, one line each.
func signatures(schema *ast.Schema) []string {
	var out []string
	ours(schema, func(def *ast.Definition) {
		implements := slices.Sorted(slices.Values(def.Interfaces))
		members := slices.Sorted(slices.Values(def.Types))
		out = append(out, fmt.Sprintf("%s %s implements %v is one of %v", def.Kind, def.Name, implements, members))
		for _, value := range def.EnumValues {
			out = append(out, "value "+def.Name+"."+value.Name)
		}
		for _, field := range fieldsOf(def) {
			out = append(out, fmt.Sprintf("field %s.%s: %s", def.Name, field.Name, field.Type))
			for _, arg := range field.Arguments {
				line := fmt.Sprintf("argument %s.%s(%s: %s)", def.Name, field.Name, arg.Name, arg.Type)
				if arg.DefaultValue != nil {
					line += " = " + arg.DefaultValue.String()
				}
				out = append(out, line)
			}
		}
	})
	slices.Sort(out)
	return out
}

// Promise 1: the schema is the contract, no more and no less.
func TestSchemaIsTheContract(t *testing.T) {
	contract, err := os.ReadFile("testdata/contract.graphqls")
	require.NoError(t, err)
	want := signatures(load(t, "contract", string(contract)))
	got := signatures(load(t, "schema", graph.SDL))
	require.Greater(t, len(want), 200)
	assert.Equal(t, want, got)
}

// Promise 1: everything is described, and what can be null says when.
func TestEverythingIsDescribed(t *testing.T) {
	described, nullable := 0, 0
	check := func(place, description string) {
		described++
		assert.Regexp(t, `(?s)^[A-Z"].*\.$|^(content|reasoning|value) of .*\.$`, description, "%s is described in sentences", place)
	}
	saysWhenNull := func(place, description string) {
		nullable++
		assert.Regexp(t, `(?i)\bnull\b`, description, "%s can be null; its description says when", place)
	}
	ours(load(t, "schema", graph.SDL), func(def *ast.Definition) {
		check(def.Name, def.Description)
		for _, value := range def.EnumValues {
			check(def.Name+"."+value.Name, value.Description)
		}
		for _, field := range fieldsOf(def) {
			place := def.Name + "." + field.Name
			check(place, field.Description)
			if !field.Type.NonNull {
				saysWhenNull(place, field.Description)
			}
			for _, arg := range field.Arguments {
				check(place+"("+arg.Name+")", arg.Description)
				if !arg.Type.NonNull && arg.DefaultValue == nil {
					saysWhenNull(place+"("+arg.Name+")", arg.Description)
				}
			}
		}
	})
	assert.Greater(t, described, 250)
	assert.Greater(t, nullable, 60)
}
