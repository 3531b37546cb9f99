package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gql "github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/graph"
	"inlaygraph/graph/generated"
)

// resolversWanted lists every field that has a resolver. A field comes onto it on purpose only: what gqlgen can't bind to
// a Go type becomes a resolver without being asked.
var resolversWanted = map[string][]string{
	"Query":        {"AgentPlan", "Billing", "Conversation", "Conversations", "Session"},
	"Mutation":     {"Cancel", "LoadEarlier", "Retry", "Send", "SubmitToolResult", "SubscribeCheckout", "Topup"},
	"Conversation": {"Backlinks", "RowPage"},
	"Subscription": {
		"Binding", "Chat", "Feed", "Node", "PendingTools", "RowChanges", "RowsAt", "Run", "Subagent", "Table", "Timeline", "ToolCall",
		"Transcript",
	},
}

// Promise 3.
func TestResolversAreOnTheList(t *testing.T) {
	got := map[string][]string{}
	root := reflect.TypeFor[generated.ResolverRoot]()
	for i := range root.NumMethod() {
		method := root.Method(i)
		fields := method.Type.Out(0)
		for j := range fields.NumMethod() {
			got[method.Name] = append(got[method.Name], fields.Method(j).Name)
		}
		slices.Sort(got[method.Name])
	}
	assert.Equal(t, resolversWanted, got)
}

// Promise 2: the generated package has the executor's own types and no others.
func TestNoModelIsGenerated(t *testing.T) {
	var got []string
	files, err := filepath.Glob("generated/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if types, ok := decl.(*ast.GenDecl); ok && types.Tok == token.TYPE {
				for _, spec := range types.Specs {
					got = append(got, spec.(*ast.TypeSpec).Name.Name)
				}
			}
		}
	}
	slices.Sort(got)
	assert.Equal(t, []string{
		"ComplexityRoot", "Config", "ConversationResolver", "DirectiveRoot", "MutationResolver", "QueryResolver", "ResolverRoot",
		"SubscriptionResolver", "executableSchema", "executionContext",
	}, got)
}

// Promise 2: every type is bound by hand, in a file that has no autobind.
func TestEveryTypeIsBound(t *testing.T) {
	text, err := os.ReadFile("../gqlgen.yml")
	require.NoError(t, err)
	var config struct {
		Autobind []string       `yaml:"autobind"`
		Resolver map[string]any `yaml:"resolver"`
		Models   map[string]struct {
			Model any `yaml:"model"`
		} `yaml:"models"`
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	assert.Empty(t, config.Autobind)
	assert.Empty(t, config.Resolver)

	roots := []string{"Query", "Mutation", "Subscription"}
	bound := 0
	ours(load(t, "schema", graph.SDL), func(def *gql.Definition) {
		if !slices.Contains(roots, def.Name) {
			bound++
			assert.NotEmpty(t, config.Models[def.Name].Model, "%s is not bound in gqlgen.yml", def.Name)
		}
	})
	for _, builtin := range []string{"Int", "ID", "String", "Boolean"} {
		bound++
		assert.NotEmpty(t, config.Models[builtin].Model, "%s is not bound in gqlgen.yml", builtin)
	}
	assert.Len(t, config.Models, bound, "gqlgen.yml binds a type that the schema does not have")
}
