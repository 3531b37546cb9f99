package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	gql "github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/graph"
)

// documents writes an operation for any root field of the schema: every argument is given, every field below is
// selected. An argument that it does not know fails the test, so that a new one is thought of.
type documents struct {
	schema    *gql.Schema
	arguments map[string]string // the literals of arguments and of members of inputs, by name
}

func newDocuments(t *testing.T) *documents {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&gql.Source{Name: "schema", Input: graph.SDL})
	require.NoError(t, err)
	return &documents{schema: schema, arguments: map[string]string{
		"activation": `"visit"`, "after": `""`, "afterSeq": `0`, "agentId": `"helper"`, "agentVersion": `3`, "amountMicroUsd": `1000000`,
		"beforeSeq": `100`, "clientRequestId": `null`, "content": `"Hello again"`, "from": `"2026-05-01T00:00:00Z"`, "limit": `10`,
		"minIntervalMs": `0`, "name": `"note"`, "offset": `0`, "output": `{ fine: true }`, "path": `["helper"]`, "planId": `"p1"`,
		"returnUrl": `"https://app.example/back"`, "rowId": `"r1"`, "status": `PAUSED`, "subtree": `true`, "table": `"notes"`,
		"to": `"2026-06-01T00:00:00Z"`, "toolCallId": `"call1"`,
	}}
}

// roots are the root fields of the schema, in its order.
func (d *documents) roots() (all []*gql.Definition) {
	return []*gql.Definition{d.schema.Query, d.schema.Mutation, d.schema.Subscription}
}

// operation asks for a root field; given are literals that go before the table's, by name.
func (d *documents) operation(t *testing.T, root *gql.Definition, field *gql.FieldDefinition, given map[string]string) string {
	t.Helper()
	return strings.ToLower(root.Name) + " { " + d.field(t, field, given, nil) + " }"
}

func (d *documents) field(t *testing.T, field *gql.FieldDefinition, given map[string]string, within []string) string {
	t.Helper()
	text := field.Name
	var arguments []string
	for _, argument := range field.Arguments {
		arguments = append(arguments, argument.Name+": "+d.literal(t, argument.Name, argument.Type, given))
	}
	if arguments != nil {
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	return text + d.selection(t, d.schema.Types[field.Type.Name()], given, within)
}

func (d *documents) literal(t *testing.T, name string, of *gql.Type, given map[string]string) string {
	t.Helper()
	if text, ok := given[name]; ok {
		return text
	}
	if input := d.schema.Types[of.Name()]; input.Kind == gql.InputObject && of.Elem == nil {
		var members []string
		for _, member := range input.Fields {
			members = append(members, member.Name+": "+d.literal(t, member.Name, member.Type, given))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	}
	text, ok := d.arguments[name]
	require.True(t, ok, "the table of arguments does not know %s", name)
	return text
}

// selection selects everything of a type, but what it is within already.
func (d *documents) selection(t *testing.T, of *gql.Definition, given map[string]string, within []string) string {
	t.Helper()
	if !of.IsCompositeType() {
		return ""
	}
	within = append(within[:len(within):len(within)], of.Name)
	if of.IsAbstractType() {
		text := " { __typename"
		for _, possible := range d.schema.GetPossibleTypes(of) {
			text += fmt.Sprintf(" ... on %s%s", possible.Name, d.selection(t, possible, given, within))
		}
		return text + " }"
	}
	text := " { __typename"
	for _, field := range of.Fields {
		if strings.HasPrefix(field.Name, "__") || slices.Contains(within, field.Type.Name()) {
			continue
		}
		text += " " + d.field(t, field, given, within)
	}
	return text + " }"
}

// takes tells whether a field has an argument of a name, in an input too.
func (d *documents) takes(field *gql.FieldDefinition, name string) bool {
	for _, argument := range field.Arguments {
		if argument.Name == name {
			return true
		}
		if input := d.schema.Types[argument.Type.Name()]; input.Kind == gql.InputObject && input.Fields.ForName(name) != nil {
			return true
		}
	}
	return false
}
