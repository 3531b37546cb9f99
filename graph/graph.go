package graph

import (
	_ "embed"

	"github.com/99designs/gqlgen/graphql"

	"inlaygraph/graph/encoded"
	"inlaygraph/graph/generated"
	"inlaygraph/graph/resolvers"
)

// SDL is the public schema, descriptions and all.
//
//go:embed schema.graphqls
var SDL string

// New returns the schema, ready to be executed, over the conversations of root's hub.
func New(root *resolvers.Root) graphql.ExecutableSchema {
	return NewCached(root, encoded.NewCache(encoded.DefaultBytes))
}

// NewCached is New with a cache of encoded rows that the caller made.
func NewCached(root *resolvers.Root, cache *encoded.Cache) graphql.ExecutableSchema {
	return encoded.Schema(generated.NewExecutableSchema(generated.Config{Resolvers: root}), cache)
}
