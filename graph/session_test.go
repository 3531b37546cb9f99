package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gql "github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/coded"
	"inlaygraph/graph"
)

// rootFields calls visit with a document for every root field of the schema, its required arguments filled in.
func rootFields(t *testing.T, visit func(name, document string)) {
	t.Helper()
	schema := load(t, "schema", graph.SDL)
	for _, root := range []*gql.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		for _, field := range fieldsOf(root) {
			document := strings.ToLower(root.Name) + " { " + field.Name
			if args := required(schema, field.Arguments); len(args) > 0 {
				document += "(" + strings.Join(args, ", ") + ")"
			}
			if schema.Types[field.Type.Name()].IsCompositeType() {
				document += " { __typename }"
			}
			visit(root.Name+"."+field.Name, document+" }")
		}
	}
}

func required(schema *gql.Schema, defs gql.ArgumentDefinitionList) (args []string) {
	for _, arg := range defs {
		if arg.Type.NonNull {
			args = append(args, arg.Name+": "+sample(schema, arg.Type))
		}
	}
	return args
}

// sample is a literal of a type.
func sample(schema *gql.Schema, typ *gql.Type) string {
	def := schema.Types[typ.Name()]
	switch {
	case typ.Elem != nil:
		return "[" + sample(schema, typ.Elem) + "]"
	case def.Kind == gql.InputObject:
		var members []string
		for _, field := range def.Fields {
			if field.Type.NonNull {
				members = append(members, field.Name+": "+sample(schema, field.Type))
			}
		}
		return "{ " + strings.Join(members, ", ") + " }"
	case def.Name == "ID" || def.Name == "String":
		return `"c1"`
	}
	return "1" // a number, or JSON
}

// Promise 6, and promise 5 of resolvers: every root field refuses whoever has no session, by itself and before upstream
// is asked. The fields are the schema's own, so that a new one can't be left out.
func TestEveryRootFieldNeedsASession(t *testing.T) {
	seen := 0
	rootFields(t, func(name, document string) {
		seen++
		t.Run(name, func(t *testing.T) {
			p := newPlatform(paused)
			s := servePlatform(t, p)
			s.who = nil
			_, errs := s.try(document, nil)
			assert.Equal(t, coded.New(coded.Unauthenticated, "a token is needed"), onlyError(t, errs).Unwrap())
			assert.Empty(t, p.wasAsked())
			assert.Zero(t, p.reads)

			s.who = ann
			if data, errs := s.try(document, nil); len(errs) > 0 {
				assert.NotEqual(t, coded.Unauthenticated, coded.CodeOf(errs[0]), "the same document of somebody")
			} else {
				assert.NotEmpty(t, data)
			}
		})
	})
	assert.Greater(t, seen, 20)
}

// Whoever asks in vain for what is read on demand is refused as well, on a conversation that another may see.
func TestOnDemandFieldsNeedASession(t *testing.T) {
	s, _ := serveLive(t)
	s.who = nil
	for _, field := range []string{`rowPage { hasEarlier }`, `backlinks(table: "cities", rowId: "a")`} {
		_, errs := s.try(fields(field), nil)
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(onlyError(t, errs)))
	}
}

// reachable are the types that a selection on root can come to.
func reachable(schema *gql.Schema, root *gql.Definition) map[string]bool {
	seen := map[string]bool{}
	var visit func(def *gql.Definition)
	visit = func(def *gql.Definition) {
		if seen[def.Name] || !def.IsCompositeType() {
			return
		}
		seen[def.Name] = true
		for _, field := range fieldsOf(def) {
			visit(schema.Types[field.Type.Name()])
		}
		for _, possible := range schema.GetPossibleTypes(def) {
			visit(possible)
		}
	}
	visit(root)
	return seen
}

// asking is code of a field that goes to a resolver, or hands a context to the Go type.
var asking = regexp.MustCompile(`\bec\.Resolvers\.|\bobj\.\w+\(ctx\b`)

// asksFor are the fields whose generated code asks: only these can depend on who does.
func asksFor(t *testing.T) map[string]bool {
	t.Helper()
	asks := map[string]bool{}
	files, err := filepath.Glob("generated/*.go")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if ok && strings.HasPrefix(method.Name.Name, "_") && asking.Match(text[method.Pos()-file.FileStart:method.End()-file.FileStart]) {
				of, field, _ := strings.Cut(method.Name.Name[1:], "_")
				asks[of+"."+field] = true
			}
		}
	}
	return asks
}

// Promise 6: one execution may serve all who follow the same, so that no subscription reaches a field that depends on who
// asks.
func TestNoSubscriptionDependsOnWhoAsks(t *testing.T) {
	schema := load(t, "schema", graph.SDL)
	asks := asksFor(t)
	for _, field := range []string{
		"Conversation.rowPage", "Conversation.backlinks", "Billing.balance", "Billing.usage", "Billing.invoices", "Query.session", "Query.billing",
		"Mutation.send", "Subscription.chat",
	} {
		require.True(t, asks[field], "%s is not found among the fields that ask: the generated code looks otherwise than this test thinks", field)
	}
	followed := reachable(schema, schema.Subscription)
	require.Contains(t, followed, "NodeView")
	require.Contains(t, followed, "RowRemoved")
	for field := range asks {
		of, _, _ := strings.Cut(field, ".")
		assert.False(t, followed[of] && of != "Subscription", "a subscription reaches %s", field)
	}
	for _, never := range []string{"Query", "Mutation", "Conversation", "Billing", "SessionInfo"} {
		assert.NotContains(t, followed, never)
	}
}

// Every field that asks is meant to: what gqlgen can't bind, or binds to a method that takes a context, comes onto this list
// on purpose only.
func TestFieldsThatAsk(t *testing.T) {
	var got []string
	for field := range asksFor(t) {
		if !strings.HasPrefix(field, "Query.") && !strings.HasPrefix(field, "Mutation.") && !strings.HasPrefix(field, "Subscription.") {
			got = append(got, field)
		}
	}
	slices.Sort(got)
	assert.Equal(t, []string{
		"Billing.balance", "Billing.grants", "Billing.invoices", "Billing.plans", "Billing.usage", "Conversation.backlinks", "Conversation.rowPage",
	}, got)
}
